package controllers_test

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/results"
)

// TestObjectivesOfARun measures 20 flows per second with latencies of 20 ms, 200 in all.
func TestObjectivesOfARun(t *testing.T) {
	w := newTestEnvWithRun(t, strings.Replace(twoWorkerRun, "    workers:", `    objectives:
    - {metric: LatencyP95, maxLatency: 50ms}
    - {metric: Throughput, minThroughputPerSecond: "30"}
    - {metric: LatencyP99, maxLatency: 50ms}
    workers:`, 1))
	w.reconcileRun("extra")
	w.finishTwoWorkerRun()
	s := w.getRun("extra").Status
	var got []string
	for _, o := range s.Objectives {
		got = append(got, fmt.Sprintf("%s %s", o.Metric, o.Outcome))
	}
	if want := "LatencyP95 Passed, Throughput Failed, LatencyP99 Undecided"; strings.Join(got, ", ") != want || s.Verdict != v1alpha1.VerdictValid {
		t.Errorf("got %s (%s), want %s (Valid)", strings.Join(got, ", "), s.Verdict, want)
	}
	gates := meta.FindStatusCondition(s.Conditions, v1alpha1.ConditionGatesPassed)
	if gates == nil || gates.Status != metav1.ConditionFalse || gates.Reason != v1alpha1.ReasonGateFailed || !strings.Contains(gates.Message, "Throughput is 20.0/s") {
		t.Errorf("got %+v, want a failed gate of the throughput", gates)
	}
	cm := &corev1.ConfigMap{}
	w.mustGet(s.Result.ConfigMapName, cm)
	result, err := results.DecodeRunResult(cm.BinaryData[s.Result.Key])
	must(t, err)
	if len(result.Objectives) != 3 || result.Objectives[1].Limit != 30 {
		t.Errorf("the result has the objectives %+v", result.Objectives)
	}
}
