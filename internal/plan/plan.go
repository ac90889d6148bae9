// Package plan composes everything that one network is made of, in stages. Build is pure and deterministic: the same
// input gives the same plan, byte for byte.
package plan

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/apply"
	"github.com/benchnet/benchnet/internal/database"
	"github.com/benchnet/benchnet/internal/images"
	"github.com/benchnet/benchnet/internal/isolation"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/pods"
)

// Input is all that a plan depends on.
type Input struct {
	// Network with its defaults applied.
	Network *v1alpha1.BenchmarkNetwork
	// Platform of the network.
	Platform platform.Platform
	// Images of the project.
	Images images.Catalogue
	// KubeVersion of the cluster, which charts may ask for.
	KubeVersion string
	// Chart of the user's own for the databases; nil: the project's.
	Chart *database.Chart
	// MaterialComplete tells whether a Secret of material is filled.
	MaterialComplete func(secret string) bool
	// Isolation says whether networks are kept apart; empty: Enforced.
	Isolation isolation.Mode
	// Scrapers may read the network's metrics; empty: everybody may.
	Scrapers isolation.Scrapers
	// Runs of the network's own workloads that there are, by name.
	Runs map[string]*v1alpha1.BenchmarkRun
	// Queue is all runs on the network, oldest first.
	Queue []*v1alpha1.BenchmarkRun
	// Recorded is the ConfigMap that keeps the epoch and the version of the images; nil if there is none yet.
	Recorded *corev1.ConfigMap
	// StatefulSet is the live one of that name, or nil. Unset: there is none yet.
	StatefulSet func(name string) *appsv1.StatefulSet
}

func (in Input) set(name string) *appsv1.StatefulSet {
	if in.StatefulSet == nil {
		return nil
	}
	return in.StatefulSet(name)
}

// StageName names a stage.
type StageName string

// The stages of a network.
const (
	StageMaterial  StageName = "Material"
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
	// Lead is one of the objects that owns those after it, so that all go when it is removed; nil: the network owns all.
	Lead client.Object
	// Filled are the Secrets that must carry AnnotationMaterialComplete before the stage is ready.
	Filled []string
	// Provisioning is false for what follows once the network stands.
	Provisioning bool
}

// Plan is everything a network is made of.
type Plan struct {
	Topology platform.Topology
	// Credentials are Secrets of random passwords, which are made once and before all else.
	Credentials []platform.Credential
	// Epoch that the network should be in, and Record, which keeps it and is written before the stages begin.
	Epoch  Epoch
	Record *corev1.ConfigMap
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
	Shortfalls []Shortfall
	// Teardown removes what outlives the network, before it is gone; empty where nothing does.
	Teardown []client.Object
	// Hash identifies what members and databases are made of.
	Hash string
}

// Build makes the plan. Its errors are the user's: each names what to change. A plan that comes with an error lacks the runs alone: by
// it a network that stands can be taken down.
func Build(in Input) (*Plan, error) {
	in.Images = in.images()
	p := &Plan{Topology: in.Platform.Topology(in.Network), Settings: in.Platform.Settings(&in.Network.Spec), Epoch: in.epoch()}
	p.Record = in.record(p.Epoch)
	platformInput := platform.Input{Network: in.Network, Images: in.Images}
	databases, err := buildDatabases(in, platformInput, p)
	if err != nil {
		return nil, err
	}
	platformInput.Databases = bindings(databases)
	material, err := buildMaterial(in, platformInput, p)
	if err != nil {
		return nil, err
	}
	members, err := in.Platform.Members(platformInput, p.Topology)
	if err != nil {
		return nil, fmt.Errorf("members: %w", err)
	}
	p.keepMemberStorage(in, members)
	if members, err = emulated(in, p.Topology, forgetful(in.Platform, members)); err != nil {
		return nil, err
	}
	runs, refusal := dueRuns(in)
	material.Objects = append(policies(in), material.Objects...)
	members = open(in, members)
	p.Stages = append([]Stage{material}, p.Stages...)
	p.Stages = append(p.Stages,
		Stage{Name: StageMembers, Needs: []StageName{StageMaterial, StageDatabases, StageSchemas}, Objects: members, Provisioning: true},
		Stage{Name: StageWorkloads, Needs: []StageName{StageMembers}, Objects: runs})
	if p.Hash, err = p.hash(); err != nil {
		return nil, err
	}
	if err := in.labelPods(p); err != nil {
		return nil, err
	}
	p.reset(in, resets(databases))
	pods.PullWith(p.Objects(), in.Images.PullSecrets)
	in.Scrapers.Limit(in.Network.Name, p.Objects()) // After the hash: who reads the metrics makes no difference to a result.
	return p, refusal
}

// images are of the version that the network was made with: a newer operator restarts no members.
func (in Input) images() images.Catalogue {
	return in.Images.WithVersion(ImageVersion(in.Recorded))
}

// Objects are all planned objects, those that stand for the credentials included.
func (p *Plan) Objects() []client.Object {
	all := []client.Object{p.Record}
	for _, c := range p.Credentials {
		all = append(all, secret(c.Name, nil))
	}
	for _, s := range p.Stages {
		all = append(all, s.Objects...)
	}
	return append(all, p.Teardown...)
}

// hash covers databases and members: what a result depends on. Material is random, labels of pods say whose they are, workloads and epochs come and go.
func (p *Plan) hash() (string, error) {
	var relevant []client.Object
	for _, s := range p.Stages {
		if s.Name == StageDatabases || s.Name == StageSchemas || s.Name == StageMembers {
			relevant = append(relevant, s.Objects...)
		}
	}
	hash, err := apply.Hash(relevant)
	if err != nil {
		return "", fmt.Errorf("hash the plan: %w", err)
	}
	return hash, nil
}
