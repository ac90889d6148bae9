package experiment

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// maxValues is the number of values that one axis may have.
const maxValues = 100

// axisValues returns the values of an axis in order, as text.
func axisValues(axis *v1alpha1.Axis, path *field.Path) ([]string, *field.Error) {
	switch {
	case axis.Range != nil:
		return rangeValues(axis.Range, path.Child("range"))
	case axis.Logarithmic != nil:
		return logarithmicValues(axis.Logarithmic, path.Child("logarithmic"))
	case len(axis.Values) == 0:
		return nil, field.Required(path.Child("values"), "an axis needs at least one value")
	}
	var values []string
	for i, v := range axis.Values {
		if slices.Contains(values, string(v)) {
			return nil, field.Duplicate(path.Child("values").Index(i), string(v))
		}
		values = append(values, string(v))
	}
	return values, nil
}

func rangeValues(r *v1alpha1.Range, path *field.Path) ([]string, *field.Error) {
	if r.Step.Sign() <= 0 {
		return nil, field.Invalid(path.Child("step"), r.Step.String(), "must be above 0")
	}
	if r.From.Cmp(r.To) > 0 {
		return nil, field.Invalid(path.Child("from"), r.From.String(), fmt.Sprintf("must not exceed to, which is %s", r.To.String()))
	}
	var values []string
	for at := r.From.DeepCopy(); at.Cmp(r.To) <= 0; at.Add(r.Step) {
		if len(values) == maxValues {
			return nil, field.Invalid(path.Child("step"), r.Step.String(), fmt.Sprintf("results in more than %d values: use a larger step", maxValues))
		}
		values = append(values, quantityValue(at))
	}
	return values, nil
}

// quantityValue formats a quantity. A plain number has no suffix, so that it fits fields of integers and of
// quantities alike.
func quantityValue(q resource.Quantity) string {
	if n, whole := q.AsInt64(); whole && q.Format == resource.DecimalSI {
		return strconv.FormatInt(n, 10)
	}
	return q.String()
}

func logarithmicValues(l *v1alpha1.Logarithmic, path *field.Path) ([]string, *field.Error) {
	if l.From >= l.To {
		return nil, field.Invalid(path.Child("from"), l.From, fmt.Sprintf("must be below to, which is %d", l.To))
	}
	var values []string
	var last int64
	ratio := math.Log(float64(l.To) / float64(l.From))
	for i := range l.Points {
		n := int64(math.Round(float64(l.From) * math.Exp(ratio*float64(i)/float64(l.Points-1))))
		if i == 0 || n != last {
			values = append(values, strconv.FormatInt(n, 10))
		}
		last = n
	}
	return values, nil
}

// jsonCandidates returns the JSON values that a text may represent: the text itself, or the number or boolean
// that it spells.
func jsonCandidates(text string) []any {
	all := []any{text}
	var literal any
	if err := json.Unmarshal([]byte(text), &literal); err == nil {
		switch literal.(type) {
		case float64:
			all = append(all, json.Number(strings.TrimSpace(text)))
		case bool:
			all = append(all, literal)
		}
	}
	return all
}
