// Package promql restricts the PromQL expressions of objectives to the namespace of their run, and evaluates them.
package promql

import (
	"fmt"
	"strings"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// namespaceLabel is the label that the Prometheus Operator and Kubernetes service discovery give all series of a pod.
const namespaceLabel = "namespace"

// expressionParser refuses experimental functions. One of them, info, reads series that no selector names.
var expressionParser = parser.NewParser(parser.Options{})

// Validate rejects query objectives that the operator cannot evaluate in the namespace. available says whether the
// operator has a Prometheus. The path is that of the workload.
func Validate(w *v1alpha1.Workload, namespace string, available bool, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range w.Objectives {
		o, path := w.Objectives[i].Query, path.Child("objectives").Index(i).Child("query")
		if o == nil {
			continue
		}
		if o.Min != nil && o.Max != nil && o.Min.Cmp(*o.Max) > 0 {
			errs = append(errs, field.Invalid(path.Child("min"), o.Min.String(), "must not be above max, which is "+o.Max.String()))
		}
		if !available {
			errs = append(errs, field.Invalid(path.Child("name"), o.Name,
				"the operator has no Prometheus that could evaluate it: set --prometheus-url (monitoring.prometheus.url in the chart), or remove the objective"))
		}
		if _, err := RestrictExpression(newPlaceholderReplacer("network", "run", 60).Replace(o.Expression), namespace); err != nil {
			errs = append(errs, field.Invalid(path.Child("expression"), o.Expression, err.Error()))
		}
	}
	return errs
}

// newPlaceholderReplacer returns a replacer of the placeholders of an expression. The names need no quoting, because they are DNS names.
func newPlaceholderReplacer(network, run string, windowSeconds int) *strings.Replacer {
	return strings.NewReplacer("$window", fmt.Sprintf("%ds", windowSeconds), "$network", network, "$run", run)
}

// RestrictExpression adds the namespace to each selector of the expression. It fails if the expression has a syntax error or no numeric
// value, or if a selector excludes the namespace.
func RestrictExpression(expression, namespace string) (string, error) {
	tree, err := expressionParser.ParseExpr(expression)
	if err != nil {
		return "", err
	}
	if kind := tree.Type(); kind != parser.ValueTypeScalar && kind != parser.ValueTypeVector {
		return "", fmt.Errorf("must be a scalar or an instant vector, not a %s: use a function such as rate or avg_over_time", parser.DocumentedType(kind))
	}
	own := labels.MustNewMatcher(labels.MatchEqual, namespaceLabel, namespace)
	parser.Inspect(tree, func(node parser.Node, _ []parser.Node) error {
		selector, ok := node.(*parser.VectorSelector)
		if !ok {
			return nil
		}
		for _, m := range selector.LabelMatchers {
			if m.Name == namespaceLabel && !m.Matches(namespace) && err == nil {
				err = fmt.Errorf("%s excludes the namespace %s, the only one that the expression may read: leave the label out, the operator adds it", m, namespace)
			}
		}
		selector.LabelMatchers = append(selector.LabelMatchers, own)
		return nil
	})
	if err != nil {
		return "", err
	}
	return tree.String(), nil
}
