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
	// User and group under which the project's images run.
	User = int64(10001)

	// AgentVolume is the volume that InstallAgent fills; AgentDir is where it is mounted.
	AgentVolume = "agent"
	AgentDir    = "/run/benchnet-agent"
	// Agent is the program in AgentDir.
	Agent = AgentDir + "/agent"
	// agentContainer is the name of InstallAgent.
	agentContainer = "agent"
)

// Security of a pod: User, its group also for volumes, and the container runtime's system call filter.
func Security() *corev1.PodSecurityContext {
	return &corev1.PodSecurityContext{
		RunAsNonRoot:        new(true),
		RunAsUser:           new(User),
		RunAsGroup:          new(User),
		FSGroup:             new(User),
		FSGroupChangePolicy: new(corev1.FSGroupChangeOnRootMismatch),
		SeccompProfile:      &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}
}

// Restricted is what the level asks of a container, and a root file system that cannot be written.
func Restricted() *corev1.SecurityContext {
	return &corev1.SecurityContext{
		AllowPrivilegeEscalation: new(false),
		ReadOnlyRootFilesystem:   new(true),
		Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
	}
}

// InstallAgent is the init container that puts the agent into AgentVolume.
func InstallAgent(image string) corev1.Container {
	return corev1.Container{
		Name:            agentContainer,
		Image:           image,
		Command:         []string{"/agent", "install", "--to", AgentDir},
		Resources:       Small(),
		SecurityContext: Restricted(),
		VolumeMounts:    []corev1.VolumeMount{{Name: AgentVolume, MountPath: AgentDir}},
	}
}

// stateDir is where the agent that is installed finds a member's state.
const stateDir = "/state"

// Renew lets the pod's InstallAgent empty a volume when what is in it is of another epoch than the pod's own, the value of its
// annotation v1alpha1.AnnotationEpoch.
func Renew(pod *corev1.PodSpec, volume string) {
	for i := range pod.InitContainers {
		c := &pod.InitContainers[i]
		if c.Name != agentContainer {
			continue
		}
		c.Command = append(c.Command, "--renew", stateDir, "--epoch", "$(BENCHNET_EPOCH)")
		c.Env = append(c.Env, corev1.EnvVar{Name: "BENCHNET_EPOCH", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{
			APIVersion: "v1", FieldPath: "metadata.annotations['" + v1alpha1.AnnotationEpoch + "']"}}})
		c.VolumeMounts = append(c.VolumeMounts, Mount(volume, stateDir))
	}
}

// CopyFiles is the init container that copies a folder out of any image into a volume. The agent must be installed before.
func CopyFiles(name, image, from, volume, to string) corev1.Container {
	return corev1.Container{
		Name:            name,
		Image:           image,
		Command:         []string{Agent, "copy", "--from", from, "--to", to},
		Resources:       Small(),
		SecurityContext: Restricted(),
		VolumeMounts: []corev1.VolumeMount{
			{Name: AgentVolume, MountPath: AgentDir, ReadOnly: true},
			{Name: volume, MountPath: to},
		},
	}
}

// IgnoreDisruptions returns a failure policy that does not count a pod that was evicted, preempted or lost with its node as a failure of
// its Job.
func IgnoreDisruptions() *batchv1.PodFailurePolicy {
	return &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{
		Action: batchv1.PodFailurePolicyActionIgnore,
		OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{
			{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue}},
	}}}
}

// Small are the resources of a container that copies files.
func Small() corev1.ResourceRequirements {
	return corev1.ResourceRequirements{
		Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("10m"), corev1.ResourceMemory: resource.MustParse("16Mi")},
		Limits:   corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1"), corev1.ResourceMemory: resource.MustParse("128Mi")},
	}
}
