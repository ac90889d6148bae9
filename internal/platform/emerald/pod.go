package emerald

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/members"
)

const (
	// readyPattern matches the line that Emerald prints for each decided block.
	readyPattern = "stats at height"
	// startupTimeoutSeconds is generous: a validator is ready only when two thirds of the validators are up.
	startupTimeoutSeconds = 1800
	// gracePeriodSeconds lets an execution client write its state.
	gracePeriodSeconds = 60
)

// memberPod returns a pod with validator and execution client, each under an agent of its own.
func memberPod(in platform.Input, m platform.Member) corev1.PodSpec {
	network := in.Network.Name
	pod := members.BuildPodSpec(in, nil)
	pod.TerminationGracePeriodSeconds = new(int64(gracePeriodSeconds))
	if command := initCommand(&in.Network.Spec); len(command) > 0 {
		pod.InitContainers = append(pod.InitContainers, executionContainer(in, m, "genesis", command...))
	}
	pod.Containers = []corev1.Container{validatorContainer(m), executionClientContainer(in, m)}
	pod.Volumes = append(pod.Volumes,
		pods.EmptyDirVolume(volumeRun), pods.EmptyDirVolume(volumeTmp), members.ConfigVolume(in.Network, m, volumeConfig), homeVolume(network, m),
		// The execution client must not read the validator's key.
		secretFilesVolume(volumeNetwork, naming.NetworkMapSecret(network), fileGenesis, fileJWT),
		secretFilesVolume(volumeIdentity, naming.IdentitySecret(network, m.Name), fileNodeKey, fileGeth))
	return pod
}

// validatorContainer returns the container of the validator, which is ready once it has decided a block. It
// has no liveness probe, because a member under measurement must not be killed for being slow.
func validatorContainer(m platform.Member) corev1.Container {
	e := m.Spec.Platform.Emerald
	return corev1.Container{
		Name:  "validator",
		Image: e.Image,
		Command: members.SuperviseCommand(portAgent, dataDir, "--ready-pattern", readyPattern, "--ready-file", readyFile, "--",
			programShell, configDir+"/"+fileStart, "emerald", "start", "--home", validatorDir, "--config", configDir+"/"+fileEmerald,
			// Emerald ignores the level in its configuration.
			"--log-level", strings.ToLower(e.LogLevel)),
		Env: []corev1.EnvVar{
			{Name: "ENGINE_PORT", Value: fmt.Sprintf("%04X", portEngine)},
			{Name: "VALIDATOR_HOME", Value: validatorDir},
			{Name: "VALIDATOR_CONFIG", Value: homeConfigDir},
			{Name: "HOME", Value: "/tmp"},
		},
		Ports:                    members.ContainerPorts(validatorPorts),
		Resources:                divideMachine(m.Spec).resourcesOf(m.Spec.ReservationOrDefault(), validatorShare),
		SecurityContext:          pods.RestrictedSecurityContext(),
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
		VolumeMounts: []corev1.VolumeMount{
			pods.ReadOnlyMount(pods.AgentVolumeName, pods.AgentDir), pods.WritableMount(volumeData, dataDir), pods.WritableMount(volumeRun, runDir),
			pods.WritableMount(volumeTmp, "/tmp"), pods.ReadOnlyMount(volumeConfig, configDir), pods.ReadOnlyMount(volumeHome, homeConfigDir),
			pods.ReadOnlyMount(volumeNetwork, networkDir),
		},
		StartupProbe: &corev1.Probe{PeriodSeconds: 1, TimeoutSeconds: 10, FailureThreshold: startupTimeoutSeconds, ProbeHandler: corev1.ProbeHandler{
			Exec: &corev1.ExecAction{Command: members.ReadinessCheck(readyFile, portAgent)}}},
		ReadinessProbe: &corev1.Probe{PeriodSeconds: 10, TimeoutSeconds: 10, FailureThreshold: 3, ProbeHandler: corev1.ProbeHandler{
			HTTPGet: &corev1.HTTPGetAction{Path: "/metrics", Port: intstr.FromString(portNameMetrics)}}},
	}
}

// chainIDRequest is the JSON-RPC request for the chain of an execution client.
const chainIDRequest = `{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}`

// executionClientContainer returns the container of the execution client, which is ready when it serves its chain by JSON-RPC.
func executionClientContainer(in platform.Input, m platform.Member) corev1.Container {
	c := executionContainer(in, m, "execution",
		append(members.SuperviseCommand(portExecutionAgent, dataDir, "--ready-exchange", "http://"+members.HostPort("127.0.0.1", portHTTP),
			"--ready-request", chainIDRequest, "--ready-match", fmt.Sprintf(`"result": *"0x%x"`, in.Network.Spec.Platform.Emerald.ChainID), "--"),
			clientCommand(&in.Network.Spec)...)...)
	c.VolumeMounts = append(c.VolumeMounts, pods.ReadOnlyMount(pods.AgentVolumeName, pods.AgentDir))
	c.Ports = members.ContainerPorts(executionPorts(in.Network.Spec.Platform.Emerald.Execution.Client))
	c.ReadinessProbe = members.ReadyProbe(portNameExecutionAgent, 2, 3)
	return c
}

// executionContainer returns a container that runs a program of the client's image with its data and keys.
func executionContainer(in platform.Input, m platform.Member, name string, command ...string) corev1.Container {
	return corev1.Container{
		Name:                     name,
		Image:                    in.Network.Spec.Platform.Emerald.Execution.Image,
		Command:                  command,
		Env:                      executionEnv(in.Network, m.Name),
		Resources:                divideMachine(m.Spec).resourcesOf(m.Spec.ReservationOrDefault(), executionShare),
		SecurityContext:          pods.RestrictedSecurityContext(),
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
		VolumeMounts: []corev1.VolumeMount{
			pods.WritableMount(volumeData, dataDir), pods.WritableMount(volumeTmp, "/tmp"),
			pods.ReadOnlyMount(volumeNetwork, networkDir), pods.ReadOnlyMount(volumeIdentity, identityDir),
		},
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
			from(naming.NetworkMapSecret(network), fileValidatorGenesis, fileGenesis),
			from(naming.IdentitySecret(network, m.Name), fileValidatorKey, fileValidatorKey),
		},
	}}}
}

// secretFilesVolume returns a volume with some keys of a Secret.
func secretFilesVolume(volume, secret string, keys ...string) corev1.Volume {
	v := pods.SecretVolume(volume, secret)
	for _, key := range keys {
		v.Secret.Items = append(v.Secret.Items, corev1.KeyToPath{Key: key, Path: key})
	}
	return v
}
