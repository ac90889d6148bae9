package corda

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

var (
	// placeholderPattern matches the escape, or a placeholder whose end may be missing.
	placeholderPattern = regexp.MustCompile(`\$\$\{|\$\{([^}]*)(\}?)`)
	randomPattern      = regexp.MustCompile(`^random:(-?\d{1,15}):(-?\d{1,15})$`)
)

// argumentTemplate is the value of an argument, whose placeholders the driver replaces for each operation.
type argumentTemplate struct {
	// Low and High are the value with the lowest and the highest number for each placeholder. They lack the cells of the data.
	Low, High string
	// Random and CSV report whether there are placeholders of that kind.
	Random, CSV bool
}

// parseTemplate returns the template of a value. It fails if a placeholder is unknown or incomplete.
func parseTemplate(value string) (argumentTemplate, error) {
	var t argumentTemplate
	from := 0
	for _, at := range placeholderPattern.FindAllStringSubmatchIndex(value, -1) {
		t.add(value[from:at[0]], value[from:at[0]])
		from = at[1]
		switch {
		case at[2] < 0:
			t.add("${", "${")
		case at[4] == at[5]:
			return t, fmt.Errorf("it has no } after %s; write $${ for a literal ${", value[at[0]:at[1]])
		default:
			if err := t.addPlaceholder(value[at[2]:at[3]]); err != nil {
				return t, err
			}
		}
	}
	t.add(value[from:], value[from:])
	return t, nil
}

func (t *argumentTemplate) add(low, high string) { t.Low, t.High = t.Low+low, t.High+high }

func (t *argumentTemplate) addPlaceholder(name string) error {
	switch {
	case name == "counter" || name == "client" || name == "worker":
		t.add("0", "0")
	case strings.HasPrefix(name, "random:"):
		t.Random = true
		bounds := randomPattern.FindStringSubmatch(name)
		if bounds == nil || parseBound(bounds[1]) > parseBound(bounds[2]) {
			return fmt.Errorf("${%s} must have two whole numbers of at most 15 digits, the lower one first, such as ${random:1:100}", name)
		}
		t.add(strconv.FormatInt(parseBound(bounds[1]), 10), strconv.FormatInt(parseBound(bounds[2]), 10))
	case strings.HasPrefix(name, "csv:"):
		t.CSV = true
	default:
		return fmt.Errorf("it has the unknown placeholder ${%s}; known are ${counter}, ${client}, ${worker}, ${random:FROM:TO} and"+
			" ${csv:COLUMN}; write $${ for a literal ${", name)
	}
	return nil
}

// parseBound returns the number of at most 15 digits.
func parseBound(digits string) int64 {
	n, _ := strconv.ParseInt(digits, 10, 64)
	return n
}

// usesPlaceholders reports whether an argument of the flow has random values, and whether one has cells of the data.
func usesPlaceholders(f *v1alpha1.CordaFlow) (random, csv bool) {
	for _, a := range slices.Concat(f.Arguments, ptr.Deref(f.SetUp, v1alpha1.CordaCall{}).Arguments) {
		t, _ := parseTemplate(string(a.Value)) // Validation reports the error.
		random, csv = random || t.Random, csv || t.CSV
	}
	return random, csv
}
