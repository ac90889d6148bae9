package controllers_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/run/protocol"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

const twoWorkerRun = `
apiVersion: benchnet.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: extra}
spec:
  networkName: banks
  workload:
    name: extra
    type: Corda
    corda: {finance: {operation: Issue}}
    load: {clients: 8}
    measure: {warmUp: 1s, window: 10s}
    workers: {count: 2}
`

// newTestEnvWithRun returns an environment with a ready network that has no workloads of its own, and a run on
// it.
func newTestEnvWithRun(t *testing.T, run string) *testEnv {
	t.Helper()
	w := newTestEnv(t)
	must(t, w.createFromYAML(cordaNetwork[:strings.Index(cordaNetwork, "  workloads:")], &v1alpha1.BenchmarkNetwork{}))
	w.bringUp("banks")
	must(t, w.createFromYAML(run, &v1alpha1.BenchmarkRun{}))
	w.reconcileNetwork("banks")
	return w
}

// newTestEnvWithReadyRun returns an environment with a run whose workers are ready.
func newTestEnvWithReadyRun(t *testing.T) *testEnv {
	t.Helper()
	w := newTestEnvWithRun(t, twoWorkerRun)
	w.reconcileRun("extra")
	w.createReadyWorkers("extra")
	return w
}

// completeTwoWorkerRun creates twoWorkerRun on the ready network banks and takes it through to its verdict.
func (w *testEnv) completeTwoWorkerRun() {
	w.t.Helper()
	must(w.t, w.createFromYAML(twoWorkerRun, &v1alpha1.BenchmarkRun{}))
	w.reconcileNetwork("banks")
	w.reconcileRun("extra")
	w.finishTwoWorkerRun()
}

// finishTwoWorkerRun takes the created run from its workers to its verdict: 100 operations of 20 ms by each worker.
func (w *testEnv) finishTwoWorkerRun() {
	w.t.Helper()
	w.createReadyWorkers("extra")
	w.reconcileRun("extra")
	for worker := range int32(2) {
		w.reportResult(w.getRun("extra"), worker, 100, 20_000)
	}
	w.reconcileRun("extra")
	w.reconcileRun("extra")
}

func TestRunWaitsForItsNetwork(t *testing.T) {
	w := newTestEnv(t)
	must(t, w.createFromYAML(twoWorkerRun, &v1alpha1.BenchmarkRun{}))
	w.reconcileRun("extra")
	w.wantReason("extra", v1alpha1.ReasonWaitingForNetwork, "banks does not exist")
	must(t, w.createFromYAML(cordaNetwork, &v1alpha1.BenchmarkNetwork{}))
	w.reconcileNetwork("banks")
	w.reconcileRun("extra")
	w.wantReason("extra", v1alpha1.ReasonWaitingForNetwork, "banks is not ready: stage")
}

func TestRunsTakeTurns(t *testing.T) {
	w := newTestEnvWithReadyRun(t)
	w.now = w.now.Add(time.Minute)
	must(t, w.createFromYAML(strings.Replace(twoWorkerRun, "name: extra}", "name: later}", 1), &v1alpha1.BenchmarkRun{}))
	w.reconcileRun("later")
	w.wantReason("later", v1alpha1.ReasonWaitingForTurn, "extra runs first")
	if err := w.client.Get(w.ctx, client.ObjectKey{Namespace: w.namespace, Name: "later"}, &batchv1.Job{}); err == nil {
		t.Error("a waiting run must not have workers")
	}
}

func TestAllWorkersAreReleasedOnce(t *testing.T) {
	w := newTestEnvWithReadyRun(t)
	w.reconcileRun("extra")
	barrier := &corev1.ConfigMap{}
	w.mustGet(naming.BarrierConfigMap("extra"), barrier)
	start := barrier.Data[protocol.StartKey]
	at, err := time.Parse(time.RFC3339Nano, start)
	must(t, err)
	if lead := at.Sub(w.now); lead < time.Second || lead > 10*time.Second {
		t.Errorf("the release should be slightly in the future, but is %s ahead", lead)
	}
	w.now = w.now.Add(time.Minute)
	w.reconcileRun("extra")
	w.mustGet(naming.BarrierConfigMap("extra"), barrier)
	if barrier.Data[protocol.StartKey] != start {
		t.Error("workers that got a start must never get another")
	}
}

