package plan

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/names"
	"github.com/benchnet/benchnet/internal/platform"
)

// Epoch is a network's life since it was made or last reset, and whose turn it is in it. It is kept in a ConfigMap, so that what
// was decided stays decided whatever becomes of runs and annotations.
type Epoch struct {
	// ID is empty in the first epoch.
	ID string
	// Request is the value of AnnotationReset that was answered last.
	Request string
	// First is the UID of the run that found the network fresh; empty while none had its turn.
	First types.UID
	// Turn is the UID of the run that alone may use the network, until it ends.
	Turn types.UID
}

// epoch is the one that the network should be in. A run keeps its turn, and its epoch, until it has ended; then comes what the
// annotation asks for, then the next run, which begins in an epoch of its own if it asks for one.
func (in Input) epoch() Epoch {
	e := in.recorded()
	for _, run := range in.Queue {
		if run.UID == e.Turn && !Ended(run) {
			return e
		}
	}
	_, resettable := in.Platform.(platform.Resetter)
	if request := in.Network.Annotations[v1alpha1.AnnotationReset]; request != e.Request {
		e.Request = request
		if request != "" && resettable && in.stands() {
			e = e.after(request)
		}
	}
	run := in.next()
	if run == nil {
		return e
	}
	if run.Spec.Workload.Reset == v1alpha1.ResetReset && resettable && e.First != "" && e.First != run.UID {
		e = e.after(string(run.UID))
	}
	e.First, e.Turn = cmp.Or(e.First, run.UID), run.UID
	return e
}

// after is the epoch that a reset begins. The same cause gives the same epoch, also to an operator that decides once more.
func (e Epoch) after(cause string) Epoch {
	sum := sha256.Sum256([]byte(e.ID + "/" + cause))
	return Epoch{ID: hex.EncodeToString(sum[:4]), Request: e.Request}
}

// next is the oldest run that has not ended, unless no further one shall begin.
func (in Input) next() *v1alpha1.BenchmarkRun {
	if in.Network.Spec.Suspend {
		return nil
	}
	for _, run := range in.Queue {
		if !Ended(run) && run.DeletionTimestamp == nil {
			return run
		}
	}
	return nil
}

// stands tells whether there are members already.
func (in Input) stands() bool {
	for _, m := range in.Platform.Topology(in.Network).Members {
		if in.set(names.Member(in.Network.Name, m.Name)) != nil {
			return true
		}
	}
	return false
}

// recorded is the epoch that was decided last. Where the record was lost the status tells of it, so that neither a run nor a reset that
// is under way is disturbed. Where there is no status either the members tell of their epoch, and any run counts as one that has used
// the network.
func (in Input) recorded() Epoch {
	if in.Recorded != nil {
		d := in.Recorded.Data
		return Epoch{ID: d["id"], Request: d["request"], First: types.UID(d["first"]), Turn: types.UID(d["turn"])}
	}
	e := Epoch{Request: in.Network.Annotations[v1alpha1.AnnotationReset]}
	if told := in.Network.Status.Epoch; told != nil {
		e.ID, e.First, e.Turn = told.ID, told.FirstRun, told.Turn
		return e
	}
	for _, m := range in.Platform.Topology(in.Network).Members {
		if set := in.set(names.Member(in.Network.Name, m.Name)); set != nil {
			e.ID = cmp.Or(e.ID, epochOf(set))
		}
	}
	if len(in.Queue) > 0 && in.stands() {
		e.First = in.Queue[0].UID
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

// experiment returns the experiment that the network was created for, or "". A change of the network's label does not change it, since
// other labels would replace the pods.
func (in Input) experiment() string {
	if in.Recorded != nil {
		if name, ok := in.Recorded.Data[experimentKey]; ok {
			return name
		}
	}
	return in.Network.Labels[v1alpha1.LabelExperiment]
}

// record keeps the epoch, the version of the images and the experiment. It is written only if the version that was read is still current.
func (in Input) record(e Epoch) *corev1.ConfigMap {
	cm := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: names.Epoch(in.Network.Name), Labels: Labels(in.Network.Name, "epoch")},
		Data: map[string]string{"id": e.ID, "request": e.Request, "first": string(e.First), "turn": string(e.Turn),
			versionKey: in.Images.Version, experimentKey: in.experiment()},
	}
	if in.Recorded != nil {
		cm.ResourceVersion = in.Recorded.ResourceVersion
	}
	return cm
}
