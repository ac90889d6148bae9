package controllers_test

import (
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

func TestWorkersMergeIntoOneResult(t *testing.T) {
	w := newTestEnvWithReadyRun(t)
	w.reconcileRun("extra")
	run := w.getRun("extra")
	w.reportResult(run, 0, 100, 20_000)
	w.reconcileRun("extra")
	if w.getRun("extra").Status.Verdict != "" {
		t.Fatal("there must be no verdict before all workers have reported")
	}
	w.reportResult(run, 1, 100, 40_000)
	w.reconcileRun("extra")
	w.reconcileRun("extra")
	s := w.getRun("extra").Status
	if *s.ThroughputMilliPerSecond != 20_000 || s.Verdict != v1alpha1.VerdictValid || s.Operations.Completed != 200 {
		t.Fatalf("two workers with 100 flows each in 10 s make 20 flows/s, but the status is %+v", s)
	}
	if s.LatencyMicroseconds.P50 == nil || *s.LatencyMicroseconds.P50 != 20_015 || s.LatencyMicroseconds.Max != 40_031 {
		t.Errorf("latency should be 20 ms at the median and 40 ms at most, within the precision of the histogram, but is %+v", s.LatencyMicroseconds)
	}
	if s.LatencyMicroseconds.P99 != nil {
		t.Errorf("200 latencies are too few for p99, which is %d µs", *s.LatencyMicroseconds.P99)
	}
	cm := &corev1.ConfigMap{}
	w.mustGet(s.Result.ConfigMapName, cm)
	result, err := document.DecodeRunResult(cm.BinaryData[s.Result.Key])
	must(t, err)
	if result.Environment.PlanHash == "" || len(result.Environment.Containers) != 7 || len(result.Workers) != 2 {
		t.Errorf("the result should have the plan, 5 containers of the network and 2 workers, but has %+v", result.Environment)
	}
	w.wantCleanedUp()
}

// wantCleanedUp checks that an ended run keeps only its result and its Job, and is not written again.
func (w *testEnv) wantCleanedUp() {
	w.t.Helper()
	var left []string
	for _, o := range w.listOwnedObjects() {
		if o.GetLabels()[v1alpha1.LabelRun] == "extra" {
			left = append(left, o.GetName())
		}
	}
	slices.Sort(left)
	if !slices.Equal(left, []string{"extra", "extra-result"}) {
		w.t.Errorf("only Job and result should remain, but there are %v", left)
	}
	before := w.writeCount.Load()
	w.reconcileRun("extra")
	if w.writeCount.Load() != before {
		w.t.Error("a finished run must not be written again")
	}
}

// TestFailedCleanUpIsRetried fails one write of the pass that cleans up after a run. If the run were complete then, it would keep the
// owner reference to its network, and be deleted with it.
func TestFailedCleanUpIsRetried(t *testing.T) {
	for write, name := range []string{"the owner references", "the first deletion", "the second deletion"} {
		t.Run(name, func(t *testing.T) {
			w := newTestEnvWithReadyRun(t)
			w.reconcileRun("extra")
			for worker := range int32(2) {
				w.reportResult(w.getRun("extra"), worker, 100, 20_000)
			}
			w.reconcileRun("extra")
			if len(w.getRun("extra").OwnerReferences) == 0 {
				t.Fatal("a run without a result should be owned by its network")
			}
			reconciler := w.runReconciler()
			w.failAtWrite = w.writeCount.Load() + int64(write) + 1
			if _, err := reconciler.Reconcile(w.ctx, w.requestFor("extra")); !errors.Is(err, errDied) {
				t.Fatalf("the pass should end with the write's error, but: %v", err)
			}
			w.wantReason("extra", v1alpha1.ReasonProblem, errDied.Error())
			w.reconcileRun("extra")
			run := w.getRun("extra")
			if run.Status.Verdict != v1alpha1.VerdictValid || len(run.OwnerReferences) > 0 {
				t.Errorf("the run should be valid and have no owner, but is %q with %v", run.Status.Verdict, run.OwnerReferences)
			}
			w.wantCleanedUp()
		})
	}
}

func TestDisturbancesInvalidateRun(t *testing.T) {
	w := newTestEnvWithReadyRun(t)
	w.reconcileRun("extra")
	must(t, w.client.Delete(w.ctx, &corev1.Pod{ObjectMeta: w.objectMeta("banks-member-1-0")}, client.GracePeriodSeconds(0)))
	w.markStatefulSetsReady()
	run := w.getRun("extra")
	w.reportResult(run, 0, 1000, 20_000)
	w.reportResult(run, 1, 1000, 20_000, measurement.ErrorCount{Kind: "net.corda.core.flows.FlowException", Count: 3, Example: "no"})
	w.reconcileRun("extra")
	w.reconcileRun("extra")
	s := w.getRun("extra").Status
	var found []string
	for _, r := range s.Reasons {
		if r.Severity == "Invalid" {
			found = append(found, r.Reason)
		}
		if r.Reason == "MemberReplaced" && !strings.Contains(r.Message, "member-1") {
			t.Errorf("the message should name the member that was replaced: %s", r.Message)
		}
	}
	if s.Verdict != v1alpha1.VerdictInvalid || !slices.Contains(found, "MemberReplaced") || !slices.Contains(found, "Errors") {
		t.Errorf("a replaced member and errors make a run invalid, but the status is %+v", s)
	}
}

// TestEnvironmentPolicyDecidesTheVerdict simulates a host that lost a quarter of its CPU time to other
// machines.
func TestEnvironmentPolicyDecidesTheVerdict(t *testing.T) {
	for name, c := range map[string]struct {
		measure  string
		policy   v1alpha1.EnvironmentPolicy
		verdict  v1alpha1.Verdict
		severity v1alpha1.FindingSeverity
	}{
		"default": {"", "", v1alpha1.VerdictInvalid, v1alpha1.SeverityInvalid},
		"record":  {", environmentPolicy: Record", v1alpha1.EnvironmentRecord, v1alpha1.VerdictValid, v1alpha1.SeverityRecorded},
	} {
		t.Run(name, func(t *testing.T) {
			w := newTestEnvWithRun(t, strings.Replace(twoWorkerRun, "window: 10s", "window: 10s"+c.measure, 1))
			w.reconcileRun("extra")
			w.createReadyWorkers("extra")
			w.reconcileRun("extra")
			run := w.getRun("extra")
			if policy := run.Spec.Workload.Measure.EnvironmentPolicy; policy != c.policy {
				t.Errorf("environmentPolicy is %q, want %q", policy, c.policy)
			}
			report := w.newWorkerReport(run, 0, 100, 20_000)
			report.Load = &measurement.WorkerUsage{Host: &measurement.Host{CPUs: 2, BusyShare: 0.3, StealShare: 0.24}}
			w.writeWorkerReport(run, report)
			w.reportResult(run, 1, 100, 20_000)
			w.reconcileRun("extra")
			w.reconcileRun("extra")
			s := w.getRun("extra").Status
			at := slices.IndexFunc(s.Reasons, func(r v1alpha1.VerdictReason) bool { return r.Reason == string(verdict.ReasonCPUStolen) })
			if s.Verdict != c.verdict || at < 0 || s.Reasons[at].Severity != c.severity {
				t.Errorf("want %s with CPUStolen of severity %s, got %s with %+v", c.verdict, c.severity, s.Verdict, s.Reasons)
			}
		})
	}
}

// TestResultTooLargeForAConfigMap: the workers' reports fit into ConfigMaps, but their names together do not
// fit into one, and their series are already the coarsest.
func TestResultTooLargeForAConfigMap(t *testing.T) {
	w := newTestEnvWithReadyRun(t)
	must(t, w.createFromYAML(strings.Replace(twoWorkerRun, "name: extra}", "name: later}", 1), &v1alpha1.BenchmarkRun{}))
	w.reconcileRun("extra")
	run := w.getRun("extra")
	random := rand.NewChaCha8([32]byte{1})
	for i := range int32(2) {
		report := w.newWorkerReport(run, i, 100, 20_000)
		report.SeriesSeconds = 4096
		for range 6000 {
			var name [120]byte
			_, _ = random.Read(name[:]) // It never fails.
			report.Series = append(report.Series, measurement.NamedSeries{Subject: hex.EncodeToString(name[:]), Name: "s", Values: measurement.Series{1}})
		}
		w.writeWorkerReport(run, report)
	}
	w.reconcileRun("extra")
	w.wantReason("extra", v1alpha1.ReasonResultTooLarge, "the workers' reports stay")
	if run = w.getRun("extra"); run.Status.Phase != "Failed" || run.Status.Result != nil || !w.isGone(naming.ResultConfigMap("extra"), &corev1.ConfigMap{}) {
		t.Errorf("the run should have failed without a result, but its status is %+v", run.Status)
	}
	for i := range int32(2) {
		report := &corev1.ConfigMap{}
		w.mustGet(naming.WorkerReport("extra", i), report)
		if _, err := measurement.DecodeWorkerResult(report.BinaryData[protocol.ResultKey]); err != nil {
			t.Errorf("the report of worker %d must not change: %v", i, err)
		}
	}
	w.reconcileNetwork("banks")
	w.reconcileRun("later")
	w.mustGet("later", &batchv1.Job{})
}
