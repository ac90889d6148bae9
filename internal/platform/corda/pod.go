package corda

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/members"
)

const (
	// readyPattern matches the line that a node prints when it has joined the network. RPC is announced
	// seconds earlier.
	readyPattern = "started up and registered"
	// gracePeriodSeconds lets a node finish its flows and close its database.
	gracePeriodSeconds = 120
)

// memberPod returns a pod that prepares the base folder and runs the node under the agent, which reports
// readiness and resource usage.
func memberPod(in platform.Input, m platform.Member) corev1.PodSpec {
	supplied := buildCorDappSupply(in)
	pod := members.BuildPodSpec(in, in.Databases[m.Name].Affinity)
	pod.TerminationGracePeriodSeconds = new(int64(gracePeriodSeconds))
	pod.InitContainers = append(append(pod.InitContainers, supplied.initContainers...), prepareContainer(in, m, supplied))
	pod.Containers = []corev1.Container{nodeContainer(in, m)}
	pod.Volumes = append(append(pod.Volumes, memberVolumes(in, m)...), supplied.volumes...)
	return pod
}

func prepareContainer(in platform.Input, m platform.Member, supplied cordappSupply) corev1.Container {
	c := cordaContainer(in, m, "prepare", programPrepare)
	c.VolumeMounts = append(c.VolumeMounts,
		pods.ReadOnlyMount(volumeConfig, configDir), pods.ReadOnlyMount(volumeIdentity, identityDir), pods.ReadOnlyMount(volumeNetworkMap, networkMapDir))
	c.VolumeMounts = append(c.VolumeMounts, supplied.mounts...)
	if usesSchemaTemplate(in, m) {
		c.VolumeMounts = append(c.VolumeMounts, pods.ReadOnlyMount(volumeSchema, schemaDir))
	} else {
		c.Env = append(c.Env, schemaEnv(m.Spec)...)
	}
	return c
}

// nodeContainer returns the container of a node. It has no liveness probe, because a node under measurement
// must not be killed for being slow.
func nodeContainer(in platform.Input, m platform.Member) corev1.Container {
	raft := newRaftReplica(in.Network, m)
	flags := slices.Concat([]string{"--ready-pattern", readyPattern, "--ready-file", readyFile}, members.HeapFlags(&m.Spec.Members),
		newBFTReplica(in.Network, m).readyFlags(), raft.forwardFlags(), raft.roleFlags(in.Network))
	if in.Databases[m.Name].URLKey != "" {
		flags = append(flags, "--jdbc-url-variable", databaseURLVariable)
	}
	c := cordaContainer(in, m, "corda", members.SuperviseCommand(portAgent, baseDir, append(flags, "--", programNode)...)...)
	c.Env = append(c.Env, memberPasswordEnv(in, m)...)
	if in.Network.Spec.Observation == v1alpha1.ObservationNone {
		c.Env = append(c.Env, corev1.EnvVar{Name: "BENCHNET_JMX_EXPORTER", Value: "Disabled"})
	}
	c.VolumeMounts = append(c.VolumeMounts, pods.ReadOnlyMount(pods.AgentVolumeName, pods.AgentDir), pods.WritableMount(volumeRun, runDir))
	c.Ports = members.ContainerPorts(portsOf(&in.Network.Spec, m))
	sameRole := in.Network.Spec.Members.Count
	if m.Role == roleNotary { // Only the command sees whether a replica has joined its cluster.
		sameRole = notaryReplicas(&in.Network.Spec)
	}
	c.StartupProbe = members.StartupProbe(sameRole, portNameAgent, append(members.ReadinessCheck(readyFile, portAgent), raft.checkFlags(in.Network)...)...)
	c.ReadinessProbe = &corev1.Probe{PeriodSeconds: 10, TimeoutSeconds: 10, FailureThreshold: 3, ProbeHandler: corev1.ProbeHandler{
		TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromString(portNameRPC)}}}
	return c
}

// cordaContainer returns a container that runs a program of the node's image with the member's resources and
// base folder.
func cordaContainer(in platform.Input, m platform.Member, name string, command ...string) corev1.Container {
	return corev1.Container{
		Name:                     name,
		Image:                    nodeImage(in, m.Spec),
		Command:                  command,
		Env:                      []corev1.EnvVar{{Name: "BENCHNET_BASE", Value: baseDir}},
		Resources:                members.Resources(m.Spec),
		SecurityContext:          pods.RestrictedSecurityContext(),
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
		VolumeMounts:             []corev1.VolumeMount{pods.WritableMount(volumeBase, baseDir), pods.WritableMount(volumeTmp, "/tmp")},
	}
}

// memberPasswordEnv returns the passwords, and the database connection of a user's Secret, that the member's node.conf refers to.
func memberPasswordEnv(in platform.Input, m platform.Member) []corev1.EnvVar {
	env := storePasswordEnv(in.Network.Name)
	if m.Role == roleParty {
		env = append(env, pods.EnvFromSecret("BENCHNET_RPC_PASSWORD", naming.CredentialsSecret(in.Network.Name), rpcPasswordKey(m.Name)))
	}
	if db, ok := in.Databases[m.Name]; ok {
		env = append(env, databaseEnv(db)...)
	}
	return env
}

// databaseURLVariable is the environment variable with the URL of a user's Secret.
const databaseURLVariable = "BENCHNET_DATABASE_URL"

// databaseEnv returns what a Secret holds of a database connection.
func databaseEnv(db platform.DatabaseConnection) []corev1.EnvVar {
	env := []corev1.EnvVar{pods.EnvFromSecret("BENCHNET_DATABASE_PASSWORD", db.PasswordSecret, db.PasswordKey)}
	if db.URLKey == "" {
		return env
	}
	schema := pods.EnvFromSecret("BENCHNET_DATABASE_SCHEMA", db.PasswordSecret, db.SchemaKey)
	schema.ValueFrom.SecretKeyRef.Optional = new(true)
	return append(env, pods.EnvFromSecret(databaseURLVariable, db.PasswordSecret, db.URLKey),
		pods.EnvFromSecret("BENCHNET_DATABASE_USER", db.PasswordSecret, db.UserKey), schema)
}

// storePasswordEnv returns the passwords of the key stores, for the node and for the genesis program.
func storePasswordEnv(network string) []corev1.EnvVar {
	return []corev1.EnvVar{
		pods.EnvFromSecret("BENCHNET_KEYSTORE_PASSWORD", naming.CredentialsSecret(network), keyKeystore),
		pods.EnvFromSecret("BENCHNET_TRUSTSTORE_PASSWORD", naming.CredentialsSecret(network), keyTruststore),
	}
}

func memberVolumes(in platform.Input, m platform.Member) []corev1.Volume {
	network := in.Network.Name
	all := []corev1.Volume{
		pods.EmptyDirVolume(volumeRun), pods.EmptyDirVolume(volumeTmp), members.ConfigVolume(in.Network, m, volumeConfig),
		pods.SecretVolume(volumeIdentity, naming.IdentitySecret(network, m.Name)),
		pods.SecretVolume(volumeNetworkMap, naming.NetworkMapSecret(network)),
	}
	if usesSchemaTemplate(in, m) {
		all = append(all, pods.SecretVolume(volumeSchema, naming.SchemaSecret(network)))
	}
	return all
}
