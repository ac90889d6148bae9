package steady

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/agent/protocol"
	"github.com/benchnet/benchnet/internal/results"
	"github.com/benchnet/benchnet/internal/statistics"
)

const startMillis = 1_790_000_000_000

var policy = statistics.SteadyPolicy{HalfWidth: 0.05, Confidence: 0.95, MinWindow: 30, MaxWarmUp: 60, MaxWindow: 120}

// recording is a worker that completes rate(second) requests in each second, with noise of a share of it, each in ten milliseconds.
func recording(t *testing.T, index, seconds int, noise float64, rate func(second int) float64) results.Worker {
	t.Helper()
	random := rand.New(rand.NewPCG(uint64(index), 3))
	tally := results.NewTally(seconds, 5)
	for second := range seconds {
		for i := range int(max(0, rate(second)*(1+noise*random.NormFloat64()))) {
			at := time.Duration(second)*time.Second + time.Duration(i)*time.Millisecond
			tally.Completed(at, 1)
			tally.Latency(at, 10*time.Millisecond)
		}
	}
	w := results.Worker{Worker: index, StartMillis: startMillis}
	if err := tally.Fill(&w); err != nil {
		t.Fatal(err)
	}
	return w
}

// warming is a throughput that rises for twenty seconds.
func warming(second int) float64 { return 100 * min(1, 0.2+float64(second)/25) }

func steadily(t *testing.T, p statistics.SteadyPolicy, workers ...results.Worker) (*results.Measurement, results.Verdict) {
	t.Helper()
	m, err := Merge(func(yield func(*results.Worker) error) error {
		for _, w := range workers {
			if err := yield(&w); err != nil {
				return err
			}
		}
		return nil
	}, p)
	if err != nil {
		t.Fatal(err)
	}
	return m, m.Judge(results.Circumstances{Workers: len(workers)}, results.DefaultTolerances())
}

func found(among []results.Reason, code results.ReasonCode) bool {
	return slices.ContainsFunc(among, func(r results.Reason) bool { return r.Code == code })
}

// What has settled is cut out of all workers alike, though one of them has recorded for longer.
func TestMergeCutsTheWarmUp(t *testing.T) {
	m, verdict := steadily(t, policy, recording(t, 0, 120, 0.02, warming), recording(t, 1, 180, 0.02, warming))
	s := m.Steady
	if s == nil || s.State != results.Settled || s.WarmUpSeconds < 15 || s.WarmUpSeconds > 30 || s.HalfWidth > 0.05 || s.RecordedSeconds != 120 {
		t.Fatalf("got %+v; want a warm-up of some 20 s", s)
	}
	if m.WindowSeconds != s.WindowSeconds || !m.Start.Equal(time.UnixMilli(startMillis+int64(s.WarmUpSeconds)*1000).UTC()) || verdict.Validity != results.Valid {
		t.Errorf("%d s from %s, %+v", m.WindowSeconds, m.Start, verdict)
	}
	if rate := m.Summarize().ThroughputPerSecond; rate < 195 || rate > 201 || m.Histogram.Count() != m.Summarize().Completed {
		t.Errorf("%.1f/s and %d latencies; want that of the steady part, about 200/s", rate, m.Histogram.Count())
	}
	if text := s.Sentence(); !strings.Contains(text, "of 120 s recorded") || !strings.Contains(text, "at 95 % confidence (asked for: ± 5 %; MSER-5") {
		t.Error(text)
	}
}

// Noise that no window of that length averages out is a note; a throughput that never settles makes the run invalid, and is then
// measured as with fixed times.
func TestWhatDidNotSettle(t *testing.T) {
	narrow := policy
	narrow.HalfWidth = 0.01
	m, verdict := steadily(t, narrow, recording(t, 0, 180, 0.25, func(int) float64 { return 100 }))
	if m.Steady.State != results.Wide || verdict.Validity != results.Valid || !found(verdict.Notes, results.IntervalWide) {
		t.Errorf("noise: %+v, %+v", m.Steady, verdict)
	}
	m, verdict = steadily(t, policy, recording(t, 0, 180, 0.01, func(s int) float64 { return 20 + float64(s) }))
	if m.Steady.State != results.Unsteady || m.Steady.WarmUpSeconds != 60 || m.WindowSeconds != 120 || !found(verdict.Reasons, results.NotSteady) {
		t.Errorf("a throughput that rises all the time: %+v, %+v", m.Steady, verdict)
	}
	m, verdict = steadily(t, policy, recording(t, 0, 180, 0, func(int) float64 { return 0 }))
	if m.Steady.State != results.Unsteady || !found(verdict.Reasons, results.NotSteady) || !found(verdict.Reasons, results.NoCompletions) {
		t.Errorf("nothing at all: %+v, %+v", m.Steady, verdict)
	}
}

// A run whose worker was cut short is measured over what there is.
func TestSteadyOfLittle(t *testing.T) {
	m, _ := steadily(t, policy, recording(t, 0, 5, 0, warming))
	if m.Steady.State != results.Unsteady || m.WindowSeconds != 5 {
		t.Errorf("%+v over %d s", m.Steady, m.WindowSeconds)
	}
}

func TestCompletions(t *testing.T) {
	if got := Completions([]int64{1, 2, 3}, []int64{10, 20}); !slices.Equal(got, []float64{11, 22}) {
		t.Errorf("got %v", got)
	}
	if got := Completions([]int64{1}, nil); len(got) != 0 {
		t.Errorf("got %v of a worker that told nothing", got)
	}
}

// The stop lies on the edge of an interval, far enough ahead for all workers to hear of it, and within the run.
func TestStop(t *testing.T) {
	window := protocol.Measure{WindowSeconds: 150, IntervalSeconds: 5}.Window(time.UnixMilli(startMillis))
	enough := make([]float64, 100)
	for i := range enough {
		enough[i] = 100 + float64(i%3)
	}
	p := Policy(&v1alpha1.Measure{SteadyState: &v1alpha1.SteadyState{HalfWidthPercent: 5, ConfidencePercent: 95}})
	p.MinWindow, p.MaxWarmUp, p.MaxWindow = 20, 30, 120
	for after, want := range map[time.Duration]time.Duration{
		100 * time.Second: 105 * time.Second, 103 * time.Second: 105 * time.Second, 103*time.Second + 1: 110 * time.Second, 142 * time.Second: 145 * time.Second,
	} {
		if stop, ok := Stop(enough, p, window, window.From().Add(after)); !ok || stop.Sub(window.From()) != want {
			t.Errorf("after %s: stop at %s, %v; want %s", after, stop.Sub(window.From()), ok, want)
		}
	}
	if stop, ok := Stop(enough, p, window, window.From().Add(144*time.Second)); ok {
		t.Errorf("stop at %s, when the run ends anyway", stop)
	}
	if _, ok := Stop(enough[:15], p, window, window.From().Add(20*time.Second)); ok {
		t.Error("stop after 15 s, of which the window alone takes 20")
	}
}
