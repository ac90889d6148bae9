package corda

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/names"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/pods"
	"github.com/benchnet/benchnet/internal/sizing"
)

const (
	// readyPattern is the line that a node prints when it takes part in the network; RPC is announced seconds before.
	readyPattern = "started up and registered"
	// startBudgetSeconds is generous: on a machine full of nodes that start, one has taken minutes.
	startBudgetSeconds = 1800
	// stopBudgetSeconds lets a node end its flows and close its database.
	stopBudgetSeconds = 120
)

// memberPod lays out the base folder and runs the node under the agent, which tells when it is ready and what it uses.
func memberPod(in platform.Input, m platform.Member) corev1.PodSpec {
	spec := &in.Network.Spec
	supplied := cordapps(spec)
	init := append([]corev1.Container{pods.InstallAgent(agentImage(in))}, supplied.init...)
	return corev1.PodSpec{
		AutomountServiceAccountToken:  new(false),
		EnableServiceLinks:            new(false),
		TerminationGracePeriodSeconds: new(int64(stopBudgetSeconds)),
		SecurityContext:               pods.Security(),
		NodeSelector:                  spec.Members.Placement.NodeSelector,
		Tolerations:                   spec.Members.Placement.Tolerations,
		Affinity:                      affinity(in, m),
		InitContainers:                append(init, prepareContainer(in, supplied)),
		Containers:                    []corev1.Container{nodeContainer(in, m)},
		Volumes:                       append(memberVolumes(in, m), supplied.volumes...),
	}
}

func prepareContainer(in platform.Input, supplied supply) corev1.Container {
	c := cordaContainer(in, "prepare", programPrepare)
	c.VolumeMounts = append(c.VolumeMounts,
		readOnly(volumeConfig, configDir), readOnly(volumeIdentity, identityDir), readOnly(volumeNetworkMap, networkMapDir))
	c.VolumeMounts = append(c.VolumeMounts, supplied.mounts...)
	if makesSchema(&in.Network.Spec) {
		c.VolumeMounts = append(c.VolumeMounts, readOnly(volumeSchema, schemaDir))
	}
	return c
}

// nodeContainer has no liveness probe: a node that is measured is never killed for being slow.
func nodeContainer(in platform.Input, m platform.Member) corev1.Container {
	c := cordaContainer(in, "corda", pods.Agent, "supervise",
		"--metrics-addr", hostPort("", portAgent), "--ready-pattern", readyPattern, "--ready-file", readyFile, "--", programNode)
	c.Env = append(c.Env, passwords(in, m)...)
	c.VolumeMounts = append(c.VolumeMounts, readOnly(pods.AgentVolume, pods.AgentDir), mount(volumeRun, runDir))
	c.Ports = []corev1.ContainerPort{
		containerPort(portNameP2P, portP2P), containerPort(portNameRPC, portRPC),
		containerPort(portNameJMX, portJMX), containerPort(portNameAgent, portAgent),
	}
	c.StartupProbe = &corev1.Probe{PeriodSeconds: 1, TimeoutSeconds: 10, FailureThreshold: startBudgetSeconds, ProbeHandler: corev1.ProbeHandler{
		Exec: &corev1.ExecAction{Command: []string{pods.Agent, "check", "--file", readyFile}}}}
	c.ReadinessProbe = &corev1.Probe{PeriodSeconds: 10, TimeoutSeconds: 10, FailureThreshold: 3, ProbeHandler: corev1.ProbeHandler{
		TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromString(portNameRPC)}}}
	return c
}

func containerPort(name string, port int32) corev1.ContainerPort {
	return corev1.ContainerPort{Name: name, ContainerPort: port, Protocol: corev1.ProtocolTCP}
}

// cordaContainer runs a program of the node's image on the member's machine, with its base folder.
func cordaContainer(in platform.Input, name string, command ...string) corev1.Container {
	return corev1.Container{
		Name:                     name,
		Image:                    nodeImage(in),
		Command:                  command,
		Env:                      []corev1.EnvVar{{Name: "BENCHNET_BASE", Value: baseDir}},
		Resources:                memberResources(&in.Network.Spec),
		SecurityContext:          pods.Restricted(),
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
		VolumeMounts:             []corev1.VolumeMount{mount(volumeBase, baseDir), mount(volumeTmp, "/tmp")},
	}
}

// passwords are those that the member's node.conf names.
func passwords(in platform.Input, m platform.Member) []corev1.EnvVar {
	env := storePasswords(in.Network.Name)
	if m.Role == roleParty {
		env = append(env, fromSecret("BENCHNET_RPC_PASSWORD", names.Credentials(in.Network.Name), keyRPC(m.Name)))
	}
	if db, ok := in.Databases[m.Name]; ok {
		env = append(env, fromSecret("BENCHNET_DATABASE_PASSWORD", db.PasswordSecret, db.PasswordKey))
	}
	return env
}

// storePasswords are those of the key stores, for the node and for who makes them.
func storePasswords(network string) []corev1.EnvVar {
	return []corev1.EnvVar{
		fromSecret("BENCHNET_KEYSTORE_PASSWORD", names.Credentials(network), keyKeystore),
		fromSecret("BENCHNET_TRUSTSTORE_PASSWORD", names.Credentials(network), keyTruststore),
	}
}

func memberResources(spec *v1alpha1.BenchmarkNetworkSpec) corev1.ResourceRequirements {
	machine := sizing.MachineOf(&spec.Members)
	cores, memory := machine.Requests(spec.Members.Reservation)
	return corev1.ResourceRequirements{
		Requests: corev1.ResourceList{corev1.ResourceCPU: cores, corev1.ResourceMemory: memory},
		Limits:   corev1.ResourceList{corev1.ResourceCPU: machine.Cores, corev1.ResourceMemory: machine.Memory},
	}
}

func memberVolumes(in platform.Input, m platform.Member) []corev1.Volume {
	network := in.Network.Name
	all := []corev1.Volume{
		pods.Scratch(pods.AgentVolume), pods.Scratch(volumeRun), pods.Scratch(volumeTmp),
		configVolume(volumeConfig, names.Member(network, m.Name)),
		secretVolume(volumeIdentity, names.Identity(network, m.Name)),
		secretVolume(volumeNetworkMap, names.NetworkMap(network)),
	}
	if makesSchema(&in.Network.Spec) {
		all = append(all, secretVolume(volumeSchema, names.Schema(network)))
	}
	if in.Network.Spec.Members.Storage.Type == v1alpha1.StorageEphemeral {
		size := volumeSize(&in.Network.Spec)
		all = append(all, corev1.Volume{Name: volumeBase, VolumeSource: corev1.VolumeSource{
			EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: &size}}})
	}
	return all
}

// affinity places a member with its database instance where the topology asks for it, and away from its peers as the spec says.
func affinity(in platform.Input, m platform.Member) *corev1.Affinity {
	a := corev1.Affinity{PodAffinity: in.Databases[m.Name].Affinity.DeepCopy()}
	peers := corev1.PodAffinityTerm{
		TopologyKey:   corev1.LabelHostname,
		LabelSelector: &metav1.LabelSelector{MatchLabels: membersOf(in.Network.Name)},
	}
	switch in.Network.Spec.Members.Placement.Spread {
	case v1alpha1.SpreadRequired:
		a.PodAntiAffinity = &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{peers}}
	case v1alpha1.SpreadNone:
	default:
		a.PodAntiAffinity = &corev1.PodAntiAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{
			{Weight: 100, PodAffinityTerm: peers}}}
	}
	if a.PodAffinity == nil && a.PodAntiAffinity == nil {
		return nil
	}
	return &a
}
