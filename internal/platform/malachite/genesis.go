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

// orders are what the Job makes; their hash marks the Secrets.
const orders = "validators"

// Credentials are none: a validator knows its peers by their keys.
func (Malachite) Credentials(platform.Topology) []platform.Credential { return nil }

// Material is the key of each validator, in a Secret of its own, and the genesis that names them all.
func (Malachite) Material(in platform.Input, topology platform.Topology) (platform.Material, error) {
	outputs := []material.Output{{Secret: names.NetworkMap(topology.Network), Step: stepInit, Folder: networkFolder}}
	for i, m := range topology.Members {
		outputs = append(outputs, material.Output{Secret: names.Identity(topology.Network, m.Name), Step: stepInit,
			Folder: fmt.Sprintf("%s/validators/%d", networkFolder, i)})
	}
	count := strconv.Itoa(len(topology.Members))
	return material.Make(in, material.Recipe{
		Orders: map[string]string{orders: count + "\n"},
		Steps: []material.Step{{Container: corev1.Container{
			Name:      stepInit,
			Image:     image(in),
			Command:   []string{program, "init", "--validators", count, "--out", material.OutDir + "/" + networkFolder},
			Resources: material.ThrowAway("512Mi"),
		}}},
		Outputs:  outputs,
		BadInput: &material.BadInput{Step: stepInit, Code: exitUsage},
	}), nil
}
