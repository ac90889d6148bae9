package malachite

import (
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/genesis"
)

// stepInit is the step that generates the keys and the genesis.
const stepInit = "init"

// genesisConfigFile holds the number of validators. Its hash marks the completed Secrets.
const genesisConfigFile = "validators"

// Credentials returns nil: validators authenticate their peers by their keys.
func (Malachite) Credentials(platform.Topology) []platform.Credential { return nil }

// BuildGenesis generates a key for each validator, in a Secret of its own, and the genesis with all of them.
func (Malachite) BuildGenesis(in platform.Input, topology platform.Topology) (platform.Genesis, error) {
	outputs := []genesis.Output{{Secret: naming.NetworkMapSecret(topology.Network), Step: stepInit, Folder: networkFolder}}
	for i, m := range topology.Members {
		outputs = append(outputs, genesis.Output{Secret: naming.IdentitySecret(topology.Network, m.Name), Step: stepInit,
			Folder: validatorFolder(i)})
	}
	count := strconv.Itoa(len(topology.Members))
	return genesis.Build(in, genesis.Definition{
		ConfigFiles:  map[string]string{genesisConfigFile: count + "\n"},
		Steps:        []genesis.Step{initStep(validatorImage(in), count)},
		Outputs:      outputs,
		InvalidInput: &genesis.InvalidInput{Step: stepInit, ExitCode: exitUsage},
	}), nil
}

// validatorFolder returns the folder to which initStep writes the key of a validator.
func validatorFolder(ordinal int) string {
	return fmt.Sprintf("%s/validators/%d", networkFolder, ordinal)
}

// initStep generates the keys and the genesis of the validators.
func initStep(image, count string) genesis.Step {
	return genesis.Step{Container: corev1.Container{
		Name:      stepInit,
		Image:     image,
		Command:   []string{programPath, "init", "--validators", count, "--out", genesis.OutputDir + "/" + networkFolder},
		Resources: genesis.StepResources("512Mi"),
	}}
}
