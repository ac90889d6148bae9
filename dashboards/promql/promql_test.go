package promql

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	dashboardsmodel "github.com/benchnet/benchnet/dashboards/model"
)

const repositoryRoot = "../../"

// variableValues are values for the variables of dashboards. The parser accepts any values.
var variableValues = map[string]string{
	"__rate_interval": "1m", "__range": "1h", "datasource": "prometheus", "namespace": "n", "network": "n", "platform": "p", "member": ".+",
	"run": "r", "experiment": "e", "database": ".+", "pod": ".+", "controller": ".+",
}

// counterFunctions are the functions that are only meaningful for counters.
var counterFunctions = []string{"rate", "irate", "increase"}

// lintExpression returns the faults of an expression. metrics holds the known metrics; nil allows any metric.
func lintExpression(expr string, metrics metricKinds) []string {
	filled, err := dashboardsmodel.InterpolateVariables(expr, variableValues)
	if err != nil {
		return []string{err.Error()}
	}
	tree, err := parser.NewParser(parser.Options{}).ParseExpr(filled)
	if err != nil {
		return []string{fmt.Sprintf("%s: %v", filled, err)}
	}
	var found []string
	counted := map[*parser.VectorSelector]bool{}
	parser.Inspect(tree, func(node parser.Node, _ []parser.Node) error {
		switch n := node.(type) {
		case *parser.Call:
			found = append(found, lintCall(n, metrics, counted)...)
		case *parser.VectorSelector:
			found = append(found, lintSelector(n, metrics, counted[n])...)
		}
		return nil
	})
	return found
}

// lintCall checks that rates are not applied to gauges, and marks selectors within a rate or derivative as
// counted.
func lintCall(call *parser.Call, metrics metricKinds, counted map[*parser.VectorSelector]bool) []string {
	if !slices.Contains(counterFunctions, call.Func.Name) && call.Func.Name != "deriv" {
		return nil
	}
	matrix, ok := call.Args[0].(*parser.MatrixSelector)
	if !ok {
		return nil
	}
	selector := matrix.VectorSelector.(*parser.VectorSelector)
	counted[selector] = true
	kind := metrics.lookupKind(selector.Name)
	if slices.Contains(counterFunctions, call.Func.Name) && kind == "gauge" {
		return []string{fmt.Sprintf("%s of %s, which is a gauge", call.Func.Name, selector.Name)}
	}
	return nil
}

func lintSelector(s *parser.VectorSelector, metrics metricKinds, counted bool) []string {
	var found []string
	if metrics != nil && metrics.lookupKind(s.Name) == "" {
		found = append(found, fmt.Sprintf("there is no metric %s", s.Name))
	}
	if !counted && strings.HasSuffix(s.Name, "_bucket") {
		found = append(found, fmt.Sprintf("%s without a rate counts since the start of the process", s.Name))
	}
	if !slices.ContainsFunc(s.LabelMatchers, func(m *labels.Matcher) bool { return m.Name != model.MetricNameLabel }) {
		found = append(found, fmt.Sprintf("%s of all namespaces", s.Name))
	}
	return found
}

func readDashboards(t *testing.T) []dashboardsmodel.Dashboard {
	t.Helper()
	all, err := dashboardsmodel.ReadFolder(os.DirFS(repositoryRoot + "charts/benchnet/dashboards"))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestEveryQuery parses the queries of panels, variables and annotations, and looks up each metric.
func TestEveryQuery(t *testing.T) {
	metrics := readDocumentedKinds(t)
	asked := 0
	for _, d := range readDashboards(t) {
		queries, err := d.Queries()
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range queries {
			asked++
			for _, fault := range lintExpression(q.Expr, metrics) {
				// The first variable of a dashboard selects a namespace, so its query covers all namespaces.
				if strings.HasSuffix(fault, "of all namespaces") && strings.Contains(q.Where, ": variable ") {
					continue
				}
				t.Errorf("%s: %s", q.Where, fault)
			}
		}
	}
	t.Logf("%d queries of %d metrics", asked, len(metrics))
}

func TestLintFindsFaults(t *testing.T) {
	metrics := metricKinds{"c_total": "counter", "g": "gauge", "h": "histogram"}
	tests := map[string]struct{ expr, says string }{
		"a bracket is open":           {`sum(rate(c_total{a="$run"}[1m])`, "unclosed left parenthesis"},
		"no range":                    {`rate(c_total{a="b"})`, "expected type range vector"},
		"a rate of a gauge":           {`rate(g{a="b"}[$__rate_interval])`, "g, which is a gauge"},
		"a metric that is none":       {`nothing{a="b"}`, "no metric nothing"},
		"a part of one that is none":  {`rate(c_total_bucket{a="b"}[1m])`, "no metric c_total_bucket"},
		"buckets since the start":     {`histogram_quantile(0.9, sum by (le) (h_bucket{a="b"}))`, "since the start"},
		"a variable that is none":     {`g{a="$nobody"}`, "no value for nobody"},
		"everything in the cluster":   {`sum(g)`, "of all namespaces"},
		"an aggregation that is none": {`total(g{a="b"})`, "unknown function"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if all := strings.Join(lintExpression(test.expr, metrics), "\n"); !strings.Contains(all, test.says) {
				t.Errorf("judged as %q, want %q", all, test.says)
			}
		})
	}
	good := `histogram_quantile(0.9, sum by (le) (rate(h_bucket{a="$run"}[$__rate_interval]))) + sum(g{a="b"}) + sum(rate(h_sum{a="b"}[1m]))`
	if all := lintExpression(good, metrics); len(all) > 0 {
		t.Errorf("%s is judged as %v", good, all)
	}
}
