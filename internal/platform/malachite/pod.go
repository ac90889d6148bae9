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

func validatorImage(in platform.Input) string {
	if own := in.Network.Spec.Platform.Malachite.Image; own != "" {
		return own
	}
	return in.Images.Image("malachite-bench", "")
}

// BuildMembers returns a headless Service, a NetworkPolicy, and a ConfigMap and a StatefulSet for each
// validator.
func (Malachite) BuildMembers(in platform.Input, topology platform.Topology) ([]client.Object, error) {
	objects := []client.Object{members.Service(in.Network, validatorPorts), members.NetworkPolicy(in.Network, validatorPorts)}
	for ordinal, m := range topology.Members {
		config, err := renderConfig(in, topology, ordinal)
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
	pod.Containers = []corev1.Container{validatorContainer(in, m)}
	pod.Volumes = append(pod.Volumes, pods.EmptyDirVolume(volumeTmp), members.ConfigVolume(in.Network, m, volumeConfig),
		pods.SecretVolume(volumeIdentity, naming.IdentitySecret(in.Network.Name, m.Name)),
		pods.SecretVolume(volumeNetwork, naming.NetworkMapSecret(in.Network.Name)))
	return pod
}

// validatorContainer returns the container of a validator. It has no liveness probe, because a validator under
// measurement must not be killed for being slow. A validator that was ready once stays in the measurement
// while it catches up, so its readiness depends only on the process.
func validatorContainer(in platform.Input, m platform.Member) corev1.Container {
	return corev1.Container{
		Name:                     "malachite",
		Image:                    validatorImage(in),
		Command:                  members.SuperviseCommand(portAgent, homeDir, "--", programPath, "start", "--config", configDir+"/"+fileConfig),
		Resources:                members.Resources(m.Spec),
		Ports:                    members.ContainerPorts(validatorPorts),
		SecurityContext:          pods.RestrictedSecurityContext(),
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
		VolumeMounts: []corev1.VolumeMount{
			pods.ReadOnlyMount(pods.AgentVolumeName, pods.AgentDir), pods.ReadOnlyMount(volumeConfig, configDir),
			pods.ReadOnlyMount(volumeIdentity, identityDir), pods.ReadOnlyMount(volumeNetwork, networkDir),
			pods.WritableMount(volumeHome, homeDir), pods.WritableMount(volumeTmp, "/tmp"),
		},
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
