package emerald

import (
	"fmt"
	"path"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/execution"
	platformgenesis "github.com/benchnet/benchnet/internal/platform/genesis"
)

// Steps of the genesis Job.
const (
	stepKeys     = "keys"
	stepGenesis  = "genesis"
	stepAccounts = "accounts"
)

// Folders to which the steps write files.
const (
	folderNetwork = "network"
	folderLoad    = "load"
	folderMembers = "members/"
	// folderUnfunded holds the execution clients' genesis before the accounts are funded. It is not published.
	folderUnfunded = "unfunded"
	// workDir is an in-memory directory for files that only the genesis step needs.
	workDir = platformgenesis.OutputDir + "/work"
)

// BuildGenesis generates the genesis in three steps. The project's EVM driver generates the execution clients'
// keys, the secret of the Engine API and the seed of the accounts. The user's Emerald generates the
// validators' keys and both geneses. The project's EVM driver then funds the accounts.
func (Emerald) BuildGenesis(in platform.Input, topology platform.Topology) (platform.Genesis, error) {
	orders, err := genesisConfigFiles(topology)
	if err != nil {
		return platform.Genesis{}, err
	}
	outputs := []platformgenesis.Output{
		{Secret: naming.NetworkMapSecret(topology.Network), Step: stepGenesis, Folder: folderNetwork},
		{Secret: naming.NetworkMapSecret(topology.Network), Step: stepAccounts, Folder: folderNetwork},
		{Secret: naming.AccountsSecret(topology.Network), Step: stepGenesis, Folder: folderLoad},
	}
	for _, m := range topology.Members {
		outputs = append(outputs, platformgenesis.Output{Secret: naming.IdentitySecret(topology.Network, m.Name), Step: stepGenesis, Folder: folderMembers + m.Name})
	}
	return platformgenesis.Build(in, platformgenesis.Definition{
		ConfigFiles: orders,
		Steps:       []platformgenesis.Step{execution.KeysStep(in, topology, stepKeys), genesisStep(in, topology), accountsStep(in)},
		Outputs:     outputs,
	}), nil
}

func genesisConfigFiles(t platform.Topology) (map[string]string, error) {
	script, err := templateFiles.ReadFile("templates/" + fileGenesisScript)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", fileGenesisScript, err)
	}
	net := testnetData{Members: len(t.Members)}
	for _, m := range t.Members {
		net.Names = append(net.Names, m.Name)
	}
	orders, err := renderTemplate(fileTestnet, net)
	if err != nil {
		return nil, err
	}
	return map[string]string{fileGenesisScript: string(script), fileTestnet: orders}, nil
}

func genesisStep(in platform.Input, t platform.Topology) platformgenesis.Step {
	e := in.Network.Spec.Platform.Emerald
	return platformgenesis.Step{ReadsFrom: []string{stepKeys}, Container: corev1.Container{
		Name:    stepGenesis,
		Image:   e.Image,
		Command: []string{programShell, platformgenesis.ConfigDir + "/" + fileGenesisScript},
		Env: []corev1.EnvVar{
			{Name: "MEMBERS", Value: strconv.Itoa(len(t.Members))},
			{Name: "CHAIN_ID", Value: strconv.FormatInt(e.ChainID, 10)},
			{Name: "KEYS", Value: platformgenesis.StepOutputDir(stepKeys)},
			{Name: "ORDERS", Value: platformgenesis.ConfigDir},
			{Name: "OUT", Value: platformgenesis.OutputDir},
			{Name: "WORK", Value: workDir},
			{Name: "HOME", Value: "/tmp"},
		},
		Resources: platformgenesis.StepResources("512Mi"),
	}}
}

func accountsStep(in platform.Input) platformgenesis.Step {
	genesis := platformgenesis.StepOutputDir(stepGenesis)
	step := layerOf(&in.Network.Spec).AccountsStep(in, stepAccounts, path.Join(genesis, folderLoad, "seed"),
		path.Join(platformgenesis.OutputDir, folderNetwork, execution.FileGenesis), "--fund", path.Join(genesis, folderUnfunded, execution.FileGenesis))
	step.ReadsFrom = []string{stepGenesis}
	return step
}
