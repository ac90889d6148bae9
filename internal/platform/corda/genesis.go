package corda

import (
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/names"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/material"
)

// genesisBadInput is the exit code of the genesis program for what no second try will mend.
const genesisBadInput = 2

// genesisSpec is the file genesis.json, the orders of the genesis program (genesis/corda).
type genesisSpec struct {
	PlatformVersion        int             `json:"platformVersion"`
	MinimumPlatformVersion int             `json:"minimumPlatformVersion"`
	Members                []genesisMember `json:"members"`
	Notaries               []genesisNotary `json:"notaries"`
	// CorDapps is the folder whose unsigned jars are whitelisted.
	CorDapps string `json:"cordapps,omitempty"`
}

type genesisMember struct {
	Name       string `json:"name"`
	LegalName  string `json:"legalName"`
	P2PAddress string `json:"p2pAddress"`
}

type genesisNotary struct {
	Member     string `json:"member"`
	Validating bool   `json:"validating"`
}

func genesisOf(spec *v1alpha1.BenchmarkNetworkSpec, t platform.Topology) genesisSpec {
	version := platformVersions[spec.Platform.Corda.Version]
	g := genesisSpec{PlatformVersion: version, MinimumPlatformVersion: version, Notaries: []genesisNotary{}}
	for _, m := range t.Members {
		g.Members = append(g.Members, genesisMember{Name: m.Name, LegalName: m.Identity, P2PAddress: m.Address})
		if m.Role == roleNotary {
			g.Notaries = append(g.Notaries, genesisNotary{Member: m.Name, Validating: spec.Platform.Corda.Notary.Validating})
		}
	}
	if bringsCorDapps(spec) {
		g.CorDapps = cordappsDir
	}
	return g
}

// makesSchema tells whether the template of the members' H2 databases is made once for the network: where the node's image
// may have none for its CorDapps. Without it every member would migrate its own.
func makesSchema(spec *v1alpha1.BenchmarkNetworkSpec) bool {
	return usesH2(spec) && (bringsCorDapps(spec) || spec.Platform.Corda.Image != "")
}

// Steps of the genesis Job.
const (
	stepGenesis = "genesis"
	stepSchema  = "schema"
)

func outputs(spec *v1alpha1.BenchmarkNetworkSpec, t platform.Topology) []material.Output {
	all := []material.Output{{Secret: names.NetworkMap(t.Network), Step: stepGenesis, Folder: "network-map"}}
	for _, m := range t.Members {
		all = append(all, material.Output{Secret: names.Identity(t.Network, m.Name), Step: stepGenesis, Folder: "members/" + m.Name})
	}
	if makesSchema(spec) {
		all = append(all, material.Output{Secret: names.Schema(t.Network), Step: stepSchema, Folder: "template"})
	}
	return all
}

// Material is made in one JVM for all members: an identity Secret for each, and one with the network map for all.
func (Corda) Material(in platform.Input, topology platform.Topology) (platform.Material, error) {
	spec := &in.Network.Spec
	orders, err := json.MarshalIndent(genesisOf(spec, topology), "", "  ")
	if err != nil {
		return platform.Material{}, fmt.Errorf("encode %s of network %s: %w", fileGenesis, in.Network.Name, err)
	}
	supplied := cordapps(in).withAgent(in)
	var steps []material.Step
	for _, c := range supplied.init {
		steps = append(steps, material.Step{Container: c, Plain: true})
	}
	steps = append(steps, material.Step{Container: genesisContainer(in, supplied)})
	if makesSchema(spec) {
		steps = append(steps, material.Step{Container: schemaContainer(in, supplied)})
	}
	return material.Make(in, material.Recipe{
		Orders:   map[string]string{fileGenesis: string(orders)},
		Steps:    steps,
		Volumes:  supplied.volumes,
		Outputs:  outputs(spec, topology),
		BadInput: &material.BadInput{Step: stepGenesis, Code: genesisBadInput},
	}), nil
}

func genesisContainer(in platform.Input, supplied supply) corev1.Container {
	return corev1.Container{
		Name:         stepGenesis,
		Image:        in.Images.Image("genesis-corda", ""),
		Args:         []string{"--spec", material.OrdersDir + "/" + fileGenesis, "--out", material.OutDir},
		Env:          storePasswords(in.Network.Name),
		Resources:    material.ThrowAway("512Mi"),
		VolumeMounts: supplied.mounts,
	}
}

// schemaContainer migrates an H2 database for the network's CorDapps, or takes the template of the image.
func schemaContainer(in platform.Input, supplied supply) corev1.Container {
	return corev1.Container{
		Name:         stepSchema,
		Image:        nodeImage(in),
		Command:      []string{programSchema, "h2", cordappsPath(&in.Network.Spec), material.OutDir + "/template"},
		Resources:    material.ThrowAway("1Gi"),
		VolumeMounts: supplied.mounts,
	}
}
