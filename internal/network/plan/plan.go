// Package plan composes everything that one network is made of, in stages. Build is pure and deterministic: the same
// newInput gives the same plan, byte for byte.
package plan

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/apply"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/network/database"
	"github.com/benchnet/benchnet/internal/network/networkpolicy"
	"github.com/benchnet/benchnet/internal/platform"
)

// Input is all that a plan depends on.
type Input struct {
	// Network with its defaults applied.
	Network *v1alpha1.BenchmarkNetwork
	// Platform of the network.
	Platform platform.Platform
	// Images of the project.
	Images naming.ImageCatalogue
	// KubeVersion of the cluster, which charts may ask for.
	KubeVersion string
	// Chart of the user's own for the databases; nil: the project's.
	Chart *database.UserChart
	// GenesisSecretFilled tells whether a Secret of material is filled.
	GenesisSecretFilled func(secret string) bool
	// NetworkPolicyMode says whether networks are kept apart; empty: Enforced.
	NetworkPolicyMode networkpolicy.Mode
	// Scrapers may read the network's metrics; empty: everybody may.
	Scrapers networkpolicy.Scrapers
	// WorkloadRuns of the network's own workloads that there are, by name.
	WorkloadRuns map[string]*v1alpha1.BenchmarkRun
	// RunsByAge is all runs on the network, oldest first.
	RunsByAge []*v1alpha1.BenchmarkRun
	// EpochRecord is the ConfigMap that keeps the epoch and the version of the images; nil if there is none yet.
	EpochRecord *corev1.ConfigMap
	// StatefulSet is the live one of that name, or nil. Unset: there is none yet.
	StatefulSet func(name string) *appsv1.StatefulSet
}

func (in Input) liveStatefulSet(name string) *appsv1.StatefulSet {
	if in.StatefulSet == nil {
		return nil
	}
	return in.StatefulSet(name)
}

// StageName names a stage.
type StageName string

// The stages of a network.
const (
	StageGenesis   StageName = "Material"
	StageDatabases StageName = "Databases"
	StageSchemas   StageName = "Schemas"
	StageMembers   StageName = "Members"
	StageWorkloads StageName = "Workloads"

	// Stages of a reset, between those of databases and members: all members stop, then their databases are made anew.
	StageStop  StageName = "Stop"
	StageReset StageName = "Reset"
)

// Stage is a step of the provisioning: objects that are applied together when the stages it needs are ready.
type Stage struct {
	Name StageName
	// Needs are the stages that must be ready before this one begins. Stages that need nothing of each other go side by side.
	Needs []StageName
	// Objects to apply, in order.
	Objects []client.Object
	// Owner is one of the objects that owns those after it, so that all go when it is removed; nil: the network owns all.
	Owner client.Object
	// RequiredSecrets are the Secrets that must carry AnnotationMaterialComplete before the stage is ready.
	RequiredSecrets []string
	// Provisioning is false for what follows once the network stands.
	Provisioning bool
}

// Plan is everything a network is made of.
type Plan struct {
	Topology platform.Topology
	// Credentials are Secrets of random passwords, which are made once and before all else.
	Credentials []platform.Credential
	// Epoch that the network should be in, and Record, which keeps it and is written before the stages begin.
	Epoch       Epoch
	EpochRecord *corev1.ConfigMap
	// Resetting tells that members are on their way from another epoch.
	Resetting bool
	Stages    []Stage
	// UsesDatabase tells whether the members of the platform use one at all.
	UsesDatabase bool
	// Databases of the network in order.
	Databases []database.InstanceStatus
	// Settings that were derived.
	Settings []v1alpha1.DerivedSetting
	// Shortfalls are the volumes that the listed workloads may fill.
	Shortfalls []VolumeShortfall
	// Teardown removes what outlives the network, before it is gone; empty where nothing does.
	Teardown []client.Object
	// Hash identifies what members and databases are made of.
	Hash string
}

// Build makes the plan. Its errors are the user's: each names what to change. A plan that comes with an error lacks the runs alone: by
// it a network that stands can be taken down.
func Build(in Input) (*Plan, error) {
	in.Images = in.imageCatalogue()
	p := &Plan{Topology: in.Platform.Topology(in.Network), Settings: in.Platform.DerivedSettings(&in.Network.Spec), Epoch: in.decideEpoch()}
	p.EpochRecord = in.buildEpochRecord(p.Epoch)
	platformInput := platform.Input{Network: in.Network, Images: in.Images}
	databases, err := buildDatabaseStages(in, platformInput, p)
	if err != nil {
		return nil, err
	}
	platformInput.Databases = databaseConnections(databases)
	material, err := buildGenesisStage(in, platformInput, p)
	if err != nil {
		return nil, err
	}
	members, err := in.Platform.BuildMembers(platformInput, p.Topology)
	if err != nil {
		return nil, fmt.Errorf("members: %w", err)
	}
	p.keepMemberVolumeSizes(in, members)
	if members, err = addLatencySidecars(in, p.Topology, withVolumeReset(in.Platform, members)); err != nil {
		return nil, err
	}
	runs, refusal := buildDueRuns(in)
	material.Objects = append(buildNetworkPolicies(in), material.Objects...)
	members = withoutNetworkPolicy(in, members)
	p.Stages = append([]Stage{material}, p.Stages...)
	p.Stages = append(p.Stages,
		Stage{Name: StageMembers, Needs: []StageName{StageGenesis, StageDatabases, StageSchemas}, Objects: members, Provisioning: true},
		Stage{Name: StageWorkloads, Needs: []StageName{StageMembers}, Objects: runs})
	if p.Hash, err = p.hashObjects(); err != nil {
		return nil, err
	}
	if err := in.labelPods(p); err != nil {
		return nil, err
	}
	p.addResetStages(in, databaseResetObjects(databases))
	pods.AddImagePullSecrets(p.Objects(), in.Images.PullSecrets)
	in.Scrapers.RestrictIngress(in.Network.Name, p.Objects()) // After the hash: who reads the metrics makes no difference to a result.
	return p, refusal
}

// imageCatalogue are of the version that the network was made with: a newer operator restarts no members.
func (in Input) imageCatalogue() naming.ImageCatalogue {
	return in.Images.WithVersion(ImageVersion(in.EpochRecord))
}

// Objects are all planned objects, those that stand for the credentials included.
func (p *Plan) Objects() []client.Object {
	all := []client.Object{p.EpochRecord}
	for _, c := range p.Credentials {
		all = append(all, newSecret(c.Name, nil))
	}
	for _, s := range p.Stages {
		all = append(all, s.Objects...)
	}
	return append(all, p.Teardown...)
}

// hashObjects covers databases and members: what a result depends on. Material is random, labels of pods say whose they are, workloads and epochs come and go.
func (p *Plan) hashObjects() (string, error) {
	var relevant []client.Object
	for _, s := range p.Stages {
		if s.Name == StageDatabases || s.Name == StageSchemas || s.Name == StageMembers {
			relevant = append(relevant, s.Objects...)
		}
	}
	hash, err := apply.HashJSON(relevant)
	if err != nil {
		return "", fmt.Errorf("hash the plan: %w", err)
	}
	return hash, nil
}
