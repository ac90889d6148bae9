package plan

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/platform"
)

// Epoch is the period since a network was created or last reset, and the run that may use the network. It is
// recorded in a ConfigMap, so that a decision holds even if runs or annotations change later.
type Epoch struct {
	// ID is empty in the first epoch.
	ID string
	// ResetRequest is the last value of AnnotationReset that was handled.
	ResetRequest string
	// FirstRun is the UID of the first run of the epoch. It is empty until a run becomes active.
	FirstRun types.UID
	// ActiveRun is the UID of the only run that may use the network until that run ends.
	ActiveRun types.UID
	// Pauses counts how often the network was paused and resumed. It is odd while the network is paused.
	Pauses int
}

// decideEpoch returns the epoch that the network should be in. An active run keeps its epoch until it has
// ended, unless it waits for the network itself, which only the requested reset may make ready, or which
// spec.pause Now keeps from it. Then a reset
// requested by the annotation applies, then the next run, which starts in an epoch of its own if it requests a
// reset.
func (in Input) decideEpoch() Epoch {
	e := in.recordedEpoch()
	for _, run := range in.RunsByAge {
		if run.UID != e.ActiveRun || run.IsComplete() {
			continue
		}
		switch {
		case !in.isWaiting(run):
			return e
		case in.Network.Spec.Pause == v1alpha1.PauseNow:
			e.ActiveRun = ""
		case !in.requestsReset(e):
			return e
		}
	}
	resettable := in.isResettable()
	if request := in.Network.Annotations[v1alpha1.AnnotationReset]; request != e.ResetRequest {
		resets := in.requestsReset(e)
		e.ResetRequest = request
		if resets {
			e = e.afterReset(request)
		}
	}
	run := in.nextRun()
	if run == nil {
		return e
	}
	if run.Spec.Workload.Reset == v1alpha1.ResetState && resettable && e.FirstRun != "" && e.FirstRun != run.UID {
		e = e.afterReset(string(run.UID))
	}
	e.FirstRun, e.ActiveRun = cmp.Or(e.FirstRun, run.UID), run.UID
	return e
}

// requestsReset reports whether the annotation requests a reset that was not handled yet and is possible.
func (in Input) requestsReset(e Epoch) bool {
	request := in.Network.Annotations[v1alpha1.AnnotationReset]
	return request != "" && request != e.ResetRequest && in.isResettable() && in.hasLiveMembers()
}

// isWaiting reports whether an active run has no workers yet, since the network is not ready for it.
func (in Input) isWaiting(run *v1alpha1.BenchmarkRun) bool {
	epoch := in.Network.Status.Epoch
	if run.Status.Release != nil || epoch == nil || epoch.Turn == run.UID {
		return false
	}
	ready := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionReady)
	return ready != nil && slices.Contains(waitReasons, ready.Reason)
}

// waitReasons are the reasons of runs that have no workers yet.
var waitReasons = []string{v1alpha1.ReasonWaitingForNetwork, v1alpha1.ReasonWaitingForTurn, v1alpha1.ReasonWaitingForReset, v1alpha1.ReasonPaused}

// afterReset returns the epoch that follows a reset. Its ID is a hash of the old ID and the cause, so a
// repeated decision returns the same epoch.
func (e Epoch) afterReset(cause string) Epoch {
	sum := sha256.Sum256([]byte(e.ID + "/" + cause))
	return Epoch{ID: hex.EncodeToString(sum[:4]), ResetRequest: e.ResetRequest, Pauses: e.Pauses}
}

// nextRun returns the oldest run that has not ended and is not being deleted. It returns nil if there is none
// or no run may start.
func (in Input) nextRun() *v1alpha1.BenchmarkRun {
	if in.holdsRuns() {
		return nil
	}
	for _, run := range in.RunsByAge {
		if !run.IsComplete() && run.DeletionTimestamp == nil {
			return run
		}
	}
	return nil
}

