// Package pods holds what all pods of the operator share: the settings for the pod security level "restricted",
// and the installation of the agent (cmd/agent). With the agent, an image needs neither a shell nor any program
// of this project.
package pods

import (
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

const (
	// userID is the user and group ID under which the project's images run.
	userID = int64(10001)

	// AgentVolumeName is the volume that AgentInstallContainer fills, and AgentDir is where it is mounted.
	AgentVolumeName = "agent"
	AgentDir        = "/run/benchnet-agent"
	// AgentPath is the path of the agent's executable.
	AgentPath = AgentDir + "/agent"
	// agentContainer is the name of AgentInstallContainer.
	agentContainer = "agent"
)

// PodSecurityContext returns the security context of a pod: user and group userID, also for volumes, and the
// container runtime's default seccomp profile.
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

// RestrictedSecurityContext returns a container's security context at the level "restricted", with a read-only
// root file system.
func RestrictedSecurityContext() *corev1.SecurityContext {
	return &corev1.SecurityContext{
		AllowPrivilegeEscalation: new(false),
		ReadOnlyRootFilesystem:   new(true),
		Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
	}
}

// AgentInstallContainer returns the init container that installs the agent into AgentVolumeName.
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

// stateDir is where the init container mounts a member's state volume.
const stateDir = "/state"

// AddVolumeReset makes the pod's AgentInstallContainer wipe a volume whose content belongs to another epoch.
// The pod's epoch is the value of its annotation v1alpha1.AnnotationEpoch.
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

// Epoch returns the epoch of the pods of a StatefulSet; empty in the first epoch.
func Epoch(set *appsv1.StatefulSet) string {
	return set.Spec.Template.Annotations[v1alpha1.AnnotationEpoch]
}

// CopyFilesContainer returns an init container that copies a folder of any image into a volume. The agent must
// be installed before it runs.
func CopyFilesContainer(name, image, from, volume, to string) corev1.Container {
	return corev1.Container{
		Name:            name,
		Image:           image,
		Command:         []string{AgentPath, "copy", "--from", from, "--to", to},
		Resources:       SmallResources(),
		SecurityContext: RestrictedSecurityContext(),
		VolumeMounts:    []corev1.VolumeMount{ReadOnlyMount(AgentVolumeName, AgentDir), WritableMount(volume, to)},
	}
}

// EscapeExpansions doubles each dollar sign of arguments. The kubelet, which replaces $(NAME) by environment variables, even of
// Secrets, then passes them on as they are.
func EscapeExpansions(arguments ...string) []string {
	escaped := make([]string, len(arguments))
	for i, argument := range arguments {
		escaped[i] = strings.ReplaceAll(argument, "$", "$$")
	}
	return escaped
}

// IgnoreDisruptionsPolicy returns a pod failure policy for Jobs. It does not count a pod that was evicted,
// preempted or lost with its node as a failure.
func IgnoreDisruptionsPolicy() *batchv1.PodFailurePolicy {
	return &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{
		Action: batchv1.PodFailurePolicyActionIgnore,
		OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{
			{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue}},
	}}}
}

// SmallResources returns the resources of a container that copies files.
func SmallResources() corev1.ResourceRequirements { return Resources("5m", "16Mi", "1", "128Mi") }

// Resources returns the requests and limits of a container.
func Resources(cpuRequest, memoryRequest, cpuLimit, memoryLimit string) corev1.ResourceRequirements {
	list := func(cpu, memory string) corev1.ResourceList {
		return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory)}
	}
	return corev1.ResourceRequirements{Requests: list(cpuRequest, memoryRequest), Limits: list(cpuLimit, memoryLimit)}
}

// AddImagePullSecrets adds Secrets of the namespace to the image pull secrets of a pod that does not have them.
func AddImagePullSecrets(pod *corev1.PodSpec, secrets []string) {
	for _, name := range secrets {
		if ref := (corev1.LocalObjectReference{Name: name}); !slices.Contains(pod.ImagePullSecrets, ref) {
			pod.ImagePullSecrets = append(pod.ImagePullSecrets, ref)
		}
	}
}

const (
	// TokenVolumeName is the volume of ServiceAccountTokenVolume.
	TokenVolumeName = "token"
	// TokenDir is where in-cluster clients look for the token.
	TokenDir = "/var/run/secrets/kubernetes.io/serviceaccount"
)

// ServiceAccountTokenVolume returns the volume that admission would mount into every container of a pod. A pod
// that declares it can mount it into a single container.
func ServiceAccountTokenVolume() corev1.Volume {
	return corev1.Volume{Name: TokenVolumeName, VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{
		DefaultMode: new(int32(0o440)),
		Sources: []corev1.VolumeProjection{
			{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Path: "token", ExpirationSeconds: new(int64(3600))}},
			{ConfigMap: &corev1.ConfigMapProjection{
				LocalObjectReference: corev1.LocalObjectReference{Name: "kube-root-ca.crt"},
				Items:                []corev1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}}}},
		},
	}}}
}
