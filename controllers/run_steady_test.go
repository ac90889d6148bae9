package controllers_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/agent/protocol"
	"github.com/benchnet/benchnet/internal/names"
	"github.com/benchnet/benchnet/internal/results"
)

// steadyRun is a run of two workers that is measured automatically, released, for 150 s at most.
func steadyRun(t *testing.T) *world {
	t.Helper()
	w := withRun(t, strings.Replace(twoWorkers, "warmUp: 1s, window: 10s", "warmUp: 30s, window: 2m, steadyState: {minWindow: 20s}", 1))
	w.reconcileRun("extra")
	w.readyWorkers("extra")
	w.reconcileRun("extra")
	return w
}

func (w *world) barrier() map[string]string {
	w.t.Helper()
	cm := &corev1.ConfigMap{}
	w.get(names.Barrier("extra"), cm)
	return cm.Data
}

func (w *world) instant(key string) time.Time {
	w.t.Helper()
	at, err := time.Parse(time.RFC3339Nano, w.barrier()[key])
	must(w.t, err)
	return at
}

// settling is a throughput that rises for ten seconds.
func settling(second int) int64 { return min(50, 5+5*int64(second)) + int64(second%3) }

// tellProgress does what a worker's agent does so many seconds after the start.
func (w *world) tellProgress(worker int32, seconds int) {
	w.t.Helper()
	p := protocol.Progress{Phase: protocol.PhaseWindow, ElapsedSeconds: float64(seconds)}
	for second := range seconds {
		p.CompletedPerSecond = append(p.CompletedPerSecond, settling(second))
	}
	text, err := json.Marshal(p)
	must(w.t, err)
	cm := &corev1.ConfigMap{}
	w.get(names.Report("extra", worker), cm)
	before := cm.DeepCopy()
	cm.Data = map[string]string{protocol.ProgressKey: string(text)}
	must(w.t, w.client.Patch(w.ctx, cm, client.MergeFrom(before), client.FieldOwner("benchnet-agent")))
}

// reportIntervals does what a worker's agent does at the end of so many seconds.
func (w *world) reportIntervals(worker int32, seconds int, start time.Time) {
	w.t.Helper()
	tally := results.NewTally(seconds, 5)
	for second := range seconds {
		at := time.Duration(second) * time.Second
		for range settling(second) {
			tally.Completed(at, 1)
			tally.Latency(at, 20*time.Millisecond)
		}
	}
	report := &results.Worker{Worker: int(worker), StartMillis: start.UnixMilli()}
	must(w.t, tally.Fill(report))
	packed, err := results.EncodeWorker(report)
	must(w.t, err)
	cm := &corev1.ConfigMap{}
	w.get(names.Report("extra", worker), cm)
	before := cm.DeepCopy()
	cm.BinaryData = map[string][]byte{protocol.ResultKey: packed}
	must(w.t, w.client.Patch(w.ctx, cm, client.MergeFrom(before), client.FieldOwner("benchnet-agent")))
}

func TestOrdersOfAutomaticMeasurement(t *testing.T) {
	w := steadyRun(t)
	cm := &corev1.ConfigMap{}
	w.get(names.Workload("extra"), cm)
	var orders protocol.Workload
	must(t, json.Unmarshal([]byte(cm.Data["workload.json"]), &orders))
	if want := (protocol.Measure{WindowSeconds: 150, DrainSeconds: 60, IntervalSeconds: 5}); orders.Measure != want {
		t.Errorf("the drivers are told %+v, want %+v", orders.Measure, want)
	}
}

// The stop is written once all workers have told enough, on the edge of an interval, and never changes.
func TestASteadyRunIsStoppedOnce(t *testing.T) {
	w := steadyRun(t)
	start := w.instant(protocol.StartKey)
	w.now = start.Add(90*time.Second + 300*time.Millisecond)
	w.tellProgress(0, 90)
	w.reconcileRun("extra")
	if stop := w.barrier()[protocol.StopKey]; stop != "" {
		t.Fatalf("stop at %s, though one of two workers has told nothing", stop)
	}
	w.tellProgress(1, 90)
	w.reconcileRun("extra")
	if lasts := w.instant(protocol.StopKey).Sub(start); lasts != 95*time.Second {
		t.Fatalf("the window lasts %s, want 95 s: the first end of an interval that is two seconds ahead", lasts)
	}
	if !w.instant(protocol.StartKey).Equal(start) || w.barrier()["baseline.json"] == "" {
		t.Error("the stop has changed the start or the baseline")
	}
	w.now = w.now.Add(20 * time.Second)
	w.tellProgress(0, 110)
	writes := w.writes.Load()
	w.reconcileRun("extra")
	if lasts := w.instant(protocol.StopKey).Sub(start); lasts != 95*time.Second {
		t.Errorf("workers that were told one stop must never be told another, but now it lasts %s", lasts)
	}
	if w.writes.Load() > writes+1 {
		t.Errorf("%d writes after the stop; want that of the status at most", w.writes.Load()-writes)
	}
}

