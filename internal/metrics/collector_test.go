package metrics_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/prometheus/common/expfmt"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/cache"
	"github.com/benchnet/benchnet/internal/metrics"
)

var (
	startTime = time.Date(2026, 11, 21, 12, 0, 0, 500_000_000, time.UTC)
	labels    = map[string]string{v1alpha1.LabelExperiment: "sweep", v1alpha1.LabelPoint: "p01", v1alpha1.LabelVariant: "plain"}
)

func newConditions(kind string, status metav1.ConditionStatus) []metav1.Condition {
	return []metav1.Condition{{Type: kind, Status: status}}
}

func newNetwork() *v1alpha1.BenchmarkNetwork {
	return &v1alpha1.BenchmarkNetwork{
		ObjectMeta: metav1.ObjectMeta{Namespace: "lab", Name: "two-banks", Labels: labels},
		Spec: v1alpha1.BenchmarkNetworkSpec{NetworkTemplate: v1alpha1.NetworkTemplate{Platform: v1alpha1.PlatformSpec{Type: v1alpha1.PlatformCorda},
			Members: v1alpha1.MembersSpec{Count: 2}}},
		Status: v1alpha1.BenchmarkNetworkStatus{Phase: "Degraded", MembersReady: 2, MembersTotal: 3,
			Conditions: newConditions(v1alpha1.ConditionReady, metav1.ConditionFalse),
			Members: []v1alpha1.MemberStatus{{Name: "member-0", State: "Ready", Restarts: 1}, {Name: "member-1", State: "Starting"},
				{Name: "notary", State: "Ready"}},
			Databases: []v1alpha1.DatabaseStatus{{Name: "two-banks-db", State: "Ready"}}},
	}
}

func newCompleteRun() *v1alpha1.BenchmarkRun {
	rate, ended := resource.MustParse("500m"), metav1.NewTime(startTime.Add(time.Hour))
	return &v1alpha1.BenchmarkRun{
		ObjectMeta: metav1.ObjectMeta{Namespace: "lab", Name: "sweep-p01-r1", Labels: labels},
		Spec: v1alpha1.BenchmarkRunSpec{NetworkName: "two-banks", Workload: v1alpha1.Workload{Name: "issue",
			Load: &v1alpha1.Load{Model: v1alpha1.LoadOpen, RatePerSecond: &rate}}},
		Status: v1alpha1.BenchmarkRunStatus{Phase: "Complete", CompletionTime: &ended, ThroughputMilliPerSecond: new(int64(12500)), Verdict: v1alpha1.VerdictInvalid,
			Conditions: newConditions(v1alpha1.ConditionComplete, metav1.ConditionTrue),
			Window:     &v1alpha1.MeasuredWindow{Start: metav1.NewMicroTime(startTime), End: metav1.NewMicroTime(startTime.Add(time.Minute))},
			LatencyMicroseconds: &v1alpha1.LatencySummary{Mean: 20_000, P50: new(int64(15_000)), P90: new(int64(30_000)), P95: new(int64(40_000)),
				P99: new(int64(80_000)), Max: 95_500},
			Operations: &v1alpha1.OperationCounts{Completed: 750, Failed: 3},
			Reasons: []v1alpha1.VerdictReason{{Reason: "MemberRestarted", Severity: "Invalid", Message: "member-0 restarted"},
				{Reason: "MemberRestarted", Severity: "Invalid", Message: "member-1 restarted"}, {Reason: "HostShared", Severity: "Note"}}},
	}
}

func newRunUnderWay() *v1alpha1.BenchmarkRun {
	return &v1alpha1.BenchmarkRun{
		ObjectMeta: metav1.ObjectMeta{Namespace: "lab", Name: "sweep-p02-r1", Labels: map[string]string{v1alpha1.LabelExperiment: "sweep"}},
		Spec: v1alpha1.BenchmarkRunSpec{NetworkName: "two-banks", Workload: v1alpha1.Workload{Name: "pay",
			Load: &v1alpha1.Load{Model: v1alpha1.LoadOpen, Profile: []v1alpha1.LoadSegment{
				{Name: "low", Type: v1alpha1.SegmentConstant, Duration: v1alpha1.Seconds{Duration: 20 * time.Second}},
				{Name: "high", Type: v1alpha1.SegmentConstant, Duration: v1alpha1.Seconds{Duration: 40 * time.Second}}}},
			Faults:  []v1alpha1.Fault{{Name: "crash", Type: v1alpha1.FaultKill, At: v1alpha1.Seconds{Duration: 40 * time.Second}}},
			Measure: v1alpha1.Measure{Drain: v1alpha1.Seconds{Duration: time.Minute}}}},
		Status: v1alpha1.BenchmarkRunStatus{Phase: "WarmUp",
			Window: &v1alpha1.MeasuredWindow{Start: metav1.NewMicroTime(startTime), End: metav1.NewMicroTime(startTime.Add(time.Minute))}},
	}
}

