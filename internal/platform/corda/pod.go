package corda

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/benchnet/benchnet/internal/names"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/members"
	"github.com/benchnet/benchnet/internal/pods"
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
	supplied := cordapps(in)
	pod := members.Pod(in, in.Databases[m.Name].Affinity)
	pod.TerminationGracePeriodSeconds = new(int64(stopBudgetSeconds))
	pod.InitContainers = append(append(pod.InitContainers, supplied.init...), prepareContainer(in, supplied))
	pod.Containers = []corev1.Container{nodeContainer(in, m)}
	pod.Volumes = append(append(pod.Volumes, memberVolumes(in, m)...), supplied.volumes...)
	return pod
}

func prepareContainer(in platform.Input, supplied supply) corev1.Container {
	c := cordaContainer(in, "prepare", programPrepare)
	c.VolumeMounts = append(c.VolumeMounts,
		pods.ReadOnly(volumeConfig, configDir), pods.ReadOnly(volumeIdentity, identityDir), pods.ReadOnly(volumeNetworkMap, networkMapDir))
	c.VolumeMounts = append(c.VolumeMounts, supplied.mounts...)
	if makesSchema(&in.Network.Spec) {
		c.VolumeMounts = append(c.VolumeMounts, pods.ReadOnly(volumeSchema, schemaDir))
	}
	return c
}

// nodeContainer has no liveness probe: a node that is measured is never killed for being slow.
func nodeContainer(in platform.Input, m platform.Member) corev1.Container {
	c := cordaContainer(in, "corda",
		members.Supervise(portAgent, baseDir, "--ready-pattern", readyPattern, "--ready-file", readyFile, "--", programNode)...)
	c.Env = append(c.Env, passwords(in, m)...)
	c.VolumeMounts = append(c.VolumeMounts, pods.ReadOnly(pods.AgentVolume, pods.AgentDir), pods.Mount(volumeRun, runDir))
	c.Ports = members.ContainerPorts(nodePorts)
	c.StartupProbe = &corev1.Probe{PeriodSeconds: 1, TimeoutSeconds: 10, FailureThreshold: startBudgetSeconds, ProbeHandler: corev1.ProbeHandler{
		Exec: &corev1.ExecAction{Command: []string{pods.Agent, "check", "--file", readyFile}}}}
	c.ReadinessProbe = &corev1.Probe{PeriodSeconds: 10, TimeoutSeconds: 10, FailureThreshold: 3, ProbeHandler: corev1.ProbeHandler{
		TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromString(portNameRPC)}}}
	return c
}

// cordaContainer runs a program of the node's image on the member's machine, with its base folder.
func cordaContainer(in platform.Input, name string, command ...string) corev1.Container {
	return corev1.Container{
		Name:                     name,
		Image:                    nodeImage(in),
		Command:                  command,
		Env:                      []corev1.EnvVar{{Name: "BENCHNET_BASE", Value: baseDir}},
		Resources:                members.Resources(&in.Network.Spec.Members),
		SecurityContext:          pods.Restricted(),
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
		VolumeMounts:             []corev1.VolumeMount{pods.Mount(volumeBase, baseDir), pods.Mount(volumeTmp, "/tmp")},
	}
}

// passwords are those that the member's node.conf names.
func passwords(in platform.Input, m platform.Member) []corev1.EnvVar {
	env := storePasswords(in.Network.Name)
	if m.Role == roleParty {
		env = append(env, pods.FromSecret("BENCHNET_RPC_PASSWORD", names.Credentials(in.Network.Name), keyRPC(m.Name)))
	}
	if db, ok := in.Databases[m.Name]; ok {
		env = append(env, pods.FromSecret("BENCHNET_DATABASE_PASSWORD", db.PasswordSecret, db.PasswordKey))
	}
	return env
}

// storePasswords are those of the key stores, for the node and for who makes them.
func storePasswords(network string) []corev1.EnvVar {
	return []corev1.EnvVar{
		pods.FromSecret("BENCHNET_KEYSTORE_PASSWORD", names.Credentials(network), keyKeystore),
		pods.FromSecret("BENCHNET_TRUSTSTORE_PASSWORD", names.Credentials(network), keyTruststore),
	}
}

func memberVolumes(in platform.Input, m platform.Member) []corev1.Volume {
	network := in.Network.Name
	all := []corev1.Volume{
		pods.Scratch(volumeRun), pods.Scratch(volumeTmp), members.ConfigVolume(in.Network, m, volumeConfig),
		pods.SecretVolume(volumeIdentity, names.Identity(network, m.Name)),
		pods.SecretVolume(volumeNetworkMap, names.NetworkMap(network)),
	}
	if makesSchema(&in.Network.Spec) {
		all = append(all, pods.SecretVolume(volumeSchema, names.Schema(network)))
	}
	return all
}
