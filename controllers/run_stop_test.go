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
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// newTestEnvWithSteadyRun returns an environment with a released run of two workers that is measured until a
// steady state, for at most 150 s.
func newTestEnvWithSteadyRun(t *testing.T) *testEnv {
	t.Helper()
	w := newTestEnvWithRun(t, strings.Replace(twoWorkerRun, "warmUp: 1s, window: 10s", "warmUp: 30s, window: 2m, steadyState: {minWindow: 20s}", 1))
	w.reconcileRun("extra")
	w.createReadyWorkers("extra")
	w.reconcileRun("extra")
	return w
}

func (w *testEnv) barrierData() map[string]string {
	w.t.Helper()
	cm := &corev1.ConfigMap{}
	w.mustGet(naming.BarrierConfigMap("extra"), cm)
	return cm.Data
}

func (w *testEnv) barrierTime(key string) time.Time {
	w.t.Helper()
	at, err := time.Parse(time.RFC3339Nano, w.barrierData()[key])
	must(w.t, err)
	return at
}

// risingThroughput returns a throughput that rises for ten seconds.
func risingThroughput(second int) int64 { return min(50, 5+5*int64(second)) + int64(second%3) }

// reportProgress simulates a worker's agent that many seconds after the start.
func (w *testEnv) reportProgress(worker int32, seconds int) {
	w.t.Helper()
	p := protocol.Progress{Phase: protocol.PhaseWindow, ElapsedSeconds: float64(seconds)}
	for second := range seconds {
		p.CompletedPerSecond = append(p.CompletedPerSecond, risingThroughput(second))
	}
	text, err := json.Marshal(p)
	must(w.t, err)
	cm := &corev1.ConfigMap{}
	w.mustGet(naming.WorkerReport("extra", worker), cm)
	before := cm.DeepCopy()
	cm.Data = map[string]string{protocol.ProgressKey: string(text)}
	must(w.t, w.client.Patch(w.ctx, cm, client.MergeFrom(before), client.FieldOwner("benchnet-agent")))
}

// reportIntervals simulates a worker's agent at the end of that many seconds.
func (w *testEnv) reportIntervals(worker int32, seconds int, start time.Time) {
	w.t.Helper()
	tally := measurement.NewRequestRecorder(seconds, 5)
	for second := range seconds {
		at := time.Duration(second) * time.Second
		for range risingThroughput(second) {
			tally.RecordCompleted(at, 1)
			tally.RecordLatency(at, 20*time.Millisecond)
		}
	}
	report := &measurement.WorkerResult{Worker: int(worker), StartMillis: start.UnixMilli()}
	must(w.t, tally.FillResult(report))
	w.observeMembers("extra", report)
	packed, err := measurement.EncodeWorkerResult(report)
	must(w.t, err)
	cm := &corev1.ConfigMap{}
	w.mustGet(naming.WorkerReport("extra", worker), cm)
	before := cm.DeepCopy()
	cm.BinaryData = map[string][]byte{protocol.ResultKey: packed}
	must(w.t, w.client.Patch(w.ctx, cm, client.MergeFrom(before), client.FieldOwner("benchnet-agent")))
}

func TestWorkloadOfSteadyStateRun(t *testing.T) {
	w := newTestEnvWithSteadyRun(t)
	cm := &corev1.ConfigMap{}
	w.mustGet(naming.WorkloadConfigMap("extra"), cm)
	var orders protocol.WorkloadFile[any]
	must(t, json.Unmarshal([]byte(cm.Data["workload.json"]), &orders))
	if want := (protocol.MeasureTimes{WindowSeconds: 150, DrainSeconds: 60, IntervalSeconds: 5, StopsEarly: true}); orders.Measure != want {
		t.Errorf("the drivers get %+v, want %+v", orders.Measure, want)
	}
}

// TestSteadyRunStopsOnce: the stop is written once all workers have reported enough. It is at the end of an
// interval and never changes.
func TestSteadyRunStopsOnce(t *testing.T) {
	w := newTestEnvWithSteadyRun(t)
	start := w.barrierTime(protocol.StartKey)
	w.now = start.Add(90*time.Second + 300*time.Millisecond)
	w.reportProgress(0, 90)
	w.reconcileRun("extra")
	if stop := w.barrierData()[protocol.StopKey]; stop != "" {
		t.Fatalf("stop at %s, although one of two workers has reported nothing", stop)
	}
	w.reportProgress(1, 90)
	w.reconcileRun("extra")
	if lasts := w.barrierTime(protocol.StopKey).Sub(start); lasts != 95*time.Second {
		t.Fatalf("the window lasts %s, want 95 s: the first end of an interval that is two seconds ahead", lasts)
	}
	if !w.barrierTime(protocol.StartKey).Equal(start) || w.barrierData()["baseline.json"] == "" {
		t.Error("the stop has changed the start or the baseline")
	}
	w.now = w.now.Add(20 * time.Second)
	w.reportProgress(0, 110)
	writes := w.writeCount.Load()
	w.reconcileRun("extra")
	if lasts := w.barrierTime(protocol.StopKey).Sub(start); lasts != 95*time.Second {
		t.Errorf("workers that got a stop must never get another, but now it lasts %s", lasts)
	}
	if w.writeCount.Load() > writes+1 {
		t.Errorf("%d writes after the stop; want at most the status update", w.writeCount.Load()-writes)
	}
}