// TestCalibrationPrecedesStart checks that the release leaves the default time of the calibration, that the workers know
// it, and that a figure outside of a bound makes the run invalid.
func TestCalibrationPrecedesStart(t *testing.T) {
	w := newTestEnvWithRun(t, strings.Replace(twoWorkerRun, "window: 10s", "window: 10s, calibrate: {minSingleThreadRate: 5000}", 1))
	w.reconcileRun("extra")
	w.createReadyWorkers("extra")
	w.reconcileRun("extra")
	barrier, workload := &corev1.ConfigMap{}, &corev1.ConfigMap{}
	w.mustGet(naming.BarrierConfigMap("extra"), barrier)
	at, err := time.Parse(time.RFC3339Nano, barrier.Data[protocol.StartKey])
	must(t, err)
	if lead := at.Sub(w.now); lead < 11*time.Second || lead > 20*time.Second {
		t.Errorf("the start is %s ahead, want slightly more than the calibration of 10 s", lead)
	}
	w.mustGet(naming.WorkloadConfigMap("extra"), workload)
	if text := workload.Data["workload.json"]; !strings.Contains(text, `"calibrationSeconds": 10`) {
		t.Errorf("the workload lacks the calibration: %s", text)
	}
	for worker := range int32(2) {
		w.reportResult(w.getRun("extra"), worker, 100, 20_000)
	}
	w.reconcileRun("extra")
	w.reconcileRun("extra")
	status := w.getRun("extra").Status
	if status.Verdict != v1alpha1.VerdictInvalid || !slices.ContainsFunc(status.Reasons, func(r v1alpha1.VerdictReason) bool {
		return r.Reason == string(verdict.ReasonCalibrationMissing)
	}) {
		t.Errorf("verdict %s, reasons %+v; want Invalid, since no pod reports its speed", status.Verdict, status.Reasons)
	}
}

func TestNoReleaseBeforeAllWorkersAreReady(t *testing.T) {
	w := newTestEnvWithReadyRun(t)
	must(t, w.client.Delete(w.ctx, &corev1.Pod{ObjectMeta: w.objectMeta("extra-1")}, client.GracePeriodSeconds(0)))
	w.reconcileRun("extra")
	barrier := &corev1.ConfigMap{}
	w.mustGet(naming.BarrierConfigMap("extra"), barrier)
	if barrier.Data[protocol.StartKey] != "" {
		t.Error("only one of two workers is ready: the run must not be released")
	}
	w.wantReason("extra", v1alpha1.ReasonWaitingForWorkers, "1 of 2 workers")
}

// TestOnlyTheJobsOwnPodsReleaseARun has pods with a worker's labels while one worker is missing.
func TestOnlyTheJobsOwnPodsReleaseARun(t *testing.T) {
	w := newTestEnvWithRun(t, twoWorkerRun)
	w.reconcileRun("extra")
	job := &batchv1.Job{}
	w.mustGet("extra", job)
	kind := batchv1.SchemeGroupVersion.WithKind("Job")
	w.createReadyPod("extra-0", job.Spec.Template, metav1.NewControllerRef(job, kind))
	earlier := job.DeepCopy()
	earlier.UID = "11111111-1111-1111-1111-111111111111"
	w.createReadyPod("of-an-earlier-job", job.Spec.Template, metav1.NewControllerRef(earlier, kind))
	notController := metav1.NewControllerRef(job, kind)
	notController.Controller = nil
	w.createReadyPod("not-controlled", job.Spec.Template, notController)
	deleted := w.createReadyPod("deleted", job.Spec.Template, metav1.NewControllerRef(job, kind))
	must(t, w.client.Patch(w.ctx, deleted, client.RawPatch(types.MergePatchType, []byte(`{"metadata": {"finalizers": ["example.com/hold"]}}`))))
	must(t, w.client.Delete(w.ctx, deleted))
	t.Cleanup(func() {
		_ = w.client.Patch(context.Background(), deleted, client.RawPatch(types.MergePatchType, []byte(`{"metadata": {"finalizers": null}}`)))
	})

	w.reconcileRun("extra")
	barrier := &corev1.ConfigMap{}
	w.mustGet(naming.BarrierConfigMap("extra"), barrier)
	if start := barrier.Data[protocol.StartKey]; start != "" {
		t.Errorf("only one of two workers is ready, but the run is released at %s", start)
	}
	w.wantReason("extra", v1alpha1.ReasonWaitingForWorkers, "1 of 2 workers")

	w.createReadyPod("extra-1", job.Spec.Template, metav1.NewControllerRef(job, kind))
	w.reconcileRun("extra")
	w.mustGet(naming.BarrierConfigMap("extra"), barrier)
	if barrier.Data[protocol.StartKey] == "" {
		t.Error("both workers are ready, but the run is not released")
	}
}

