package plan

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/platform"
)

// VolumeShortfall is a volume that keeps the size with which it was created and is smaller than the listed workloads may need.
type VolumeShortfall struct {
	// StatefulSet that the volume belongs to, and the volume's name.
	StatefulSet, Volume string
	// Size of the volume, and the Needed size.
	Size, Needed resource.Quantity
}

// keepMemberVolumeSizes gives the volumes of the planned members the sizes of the live ones. Sizes are derived from the listed workloads, and
// workloads may be appended, but a claim template cannot change, and a changed limit of an emptyDir would replace the pod.
func (p *Plan) keepMemberVolumeSizes(in Input, members []client.Object) {
	for _, object := range members {
		planned, ok := object.(*appsv1.StatefulSet)
		if !ok {
			continue
		}
		live := in.liveStatefulSet(planned.Name)
		for i := range planned.Spec.VolumeClaimTemplates {
			claim := &planned.Spec.VolumeClaimTemplates[i]
			if size, ok := pods.VolumeSize(live, claim.Name); ok {
				p.keepVolumeSize(planned.Name, claim.Name, size, *claim.Spec.Resources.Requests.Storage())
				claim.Spec.Resources.Requests[corev1.ResourceStorage] = size
			}
		}
		for _, volume := range planned.Spec.Template.Spec.Volumes {
			if size, ok := pods.VolumeSize(live, volume.Name); ok && volume.EmptyDir != nil && volume.EmptyDir.SizeLimit != nil {
				p.keepVolumeSize(planned.Name, volume.Name, size, *volume.EmptyDir.SizeLimit)
				volume.EmptyDir.SizeLimit = &size
			}
		}
	}
}

// keepVolumeSize corrects the setting of a member's volume that keeps its size.
func (p *Plan) keepVolumeSize(set, volume string, size, needed resource.Quantity) {
	p.addShortfall(set, volume, size, needed)
	for i := range p.Settings {
		s := &p.Settings[i]
		if s.Name == platform.SettingMemberStorage && s.Value == needed.String() && size.Cmp(needed) != 0 {
			s.Value = size.String()
			s.Source = fmt.Sprintf("the size with which the volume was created; %s for the workloads that are listed now", &needed)
		}
	}
}

// addShortfall adds a volume to the shortfalls if it is too small.
func (p *Plan) addShortfall(set, volume string, size, needed resource.Quantity) {
	if size.Cmp(needed) < 0 {
		p.Shortfalls = append(p.Shortfalls, VolumeShortfall{StatefulSet: set, Volume: volume, Size: size, Needed: needed})
	}
}
