// Package execution builds the execution layer of a network: an Ethereum execution client beside each validator, the
// accounts of the load, the EVM driver and the interpretation of blocks. The platforms differ in their consensus.
package execution

import (
	"cmp"
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/genesis"
	"github.com/benchnet/benchnet/internal/platform/members"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// Layer is the part of a platform's spec that describes the chain and its execution clients.
type Layer struct {
	// Platform is the platform, and Field the name of its field in spec.platform.
	Platform platform.Platform
	Field    string
	Client   *v1alpha1.EmeraldExecution
	ChainID  int64
	GasLimit int64
	// Accounts is the number of accounts that the genesis funds, each with AccountBalanceEther.
	Accounts            int32
	AccountBalanceEther int64
	// DataDir is the mount path of a member's volume.
	DataDir   string
	Validator Validator
	// OwnedFlags are further flags of the client that users may not set, and ProfileFlags are further flags that they may set.
	OwnedFlags, ProfileFlags map[string]string
	// GenesisKey is the key of the clients' genesis in the Secret of the network. Default: FileGenesis.
	GenesisKey string
	// Mounts are further mounts of the client's container.
	Mounts []corev1.VolumeMount
}

// Validator describes the validator beside each execution client.
type Validator struct {
	AgentPort, MetricsPort int32
	// Series are recorded from the validator's metrics.
	Series []protocol.ObservedSeries
}

// Ports of an execution client. The Engine API is only for the validator in the same pod.
const (
	PortHTTP      = 8545
	PortEngine    = 8551
	portWebSocket = 8546
	portPeers     = 30303
	portMetrics   = 9001
	portAgent     = 9103

	portNameAgent   = "el-agent"
	portNameMetrics = "el-metrics"
	// portNameGethMetrics makes Prometheus scrape /debug/metrics/prometheus, a path that only geth uses.
	portNameGethMetrics = "geth-metrics"
)

// Paths in the containers, file names, which are also the keys in Secrets, and names of volumes.
const (
	NetworkDir  = "/etc/benchnet/network"
	identityDir = "/etc/benchnet/identity"
	accountsDir = "/etc/benchnet/accounts"

	programEVM = "/evm"

	FileGenesis = "genesis.json"
	FileJWT     = "jwt"
	fileNodeKey = "nodekey"
	filePeers   = "peers"
	fileGeth    = "geth.toml"
	fileSeed    = "seed"

	VolumeData     = "data"
	VolumeTmp      = "tmp"
	VolumeNetwork  = "network"
	volumeIdentity = "identity"
	volumeAccounts = "accounts"
)

// Ports returns the ports of the execution client's container.
func (l *Layer) Ports() []members.Port {
	metrics := portNameMetrics
	if l.Client.Client == v1alpha1.ExecutionGeth {
		metrics = portNameGethMetrics
	}
	return []members.Port{
		{Name: "rpc", Number: PortHTTP},
		{Name: "ws", Number: portWebSocket},
		{Name: "peers", Number: portPeers},
		{Name: metrics, Number: portMetrics},
		{Name: portNameAgent, Number: portAgent},
		{Name: "el-" + members.PortNameCommands, Number: members.CommandsPort(portAgent)},
	}
}

// FeeRecipient returns a member's own fee address, which identifies the proposer of a block.
func FeeRecipient(ordinal int) string { return fmt.Sprintf("0x%040x", 0xbe9c_0000_0000+ordinal+1) }

// chainIDRequest is the JSON-RPC request for the chain of an execution client.
const chainIDRequest = `{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}`

// Container returns the container of the execution client, which is ready when it serves its chain by JSON-RPC.
func (l *Layer) Container(in platform.Input, m platform.Member) corev1.Container {
	c := l.buildContainer(in, m, "execution",
		append(members.SuperviseCommand(portAgent, l.DataDir, "--ready-exchange", "http://"+members.HostPort("127.0.0.1", PortHTTP),
			"--ready-request", chainIDRequest, "--ready-match", fmt.Sprintf(`"result": *"0x%x"`, l.ChainID), "--"),
			l.clientCommand(in.Network.Spec.Members.Count)...)...)
	c.VolumeMounts = append(c.VolumeMounts, pods.ReadOnlyMount(pods.AgentVolumeName, pods.AgentDir))
	c.VolumeMounts = append(c.VolumeMounts, l.Mounts...)
	c.Ports = members.ContainerPorts(l.Ports())
	c.ReadinessProbe = members.ReadyProbe(portNameAgent, 2, 3)
	return c
}

// InitContainers returns the container that writes the genesis into the client's database, if the client does not do so itself.
func (l *Layer) InitContainers(in platform.Input, m platform.Member) []corev1.Container {
	if command := l.initCommand(); len(command) > 0 {
		return []corev1.Container{l.buildContainer(in, m, "genesis", command...)}
	}
	return nil
}

// buildContainer returns a container that runs a program of the client's image with its data and keys.
func (l *Layer) buildContainer(in platform.Input, m platform.Member, name string, command ...string) corev1.Container {
	return corev1.Container{
		Name:                     name,
		Image:                    l.Client.Image,
		Command:                  command,
		Env:                      l.clientEnv(in.Network, m.Name),
		Resources:                l.Divide(m.Spec).Execution.Resources(m.Spec.ReservationOrDefault()),
		SecurityContext:          pods.RestrictedSecurityContext(),
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
		VolumeMounts: []corev1.VolumeMount{
			pods.WritableMount(VolumeData, l.DataDir), pods.WritableMount(VolumeTmp, "/tmp"),
			pods.ReadOnlyMount(VolumeNetwork, NetworkDir), pods.ReadOnlyMount(volumeIdentity, identityDir),
		},
	}
}

// SecretVolumes returns the volumes with the genesis and the client's own keys. The validator's key is in neither.
func (l *Layer) SecretVolumes(network string, m platform.Member) []corev1.Volume {
	return []corev1.Volume{
		pods.SecretVolume(VolumeNetwork, naming.NetworkMapSecret(network),
			corev1.KeyToPath{Key: cmp.Or(l.GenesisKey, FileGenesis), Path: FileGenesis}, corev1.KeyToPath{Key: FileJWT, Path: FileJWT}),
		pods.SecretVolume(volumeIdentity, naming.IdentitySecret(network, m.Name),
			corev1.KeyToPath{Key: fileNodeKey, Path: fileNodeKey}, corev1.KeyToPath{Key: fileGeth, Path: fileGeth}),
	}
}

// KeysStep generates the clients' keys, the secret of the Engine API and the seed of the accounts.
func KeysStep(in platform.Input, t platform.Topology, name string, arguments ...string) genesis.Step {
	return evmStep(in, name, append([]string{"keys", "--count", strconv.Itoa(len(t.Members)), "--out", genesis.OutputDir,
		"--address", members.HostPort(members.AddressHost(in.Network, "member-{i}"), portPeers)}, arguments...)...)
}

// AccountsStep funds the accounts of a seed in the genesis that arguments name.
func (l *Layer) AccountsStep(in platform.Input, name, seedFile, out string, arguments ...string) genesis.Step {
	command := append([]string{"accounts", "--seed-file", seedFile, "--count", strconv.Itoa(int(l.Accounts))}, arguments...)
	return evmStep(in, name, append(command, "--out", out,
		"--balance", strconv.FormatInt(l.AccountBalanceEther, 10),
		"--gas-limit", strconv.FormatInt(l.GasLimit, 10))...)
}

// GenesisStep writes a whole genesis, which funds the accounts of a seed.
func (l *Layer) GenesisStep(in platform.Input, name, seedFile, out string) genesis.Step {
	return evmStep(in, name, "genesis", "--seed-file", seedFile, "--out", out,
		"--accounts", strconv.Itoa(int(l.Accounts)),
		"--balance", strconv.FormatInt(l.AccountBalanceEther, 10),
		"--gas-limit", strconv.FormatInt(l.GasLimit, 10),
		"--chain-id", strconv.FormatInt(l.ChainID, 10))
}

func evmStep(in platform.Input, name string, args ...string) genesis.Step {
	return genesis.Step{Container: corev1.Container{
		Name:      name,
		Image:     in.Images.Image("evm", ""),
		Command:   append([]string{programEVM}, args...),
		Resources: genesis.StepResources("512Mi"),
	}}
}
