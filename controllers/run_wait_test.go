package controllers

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// TestWaitReasonOf checks that a run begins only on a network that is ready for it, and otherwise names what it waits for.
func TestWaitReasonOf(t *testing.T) {
	run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: "r", UID: "r"}}
	older := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: "older", UID: "o"}}
	for name, c := range map[string]struct {
		change          func(*v1alpha1.BenchmarkNetwork)
		reason, message string
	}{
		"its turn":                {func(*v1alpha1.BenchmarkNetwork) {}, "", ""},
		"paused":                  {func(n *v1alpha1.BenchmarkNetwork) { n.Spec.PauseRuns = true }, v1alpha1.ReasonPaused, "spec.pauseRuns of BenchmarkNetwork n is true"},
		"its turn before a pause": {func(n *v1alpha1.BenchmarkNetwork) { n.Spec.PauseRuns, n.Spec.Pause = true, v1alpha1.PauseNow }, "", ""},
		"members paused": {func(n *v1alpha1.BenchmarkNetwork) { n.Spec.Pause, n.Status.Epoch.Turn = v1alpha1.PauseNow, "o" },
			v1alpha1.ReasonPaused, "spec.pause of BenchmarkNetwork n is Now"},
		"another's turn": {func(n *v1alpha1.BenchmarkNetwork) { n.Status.Epoch.Turn = "o" }, v1alpha1.ReasonWaitingForTurn, "older runs first"},
		"not seen yet":   {func(n *v1alpha1.BenchmarkNetwork) { n.Generation++ }, v1alpha1.ReasonWaitingForNetwork, "n is not ready"},
		"resetting": {func(n *v1alpha1.BenchmarkNetwork) {
			n.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionReady, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonResetting, Message: "m"}}
		}, v1alpha1.ReasonWaitingForReset, "n: m"},
		"being deleted": {func(n *v1alpha1.BenchmarkNetwork) { n.DeletionTimestamp = new(metav1.Now()) }, v1alpha1.ReasonWaitingForNetwork, "n is being deleted"},
	} {
		t.Run(name, func(t *testing.T) {
			network := &v1alpha1.BenchmarkNetwork{ObjectMeta: metav1.ObjectMeta{Name: "n"}, Status: v1alpha1.BenchmarkNetworkStatus{
				Epoch:      &v1alpha1.EpochStatus{Turn: "r"},
				Conditions: []metav1.Condition{{Type: v1alpha1.ConditionReady, Status: metav1.ConditionTrue}}}}
			c.change(network)
			got := waitReasonOf(run, network, []*v1alpha1.BenchmarkRun{older, run})
			if got.Reason != c.reason || !strings.Contains(got.Message, c.message) {
				t.Errorf("it waits for %+v, want %s: %s", got, c.reason, c.message)
			}
		})
	}
}
