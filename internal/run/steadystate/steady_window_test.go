package steadystate

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
	"github.com/benchnet/benchnet/internal/run/statistics"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

const startMillis = 1_790_000_000_000

var windowPolicy = statistics.SteadyStatePolicy{HalfWidth: 0.05, Confidence: 0.95, MinWindow: 30, MaxWarmUp: 60, MaxWindow: 120}

// newRecordedWorker returns a worker that completes rate(second) requests in each second, each within ten
// milliseconds. The noise is a share of the rate.
func newRecordedWorker(t *testing.T, index, seconds int, noise float64, rate func(second int) float64) measurement.WorkerResult {
	t.Helper()
	random := rand.New(rand.NewPCG(uint64(index), 3))
	tally := measurement.NewRequestRecorder(seconds, 5)
	for second := range seconds {
		for i := range int(max(0, rate(second)*(1+noise*random.NormFloat64()))) {
			at := time.Duration(second)*time.Second + time.Duration(i)*time.Millisecond
			tally.RecordCompleted(at, 1)
			tally.RecordLatency(at, 10*time.Millisecond)
		}
	}
	w := measurement.WorkerResult{Worker: index, StartMillis: startMillis}
	if err := tally.FillResult(&w); err != nil {
		t.Fatal(err)
	}
	return w
}

// warmUpRate is a throughput that rises for twenty seconds.
func warmUpRate(second int) float64 { return 100 * min(1, 0.2+float64(second)/25) }

