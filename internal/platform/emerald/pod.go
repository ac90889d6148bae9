package emerald

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/execution"
	"github.com/benchnet/benchnet/internal/platform/members"
)

const (
	// readyPattern matches the line that Emerald prints for each decided block.
	readyPattern = "stats at height"
	// gracePeriodSeconds lets an execution client write its state.
	gracePeriodSeconds = 60
)

// memberPod returns a pod with validator and execution client, each under an agent of its own.
func memberPod(in platform.Input, m platform.Member) corev1.PodSpec {
	network := in.Network.Name
	pod := members.BuildPodSpec(in, nil)
	pod.TerminationGracePeriodSeconds = new(int64(gracePeriodSeconds))
	layer := layerOf(&in.Network.Spec)
	pod.InitContainers = append(pod.InitContainers, layer.InitContainers(in, m)...)
	pod.Containers = []corev1.Container{validatorContainer(&in.Network.Spec, m), layer.Container(in, m)}
	pod.Volumes = append(pod.Volumes,
		pods.EmptyDirVolume(volumeRun), pods.EmptyDirVolume(execution.VolumeTmp), members.ConfigVolume(in.Network, m, volumeConfig), homeVolume(network, m))
	pod.Volumes = append(pod.Volumes, layer.SecretVolumes(network, m)...)
	return pod
}

// validatorContainer returns the container of the validator, which is ready once it has decided a block. It
// has no liveness probe, because a member under measurement must not be killed for being slow.
func validatorContainer(network *v1alpha1.BenchmarkNetworkSpec, m platform.Member) corev1.Container {
	e := m.Spec.Platform.Emerald
	return corev1.Container{
		Name:  "validator",
		Image: e.Image,
		Command: members.SuperviseCommand(portAgent, dataDir, "--ready-pattern", readyPattern, "--ready-file", readyFile, "--",
			programShell, configDir+"/"+fileStart, "emerald", "start", "--home", validatorDir, "--config", configDir+"/"+fileEmerald,
			// Emerald ignores the level in its configuration.
			"--log-level", strings.ToLower(e.LogLevel)),
		Env: []corev1.EnvVar{
			{Name: "ENGINE_PORT", Value: fmt.Sprintf("%04X", execution.PortEngine)},
			{Name: "VALIDATOR_HOME", Value: validatorDir},
			{Name: "VALIDATOR_CONFIG", Value: homeConfigDir},
			{Name: "HOME", Value: "/tmp"},
		},
		Ports:                    members.ContainerPorts(validatorPorts),
		Resources:                layerOf(m.Spec).Divide(m.Spec).Validator.Resources(m.Spec.ReservationOrDefault()),
		SecurityContext:          pods.RestrictedSecurityContext(),
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
		VolumeMounts: []corev1.VolumeMount{
			pods.ReadOnlyMount(pods.AgentVolumeName, pods.AgentDir), pods.WritableMount(execution.VolumeData, dataDir), pods.WritableMount(volumeRun, runDir),
			pods.WritableMount(execution.VolumeTmp, "/tmp"), pods.ReadOnlyMount(volumeConfig, configDir), pods.ReadOnlyMount(volumeHome, homeConfigDir),
			pods.ReadOnlyMount(execution.VolumeNetwork, execution.NetworkDir),
		},
		StartupProbe: members.StartupProbe(network.Members.Count, portNameAgent, members.ReadinessCheck(readyFile, portAgent)...),
		ReadinessProbe: &corev1.Probe{PeriodSeconds: 10, TimeoutSeconds: 10, FailureThreshold: 3, ProbeHandler: corev1.ProbeHandler{
			HTTPGet: &corev1.HTTPGetAction{Path: "/metrics", Port: intstr.FromString(portNameMetrics)}}},
	}
}

// homeVolume returns the config folder of Emerald's home, projected from three objects: configuration, genesis
// and the validator's key.
func homeVolume(network string, m platform.Member) corev1.Volume {
	from := func(secret, key, path string) corev1.VolumeProjection {
		return corev1.VolumeProjection{Secret: &corev1.SecretProjection{
			LocalObjectReference: corev1.LocalObjectReference{Name: secret}, Items: []corev1.KeyToPath{{Key: key, Path: path}}}}
	}
	return corev1.Volume{Name: volumeHome, VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{
		DefaultMode: new(int32(0o440)),
		Sources: []corev1.VolumeProjection{
			{ConfigMap: &corev1.ConfigMapProjection{
				LocalObjectReference: corev1.LocalObjectReference{Name: naming.Member(network, m.Name)},
				Items:                []corev1.KeyToPath{{Key: fileConfig, Path: fileConfig}}}},
			from(naming.NetworkMapSecret(network), fileValidatorGenesis, execution.FileGenesis),
			from(naming.IdentitySecret(network, m.Name), fileValidatorKey, fileValidatorKey),
		},
	}}}
}

// BuildMembers returns a headless Service, a NetworkPolicy, and for each member a Service, a ConfigMap and a
// StatefulSet. Validators give up on peers whose names do not resolve, so they dial the members' Services,
// which outlive their pods.
func (Emerald) BuildMembers(in platform.Input, topology platform.Topology) ([]client.Object, error) {
	ports := slices.Concat(validatorPorts, layerOf(&in.Network.Spec).Ports())
	objects := []client.Object{members.Service(in.Network, ports), members.NetworkPolicy(in.Network, ports)}
	for i, m := range topology.Members {
		files, err := renderMemberFiles(in, topology, i)
		if err != nil {
			return nil, err
		}
		claims, volumes := members.StorageVolumes(in.Network, m, execution.VolumeData, execution.PlanStorage(&in.Network.Spec).Size)
		pod := memberPod(in, m)
		pod.Volumes = append(pod.Volumes, volumes...)
		objects = append(objects, members.AddressService(in.Network, m, ports), members.ConfigMap(in.Network, m, files),
			members.StatefulSet(in.Network, m, pod, files, claims...))
	}
	return objects, nil
}
