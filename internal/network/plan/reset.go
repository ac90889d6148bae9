package plan

import (
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/platform"
)

// withVolumeReset are the members with what empties their volumes when another epoch begins.
func withVolumeReset(p platform.Platform, members []client.Object) []client.Object {
	resetter, ok := p.(platform.Resettable)
	if !ok {
		return members
	}
	for _, object := range members {
		if set, ok := object.(*appsv1.StatefulSet); ok {
			pods.AddVolumeReset(&set.Spec.Template.Spec, resetter.StateVolume())
		}
	}
	return members
}

// addResetStages puts the members into the plan's epoch. Where there are some of another one, all of these stop first, then the databases
// are made anew, and then they start together. What is known of the way is in the members alone: one that is in its epoch
// was started after the databases were ready for it.
func (p *Plan) addResetStages(in Input, databases []client.Object) {
	var stops []client.Object
	for _, object := range p.findStage(StageMembers).Objects {
		planned, ok := object.(*appsv1.StatefulSet)
		if !ok {
			continue
		}
		if live := in.liveStatefulSet(planned.Name); live != nil && epochOf(live) != p.Epoch.ID {
			stops = append(stops, stoppedStatefulSet(planned, live))
		}
		setEpoch(planned, p.Epoch.ID)
	}
	if len(stops) == 0 {
		return
	}
	p.Resetting = true
	members := p.findStage(StageMembers)
	members.Needs = append(members.Needs, StageStop, StageReset)
	p.insertStages(StageMembers,
		Stage{Name: StageStop, Objects: stops, Provisioning: true},
		Stage{Name: StageReset, Needs: []StageName{StageStop, StageDatabases, StageSchemas}, Objects: databases, Provisioning: true})
}

// stoppedStatefulSet is a member without its pod, in the epoch it is in. It is written on what was read alone: a member that has started in
// its new epoch meanwhile must not be stopped again.
func stoppedStatefulSet(planned, live *appsv1.StatefulSet) *appsv1.StatefulSet {
	set := planned.DeepCopy()
	set.Spec.Replicas = new(int32(0))
	set.ResourceVersion = live.ResourceVersion
	setEpoch(set, epochOf(live))
	return set
}

func epochOf(set *appsv1.StatefulSet) string {
	return set.Spec.Template.Annotations[v1alpha1.AnnotationEpoch]
}

// setEpoch leaves a member of the first epoch as it is.
func setEpoch(set *appsv1.StatefulSet, id string) {
	if id != "" {
		metav1.SetMetaDataAnnotation(&set.Spec.Template.ObjectMeta, v1alpha1.AnnotationEpoch, id)
	}
}

func (p *Plan) findStage(name StageName) *Stage {
	for i := range p.Stages {
		if p.Stages[i].Name == name {
			return &p.Stages[i]
		}
	}
	return &Stage{}
}

// insertStages puts stages before another one.
func (p *Plan) insertStages(before StageName, stages ...Stage) {
	var all []Stage
	for _, s := range p.Stages {
		if s.Name == before {
			all = append(all, stages...)
		}
		all = append(all, s)
	}
	p.Stages = all
}