func mergeAndJudge(t *testing.T, p statistics.SteadyStatePolicy, workers ...measurement.WorkerResult) (*measurement.Measurement, verdict.Verdict) {
	t.Helper()
	m, err := MergeSteadyWindow(func(yield func(*measurement.WorkerResult) error) error {
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
	return m, verdict.Judge(m, verdict.RunObservations{ExpectedWorkers: len(workers)}, verdict.DefaultTolerances())
}

func containsReason(among []verdict.Reason, code verdict.ReasonCode) bool {
	return slices.ContainsFunc(among, func(r verdict.Reason) bool { return r.Code == code })
}

// TestMergeSteadyWindowDropsWarmUp checks that all workers are cut to the same steady part, although one of
// them recorded longer.
func TestMergeSteadyWindowDropsWarmUp(t *testing.T) {
	m, verdict := mergeAndJudge(t, windowPolicy, newRecordedWorker(t, 0, 120, 0.02, warmUpRate), newRecordedWorker(t, 1, 180, 0.02, warmUpRate))
	s := m.WindowSelection
	if s == nil || s.State != measurement.SelectionSettled || s.WarmUpSeconds < 15 || s.WarmUpSeconds > 30 || s.HalfWidth > 0.05 || s.RecordedSeconds != 120 {
		t.Fatalf("got %+v; want a warm-up of some 20 s", s)
	}
	if m.WindowSeconds != s.WindowSeconds || !m.Start.Equal(time.UnixMilli(startMillis+int64(s.WarmUpSeconds)*1000).UTC()) || !verdict.IsValid() {
		t.Errorf("%d s from %s, %+v", m.WindowSeconds, m.Start, verdict)
	}
	if rate := m.Summarize().ThroughputPerSecond; rate < 195 || rate > 201 || m.Histogram.Count() != m.Summarize().Completed {
		t.Errorf("%.1f/s and %d latencies; want that of the steady part, about 200/s", rate, m.Histogram.Count())
	}
	if text := s.Describe(); !strings.Contains(text, "of 120 s recorded") || !strings.Contains(text, "at 95 % confidence (requested: ± 5 %; MSER-5") {
		t.Error(text)
	}
}

// TestMergeSteadyWindowOfUnsettledRuns checks that noise too large for the window yields a note. A throughput
// that never settles makes the run invalid; it is then measured as with fixed times.
func TestMergeSteadyWindowOfUnsettledRuns(t *testing.T) {
	narrow := windowPolicy
	narrow.HalfWidth = 0.01
	m, judged := mergeAndJudge(t, narrow, newRecordedWorker(t, 0, 180, 0.25, func(int) float64 { return 100 }))
	if m.WindowSelection.State != measurement.SelectionImprecise || !judged.IsValid() || !containsReason(judged.Notes, verdict.ReasonIntervalWide) {
		t.Errorf("noise: %+v, %+v", m.WindowSelection, judged)
	}
	m, judged = mergeAndJudge(t, windowPolicy, newRecordedWorker(t, 0, 180, 0.01, func(s int) float64 { return 20 + float64(s) }))
	if m.WindowSelection.State != measurement.SelectionUnsteady || m.WindowSelection.WarmUpSeconds != 60 || m.WindowSeconds != 120 || !containsReason(judged.Reasons, verdict.ReasonNotSteady) {
		t.Errorf("a throughput that rises all the time: %+v, %+v", m.WindowSelection, judged)
	}
	m, judged = mergeAndJudge(t, windowPolicy, newRecordedWorker(t, 0, 180, 0, func(int) float64 { return 0 }))
	if m.WindowSelection.State != measurement.SelectionUnsteady || !containsReason(judged.Reasons, verdict.ReasonNotSteady) || !containsReason(judged.Reasons, verdict.ReasonNoCompletions) {
		t.Errorf("nothing at all: %+v, %+v", m.WindowSelection, judged)
	}
}

// TestMergeSteadyWindowOfShortRun checks that a run whose worker was cut short is measured over the recorded
// seconds.
func TestMergeSteadyWindowOfShortRun(t *testing.T) {
	m, _ := mergeAndJudge(t, windowPolicy, newRecordedWorker(t, 0, 5, 0, warmUpRate))
	if m.WindowSelection.State != measurement.SelectionUnsteady || m.WindowSeconds != 5 {
		t.Errorf("%+v over %d s", m.WindowSelection, m.WindowSeconds)
	}
}

// TestWorkerSum checks that the sum ends with the shortest worker, and that the latency is unknown if one worker with
// completions does not report it.
func TestWorkerSum(t *testing.T) {
	var sum WorkerSum
	sum.AddWorker([]int64{1, 2, 3}, []int64{10, 20, 30})
	sum.AddWorker([]int64{10, 20}, []int64{1, 2})
	if got := sum.Recorded(); !slices.Equal(got.Completed, []float64{11, 22}) || !slices.Equal(got.LatencySums, []float64{11, 22}) {
		t.Errorf("got %v", got)
	}
	sum.AddWorker([]int64{0, 0}, nil)
	if got := sum.Recorded(); len(got.LatencySums) != 2 {
		t.Errorf("got %v, although the worker completed nothing", got)
	}
	sum.AddWorker([]int64{5, 5}, nil)
	if got := sum.Recorded(); !slices.Equal(got.Completed, []float64{16, 27}) || got.LatencySums != nil {
		t.Errorf("got %v, although a worker reports no latency", got)
	}
	sum.AddWorker(nil, nil)
	if got := sum.Recorded(); len(got.Completed) != 0 {
		t.Errorf("got %v of a worker that reported nothing", got)
	}
}

// TestLatencyWarmUpIsNotSteady checks that a latency that falls for 35 s at a level throughput is cut off, and that one
// that grows all the time is not steady.
func TestLatencyWarmUpIsNotSteady(t *testing.T) {
	latencyOf := func(latency func(second int) int64) statistics.RecordedSeries {
		var sum WorkerSum
		var completed, sums []int64
		for second := range 180 {
			completed, sums = append(completed, 1000+int64(second%7)), append(sums, (1000+int64(second%7))*latency(second))
		}
		sum.AddWorker(completed, sums)
		return sum.Recorded()
	}
	falling := selectWindow(latencyOf(func(s int) int64 { return 1000 * max(1, int64(30-s*6/7)) }), 5, windowPolicy)
	if falling.State != measurement.SelectionSettled || falling.WarmUpSeconds < 30 || falling.WarmUpSeconds > 40 {
		t.Errorf("falling: %+v", falling)
	}
	if growing := selectWindow(latencyOf(func(s int) int64 { return 1000 * int64(10+s) }), 5, windowPolicy); growing.State != measurement.SelectionUnsteady {
		t.Errorf("growing: %+v", growing)
	}
}

// TestFindStopTime checks that the stop is at the end of an interval, early enough for all workers to learn of
// it, and within the run.
func TestFindStopTime(t *testing.T) {
	window := protocol.MeasureTimes{WindowSeconds: 150, IntervalSeconds: 5}.NewWindow(time.UnixMilli(startMillis))
	enough := make([]float64, 100)
	for i := range enough {
		enough[i] = 100 + float64(i%3)
	}
	p := PolicyFor(&v1alpha1.Measure{SteadyState: &v1alpha1.SteadyState{HalfWidthPercent: 5, ConfidencePercent: 95}})
	p.MinWindow, p.MaxWarmUp, p.MaxWindow = 20, 30, 120
	for after, want := range map[time.Duration]time.Duration{
		100 * time.Second: 105 * time.Second, 103 * time.Second: 105 * time.Second, 103*time.Second + 1: 110 * time.Second, 142 * time.Second: 145 * time.Second,
	} {
		if stop, ok := FindStopTime(statistics.RecordedSeries{Completed: enough}, p, window, window.From().Add(after)); !ok || stop.Sub(window.From()) != want {
			t.Errorf("after %s: stop at %s, %v; want %s", after, stop.Sub(window.From()), ok, want)
		}
	}
	if stop, ok := FindStopTime(statistics.RecordedSeries{Completed: enough}, p, window, window.From().Add(144*time.Second)); ok {
		t.Errorf("stop at %s, when the run ends anyway", stop)
	}
	if _, ok := FindStopTime(statistics.RecordedSeries{Completed: enough[:15]}, p, window, window.From().Add(20*time.Second)); ok {
		t.Error("stop after 15 s, of which the window alone takes 20")
	}
}
