package jpaxos_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform/jpaxos"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// newMeasurement returns ten seconds at a thousand requests per second, with a worker that used one of its two
// cores and two replicas with CPU usage. Each rate in logged adds the series of one replica.
func newMeasurement(logged ...float64) *measurement.Measurement {
	m := &measurement.Measurement{WindowSeconds: 10, Histogram: measurement.NewHistogram(), Completed: constantCounts(1000)}
	for i, rate := range logged {
		m.Series = append(m.Series, measurement.NamedSeries{Subject: string(rune('a' + i)), Name: "executedRequests", Values: constantSeries(rate)})
	}
	m.Members = []measurement.MemberUsage{{Member: "member-0", CPUSeconds: constantSeries(0.5), Periods: 100}, {Member: "member-1", CPUSeconds: constantSeries(0.25), Periods: 100}}
	m.Workers = []measurement.WorkerSummary{{Load: &measurement.WorkerUsage{CPUSeconds: 10, Periods: 100}}}
	return m
}

func constantCounts(n int64) []int64 {
	values := make([]int64, 10)
	for i := range values {
		values[i] = n
	}
	return values
}

func constantSeries(value float64) measurement.Series {
	values := make(measurement.Series, 10)
	for i := range values {
		values[i] = value
	}
	return values
}

func interpretMeasurement(m *measurement.Measurement) verdict.Interpretation {
	return interpretWithObservation(m, v1alpha1.ObservationFull)
}

func interpretWithObservation(m *measurement.Measurement, observation v1alpha1.Observation) verdict.Interpretation {
	cores := resource.MustParse("1")
	s := &v1alpha1.BenchmarkNetworkSpec{NetworkTemplate: v1alpha1.NetworkTemplate{Members: v1alpha1.MembersSpec{Count: 3, Cores: &cores}, Observation: observation}}
	w := &v1alpha1.Workload{JPaxos: &v1alpha1.JPaxosWorkload{RequestBytes: 128}, Workers: v1alpha1.Workers{Cores: resource.MustParse("2")}}
	return jpaxos.New().Interpret(s, w, m)
}

func measureValue(t *testing.T, i verdict.Interpretation, name string) float64 {
	t.Helper()
	for _, m := range i.Measures {
		if m.Name == name {
			return m.Value
		}
	}
	t.Fatalf("no measure %s in %+v", name, i.Measures)
	return 0
}

