package promql

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

func TestRestrictExpression(t *testing.T) {
	for name, c := range map[string]struct{ expression, want string }{
		"a selector":             {`up`, `up{namespace="lab"}`},
		"the own namespace":      {`up{namespace="lab"}`, `up{namespace="lab",namespace="lab"}`},
		"a pattern that matches": {`up{namespace=~".+"}`, `up{namespace="lab",namespace=~".+"}`},
		"all metrics":            {`count({__name__=~".+"})`, `count({__name__=~".+",namespace="lab"})`},
		"a quoted metric":        {`{"up"}`, `{__name__="up",namespace="lab"}`},
		"a range":                {`rate(a[1m])`, `rate(a{namespace="lab"}[1m])`},
		"a subquery":             {`max_over_time(rate(a[1m])[10m:5s])`, `max_over_time(rate(a{namespace="lab"}[1m])[10m:5s])`},
		"an offset":              {`a offset 5m`, `a{namespace="lab"} offset 5m`},
		"an instant":             {`a @ 100`, `a{namespace="lab"} @ 100.000`},
		"both operands":          {`a / on(pod) b`, `a{namespace="lab"} / on (pod) b{namespace="lab"}`},
		"or":                     {`a or b`, `a{namespace="lab"} or b{namespace="lab"}`},
		"an aggregate":           {`sum by (pod) (a)`, `sum by (pod) (a{namespace="lab"})`},
		"an aggregate's operand": {`topk(scalar(secret), a)`, `topk(scalar(secret{namespace="lab"}), a{namespace="lab"})`},
		"arguments":              {`histogram_quantile(scalar(q), rate(a_bucket[1m]))`, `histogram_quantile(scalar(q{namespace="lab"}), rate(a_bucket{namespace="lab"}[1m]))`},
		"a sign and parentheses": {`-(a)`, `-(a{namespace="lab"})`},
		"no selector":            {`time()`, `time()`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := RestrictExpression(c.expression, "lab")
			if err != nil {
				t.Fatal(err)
			}
			if got != c.want && got != strings.ReplaceAll(c.want, `namespace="lab",namespace=`, `namespace=`) {
				t.Errorf("got %s, want %s", got, c.want)
			}
			wantRestricted(t, got)
		})
	}
}

// wantRestricted fails unless each selector of what Prometheus receives requires the namespace lab.
func wantRestricted(t *testing.T, expression string) {
	t.Helper()
	tree, err := expressionParser.ParseExpr(expression)
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	for _, selector := range parser.ExtractSelectors(tree) {
		restricted := false
		for _, m := range selector {
			restricted = restricted || m.Name == "namespace" && m.Type == labels.MatchEqual && m.Value == "lab"
		}
		if !restricted {
			t.Errorf("%s has the selector %v of any namespace", expression, selector)
		}
	}
}

func TestRefusedExpressions(t *testing.T) {
	for name, c := range map[string]struct{ expression, want string }{
		"another namespace":            {`sum(up{namespace="other"})`, `namespace="other" excludes the namespace lab`},
		"a pattern of others":          {`up{namespace=~"other.*"}`, `namespace=~"other.*" excludes the namespace lab`},
		"all but the own":              {`up{namespace!="lab"}`, "excludes the namespace lab"},
		"no namespace":                 {`up{namespace=""}`, "excludes the namespace lab"},
		"another among several":        {`up + topk(scalar(up{namespace="other"}), up)`, `namespace="other"`},
		"a syntax error":               {`sum(up`, "1:7: parse error"},
		"an alternative of matchers":   {`up{namespace="lab" or namespace="other"}`, "parse error"},
		"a function of other series":   {`info(up)`, `function "info" is not enabled`},
		"a range":                      {`up[1m]`, "must be a scalar or an instant vector, not a range vector"},
		"a text":                       {`"up"[1m`, "parse error"},
		"a pattern that is no pattern": {`up{pod=~"("}`, "error parsing regexp"},
		"an unknown placeholder":       {`rate(up[$range])`, "parse error"},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := RestrictExpression(c.expression, "lab"); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %q, %v; want an error with %q", got, err, c.want)
			}
		})
	}
}

// TestLongestExpressions restricts the deepest expressions of the longest length that the API admits.
func TestLongestExpressions(t *testing.T) {
	for name, expression := range map[string]string{
		"parentheses": strings.Repeat("(", 499) + "up" + strings.Repeat(")", 499),
		"unclosed":    strings.Repeat("(", 1000),
		"signs":       strings.Repeat("-", 998) + "up",
		"powers":      "a" + strings.Repeat("^a", 499),
		"aggregates":  strings.Repeat("sum(", 199) + "up" + strings.Repeat(")", 199),
		"a pattern":   `up{pod=~"` + strings.Repeat("(a|b)*", 160) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			restricted, err := RestrictExpression(expression, "lab")
			if took := time.Since(start); took > time.Second || len(restricted) > 20_000 {
				t.Errorf("%d bytes after %s", len(restricted), took)
			}
			if err == nil {
				wantRestricted(t, restricted)
			}
		})
	}
}

func FuzzRestrictExpression(f *testing.F) {
	f.Add(`sum(rate(a{b="c"}[5m] offset 1m)) or topk(scalar({"x.y",namespace=~".+"}), max_over_time(a[1h:1m] @ end()))`)
	f.Fuzz(func(t *testing.T, expression string) {
		if restricted, err := RestrictExpression(expression, "lab"); err == nil {
			wantRestricted(t, restricted)
		}
	})
}

func TestValidate(t *testing.T) {
	limit := new(resource.MustParse("1"))
	for name, c := range map[string]struct {
		objective v1alpha1.QueryObjective
		available bool
		want      string
	}{
		"placeholders":         {v1alpha1.QueryObjective{Name: "rate", Expression: `sum(rate(a{network="$network",run="$run"}[$window]))`, Max: limit}, true, ""},
		"one value only":       {v1alpha1.QueryObjective{Name: "rate", Expression: "a", Min: limit, Max: limit}, true, ""},
		"min above max":        {v1alpha1.QueryObjective{Name: "rate", Expression: "a", Min: new(resource.MustParse("2")), Max: limit}, true, `workload.objectives[0].query.min: Invalid value: "2": must not be above max, which is 1`},
		"without a Prometheus": {v1alpha1.QueryObjective{Name: "rate", Expression: "a", Max: limit}, false, `workload.objectives[0].query.name: Invalid value: "rate": the operator has no Prometheus`},
		"another namespace":    {v1alpha1.QueryObjective{Name: "rate", Expression: `a{namespace="x"}`, Max: limit}, true, `workload.objectives[0].query.expression: Invalid value: "a{namespace=\"x\"}"`},
	} {
		t.Run(name, func(t *testing.T) {
			errs := Validate(&v1alpha1.Workload{Objectives: []v1alpha1.Objective{{Query: &c.objective}}}, "lab", c.available, field.NewPath("workload"))
			got := ""
			if len(errs) > 0 {
				got = errs.ToAggregate().Error()
			}
			if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