func TestRunWithoutAnyResultFails(t *testing.T) {
	w := newTestEnvWithReadyRun(t)
	for i := range int32(2) {
		cm := &corev1.ConfigMap{}
		w.mustGet(naming.WorkerReport("extra", i), cm)
		cm.Data = map[string]string{protocol.FailureKey: "operation.flow: there is no class com.example.Nope"}
		must(t, w.client.Update(w.ctx, cm))
	}
	w.reconcileRun("extra")
	run := w.getRun("extra")
	if run.Status.Phase != "Failed" || !meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionComplete) {
		t.Fatalf("the run should have failed, but is %+v", run.Status)
	}
	w.wantReason("extra", v1alpha1.ReasonRunFailed, "com.example.Nope")
}

// TestRunEndsWhenItsJobFails: the Job of a run is never created again, so a run does not wait for workers that
// were evicted or had no node in time.
func TestRunEndsWhenItsJobFails(t *testing.T) {
	for name, fail := range map[string]func(*corev1.Pod) (jobReason string){
		"deadline of the Job": func(*corev1.Pod) string { return batchv1.JobReasonDeadlineExceeded },
		"evicted worker": func(pod *corev1.Pod) string {
			pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: "PreemptionByScheduler"}}
			return batchv1.JobReasonBackoffLimitExceeded
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newTestEnvWithReadyRun(t)
			pod := &corev1.Pod{}
			w.mustGet("extra-0", pod)
			pod.Status.Phase = corev1.PodFailed
			reason := fail(pod)
			must(t, w.client.Status().Update(w.ctx, pod))
			w.setJobFailed("extra", reason, "the workers are gone")
			w.reconcileRun("extra")
			w.wantReason("extra", v1alpha1.ReasonRunFailed, "the workers are gone")
			if run := w.getRun("extra"); run.Status.Phase != "Failed" {
				t.Errorf("the run should have failed, but is %s", run.Status.Phase)
			}
		})
	}
}

// TestTimeWithoutNodeIsLimitedByTheRun: workers may wait for nodes as long as the run does. Their deadline
// counts only from then.
func TestTimeWithoutNodeIsLimitedByTheRun(t *testing.T) {
	w := newTestEnvWithRun(t, strings.Replace(twoWorkerRun, "spec:", "spec:\n  startTimeout: 2h", 1))
	w.reconcileRun("extra")
	job := &batchv1.Job{}
	w.mustGet("extra", job)
	// 2 h until the last worker has a node, 20 min to get ready, warm-up, window, drain, and 2 min of reserve.
	deadline := time.Duration(*job.Spec.Template.Spec.ActiveDeadlineSeconds) * time.Second
	if measured := w.getRun("extra").Spec.Workload.Measure.Drain.Duration + 11*time.Second; job.Spec.ActiveDeadlineSeconds != nil || deadline != 142*time.Minute+measured {
		t.Errorf("only the pods should have a deadline: they have %s, the Job %v", deadline, job.Spec.ActiveDeadlineSeconds)
	}
	w.now = w.now.Add(time.Hour)
	w.reconcileRun("extra")
	w.wantReason("extra", v1alpha1.ReasonWaitingForWorkers, "0 of 2 workers")
	w.now = w.now.Add(time.Hour + time.Minute)
	w.reconcileRun("extra")
	w.wantReason("extra", v1alpha1.ReasonRunFailed, "not all workers had a node within 2h")
	if !w.isGone("extra", job) {
		t.Error("the Job of a failed run's workers should be deleted")
	}
}