func TestARunThatIsNotSteadyIsNotStopped(t *testing.T) {
	w := steadyRun(t)
	w.now = w.instant(protocol.StartKey).Add(20 * time.Second)
	w.tellProgress(0, 15)
	w.tellProgress(1, 15)
	w.reconcileRun("extra")
	if stop := w.barrier()[protocol.StopKey]; stop != "" {
		t.Errorf("stop at %s after 15 seconds, of which the shortest window alone takes 20", stop)
	}
}

// An operator that dies before it writes the stop, or after, comes to the same: the next one decides from the reports.
func TestTheStopOutlivesTheOperator(t *testing.T) {
	w := steadyRun(t)
	start := w.instant(protocol.StartKey)
	w.tellProgress(0, 60)
	w.tellProgress(1, 60)
	w.now = start.Add(61 * time.Second)
	w.failAt = w.writes.Load() + 1
	if _, err := w.runs().Reconcile(w.ctx, w.request("extra")); !errors.Is(err, errDied) {
		t.Fatalf("the operator should have died before it wrote the stop, but: %v", err)
	}
	if w.barrier()[protocol.StopKey] != "" {
		t.Fatal("the stop was written by a dead operator")
	}
	w.now = start.Add(70 * time.Second)
	w.reconcileRun("extra")
	if lasts := w.instant(protocol.StopKey).Sub(start); lasts != 75*time.Second {
		t.Errorf("the window lasts %s, want the 75 s that are left to decide on", lasts)
	}
}

func TestTheResultIsTheSteadyPart(t *testing.T) {
	w := steadyRun(t)
	start := w.instant(protocol.StartKey)
	w.reportIntervals(0, 75, start)
	w.reportIntervals(1, 75, start)
	w.reconcileRun("extra")
	w.reconcileRun("extra")
	s := w.run("extra").Status
	if s.Verdict != v1alpha1.VerdictValid || !strings.Contains(s.Steady, "of 75 s recorded") {
		t.Fatalf("the status should say what was decided, but is %+v", s)
	}
	cm := &corev1.ConfigMap{}
	w.get(s.Result.ConfigMapName, cm)
	result, err := results.Decode(cm.BinaryData[s.Result.Key])
	must(t, err)
	if d := result.Steady; d == nil || d.State != results.Settled || d.WarmUpSeconds < 5 || d.WarmUpSeconds > 15 ||
		result.Times.WindowSeconds != d.WindowSeconds || !result.Times.WindowStart.Equal(start.Add(time.Duration(d.WarmUpSeconds)*time.Second)) {
		t.Errorf("decided %+v, times %+v", result.Steady, result.Times)
	}
	if r := result.Summary.ThroughputPerSecond; r < 101 || r > 103 {
		t.Errorf("%.1f flows/s, want the 102 of the steady part", r)
	}
	w.wantTidy()
}

// What could not be told second by second, or not be judged at all, is refused by name.
func TestAutomaticMeasurementHasBounds(t *testing.T) {
	for measure, want := range map[string]string{
		"warmUp: 30s, window: 2h, steadyState: {}":                "with steadyState the two may last 1h",
		"warmUp: 30s, window: 2m, steadyState: {minWindow: 5s}":   "must be at least 10s",
		"warmUp: 30s, window: 20s, steadyState: {minWindow: 30s}": "minWindow cannot exceed measure.window",
	} {
		w := newWorld(t)
		must(t, w.create(twoBanks[:strings.Index(twoBanks, "  workloads:")], &v1alpha1.BenchmarkNetwork{}))
		w.bringUp("banks")
		err := w.create(strings.Replace(twoWorkers, "warmUp: 1s, window: 10s", measure, 1), &v1alpha1.BenchmarkRun{})
		if err != nil {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", measure, err, want)
			}
			continue
		}
		w.reconcileNetwork("banks")
		w.reconcileRun("extra")
		w.wantReason("extra", v1alpha1.ReasonInvalidSpec, want)
	}
}
