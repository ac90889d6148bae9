package malachite

import (
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/benchnet/benchnet/internal/names"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/material"
)

// stepInit is the step that makes keys and genesis.
const stepInit = "init"

// genesisConfigFile are what the Job makes; their hash marks the Secrets.
const genesisConfigFile = "validators"

// Credentials are none: a validator knows its peers by their keys.
func (Malachite) Credentials(platform.Topology) []platform.Credential { return nil }

// BuildGenesis is the key of each validator, in a Secret of its own, and the genesis that names them all.
func (Malachite) BuildGenesis(in platform.Input, topology platform.Topology) (platform.Genesis, error) {
	outputs := []material.Output{{Secret: names.NetworkMapSecret(topology.Network), Step: stepInit, Folder: networkFolder}}
	for i, m := range topology.Members {
		outputs = append(outputs, material.Output{Secret: names.IdentitySecret(topology.Network, m.Name), Step: stepInit,
			Folder: fmt.Sprintf("%s/validators/%d", networkFolder, i)})
	}
	count := strconv.Itoa(len(topology.Members))
	return material.Build(in, material.Definition{
		ConfigFiles: map[string]string{genesisConfigFile: count + "\n"},
		Steps: []material.Step{{Container: corev1.Container{
			Name:      stepInit,
			Image:     validatorImage(in),
			Command:   []string{programPath, "init", "--validators", count, "--out", material.OutputDir + "/" + networkFolder},
			Resources: material.StepResources("512Mi"),
		}}},
		Outputs:      outputs,
		InvalidInput: &material.InvalidInput{Step: stepInit, ExitCode: exitUsage},
	}), nil
}
