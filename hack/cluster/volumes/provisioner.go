// Package volumes is the volume provisioner of the local cluster. Each PersistentVolumeClaim of its
// StorageClass gets a directory on the node, which is deleted with the volume.
//
// The volumes are of type `local`, not `hostPath`: the kubelet then applies a pod's fsGroup, as it does for
// cloud disks.
package volumes

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/sig-storage-lib-external-provisioner/v13/controller"
)

// directoryProvisioner provisions volumes below one root directory of its node.
type directoryProvisioner struct {
	root string
}

var _ controller.Provisioner = directoryProvisioner{}

// Provision creates the directory of a claim. Its capacity is not enforced.
func (d directoryProvisioner) Provision(_ context.Context, options controller.ProvisionOptions) (*corev1.PersistentVolume, controller.ProvisioningState, error) {
	path := filepath.Join(d.root, options.PVName)
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, controller.ProvisioningFinished, fmt.Errorf("make directory of volume %s: %w", options.PVName, err)
	}
	return &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: options.PVName},
		Spec: corev1.PersistentVolumeSpec{
			AccessModes:                   options.PVC.Spec.AccessModes,
			Capacity:                      corev1.ResourceList{corev1.ResourceStorage: options.PVC.Spec.Resources.Requests[corev1.ResourceStorage]},
			PersistentVolumeReclaimPolicy: *options.StorageClass.ReclaimPolicy,
			PersistentVolumeSource:        corev1.PersistentVolumeSource{Local: &corev1.LocalVolumeSource{Path: path}},
			NodeAffinity:                  requireNode(options.SelectedNodeName),
		},
	}, controller.ProvisioningFinished, nil
}

// Delete removes the directory of a volume. It ignores volumes with a path that Provision would not have
// created.
func (d directoryProvisioner) Delete(_ context.Context, volume *corev1.PersistentVolume) error {
	path := filepath.Join(d.root, volume.Name)
	if volume.Spec.Local == nil || volume.Spec.Local.Path != path {
		return &controller.IgnoredError{Reason: "not a volume of " + d.root}
	}
	if err := os.RemoveAll(path); err != nil {
		return fmt.Errorf("remove directory of volume %s: %w", volume.Name, err)
	}
	return nil
}

func requireNode(name string) *corev1.VolumeNodeAffinity {
	return &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchExpressions: []corev1.NodeSelectorRequirement{{
				Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: []string{name},
			}},
		}},
	}}
}
