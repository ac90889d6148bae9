package plan

import (
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// IsPaused reports whether the members of the network are stopped.
func (e Epoch) IsPaused() bool { return e.Pauses%2 == 1 }

// countPause returns the epoch with one more pause, if the network is to be paused or resumed.
func (in Input) countPause(e Epoch) Epoch {
	if in.shouldPause(e) != e.IsPaused() {
		e.Pauses++
	}
	return e
}

// shouldPause reports whether the members should be stopped. They must have been ready in their epoch, so that
// provisioning and resets are complete, and neither the active run nor, with PauseWhenFinished, another run may
// need them.
func (in Input) shouldPause(e Epoch) bool {
	recorded, observed := in.recordedEpoch(), in.Network.Status.Epoch
	wasReady := recorded.IsPaused() || observed != nil && observed.ID == e.ID && observed.ReadyAt != nil
	if recorded.ID != e.ID || !wasReady {
		return false
	}
	switch in.Network.Spec.Pause {
	case v1alpha1.PauseNow:
		return !slices.ContainsFunc(in.RunsByAge, func(run *v1alpha1.BenchmarkRun) bool { return run.UID == e.ActiveRun && !run.IsComplete() })
	case v1alpha1.PauseWhenFinished:
		return in.hasFinished(e)
	}
	return false
}

// hasFinished reports whether all workloads and runs have ended, and there was at least one. A run of an earlier
// network of the same name does not count.
func (in Input) hasFinished(e Epoch) bool {
	for i := range in.Network.Spec.Workloads {
		if in.WorkloadRuns[in.runName(i)] == nil {
			return false
		}
	}
	used := e.FirstRun != ""
	for _, run := range in.RunsByAge {
		if !run.IsComplete() {
			return false
		}
		used = used || !run.Status.CompletionTime.Before(&in.Network.CreationTimestamp)
	}
	return used
}

// holdsRuns reports whether the spec keeps further runs from starting.
func (in Input) holdsRuns() bool {
	return in.Network.Spec.PauseRuns || in.Network.Spec.Pause == v1alpha1.PauseNow
}

// stopPausedMembers scales the members of a paused network to zero. The number of pauses, an annotation,
// distinguishes members that were resumed from those that a late cache shows as they were before the pause.
func stopPausedMembers(_ Input, p *Plan) error {
	if p.Epoch.Pauses == 0 {
		return nil
	}
	if p.Epoch.IsPaused() {
		p.findStage(StageMembers).Needs = nil // They stop even if a database is not ready.
	}
	for _, set := range p.memberSets() {
		metav1.SetMetaDataAnnotation(&set.ObjectMeta, v1alpha1.AnnotationPauses, strconv.Itoa(p.Epoch.Pauses))
		if p.Epoch.IsPaused() {
			set.Spec.Replicas = new(int32(0))
		}
	}
	return nil
}
