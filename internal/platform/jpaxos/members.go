package jpaxos

import (
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/members"
	"github.com/benchnet/benchnet/internal/platform/sizing"
)

// Paths in the containers. docs/jpaxos.md documents them as part of the contract of images.
const (
	configDir  = "/etc/benchnet/config"
	storageDir = "/var/lib/jpaxos"
)

// Volume names.
const (
	volumeConfig  = "config"
	volumeStorage = "storage"
	volumeTmp     = "tmp"
)

const (
	// ratePattern matches the line with the rate in requests per second that a replica logs each tenth of a
	// second. The time format is that of logback.xml. Java writes ten millions and more with an exponent.
	ratePattern = `^(?P<time>[0-9:.]+) RPS: ([0-9.]+(?:E[0-9]+)?)`
	// rateInterval is the grid for converting the rate into a number of requests. JPaxos divides by the time
	// since the last full tenth of a second before the previous line.
	rateInterval = "100ms"
	// executedMetric is the agent's counter of these requests.
	executedMetric = "benchnet_member_operations_total"

	// rolePattern matches the lines in which a replica logs that it leads a view, tries to, or follows.
	rolePattern = `^[0-9:.]+ (?:(?P<Leader>View prepared [0-9]+)|(?P<Follower>(?:Preparing view:|Advancing to view) [0-9]+))`

	// newClientRequest is the first byte of a client without an ID. A replica that has recovered answers with an ID of clientIDBytes.
	newClientRequest = "T"
	clientIDBytes    = 8

	// startupTimeoutSeconds is generous: a replica is up within two seconds on an idle host, and restarting it
	// does not help an overloaded one.
	startupTimeoutSeconds = 1800
)

// mainClasses maps the services that come with JPaxos to their classes.
var mainClasses = map[v1alpha1.JPaxosService]string{
	v1alpha1.JPaxosEcho:   "lsr.paxos.test.EchoService",
	v1alpha1.JPaxosDigest: "lsr.paxos.test.DigestService",
}

func mainClass(p *v1alpha1.JPaxosPlatform) string {
	if class, ok := mainClasses[p.Service]; ok {
		return class
	}
	return p.ServiceClass
}

// replicaPorts returns the ports of a replica. A Service and a NetworkPolicy list a port once per protocol, so
// the replica port appears twice with a transport that uses UDP.
func replicaPorts(p *v1alpha1.JPaxosPlatform) []members.Port {
	all := []members.Port{
		{Name: portNameReplica, Number: portReplica},
		{Name: portNameClient, Number: portClient},
		{Name: portNameAgent, Number: portAgent},
		{Name: members.PortNameCommands, Number: members.CommandsPort(portAgent)},
	}
	switch p.Transport {
	case v1alpha1.JPaxosUDP, v1alpha1.JPaxosMulticast, v1alpha1.JPaxosGeneric:
		all = append(all, members.Port{Name: portNameUDP, Number: portReplica, Protocol: corev1.ProtocolUDP})
	}
	return all
}

// BuildMembers returns a headless Service, a NetworkPolicy, and for each replica a Service, a ConfigMap and a
// StatefulSet. A replica exits when a peer's name does not resolve, so peers use the replicas' own Services,
// whose names persist.
func (JPaxos) BuildMembers(in platform.Input, topology platform.Topology) ([]client.Object, error) {
	network := in.Network
	own := replicaPorts(network.Spec.Platform.JPaxos)
	config, err := renderConfigFiles(network, topology)
	if err != nil {
		return nil, err
	}
	objects := []client.Object{members.Service(network, own), members.NetworkPolicy(network, own)}
	for i, m := range topology.Members {
		claims, volumes := replicaStorage(network, m)
		pod := replicaPod(in, m, i)
		pod.Volumes = append(pod.Volumes, volumes...)
		objects = append(objects, members.AddressService(network, m, own), members.ConfigMap(network, m, config),
			members.StatefulSet(network, m, pod, config, claims...))
	}
	return objects, nil
}

func replicaPod(in platform.Input, m platform.Member, id int) corev1.PodSpec {
	pod := members.BuildPodSpec(in, nil)
	pod.Containers = []corev1.Container{replicaContainer(m, id)}
	pod.Volumes = append(pod.Volumes, members.ConfigVolume(in.Network, m, volumeConfig), pods.EmptyDirVolume(volumeTmp))
	return pod
}

