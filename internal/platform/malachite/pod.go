package malachite

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/members"
)

// Paths in the containers. docs/malachite.md documents them as the contract of images.
const (
	programPath = "/usr/local/bin/malachite-bench"
	configDir   = "/etc/benchnet/config"
	identityDir = "/etc/benchnet/identity"
	networkDir  = "/etc/benchnet/network"
	homeDir     = "/var/lib/malachite"

	fileConfig  = "config.toml"
	fileKey     = "priv_validator_key.json"
	fileGenesis = "genesis.json"
	// networkFolder is the folder in which the genesis step writes the genesis.
	networkFolder = "network"

	volumeConfig   = "config"
	volumeIdentity = "identity"
	volumeNetwork  = "network"
	volumeHome     = "home"
	volumeTmp      = "tmp"

	// imageValidator is the project's image of the program.
	imageValidator = "malachite-bench"
	// exitUsage is the exit code of the program for invalid arguments.
	exitUsage = 2
)

const (
	// startupTimeoutSeconds is generous: a validator is ready only when more than two thirds of the validators
	// are up.
	startupTimeoutSeconds = 1800
	// gracePeriodSeconds lets a validator close its store.
	gracePeriodSeconds = 60
)

// imageOrDefault returns the user's image, or else the project's image of the given name.
func imageOrDefault(in platform.Input, own, name string) string {
	if own != "" {
		return own
	}
	return in.Images.Image(name, "")
}

func validatorImage(in platform.Input) string {
	return imageOrDefault(in, in.Network.Spec.Platform.Malachite.Image, imageValidator)
}

// BuildMembers returns a headless Service, a NetworkPolicy, and a ConfigMap and a StatefulSet for each
// validator.
func (Malachite) BuildMembers(in platform.Input, topology platform.Topology) ([]client.Object, error) {
	objects := []client.Object{members.Service(in.Network, validatorPorts), members.NetworkPolicy(in.Network, validatorPorts)}
	for ordinal, m := range topology.Members {
		data := newConfigData(in, topology, ordinal, in.Network.Spec.Platform.Malachite)
		data.Threads = runtimeThreads(m.Spec)
		config, err := data.renderTOML()
		if err != nil {
			return nil, err
		}
		files := map[string]string{fileConfig: config}
		size := members.VolumeSize(&m.Spec.Members, expectedStorage(m.Spec.Platform.Malachite))
		claims, volumes := members.StorageVolumes(in.Network, m, volumeHome, size)
		pod := validatorPod(in, m)
		pod.Volumes = append(pod.Volumes, volumes...)
		objects = append(objects, members.ConfigMap(in.Network, m, files), members.StatefulSet(in.Network, m, pod, files, claims...))
	}
	return objects, nil
}

func validatorPod(in platform.Input, m platform.Member) corev1.PodSpec {
	pod := members.BuildPodSpec(in, nil)
	pod.TerminationGracePeriodSeconds = new(int64(gracePeriodSeconds))
	pod.Containers = []corev1.Container{validatorContainer(validatorImage(in), members.Resources(m.Spec),
		pods.ReadOnlyMount(volumeIdentity, identityDir), pods.ReadOnlyMount(volumeNetwork, networkDir),
		pods.WritableMount(volumeHome, homeDir), pods.WritableMount(volumeTmp, "/tmp"))}
	pod.Volumes = append(pod.Volumes, pods.EmptyDirVolume(volumeTmp), members.ConfigVolume(in.Network, m, volumeConfig),
		pods.SecretVolume(volumeIdentity, naming.IdentitySecret(in.Network.Name, m.Name)),
		pods.SecretVolume(volumeNetwork, naming.NetworkMapSecret(in.Network.Name)))
	return pod
}

// validatorContainer returns the container of a validator. mounts are those of its keys, genesis, home and /tmp. It
// has no liveness probe, because a validator under measurement must not be killed for being slow. A validator that was
// ready once stays in the measurement while it catches up, so its readiness depends only on the process.
func validatorContainer(image string, resources corev1.ResourceRequirements, mounts ...corev1.VolumeMount) corev1.Container {
	return corev1.Container{
		Name:                     "malachite",
		Image:                    image,
		Command:                  members.SuperviseCommand(portAgent, homeDir, "--", programPath, "start", "--config", configDir+"/"+fileConfig),
		Resources:                resources,
		Ports:                    members.ContainerPorts(validatorPorts),
		SecurityContext:          pods.RestrictedSecurityContext(),
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
		VolumeMounts: append([]corev1.VolumeMount{
			pods.ReadOnlyMount(pods.AgentVolumeName, pods.AgentDir), pods.ReadOnlyMount(volumeConfig, configDir)}, mounts...),
		StartupProbe:   startupProbe(),
		ReadinessProbe: httpProbe("/ready", 5, 3),
	}
}

// startupProbe returns a probe whose failure says why the validator is not ready: unlike of an HTTP probe, the kubelet reports
// the output of a command in an event.
func startupProbe() *corev1.Probe {
	return &corev1.Probe{PeriodSeconds: 1, TimeoutSeconds: 5, FailureThreshold: startupTimeoutSeconds, ProbeHandler: corev1.ProbeHandler{
		Exec: &corev1.ExecAction{Command: []string{pods.AgentPath, "check", "--get",
			"http://" + members.HostPort("127.0.0.1", portHTTP) + "/ready", "--match", "^ready"}}}}
}

func httpProbe(path string, period, failures int32) *corev1.Probe {
	return &corev1.Probe{PeriodSeconds: period, TimeoutSeconds: 5, FailureThreshold: failures, ProbeHandler: corev1.ProbeHandler{
		HTTPGet: &corev1.HTTPGetAction{Path: path, Port: intstr.FromString(portNameHTTP)}}}
}