func newExperiment() *v1alpha1.BenchmarkExperiment {
	started := metav1.NewTime(startTime)
	return &v1alpha1.BenchmarkExperiment{
		ObjectMeta: metav1.ObjectMeta{Namespace: "lab", Name: "sweep"},
		Spec:       v1alpha1.BenchmarkExperimentSpec{Strategy: v1alpha1.StrategyGrid},
		Status: v1alpha1.BenchmarkExperimentStatus{Phase: "Running", PointsDone: 1, PointsTotal: 4, StartTime: &started,
			Plan: &v1alpha1.ExperimentPlan{Runs: 8, Duration: metav1.Duration{Duration: 16 * time.Minute}}},
	}
}

func newFakeClient(t *testing.T, objects ...client.Object) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build()
}

func closedChannel() <-chan struct{} {
	elected := make(chan struct{})
	close(elected)
	return elected
}

// allResources returns the resources of the tests, at least one of each kind.
func allResources() []client.Object {
	return []client.Object{newNetwork(), newCompleteRun(), newRunUnderWay(), newExperiment()}
}

// newCollector returns the collector of a leading manager.
func newCollector(reader client.Reader) *metrics.Collector {
	usage := func() map[string]cache.Usage { return map[string]cache.Usage{"ConfigMap": {Objects: 2, Bytes: 3000}} }
	return &metrics.Collector{Reader: reader, Elected: closedChannel(), Version: "1.2.3", CacheUsage: usage}
}

var updateGolden = flag.Bool("update", false, "write the golden file")

func TestSeries(t *testing.T) {
	const golden = "testdata/series.txt"
	c := newCollector(newFakeClient(t, allResources()...))
	if *updateGolden {
		writeGolden(t, c, golden)
	}
	want, err := os.Open(golden)
	if err != nil {
		t.Fatal(err)
	}
	defer want.Close()
	if err := testutil.CollectAndCompare(c, want); err != nil {
		t.Error(err)
	}
}

// writeGolden writes the golden file of all series.
func writeGolden(t *testing.T, c *metrics.Collector, path string) {
	t.Helper()
	var names []string
	for _, m := range metrics.AllMetrics() {
		names = append(names, m.Name)
	}
	text, err := testutil.CollectAndFormat(c, expfmt.TypeTextPlain, names...)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestMetricNames(t *testing.T) {
	c := newCollector(newFakeClient(t, allResources()...))
	problems, err := testutil.CollectAndLint(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

// TestAllMetricsAreCollected checks that the collector and AllMetrics, the source of the documentation, agree.
func TestAllMetricsAreCollected(t *testing.T) {
	c := newCollector(newFakeClient(t, allResources()...))
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(c)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for _, f := range families {
		got = append(got, f.GetName()+" "+strings.ToLower(f.GetType().String()))
	}
	for _, m := range metrics.AllMetrics() {
		want = append(want, m.Name+" "+string(m.Kind))
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("yielded are\n%s\nlisted are\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestSeriesVanishWithTheirResource(t *testing.T) {
	reader := newFakeClient(t, allResources()...)
	c := newCollector(reader)
	if n := testutil.CollectAndCount(c); n <= 3 {
		t.Fatal("there are no series at all")
	}
	for _, object := range allResources() {
		if err := reader.Delete(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	if n := testutil.CollectAndCount(c); n != 3 { // Those of the operator.
		t.Errorf("%d series outlive their resources", n)
	}
}

func TestOnlyLeaderCollects(t *testing.T) {
	c := &metrics.Collector{Reader: newFakeClient(t, newNetwork()), Elected: make(chan struct{})}
	if n := testutil.CollectAndCount(c); n != 0 {
		t.Errorf("a manager that does not lead exports %d series", n)
	}
}

// failingReader is a cache that is never filled.
type failingReader struct{ client.Reader }

func (failingReader) List(context.Context, client.ObjectList, ...client.ListOption) error {
	return errors.New("the cache is not filled")
}

func TestScrapeFailsWithoutCache(t *testing.T) {
	registry := prometheus.NewRegistry()
	registry.MustRegister(newCollector(failingReader{}))
	_, err := registry.Gather()
	if err == nil || !regexp.MustCompile(`list .*BenchmarkNetworkList from the cache: the cache is not filled`).MatchString(err.Error()) {
		t.Errorf("the scrape ended with %v, want the reason why nothing is known", err)
	}
}

func TestNetworkWithoutStatus(t *testing.T) {
	fresh := newNetwork()
	fresh.Status = v1alpha1.BenchmarkNetworkStatus{}
	c := newCollector(newFakeClient(t, fresh))
	want := `# HELP benchnet_network_members Desired members of the network, including notaries.
# TYPE benchnet_network_members gauge
benchnet_network_members{namespace="lab",network="two-banks"} 2
`
	if err := testutil.CollectAndCompare(c, strings.NewReader(want), "benchnet_network_members", "benchnet_network_phase"); err != nil {
		t.Error(err)
	}
}
