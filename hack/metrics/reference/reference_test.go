package reference

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
)

func collectReference(t *testing.T) *Reference {
	t.Helper()
	i, err := Collect(os.DirFS("../../.."))
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// newMetricFamily returns a metric family with one series, for the linter.
func newMetricFamily(m Metric) *dto.MetricFamily {
	kind := dto.MetricType(dto.MetricType_value[strings.ToUpper(m.Kind)])
	series := &dto.Metric{}
	for _, label := range m.Labels {
		if kind == dto.MetricType_SUMMARY && label == "quantile" {
			continue
		}
		series.Label = append(series.Label, &dto.LabelPair{Name: &label, Value: &label})
	}
	return &dto.MetricFamily{Name: &m.Name, Help: &m.Help, Type: &kind, Metric: []*dto.Metric{series}}
}

func TestOwnMetricsFollowTheConventions(t *testing.T) {
	i := collectReference(t)
	var families []*dto.MetricFamily
	for _, source := range OwnSources {
		for _, m := range i.Sources[source] {
			if _, known := dto.MetricType_value[strings.ToUpper(m.Kind)]; !known || m.Help == "" {
				t.Errorf("%s is of the kind %q and says %q", m.Name, m.Kind, m.Help)
			}
			families = append(families, newMetricFamily(m))
		}
	}
	problems, err := promlint.NewWithMetricFamilies(families).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	t.Logf("%d metrics", len(families))
}

// TestLinterFindsFaults checks that the linter reports faults of these families.
func TestLinterFindsFaults(t *testing.T) {
	problems, err := promlint.NewWithMetricFamilies([]*dto.MetricFamily{
		newMetricFamily(Metric{Name: "a_seconds", Kind: "gauge", Help: "A.", Labels: []string{"quantile"}}),
		newMetricFamily(Metric{Name: "b", Kind: "counter", Help: "B."}),
	}).Lint()
	if err != nil || len(problems) != 2 {
		t.Errorf("found %v, %v; want one fault of each", problems, err)
	}
}

// TestEveryMetricHasOneSource checks that each metric has one source. Process metrics are an exception:
// Kubernetes' libraries and the JVM both expose them.
func TestEveryMetricHasOneSource(t *testing.T) {
	by := map[string][]string{}
	for source, metrics := range collectReference(t).Sources {
		for _, m := range metrics {
			by[m.Name] = append(by[m.Name], string(source))
		}
	}
	for name, sources := range by {
		if len(sources) > 1 && !strings.HasPrefix(name, "process_") {
			t.Errorf("%s has the sources %v", name, sources)
		}
	}
}

func TestJMXRulesNameMetrics(t *testing.T) {
	metrics := collectReference(t).Sources[Corda]
	for _, want := range []Metric{
		{"corda_flows_started_total", "counter", "", nil},
		{"corda_flows_finished_total", "counter", "", nil},
		{"corda_flow_duration_seconds", "untyped", "", []string{"flow", "outcome", "quantile"}},
		{"corda_database_pool_wait_seconds", "untyped", "", []string{"quantile"}},
		{"corda_database_pool_usage_seconds", "untyped", "", []string{"quantile"}},
		{"corda_queue_messages", "gauge", "", []string{"identity", "queue"}},
		{"corda_queue_unacknowledged_messages", "gauge", "", []string{"identity", "queue"}},
	} {
		n := 0
		for _, m := range metrics {
			if m.Name == want.Name && m.Kind == want.Kind && slices.Equal(m.Labels, want.Labels) {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s, a %s with %v, occurs %d times in %v", want.Name, want.Kind, want.Labels, n, metrics)
		}
	}
	for _, m := range metrics {
		if strings.ContainsAny(m.Name, "$|()") {
			t.Errorf("%s is no name", m.Name)
		}
	}
}

func TestUnits(t *testing.T) {
	for name, want := range map[string]string{
		"member:container_cpu_usage_seconds:rate1m":           "cores",
		"member:container_cpu_throttled_periods:ratio_rate1m": "share",
		"member:container_memory_working_set_bytes":           "bytes",
		"network:malachite_block_bytes:rate1m":                "bytes per second",
		"network:malachite_block_time_seconds:p95_1m":         "seconds",
		"network:corda_flows_finished:rate1m":                 "per second",
		"network:malachite_height:behind":                     "count",
	} {
		if got := (RecordingRule{Name: name}).Unit(); got != want {
			t.Errorf("%s has the unit %s, want %s", name, got, want)
		}
	}
}

// TestPageListsEverything checks that the page lists everything. hack/verify checks that the committed page is
// up to date.
func TestPageListsEverything(t *testing.T) {
	i := collectReference(t)
	var text strings.Builder
	if err := i.WritePage(&text); err != nil {
		t.Fatal(err)
	}
	var wanted []string
	for _, metrics := range i.Sources {
		for _, m := range metrics {
			wanted = append(wanted, fmt.Sprintf("| `%s` | %s |", m.Name, m.Kind))
		}
	}
	for _, r := range i.Rules {
		wanted = append(wanted, "| `"+r.Name+"` |")
	}
	for _, a := range i.Alerts {
		wanted = append(wanted, "runbooks.md#"+strings.ToLower(a.Name))
	}
	for _, row := range wanted {
		if !strings.Contains(text.String(), row) {
			t.Errorf("the page lacks %s", row)
		}
	}
}
