package status

import (
	"cmp"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// epochStatus returns the status of the network's epoch, which began with its last reset. It names the run
// whose turn it is only while the network is ready.
func epochStatus(in NetworkInput) *v1alpha1.EpochStatus {
	now := metav1.NewMicroTime(in.Now)
	e := &v1alpha1.EpochStatus{ID: in.Plan.Epoch.ID, StartedAt: &now, FirstRun: in.Plan.Epoch.FirstRun}
	if before := in.Network.Status.Epoch; before != nil && before.ID == e.ID {
		e.StartedAt, e.ReadyAt = before.StartedAt, before.ReadyAt
	}
	if firstUnready(in.Stages) != nil || len(in.Plan.LostSecrets) > 0 || isPaused(in) {
		return e
	}
	e.Turn = in.Plan.Epoch.ActiveRun
	e.ReadyAt = cmp.Or(e.ReadyAt, &now)
	return e
}

// isResetting reports whether the network is changing from one epoch to the next.
func isResetting(in NetworkInput) bool {
	before := in.Network.Status.Epoch
	arrived := before != nil && before.ID == in.Plan.Epoch.ID && before.ReadyAt != nil
	return in.Plan.Resetting || in.Plan.Epoch.ID != "" && !arrived
}

// readyMessage returns the message of a ready network. It mentions a requested reset or pause that has to wait
// for a run.
func readyMessage(in NetworkInput) string {
	message, request, waits := "all stages are ready", in.Network.Annotations[v1alpha1.AnnotationReset], ""
	switch {
	case request != in.Plan.Epoch.ResetRequest:
		waits = fmt.Sprintf("reset %q", request)
	case in.Network.Spec.Pause == v1alpha1.PauseNow:
		waits = "spec.pause Now"
	default:
		return message
	}
	for _, run := range in.Runs {
		if run.UID == in.Plan.Epoch.ActiveRun && !run.IsComplete() {
			return fmt.Sprintf("%s; %s waits for BenchmarkRun %s to end", message, waits, run.Name)
		}
	}
	return message
}
