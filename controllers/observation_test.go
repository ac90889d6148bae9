package controllers_test

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

const unobservedNetwork = `
apiVersion: benchnet.dev/v1alpha1
kind: BenchmarkNetwork
metadata: {name: banks}
spec:
  platform: {type: Corda, corda: {version: "4.10"}}
  members: {count: 2}
  database: {engine: PostgreSQL, topology: Shared}
  observation: None
`

// TestRunWithoutObservation checks that a run samples nothing, is valid, says that the members and the database were not
// observed, and names no bottleneck.
func TestRunWithoutObservation(t *testing.T) {
	w := newTestEnv(t)
	must(t, w.createFromYAML(unobservedNetwork, &v1alpha1.BenchmarkNetwork{}))
	w.bringUp("banks")
	must(t, w.createFromYAML(twoWorkerRun, &v1alpha1.BenchmarkRun{}))
	w.reconcileNetwork("banks")
	w.reconcileRun("extra")
	orders := &corev1.ConfigMap{}
	w.mustGet(naming.WorkloadConfigMap("extra"), orders)
	if strings.Contains(orders.Data["workload.json"], "/metrics") {
		t.Errorf("the workers sample endpoints: %s", orders.Data["workload.json"])
	}
	w.finishTwoWorkerRun()
	run := w.getRun("extra")
	if run.Status.Verdict != v1alpha1.VerdictValid || run.Status.Display.Bottleneck != "" {
		t.Errorf("verdict %s with bottleneck %q: %+v", run.Status.Verdict, run.Status.Display.Bottleneck, run.Status.Reasons)
	}
	for _, code := range []verdict.ReasonCode{verdict.ReasonMembersUnobserved, verdict.ReasonDatabaseUnobserved} {
		if !slices.ContainsFunc(run.Status.Reasons, func(r v1alpha1.VerdictReason) bool {
			return r.Reason == string(code) && strings.Contains(r.Message, "spec.observation of the network is None")
		}) {
			t.Errorf("no note %s in %+v", code, run.Status.Reasons)
		}
	}
}

func TestObservationIsRestricted(t *testing.T) {
	for name, c := range map[string]struct{ to, want string }{
		"changed": {"observation: Full", "spec.observation and spec.networkFaults cannot change: create another network"},
		"purpose": {"observation: None\n  purpose: Trial", "spec.purpose cannot change: create another network"},
		"removed": {"", "spec.observation and spec.networkFaults cannot change: create another network"},
		"unknown": {"observation: Half", `spec.observation: Unsupported value: "Half"`},
		"same":    {"observation: None", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newTestEnv(t)
			must(t, w.createFromYAML(unobservedNetwork, &v1alpha1.BenchmarkNetwork{}))
			err := w.replaceNetwork(strings.Replace(unobservedNetwork, "observation: None", c.to, 1))
			if (c.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("the change is refused with %v, want %q", err, c.want)
			}
		})
	}
}
