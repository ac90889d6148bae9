// Package pods has what all pods of the operator share: what the pod security level "restricted" asks of them, and the agent
// (cmd/agent) that is installed in them, so that an image needs neither a shell nor anything of this project.
package pods

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

const (
	// userID and group under which the project's images run.
	userID = int64(10001)

	// AgentVolumeName is the volume that AgentInstallContainer fills; AgentDir is where it is mounted.
	AgentVolumeName = "agent"
	AgentDir        = "/run/benchnet-agent"
	// AgentPath is the program in AgentDir.
	AgentPath = AgentDir + "/agent"
	// agentContainer is the name of AgentInstallContainer.
	agentContainer = "agent"
)

// PodSecurityContext of a pod: User, its group also for volumes, and the container runtime's system call filter.
func PodSecurityContext() *corev1.PodSecurityContext {
	return &corev1.PodSecurityContext{
		RunAsNonRoot:        new(true),
		RunAsUser:           new(userID),
		RunAsGroup:          new(userID),
		FSGroup:             new(userID),
		FSGroupChangePolicy: new(corev1.FSGroupChangeOnRootMismatch),
		SeccompProfile:      &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}
}

// RestrictedSecurityContext is what the level asks of a container, and a root file system that cannot be written.
func RestrictedSecurityContext() *corev1.SecurityContext {
	return &corev1.SecurityContext{
		AllowPrivilegeEscalation: new(false),
		ReadOnlyRootFilesystem:   new(true),
		Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
	}
}

// AgentInstallContainer is the init container that puts the agent into AgentVolumeName.
func AgentInstallContainer(image string) corev1.Container {
	return corev1.Container{
		Name:            agentContainer,
		Image:           image,
		Command:         []string{"/agent", "install", "--to", AgentDir},
		Resources:       SmallResources(),
		SecurityContext: RestrictedSecurityContext(),
		VolumeMounts:    []corev1.VolumeMount{{Name: AgentVolumeName, MountPath: AgentDir}},
	}
}

// stateDir is where the agent that is installed finds a member's state.
const stateDir = "/state"

// AddVolumeReset lets the pod's AgentInstallContainer empty a volume when what is in it is of another epoch than the pod's own, the value of its
// annotation v1alpha1.AnnotationEpoch.
func AddVolumeReset(pod *corev1.PodSpec, volume string) {
	for i := range pod.InitContainers {
		c := &pod.InitContainers[i]
		if c.Name != agentContainer {
			continue
		}
		c.Command = append(c.Command, "--renew", stateDir, "--epoch", "$(BENCHNET_EPOCH)")
		c.Env = append(c.Env, corev1.EnvVar{Name: "BENCHNET_EPOCH", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{
			APIVersion: "v1", FieldPath: "metadata.annotations['" + v1alpha1.AnnotationEpoch + "']"}}})
		c.VolumeMounts = append(c.VolumeMounts, WritableMount(volume, stateDir))
	}
}

// CopyFilesContainer is the init container that copies a folder out of any image into a volume. The agent must be installed before.
func CopyFilesContainer(name, image, from, volume, to string) corev1.Container {
	return corev1.Container{
		Name:            name,
		Image:           image,
		Command:         []string{AgentPath, "copy", "--from", from, "--to", to},
		Resources:       SmallResources(),
		SecurityContext: RestrictedSecurityContext(),
		VolumeMounts: []corev1.VolumeMount{
			{Name: AgentVolumeName, MountPath: AgentDir, ReadOnly: true},
			{Name: volume, MountPath: to},
		},
	}
}

// IgnoreDisruptionsPolicy returns a failure policy that does not count a pod that was evicted, preempted or lost with its node as a failure of
// its Job.
func IgnoreDisruptionsPolicy() *batchv1.PodFailurePolicy {
	return &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{
		Action: batchv1.PodFailurePolicyActionIgnore,
		OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{
			{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue}},
	}}}
}

// SmallResources are the resources of a container that copies files.
func SmallResources() corev1.ResourceRequirements {
	return corev1.ResourceRequirements{
		Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("10m"), corev1.ResourceMemory: resource.MustParse("16Mi")},
		Limits:   corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1"), corev1.ResourceMemory: resource.MustParse("128Mi")},
	}
}
