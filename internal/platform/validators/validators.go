// Package validators builds the parts that the platforms of validators share: those whose program has the commands, files, ports and
// exit codes of systems/malachite-bench and systems/cometbft-bench. It also measures blocks that a network makes by itself.
package validators

import (
	"cmp"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/genesis"
	"github.com/benchnet/benchnet/internal/platform/members"
)

// Ports of a validator's container.
const (
	PortP2P     = 27000
	PortHTTP    = 29000
	PortMetrics = 29001
	PortAgent   = 9101

	portNameHTTP = "http"
)

// Ports are the ports of a validator that other pods reach. Blocks and readiness have a separate port, so that scrapers can reach only
// the metrics.
var Ports = []members.Port{
	{Name: "p2p", Number: PortP2P},
	{Name: portNameHTTP, Number: PortHTTP},
	{Name: "metrics", Number: PortMetrics},
	{Name: "agent", Number: PortAgent},
	{Name: members.PortNameCommands, Number: members.CommandsPort(PortAgent)},
}

// Paths in the containers. The pages of the platforms document them as the contract of images.
const (
	ConfigDir   = "/etc/benchnet/config"
	IdentityDir = "/etc/benchnet/identity"
	NetworkDir  = "/etc/benchnet/network"

	FileConfig  = "config.toml"
	FileKey     = "priv_validator_key.json"
	FileGenesis = "genesis.json"
	// NetworkFolder is the folder in which StepInit writes the genesis.
	NetworkFolder = "network"

	VolumeConfig   = "config"
	VolumeHome     = "home"
	volumeIdentity = "identity"
	volumeNetwork  = "network"
	volumeTmp      = "tmp"

	// StepInit is the step that generates the keys and the genesis.
	StepInit = "init"
	// exitUsage is the exit code of the program for invalid arguments.
	exitUsage = 2
	// genesisConfigFile holds the number of validators, or their powers. Its hash marks the completed Secrets.
	genesisConfigFile = "validators"
)

// GracePeriodSeconds lets a validator close its store.
const GracePeriodSeconds = 60

// Program is the program of a validator.
type Program struct {
	// Name is the name of the container, and of the program's home in /var/lib.
	Name string
	// Image is the name of the program and of the project's image of it.
	Image string
	// Ports are the ports that other pods reach.
	Ports []members.Port
}

// HomeDir returns the directory of the program's state.
func (p Program) HomeDir() string { return "/var/lib/" + p.Name }

func (p Program) programPath() string { return "/usr/local/bin/" + p.Image }

// ImageOrDefault returns the user's image, or else the project's.
func (p Program) ImageOrDefault(in platform.Input, own string) string {
	return cmp.Or(own, in.Images.Image(p.Image, ""))
}

// BuildGenesis generates a key for each validator, in a Secret of its own, and the genesis with all of them.
func (p Program) BuildGenesis(in platform.Input, topology platform.Topology, image string) platform.Genesis {
	outputs := []genesis.Output{{Secret: naming.NetworkMapSecret(topology.Network), Step: StepInit, Folder: NetworkFolder}}
	for i, m := range topology.Members {
		outputs = append(outputs, genesis.Output{Secret: naming.IdentitySecret(topology.Network, m.Name), Step: StepInit,
			Folder: KeyFolder(i)})
	}
	return genesis.Build(in, p.GenesisDefinition(in, outputs, p.InitStep(in, image)))
}

// GenesisDefinition returns the definition of a genesis whose steps include StepInit.
func (p Program) GenesisDefinition(in platform.Input, outputs []genesis.Output, steps ...genesis.Step) genesis.Definition {
	_, validators := initFlag(&in.Network.Spec)
	return genesis.Definition{
		ConfigFiles:  map[string]string{genesisConfigFile: validators + "\n"},
		Steps:        steps,
		Outputs:      outputs,
		InvalidInput: &genesis.InvalidInput{Step: StepInit, ExitCode: exitUsage},
	}
}

// KeyFolder returns the folder to which StepInit writes the key of a validator.
func KeyFolder(ordinal int) string {
	return fmt.Sprintf("%s/validators/%d", NetworkFolder, ordinal)
}