func TestMeasures(t *testing.T) {
	i := interpretMeasurement(newMeasurement(980, 1000, 990))
	for name, want := range map[string]float64{
		"clientRate": 1000, "replicaRate": 990, "payload": 1000 * 128 * 8,
		"replicaCores": 0.75, "replicaCPUShare": 50, "clientCores": 1, "clientCPUShare": 50,
	} {
		if got := measureValue(t, i, name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if len(i.Reasons) > 0 {
		t.Errorf("the rates agree, but: %v", i.Reasons)
	}
}

// TestPayloadOfOtherSizes checks the payload of a mix, whose mean size is 400 bytes, and of the default size.
func TestPayloadOfOtherSizes(t *testing.T) {
	mix := []v1alpha1.JPaxosMixEntry{{MixShare: v1alpha1.MixShare{Weight: 3}, RequestBytes: 200}, {MixShare: v1alpha1.MixShare{Weight: 1}, RequestBytes: 1000}}
	for _, c := range []struct {
		name     string
		workload v1alpha1.JPaxosWorkload
		bytes    float64
	}{{"mix", v1alpha1.JPaxosWorkload{Mix: mix}, 400}, {"default", v1alpha1.JPaxosWorkload{}, 128}} {
		t.Run(c.name, func(t *testing.T) {
			spec := &v1alpha1.BenchmarkNetworkSpec{NetworkTemplate: v1alpha1.NetworkTemplate{Observation: v1alpha1.ObservationNone}}
			i := jpaxos.New().Interpret(spec, &v1alpha1.Workload{JPaxos: &c.workload}, newMeasurement())
			if got := measureValue(t, i, "payload"); got != 1000*c.bytes*8 {
				t.Errorf("the payload is %v bit/s, want %v", got, 1000*c.bytes*8)
			}
		})
	}
}

// TestRatesMustAgree checks that the rates must agree within a tenth. A replica that logged nothing, as with
// JPaxos of 2013, does not count.
func TestRatesMustAgree(t *testing.T) {
	for _, c := range []struct {
		name    string
		logged  []float64
		differs bool
	}{
		{"a little low", []float64{905, 920, 910}, false},
		{"too low", []float64{895, 890, 890}, true},
		{"too high, as if summed", []float64{2000, 2000, 2000}, true},
		{"one replica is behind", []float64{1000, 990, 200}, false},
		{"only one replica logs", []float64{measurement.Missing, measurement.Missing, 1000}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			i := interpretMeasurement(newMeasurement(c.logged...))
			if differs := len(i.Reasons) == 1 && i.Reasons[0].Code == jpaxos.RateDiffers; differs != c.differs {
				t.Errorf("RateDiffers is %v, want %v: %v", differs, c.differs, i.Reasons)
			}
		})
	}
	i := interpretMeasurement(newMeasurement(500, 500, 500))
	if text := i.Reasons[0].Message; !strings.Contains(text, "500") || !strings.Contains(text, "1000") {
		t.Errorf("the reason should name both rates: %s", text)
	}
}

func TestUnconfirmedRateIsNoted(t *testing.T) {
	for name, m := range map[string]*measurement.Measurement{"no series": newMeasurement(), "empty series": newMeasurement(measurement.Missing)} {
		i := interpretMeasurement(m)
		if len(i.Reasons) > 0 || i.Notes[0].Code != jpaxos.RateUnconfirmed {
			t.Errorf("%s: want only the note RateUnconfirmed: %+v", name, i)
		}
	}
}

func TestSaturation(t *testing.T) {
	for _, c := range []struct {
		want   string
		change func(*measurement.Measurement)
	}{
		{"neither", func(*measurement.Measurement) {}},
		{"replicas", func(m *measurement.Measurement) { m.Members[1].CPUSeconds = constantSeries(0.96) }},
		{"replicas", func(m *measurement.Measurement) { m.Members[0].ThrottledPeriods = 6 }},
		{"clients", func(m *measurement.Measurement) { m.Workers[0].Load.CPUSeconds = 19.5 }},
		{"clients", func(m *measurement.Measurement) { m.Workers[0].Load.ThrottledPeriods = 6 }},
		{"both", func(m *measurement.Measurement) {
			m.Members[0].CPUSeconds = constantSeries(1)
			m.Workers[0].Load.CPUSeconds = 20
		}},
		{"neither", func(m *measurement.Measurement) { m.Members[0].ThrottledPeriods = 5; m.Workers = nil }},
	} {
		m := newMeasurement(1000, 1000, 1000)
		c.change(m)
		i := interpretMeasurement(m)
		note := i.Notes[len(i.Notes)-1]
		if note.Code != jpaxos.Saturated || note.Subject != c.want {
			t.Errorf("want %s, got %s %s: %s", c.want, note.Code, note.Subject, note.Message)
		}
	}
}

// TestWithoutObservation checks that nothing is said about replicas that were not observed.
func TestWithoutObservation(t *testing.T) {
	m := newMeasurement()
	m.Members = nil
	i := interpretWithObservation(m, v1alpha1.ObservationNone)
	if got := measureValue(t, i, "clientRate"); got != 1000 {
		t.Errorf("the clients' rate is %v, want 1000", got)
	}
	if len(i.Measures) != 2 || len(i.Notes)+len(i.Reasons) > 0 {
		t.Errorf("got %+v", i)
	}
}
