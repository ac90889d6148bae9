package corda

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/platform"
)

// cordappSupply provides the user's CorDapps to a pod with init containers, volumes, and a mount at
// cordappsDir. It is empty if the CorDapps in the node's image are used.
type cordappSupply struct {
	initContainers []corev1.Container
	volumes        []corev1.Volume
	mounts         []corev1.VolumeMount
}

// buildCorDappSupply returns the supply for one pod of the network. With an image, the agent must be installed
// in the pod before its files are copied. Members and load workers of a network use the same version of the
// project's CorDapps, even after an upgrade of the operator.
func buildCorDappSupply(in platform.Input) cordappSupply {
	source := in.Network.Spec.Platform.Corda.CorDapps
	switch source.Type {
	case v1alpha1.CordAppsSamples:
		return supplyFromImage(in.Images.WithVersion(in.NetworkImageVersion).Image("cordapps", ""))
	case v1alpha1.CordAppsImage:
		return supplyFromImage(source.Image)
	case v1alpha1.CordAppsVolume:
		claim := &corev1.PersistentVolumeClaimVolumeSource{ClaimName: source.ClaimName, ReadOnly: true}
		return cordappSupply{
			volumes: []corev1.Volume{{Name: volumeCorDapps, VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: claim}}},
			mounts:  []corev1.VolumeMount{pods.ReadOnlyMount(volumeCorDapps, cordappsDir)},
		}
	default:
		return cordappSupply{}
	}
}

func supplyFromImage(image string) cordappSupply {
	return cordappSupply{
		initContainers: []corev1.Container{pods.CopyFilesContainer("cordapps", image, imageCorDapps, volumeCorDapps, cordappsDir)},
		volumes:        []corev1.Volume{pods.EmptyDirVolume(volumeCorDapps)},
		mounts:         []corev1.VolumeMount{pods.ReadOnlyMount(volumeCorDapps, cordappsDir)},
	}
}

// withAgent prepends the installation of the agent if there are files to copy. It is for pods that do not run
// the agent otherwise.
func (s cordappSupply) withAgent(in platform.Input) cordappSupply {
	if len(s.initContainers) > 0 {
		s.initContainers = append([]corev1.Container{pods.AgentInstallContainer(agentImage(in))}, s.initContainers...)
		s.volumes = append([]corev1.Volume{pods.EmptyDirVolume(pods.AgentVolumeName)}, s.volumes...)
	}
	return s
}

// cordappsPath returns the path of the CorDapps in a container of the node's image.
func cordappsPath(spec *v1alpha1.BenchmarkNetworkSpec) string {
	if bringsCorDapps(spec) {
		return cordappsDir
	}
	return bundledCorDapps
}

// nodeImage returns the user's image, or the project's image for the Corda version. The spec is that of the node.
func nodeImage(in platform.Input, spec *v1alpha1.BenchmarkNetworkSpec) string {
	corda := spec.Platform.Corda
	return cmp.Or(corda.Image, in.Images.Image("corda", corda.Version))
}

func agentImage(in platform.Input) string { return in.Images.Image("agent", "") }