// InitStep generates the keys and the genesis of the validators.
func (p Program) InitStep(in platform.Input, image string) genesis.Step {
	flag, validators := initFlag(&in.Network.Spec)
	return genesis.Step{Container: corev1.Container{
		Name:      StepInit,
		Image:     image,
		Command:   []string{p.programPath(), "init", flag, validators, "--out", genesis.OutputDir + "/" + NetworkFolder},
		Resources: genesis.StepResources("512Mi"),
	}}
}

// BuildMembers returns a headless Service, a NetworkPolicy, and a ConfigMap and a StatefulSet for each validator. render returns the
// configuration of a validator, and storage the expected size of its state.
func (p Program) BuildMembers(in platform.Input, topology platform.Topology, image string,
	storage func(*v1alpha1.BenchmarkNetworkSpec) resource.Quantity, render func(ordinal int, m platform.Member) (string, error),
) ([]client.Object, error) {
	objects := []client.Object{members.Service(in.Network, p.Ports), members.NetworkPolicy(in.Network, p.Ports)}
	for ordinal, m := range topology.Members {
		config, err := render(ordinal, m)
		if err != nil {
			return nil, err
		}
		files := map[string]string{FileConfig: config}
		claims, volumes := members.StorageVolumes(in.Network, m, VolumeHome, members.VolumeSize(&m.Spec.Members, storage(m.Spec)))
		pod := p.buildPod(in, m, image)
		pod.Volumes = append(pod.Volumes, volumes...)
		objects = append(objects, members.ConfigMap(in.Network, m, files), members.StatefulSet(in.Network, m, pod, files, claims...))
	}
	return objects, nil
}

func (p Program) buildPod(in platform.Input, m platform.Member, image string) corev1.PodSpec {
	pod := members.BuildPodSpec(in, nil)
	pod.TerminationGracePeriodSeconds = new(int64(GracePeriodSeconds))
	pod.Containers = []corev1.Container{p.BuildContainer(&in.Network.Spec, image, members.Resources(m.Spec),
		pods.ReadOnlyMount(volumeIdentity, IdentityDir), pods.ReadOnlyMount(volumeNetwork, NetworkDir),
		pods.WritableMount(VolumeHome, p.HomeDir()), pods.WritableMount(volumeTmp, "/tmp"))}
	pod.Volumes = append(pod.Volumes, pods.EmptyDirVolume(volumeTmp), members.ConfigVolume(in.Network, m, VolumeConfig),
		pods.SecretVolume(volumeIdentity, naming.IdentitySecret(in.Network.Name, m.Name)),
		pods.SecretVolume(volumeNetwork, naming.NetworkMapSecret(in.Network.Name)))
	return pod
}

// BuildContainer returns the container of a validator. mounts are those of its keys, genesis, home and /tmp. It
// has no liveness probe, because a validator under measurement must not be killed for being slow. A validator that was
// ready once stays in the measurement while it catches up, so its readiness depends only on the process.
func (p Program) BuildContainer(network *v1alpha1.BenchmarkNetworkSpec, image string, resources corev1.ResourceRequirements, mounts ...corev1.VolumeMount,
) corev1.Container {
	return corev1.Container{
		Name:  p.Name,
		Image: image,
		Command: members.SuperviseCommand(PortAgent, p.HomeDir(), "--role-url", "http://"+members.HostPort("127.0.0.1", PortHTTP)+"/turn",
			"--role-match", "(?P<Proposer>{.*})", "--", p.programPath(), "start", "--config", ConfigDir+"/"+FileConfig),
		Resources:                resources,
		Ports:                    members.ContainerPorts(p.Ports),
		SecurityContext:          pods.RestrictedSecurityContext(),
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
		VolumeMounts: append([]corev1.VolumeMount{
			pods.ReadOnlyMount(pods.AgentVolumeName, pods.AgentDir), pods.ReadOnlyMount(VolumeConfig, ConfigDir)}, mounts...),
		StartupProbe: members.StartupProbe(network.Members.Count, portNameHTTP, pods.AgentPath, "check", "--get",
			"http://"+members.HostPort("127.0.0.1", PortHTTP)+"/ready", "--match", "^ready"),
		ReadinessProbe: members.ReadyProbe(portNameHTTP, 10, 3),
	}
}
