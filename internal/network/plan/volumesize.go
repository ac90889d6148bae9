package plan

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/platform"
)

// VolumeShortfall is a volume that keeps its original size and may be too small for the listed workloads.
type VolumeShortfall struct {
	// StatefulSet is the owner of the volume, and Volume is the volume's name.
	StatefulSet, Volume string
	// Size is the size of the volume, and Needed is the size that the workloads need.
	Size, Needed resource.Quantity
}

// keepMemberVolumeSizes sets the volumes of the planned members to the sizes of the live ones. Sizes are
// derived from the listed workloads, and workloads may be appended. But a claim template cannot change, and a
// changed limit of an emptyDir would replace the pod.
func keepMemberVolumeSizes(in Input, p *Plan) error {
	for _, planned := range p.memberSets() {
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
	return nil
}

// keepVolumeSize corrects the reported setting of a member's volume that keeps its size, and records a
// shortfall.
func (p *Plan) keepVolumeSize(set, volume string, size, needed resource.Quantity) {
	p.addShortfall(set, volume, size, needed)
	for i := range p.Settings {
		s := &p.Settings[i]
		name, _, _ := strings.Cut(s.Name, "[")
		if name == platform.SettingMemberStorage && s.Value == needed.String() && size.Cmp(needed) != 0 {
			s.Value = size.String()
			s.Source = fmt.Sprintf("the size at the volume's creation; the current workloads need %s", &needed)
		}
	}
}

// addShortfall records a shortfall if the volume is too small.
func (p *Plan) addShortfall(set, volume string, size, needed resource.Quantity) {
	if size.Cmp(needed) < 0 {
		p.Shortfalls = append(p.Shortfalls, VolumeShortfall{StatefulSet: set, Volume: volume, Size: size, Needed: needed})
	}
}
