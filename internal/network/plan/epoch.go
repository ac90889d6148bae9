package plan

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/platform"
)

// Epoch is a network's life since it was made or last reset, and whose turn it is in it. It is kept in a ConfigMap, so that what
// was decided stays decided whatever becomes of runs and annotations.
type Epoch struct {
	// ID is empty in the first epoch.
	ID string
	// ResetRequest is the value of AnnotationReset that was answered last.
	ResetRequest string
	// FirstRun is the UID of the run that found the network fresh; empty while none had its turn.
	FirstRun types.UID
	// ActiveRun is the UID of the run that alone may use the network, until it ends.
	ActiveRun types.UID
}

// decideEpoch is the one that the network should be in. A run keeps its turn, and its epoch, until it has ended; then comes what the
// annotation asks for, then the next run, which begins in an epoch of its own if it asks for one.
func (in Input) decideEpoch() Epoch {
	e := in.recordedEpoch()
	for _, run := range in.RunsByAge {
		if run.UID == e.ActiveRun && !IsRunComplete(run) {
			return e
		}
	}
	_, resettable := in.Platform.(platform.Resettable)
	if request := in.Network.Annotations[v1alpha1.AnnotationReset]; request != e.ResetRequest {
		e.ResetRequest = request
		if request != "" && resettable && in.hasLiveMembers() {
			e = e.afterReset(request)
		}
	}
	run := in.nextRun()
	if run == nil {
		return e
	}
	if run.Spec.Workload.Reset == v1alpha1.ResetReset && resettable && e.FirstRun != "" && e.FirstRun != run.UID {
		e = e.afterReset(string(run.UID))
	}
	e.FirstRun, e.ActiveRun = cmp.Or(e.FirstRun, run.UID), run.UID
	return e
}

// afterReset is the epoch that a reset begins. The same cause gives the same epoch, also to an operator that decides once more.
func (e Epoch) afterReset(cause string) Epoch {
	sum := sha256.Sum256([]byte(e.ID + "/" + cause))
	return Epoch{ID: hex.EncodeToString(sum[:4]), ResetRequest: e.ResetRequest}
}

// nextRun is the oldest run that has not ended, unless no further one shall begin.
func (in Input) nextRun() *v1alpha1.BenchmarkRun {
	if in.Network.Spec.Suspend {
		return nil
	}
	for _, run := range in.RunsByAge {
		if !IsRunComplete(run) && run.DeletionTimestamp == nil {
			return run
		}
	}
	return nil
}

// hasLiveMembers tells whether there are members already.
func (in Input) hasLiveMembers() bool {
	for _, m := range in.Platform.Topology(in.Network).Members {
		if in.liveStatefulSet(naming.Member(in.Network.Name, m.Name)) != nil {
			return true
		}
	}
	return false
}

// recordedEpoch is the epoch that was decided last. Where the record was lost the status tells of it, so that neither a run nor a reset that
// is under way is disturbed. Where there is no status either the members tell of their epoch, and any run counts as one that has used
// the network.
func (in Input) recordedEpoch() Epoch {
	if in.EpochRecord != nil {
		d := in.EpochRecord.Data
		return Epoch{ID: d["id"], ResetRequest: d["request"], FirstRun: types.UID(d["first"]), ActiveRun: types.UID(d["turn"])}
	}
	e := Epoch{ResetRequest: in.Network.Annotations[v1alpha1.AnnotationReset]}
	if told := in.Network.Status.Epoch; told != nil {
		e.ID, e.FirstRun, e.ActiveRun = told.ID, told.FirstRun, told.Turn
		return e
	}
	for _, m := range in.Platform.Topology(in.Network).Members {
		if set := in.liveStatefulSet(naming.Member(in.Network.Name, m.Name)); set != nil {
			e.ID = cmp.Or(e.ID, epochOf(set))
		}
	}
	if len(in.RunsByAge) > 0 && in.hasLiveMembers() {
		e.FirstRun = in.RunsByAge[0].UID
	}
	return e
}

// Keys of the record besides those of the epoch.
const (
	// versionKey holds the version of the images that the network was made with.
	versionKey = "version"
	// experimentKey holds the name of the network's experiment, which is a label of its pods.
	experimentKey = "experiment"
)

// ImageVersion returns the version of the images that a network was made with, from the ConfigMap of its epoch. It is empty where
// there is no such ConfigMap.
func ImageVersion(record *corev1.ConfigMap) string {
	if record == nil {
		return ""
	}
	return record.Data[versionKey]
}

// experimentName returns the experiment that the network was created for, or "". A change of the network's label does not change it, since
// other labels would replace the pods.
func (in Input) experimentName() string {
	if in.EpochRecord != nil {
		if name, ok := in.EpochRecord.Data[experimentKey]; ok {
			return name
		}
	}
	return in.Network.Labels[v1alpha1.LabelExperiment]
}

// buildEpochRecord keeps the epoch, the version of the images and the experiment. It is written only if the version that was read is still current.
func (in Input) buildEpochRecord(e Epoch) *corev1.ConfigMap {
	cm := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: naming.EpochConfigMap(in.Network.Name), Labels: NetworkLabels(in.Network.Name, "epoch")},
		Data: map[string]string{"id": e.ID, "request": e.ResetRequest, "first": string(e.FirstRun), "turn": string(e.ActiveRun),
			versionKey: in.Images.Version, experimentKey: in.experimentName()},
	}
	if in.EpochRecord != nil {
		cm.ResourceVersion = in.EpochRecord.ResourceVersion
	}
	return cm
}
