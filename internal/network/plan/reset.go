package plan

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/platform"
)

// addVolumeResets adds the reset of the state volume to the members' init containers, which wipe it when the
// epoch changes.
func addVolumeResets(in Input, p *Plan) error {
	resetter, ok := in.Platform.(platform.Resettable)
	if !ok {
		return nil
	}
	for _, set := range p.memberSets() {
		pods.AddVolumeReset(&set.Spec.Template.Spec, resetter.StateVolume())
	}
	return nil
}

// addResetStages moves the members to the plan's epoch. If any live member is in another epoch, those members
// stop first, then the schemas are recreated, then all members start together. The members' annotations are the
// only record of progress: a member in the new epoch was started after the databases were ready for it.
func addResetStages(in Input, p *Plan) error {
	var stops []client.Object
	for _, planned := range p.memberSets() {
		if live := in.liveStatefulSet(planned.Name); live != nil && pods.Epoch(live) != p.Epoch.ID {
			stops = append(stops, stoppedStatefulSet(planned, live))
		}
		setEpoch(planned, p.Epoch.ID)
	}
	if len(stops) == 0 {
		return nil
	}
	p.Resetting = true
	at := slices.IndexFunc(p.Stages, func(s Stage) bool { return s.Name == StageMembers })
	p.Stages[at].Needs = append(p.Stages[at].Needs, StageStop, StageReset)
	p.Stages = slices.Insert(p.Stages, at,
		Stage{Name: StageStop, Objects: stops, Provisioning: true},
		Stage{Name: StageReset, Needs: []StageName{StageStop, StageDatabases, StageSchemas}, Objects: p.schemaResets, Provisioning: true})
	return nil
}

// stoppedStatefulSet returns a member scaled to zero that keeps its epoch. It carries the resource version that
// was read: a member that has meanwhile started in its new epoch must not be stopped again.
func stoppedStatefulSet(planned, live *appsv1.StatefulSet) *appsv1.StatefulSet {
	set := planned.DeepCopy()
	set.Spec.Replicas = new(int32(0))
	set.ResourceVersion = live.ResourceVersion
	setEpoch(set, pods.Epoch(live))
	return set
}

// setEpoch annotates the pod template with the epoch. Members of the first epoch have no annotation.
func setEpoch(set *appsv1.StatefulSet, id string) {
	if id != "" {
		metav1.SetMetaDataAnnotation(&set.Spec.Template.ObjectMeta, v1alpha1.AnnotationEpoch, id)
	}
}

// memberSets returns the StatefulSets of the members.
func (p *Plan) memberSets() []*appsv1.StatefulSet {
	var sets []*appsv1.StatefulSet
	for _, object := range p.findStage(StageMembers).Objects {
		if set, ok := object.(*appsv1.StatefulSet); ok {
			sets = append(sets, set)
		}
	}
	return sets
}

func (p *Plan) findStage(name StageName) *Stage {
	for i := range p.Stages {
		if p.Stages[i].Name == name {
			return &p.Stages[i]
		}
	}
	return &Stage{}
}