// replicaContainer returns the container of a replica. A replica stops when its standard input ends, so the
// agent keeps it open. It is ready when it grants an ID to a client. There is no liveness probe, because a replica under measurement must not be killed for
// being slow.
func replicaContainer(m platform.Member, id int) corev1.Container {
	spec := m.Spec
	command := members.SuperviseCommand(portAgent, storageDir, append(members.HeapFlags(&spec.Members), "--keep-stdin",
		"--ready-exchange", members.HostPort("127.0.0.1", portClient), "--ready-request", newClientRequest, "--ready-bytes", strconv.Itoa(clientIDBytes),
		"--count-pattern", ratePattern, "--count-grid", rateInterval, "--count-name", executedMetric,
		"--role-match", rolePattern, "--", "java")...)
	command = append(command, pods.EscapeExpansions(jvmArgs(spec)...)...)
	command = append(command, "-Dlogback.configurationFile="+configDir+"/"+fileLogback, "-cp")
	command = append(command, pods.EscapeExpansions(spec.Platform.JPaxos.ClassPath, mainClass(spec.Platform.JPaxos), strconv.Itoa(id))...)
	return corev1.Container{
		Name:                     "replica",
		Image:                    spec.Platform.JPaxos.Image,
		Command:                  command,
		WorkingDir:               configDir,
		Resources:                members.Resources(spec),
		SecurityContext:          pods.RestrictedSecurityContext(),
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
		Ports:                    members.ContainerPorts(replicaPorts(spec.Platform.JPaxos)),
		StartupProbe:             members.ReadyProbe(portNameAgent, 1, startupTimeoutSeconds),
		ReadinessProbe:           members.ReadyProbe(portNameAgent, 10, 3),
		VolumeMounts: []corev1.VolumeMount{
			pods.ReadOnlyMount(pods.AgentVolumeName, pods.AgentDir), pods.ReadOnlyMount(volumeConfig, configDir),
			pods.WritableMount(volumeStorage, storageDir), pods.WritableMount(volumeTmp, "/tmp"),
		},
	}
}

// jvmArgs returns the JVM's arguments: a heap of fixed size, so that its growth is not measured, an end
// at once when it is exhausted, dumps on the temporary volume, then the user's arguments.
func jvmArgs(spec *v1alpha1.BenchmarkNetworkSpec) []string {
	heap := sizing.MachineOf(&spec.Members).HeapMebibytes()
	return append([]string{"-server", fmt.Sprintf("-Xms%dm", heap), fmt.Sprintf("-Xmx%dm", heap),
		"-XX:+ExitOnOutOfMemoryError", "-XX:HeapDumpPath=/tmp", "-XX:ErrorFile=/tmp/hs_err_pid%p.log"}, spec.Platform.JPaxos.JVMArgs...)
}

// persistsLog reports whether a replica's log must outlive its pod, because its crash model recovers only from
// the log. The other models recover over the network from a majority that is up. With logs of an earlier
// network, all replicas would wait for each other indefinitely.
func persistsLog(p *v1alpha1.JPaxosPlatform) bool {
	return p.CrashModel == v1alpha1.JPaxosFullSS || p.CrashModel == v1alpha1.JPaxosPmem
}

// replicaStorage returns the volume or claim that the crash model requires.
func replicaStorage(network *v1alpha1.BenchmarkNetwork, m platform.Member) ([]corev1.PersistentVolumeClaim, []corev1.Volume) {
	if !persistsLog(network.Spec.Platform.JPaxos) {
		return nil, []corev1.Volume{pods.EmptyDirVolume(volumeStorage)}
	}
	return members.StorageVolumes(network, m, volumeStorage, volumeSize(m.Spec))
}

// volumeSize returns the size of a replica's log volume. JPaxos keeps the log since the last snapshot and,
// with Pmem, its pool.
func volumeSize(spec *v1alpha1.BenchmarkNetworkSpec) resource.Quantity {
	expected := sizing.MemberVolumeSize(sizing.LedgerData{})
	if spec.Platform.JPaxos.CrashModel == v1alpha1.JPaxosPmem {
		expected.Add(*resource.NewQuantity(spec.Platform.JPaxos.Tuning.NVMPoolBytes, resource.BinarySI))
	}
	return members.VolumeSize(&spec.Members, expected)
}