func TestUnsteadyRunIsNotStopped(t *testing.T) {
	w := newTestEnvWithSteadyRun(t)
	w.now = w.barrierTime(protocol.StartKey).Add(20 * time.Second)
	w.reportProgress(0, 15)
	w.reportProgress(1, 15)
	w.reconcileRun("extra")
	if stop := w.barrierData()[protocol.StopKey]; stop != "" {
		t.Errorf("stop at %s after 15 seconds, although the shortest window takes 20", stop)
	}
}

// TestStopSurvivesOperatorDeath: a crash before or after the stop is written does not change it, since the next
// operator decides from the same reports.
func TestStopSurvivesOperatorDeath(t *testing.T) {
	w := newTestEnvWithSteadyRun(t)
	start := w.barrierTime(protocol.StartKey)
	w.reportProgress(0, 60)
	w.reportProgress(1, 60)
	w.now = start.Add(61 * time.Second)
	w.failAtWrite = w.writeCount.Load() + 1
	if _, err := w.runReconciler().Reconcile(w.ctx, w.requestFor("extra")); !errors.Is(err, errDied) {
		t.Fatalf("the operator should have crashed before it wrote the stop, but: %v", err)
	}
	if w.barrierData()[protocol.StopKey] != "" {
		t.Fatal("the stop was written by a crashed operator")
	}
	w.now = start.Add(70 * time.Second)
	w.reconcileRun("extra")
	if lasts := w.barrierTime(protocol.StopKey).Sub(start); lasts != 75*time.Second {
		t.Errorf("the window lasts %s, want the 75 s that are left to decide on", lasts)
	}
}

func TestResultCoversSteadyPart(t *testing.T) {
	w := newTestEnvWithSteadyRun(t)
	start := w.barrierTime(protocol.StartKey)
	w.reportIntervals(0, 75, start)
	w.reportIntervals(1, 75, start)
	w.reconcileRun("extra")
	w.reconcileRun("extra")
	s := w.getRun("extra").Status
	if s.Verdict != v1alpha1.VerdictValid || !strings.Contains(s.Display.SteadyState, "of 75 s recorded") {
		t.Fatalf("the status should have the decision, but is %+v", s)
	}
	cm := &corev1.ConfigMap{}
	w.mustGet(s.Result.ConfigMapName, cm)
	result, err := document.DecodeRunResult(cm.BinaryData[s.Result.Key])
	must(t, err)
	if d := result.WindowSelection; d == nil || d.State != measurement.SelectionSettled || d.WarmUpSeconds < 5 || d.WarmUpSeconds > 15 ||
		result.Times.WindowSeconds != d.WindowSeconds || !result.Times.WindowStart.Equal(start.Add(time.Duration(d.WarmUpSeconds)*time.Second)) {
		t.Errorf("decided %+v, times %+v", result.WindowSelection, result.Times)
	}
	if r := result.Summary.ThroughputPerSecond; r < 101 || r > 103 {
		t.Errorf("%.1f flows/s, want the 102 of the steady part", r)
	}
	w.wantCleanedUp()
}

// TestSteadyStateBounds: windows that cannot be reported second by second, or cannot be judged, are rejected by
// name.
func TestSteadyStateBounds(t *testing.T) {
	for measure, want := range map[string]string{
		"warmUp: 30s, window: 2h, steadyState: {}":                "with steadyState both may last at most 1h",
		"warmUp: 30s, window: 2m, steadyState: {minWindow: 5s}":   "must be at least 10s",
		"warmUp: 30s, window: 20s, steadyState: {minWindow: 30s}": "minWindow cannot exceed measure.window",
	} {
		w := newTestEnv(t)
		must(t, w.createFromYAML(cordaNetwork[:strings.Index(cordaNetwork, "  workloads:")], &v1alpha1.BenchmarkNetwork{}))
		w.bringUp("banks")
		err := w.createFromYAML(strings.Replace(twoWorkerRun, "warmUp: 1s, window: 10s", measure, 1), &v1alpha1.BenchmarkRun{})
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