// hasLiveMembers reports whether the StatefulSet of any member exists.
func (in Input) hasLiveMembers() bool {
	return slices.ContainsFunc(in.Platform.Topology(in.Network).Members, func(m platform.Member) bool {
		return in.liveStatefulSet(naming.Member(in.Network.Name, m.Name)) != nil
	})
}

// recordedEpoch returns the epoch that was decided last. If the ConfigMap is lost, the epoch comes from the
// status, so that a run or a reset in progress continues undisturbed. Without a status, it comes from the
// annotations of the members, and the oldest run counts as having used the network.
func (in Input) recordedEpoch() Epoch {
	if in.EpochRecord != nil {
		return decodeEpoch(in.EpochRecord.Data)
	}
	e := Epoch{ResetRequest: in.Network.Annotations[v1alpha1.AnnotationReset]}
	if recorded := in.Network.Status.Epoch; recorded != nil {
		e.ID, e.FirstRun, e.ActiveRun = recorded.ID, recorded.FirstRun, recorded.Turn
		return e
	}
	for _, m := range in.Platform.Topology(in.Network).Members {
		if set := in.liveStatefulSet(naming.Member(in.Network.Name, m.Name)); set != nil {
			e.ID = cmp.Or(e.ID, pods.Epoch(set))
		}
	}
	if len(in.RunsByAge) > 0 && in.hasLiveMembers() {
		e.FirstRun = in.RunsByAge[0].UID
	}
	return e
}

// Keys of the epoch's ConfigMap. The first five hold the fields of Epoch; pausesKey is absent before the first pause.
const (
	idKey           = "id"
	resetRequestKey = "request"
	firstRunKey     = "first"
	activeRunKey    = "turn"
	pausesKey       = "pauses"
	// versionKey holds the version of the images with which the network was created.
	versionKey = "version"
	// experimentKey holds the name of the network's experiment, which is a label of its pods.
	experimentKey = "experiment"
)

func decodeEpoch(data map[string]string) Epoch {
	pauses, _ := strconv.Atoi(data[pausesKey]) // Absent means 0.
	return Epoch{ID: data[idKey], ResetRequest: data[resetRequestKey],
		FirstRun: types.UID(data[firstRunKey]), ActiveRun: types.UID(data[activeRunKey]), Pauses: pauses}
}

// ImageVersion returns the version of the images with which a network was created, from the ConfigMap of its
// epoch. It is empty if the ConfigMap does not exist.
func ImageVersion(record *corev1.ConfigMap) string {
	if record == nil {
		return ""
	}
	return record.Data[versionKey]
}

// experimentName returns the experiment for which the network was created, or "". It ignores later changes of
// the network's label, since changed pod labels would replace the pods.
func (in Input) experimentName() string {
	if in.EpochRecord != nil {
		if name, ok := in.EpochRecord.Data[experimentKey]; ok {
			return name
		}
	}
	return in.Network.Labels[v1alpha1.LabelExperiment]
}

// buildEpochRecord returns the ConfigMap that records the epoch, the version of the images and the experiment.
// It carries the resource version that was read, so a concurrent change causes a conflict.
func (in Input) buildEpochRecord(e Epoch) *corev1.ConfigMap {
	cm := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: naming.EpochConfigMap(in.Network.Name), Labels: naming.NetworkLabels(in.Network.Name, naming.ComponentEpoch)},
		Data: map[string]string{idKey: e.ID, resetRequestKey: e.ResetRequest, firstRunKey: string(e.FirstRun), activeRunKey: string(e.ActiveRun),
			versionKey: in.Images.Version, experimentKey: in.experimentName()},
	}
	if e.Pauses > 0 {
		cm.Data[pausesKey] = strconv.Itoa(e.Pauses)
	}
	if in.EpochRecord != nil {
		cm.ResourceVersion = in.EpochRecord.ResourceVersion
	}
	return cm
}