// TestWorkersOfEveryKind checks that the API server accepts the worker Jobs of everything that a workload can
// request.
func TestWorkersOfEveryKind(t *testing.T) {
	cases := map[string]string{
		"sample log kept":    "type: Corda\n    sampleLogRetention: Retain\n    corda: {finance: {operation: Issue}}",
		"plan of the user":   "type: JMeter\n    jmeter: {configMapName: my-plan}",
		"flow by class name": "type: Corda\n    " + `corda: {flow: {class: net.corda.finance.flows.CashIssueFlow, arguments: [{type: Amount, value: "1 USD"}]}}`,
		"data of the user": "type: Corda\n    " + `corda: {flow: {class: net.corda.finance.flows.CashIssueFlow,
      arguments: [{type: Amount, value: "${csv:amount} USD"}], data: {configMapName: payments}}}`,
	}
	for name, kind := range cases {
		t.Run(name, func(t *testing.T) {
			w := newTestEnv(t)
			must(t, w.createFromYAML(cordaNetwork[:strings.Index(cordaNetwork, "  workloads:")], &v1alpha1.BenchmarkNetwork{}))
			w.bringUp("banks")
			must(t, w.createFromYAML(strings.Replace(twoWorkerRun, "type: Corda\n    corda: {finance: {operation: Issue}}", kind, 1), &v1alpha1.BenchmarkRun{}))
			w.reconcileNetwork("banks")
			w.reconcileRun("extra")
			w.mustGet("extra", &batchv1.Job{})
		})
	}
}

// TestWorkersHaveTheCorDappsOfTheirNetwork creates a run on a network that an older operator created.
func TestWorkersHaveTheCorDappsOfTheirNetwork(t *testing.T) {
	w := newTestEnv(t)
	network := strings.Replace(cordaNetwork, `version: "4.10"`, "cordapps: {type: Samples}", 1)
	must(t, w.createFromYAML(network[:strings.Index(network, "  workloads:")], &v1alpha1.BenchmarkNetwork{}))
	w.reconcileNetwork("banks")
	record := &corev1.ConfigMap{}
	w.mustGet(naming.EpochConfigMap("banks"), record)
	record.Data["version"] = "0.0.9"
	must(t, w.client.Update(w.ctx, record))
	w.bringUp("banks")
	must(t, w.createFromYAML(twoWorkerRun, &v1alpha1.BenchmarkRun{}))
	w.reconcileNetwork("banks")
	w.reconcileRun("extra")
	job := &batchv1.Job{}
	w.mustGet("extra", job)
	var used []string
	for _, c := range job.Spec.Template.Spec.InitContainers {
		used = append(used, c.Image)
	}
	if want := "ghcr.io/benchnet/cordapps:0.0.9"; !slices.Contains(used, want) {
		t.Errorf("the init containers of the workers have the images %v, want %s among them", used, want)
	}
}

func TestApplyErrorOfRunIsReported(t *testing.T) {
	w := newTestEnvWithReadyRun(t)
	w.failAtWrite = w.writeCount.Load() + 1
	if _, err := w.runReconciler().Reconcile(w.ctx, w.requestFor("extra")); !errors.Is(err, errDied) {
		t.Fatalf("the pass should end with the write's error, but: %v", err)
	}
	w.wantReason("extra", v1alpha1.ReasonProblem, errDied.Error())
}

func TestProgressIsShown(t *testing.T) {
	w := newTestEnvWithReadyRun(t)
	w.reconcileRun("extra")
	for i := range int32(2) {
		cm := &corev1.ConfigMap{}
		w.mustGet(naming.WorkerReport("extra", i), cm)
		cm.Data = map[string]string{protocol.ProgressKey: `{"phase":"Window","completed":40,"failed":0,"elapsedSeconds":5,"throughput":8}`}
		must(t, w.client.Update(w.ctx, cm))
	}
	w.reconcileRun("extra")
	if s := w.getRun("extra").Status; s.Display.Progress != "Window 50%" || s.Display.Throughput != "16.0 flows/s" || *s.ThroughputMilliPerSecond != 16_000 || s.Phase != "Measuring" {
		t.Errorf("the status should show half of the window at 16 flows/s, but shows %q at %q in %s", s.Display.Progress, s.Display.Throughput, s.Phase)
	}
}

func (w *testEnv) wantReason(run, reason, message string) {
	w.t.Helper()
	ready := meta.FindStatusCondition(w.getRun(run).Status.Conditions, v1alpha1.ConditionReady)
	if ready == nil || ready.Reason != reason || !strings.Contains(ready.Message, message) {
		w.t.Errorf("Ready of %s should have reason %s and contain %q, but is %+v", run, reason, message, ready)
	}
}
