// Package plan computes all objects of one network, in stages. Build is pure and deterministic: equal inputs
// give equal plans, byte for byte.
package plan

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/network/database"
	"github.com/benchnet/benchnet/internal/network/networkpolicy"
	"github.com/benchnet/benchnet/internal/platform"
)

// Input holds everything that a plan depends on.
type Input struct {
	// Network is the network with its defaults applied.
	Network *v1alpha1.BenchmarkNetwork
	// Platform is the platform of the network.
	Platform platform.Platform
	// Images are the images of the project.
	Images naming.ImageCatalogue
	// KubeVersion is the version of the cluster, which charts may query.
	KubeVersion string
	// PodConstraints are what the cluster demands of every pod.
	PodConstraints pods.Constraints
	// Chart is the user's chart for the databases; nil means the project's.
	Chart *database.UserChart
	// GenesisSecretFilled reports whether a Secret of the genesis is filled.
	GenesisSecretFilled func(secret string) bool
	// SecretDigest returns the digest of the content of a live Secret, or "". A nil function means that none exists yet.
	SecretDigest func(secret string) string
	// NetworkPolicyMode says whether networks are isolated; empty means Enforced.
	NetworkPolicyMode networkpolicy.Mode
	// Scrapers are the clients that may read the network's metrics; empty means all clients.
	Scrapers networkpolicy.Scrapers
	// APIServerPorts are the ports of the API servers; empty means networkpolicy.DefaultAPIServerPorts.
	APIServerPorts []int32
	// WorkloadRuns holds the existing runs of the network's own workloads, by name.
	WorkloadRuns map[string]*v1alpha1.BenchmarkRun
	// TakenRuns says who has the run of a workload that has none yet, by the name of the run.
	TakenRuns map[string]string
	// RunsByAge holds all runs on the network, oldest first.
	RunsByAge []*v1alpha1.BenchmarkRun
	// EpochRecord is the ConfigMap that records the epoch and the version of the images; nil if it does not
	// exist yet.
	EpochRecord *corev1.ConfigMap
	// StatefulSet returns the live StatefulSet of that name, or nil. A nil function means that none exists yet.
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
	StageGenesis   StageName = "Genesis"
	StageDatabases StageName = "Databases"
	StageSchemas   StageName = "Schemas"
	StageMembers   StageName = "Members"
	StageWorkloads StageName = "Workloads"

	// Stages of a reset, between those of databases and members: all members stop, then their schemas are
	// recreated.
	StageStop  StageName = "Stop"
	StageReset StageName = "Reset"
)

// Stage is a step of provisioning. Its objects are applied together when the stages in Needs are ready.
type Stage struct {
	Name StageName
	// Needs are the stages that must be ready before this one starts. Stages that do not need each other run in
	// parallel.
	Needs []StageName
	// Objects are applied concurrently, those that create pods after the others.
	Objects []client.Object
	// Owner is one of Objects. It is applied before the objects after it and owns them, so that deleting it
	// deletes them. If it is nil, the network owns all.
	Owner client.Object
	// RequiredSecrets are the Secrets that must carry AnnotationGenesisComplete before the stage is ready.
	RequiredSecrets []string
	// Provisioning is false for stages that follow when the network is ready.
	Provisioning bool
}

// Plan holds all objects of a network.
type Plan struct {
	Topology platform.Topology
	// Credentials are Secrets of random passwords and tokens. They are created once, before everything else.
	Credentials []platform.Credential
	// GeneratedSecrets records the Secrets of credentials and genesis that exist. LostSecrets are those that were recorded
	// and no longer exist with the same content. They are not created again.
	GeneratedSecrets v1alpha1.GeneratedSecrets
	LostSecrets      []LostSecret
	// Resettable reports whether a reset can return the network to its initial state.
	Resettable bool
	// Epoch is the epoch that the network should be in. EpochRecord records it and is written before the stages
	// start.
	Epoch       Epoch
	EpochRecord *corev1.ConfigMap
	// Resetting reports whether members are moving from another epoch.
	Resetting bool
	Stages    []Stage
	// UsesDatabase reports whether the members of the platform use a database.
	UsesDatabase bool
	// Databases are the network's databases, in order.
	Databases []database.InstanceStatus
	// Settings are the derived settings.
	Settings []v1alpha1.DerivedSetting
	// Shortfalls are the volumes that may be too small for the listed workloads.
	Shortfalls []VolumeShortfall
	// Teardown holds the objects that clean up outside the network before it is deleted; empty if there is
	// nothing to clean up.
	Teardown []client.Object
	// Hash identifies the objects of the databases and members.
	Hash string

	// schemaResets recreate the members' schemas; empty in the first epoch.
	schemaResets []client.Object
	// databaseScheduling holds the scheduling of each database instance by name; nil means that of the members.
	databaseScheduling map[string]*v1alpha1.Scheduling
}

// Build returns the plan. Its errors are user errors and name what to change. A plan returned together with an
// error lacks only the runs, so a provisioned network can still be deleted with it.
func Build(in Input) (*Plan, error) {
	in.Images = in.Images.WithVersion(ImageVersion(in.EpochRecord)) // An upgrade of the operator restarts no members.
	sized := platform.WithPlannedWorkloads(in.Network)
	p := &Plan{Topology: in.Platform.Topology(sized), Settings: platform.DerivedSettings(in.Platform, &sized.Spec), Epoch: in.countPause(in.decideEpoch()),
		Resettable:         in.isResettable(),
		databaseScheduling: map[string]*v1alpha1.Scheduling{}}
	p.EpochRecord = in.buildEpochRecord(p.Epoch)
	if err := p.buildProvisioningStages(in, sized); err != nil {
		return nil, err
	}
	runs, refusal := buildDueRuns(in)
	p.Stages = append(p.Stages, Stage{Name: StageWorkloads, Needs: []StageName{StageMembers}, Objects: runs})
	for _, decorate := range decorators {
		if err := decorate(in, p); err != nil {
			return nil, err
		}
	}
	return p, refusal
}

// buildProvisioningStages sets the stages of genesis, databases and members, with their credentials. The sized network
// has the workloads for which volumes need space.
func (p *Plan) buildProvisioningStages(in Input, sized *v1alpha1.BenchmarkNetwork) error {
	platformInput := platform.Input{Network: sized, Images: in.Images}
	var err error
	if platformInput.Databases, err = buildDatabaseStages(in, platformInput, p); err != nil {
		return err
	}
	p.Credentials = append(p.Credentials, platform.Credential{Name: naming.CommandsSecret(in.Network.Name), Keys: []string{pods.CommandsTokenKey},
		DigestKey: pods.CommandsDigestKey})
	genesis, err := buildGenesisStage(in, platformInput, p)
	if err != nil {
		return err
	}
	members, err := in.Platform.BuildMembers(platformInput, p.Topology)
	if err != nil {
		return fmt.Errorf("members: %w", err)
	}
	p.Stages = append([]Stage{genesis}, p.Stages...)
	p.Stages = append(p.Stages,
		Stage{Name: StageMembers, Needs: []StageName{StageGenesis, StageDatabases, StageSchemas}, Objects: members, Provisioning: true})
	return nil
}

// Objects returns all planned objects, including empty Secrets for the credentials.
func (p *Plan) Objects() []client.Object {
	all := []client.Object{p.EpochRecord}
	for _, c := range p.Credentials {
		all = append(all, newSecret(c.Name, nil))
	}
	for _, l := range p.LostSecrets {
		all = append(all, newSecret(l.Name, nil))
	}
	for _, s := range p.Stages {
		all = append(all, s.Objects...)
	}
	return append(all, p.Teardown...)
}
