package execution

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/genesis"
	"github.com/benchnet/benchnet/internal/platform/members"
)

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
