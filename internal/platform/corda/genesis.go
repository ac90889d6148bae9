package corda

import (
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/genesis"
)

// exitInvalidInput is the exit code of the genesis program for errors that a retry cannot fix.
const exitInvalidInput = 2

// genesisSpec is the content of genesis.json, the input of the genesis program (genesis/corda).
type genesisSpec struct {
	PlatformVersion        int             `json:"platformVersion"`
	MinimumPlatformVersion int             `json:"minimumPlatformVersion"`
	Members                []genesisMember `json:"members"`
	Notaries               []genesisNotary `json:"notaries"`
	// CorDapps is the folder with the CorDapps. Unsigned jars in it are whitelisted.
	CorDapps string `json:"cordapps,omitempty"`
}

type genesisMember struct {
	Name       string `json:"name"`
	LegalName  string `json:"legalName"`
	P2PAddress string `json:"p2pAddress"`
}

type genesisNotary struct {
	Members []string `json:"members"`
	// ServiceLegalName is the name of the identity that the members share; empty for a single notary.
	ServiceLegalName string `json:"serviceLegalName,omitempty"`
	// Composite says that each member has its own key of that identity, and that a quorum of them must sign.
	Composite  bool `json:"composite,omitempty"`
	Validating bool `json:"validating"`
}

func buildGenesisSpec(spec *v1alpha1.BenchmarkNetworkSpec, t platform.Topology) genesisSpec {
	version := platformVersionOf(lowestVersion(t))
	g := genesisSpec{PlatformVersion: version, MinimumPlatformVersion: version, Notaries: []genesisNotary{}}
	for _, m := range t.Members {
		g.Members = append(g.Members, genesisMember{Name: m.Name, LegalName: m.Identity, P2PAddress: m.Address})
	}
	if hasNotary(spec) {
		g.Notaries = append(g.Notaries, genesisNotary{
			Members: notaryMembers(t), ServiceLegalName: notaryServiceName(spec), Composite: usesBFT(spec), Validating: isNotaryValidating(spec)})
	}
	if bringsCorDapps(spec) {
		g.CorDapps = cordappsDir
	}
	return g
}

// needsSchemaTemplate reports whether the genesis Job creates a template of the members' H2 databases, because
// the node's image may have none for the CorDapps or the notary. Otherwise every member would migrate its own database.
func needsSchemaTemplate(spec *v1alpha1.BenchmarkNetworkSpec) bool {
	return usesH2(spec) && (bringsCorDapps(spec) || spec.Platform.Corda.Image != "" || hasOwnNotaryTables(spec))
}

// usesSchemaTemplate reports whether a node's database is a copy of that template. A node with another image than the
// network's prepares its own.
func usesSchemaTemplate(in platform.Input, m platform.Member) bool {
	return needsSchemaTemplate(&in.Network.Spec) && nodeImage(in, m.Spec) == nodeImage(in, &in.Network.Spec)
}

// hasOwnNotaryTables reports whether the notary replaces the tables of Corda's JPA notary by its own.
func hasOwnNotaryTables(spec *v1alpha1.BenchmarkNetworkSpec) bool {
	return usesRaft(spec) || usesBFT(spec)
}

// schemaEnv returns the variable by which the program schema adds the notary's own tables.
func schemaEnv(spec *v1alpha1.BenchmarkNetworkSpec) []corev1.EnvVar {
	if !hasOwnNotaryTables(spec) {
		return nil
	}
	return []corev1.EnvVar{{Name: "BENCHNET_NOTARY", Value: string(spec.Platform.Corda.Notary.Type)}}
}

// Steps of the genesis Job.
const (
	stepGenesis = "genesis"
	stepSchema  = "schema"
)

func genesisOutputs(spec *v1alpha1.BenchmarkNetworkSpec, t platform.Topology) []genesis.Output {
	all := []genesis.Output{{Secret: naming.NetworkMapSecret(t.Network), Step: stepGenesis, Folder: "network-map"}}
	for _, m := range t.Members {
		all = append(all, genesis.Output{Secret: naming.IdentitySecret(t.Network, m.Name), Step: stepGenesis, Folder: "members/" + m.Name})
	}
	if needsSchemaTemplate(spec) {
		all = append(all, genesis.Output{Secret: naming.SchemaSecret(t.Network), Step: stepSchema, Folder: "template"})
	}
	return all
}

// BuildGenesis generates the files of all members in one JVM: an identity Secret for each member, and one
// Secret with the network map for all.
func (Corda) BuildGenesis(in platform.Input, topology platform.Topology) (platform.Genesis, error) {
	spec := &in.Network.Spec
	orders, err := json.MarshalIndent(buildGenesisSpec(spec, topology), "", "  ")
	if err != nil {
		return platform.Genesis{}, fmt.Errorf("encode %s of network %s: %w", fileGenesis, in.Network.Name, err)
	}
	supplied := buildCorDappSupply(in).withAgent(in)
	var steps []genesis.Step
	for _, c := range supplied.initContainers {
		steps = append(steps, genesis.Step{Container: c, WithoutMounts: true})
	}
	steps = append(steps, genesis.Step{Container: genesisContainer(in, supplied)})
	if needsSchemaTemplate(spec) {
		steps = append(steps, genesis.Step{Container: schemaContainer(in, supplied)})
	}
	return genesis.Build(in, genesis.Definition{
		ConfigFiles:  map[string]string{fileGenesis: string(orders)},
		Steps:        steps,
		Volumes:      supplied.volumes,
		Outputs:      genesisOutputs(spec, topology),
		InvalidInput: &genesis.InvalidInput{Step: stepGenesis, ExitCode: exitInvalidInput},
	}), nil
}

func genesisContainer(in platform.Input, supplied cordappSupply) corev1.Container {
	return corev1.Container{
		Name:         stepGenesis,
		Image:        in.Images.Image("genesis-corda", ""),
		Args:         []string{"--spec", genesis.ConfigDir + "/" + fileGenesis, "--out", genesis.OutputDir},
		Env:          storePasswordEnv(in.Network.Name),
		Resources:    genesis.StepResources("512Mi"),
		VolumeMounts: supplied.mounts,
	}
}

// schemaContainer creates the H2 template for the network's CorDapps, by a migration or from the template in
// the image.
func schemaContainer(in platform.Input, supplied cordappSupply) corev1.Container {
	return corev1.Container{
		Name:         stepSchema,
		Image:        nodeImage(in, &in.Network.Spec),
		Command:      []string{programSchema, "h2", cordappsPath(&in.Network.Spec), genesis.OutputDir + "/template"},
		Env:          schemaEnv(&in.Network.Spec),
		Resources:    genesis.StepResources("1Gi"),
		VolumeMounts: supplied.mounts,
	}
}
