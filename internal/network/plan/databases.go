package plan

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/network/database"
	"github.com/benchnet/benchnet/internal/platform"
)

// buildDatabaseStages adds the stages of the databases and of their schemas to the plan, with their
// credentials, and returns the members' connections. The set-up of the schemas starts when all servers are
// ready, so that its Jobs do not use up their retries while they wait.
func buildDatabaseStages(in Input, pin platform.Input, p *Plan) (map[string]platform.DatabaseConnection, error) {
	servers := Stage{Name: StageDatabases, Provisioning: true}
	schemas := Stage{Name: StageSchemas, Needs: []StageName{StageDatabases}, Provisioning: true}
	defer func() {
		p.Stages = append(p.Stages, servers)
		if len(schemas.Objects) > 0 {
			p.Stages = append(p.Stages, schemas)
		}
	}()
	user, ok := in.Platform.(platform.DatabaseConsumer)
	p.UsesDatabase = ok
	if !ok || in.Network.Spec.DatabaseOrDefault().Engine == v1alpha1.EngineH2 {
		return nil, nil
	}
	built, err := database.Build(database.Input{
		Network: in.Network, Members: p.Topology.Members, Requirements: user.DatabaseRequirements(pin, p.Topology),
		Images: in.Images, KubeVersion: in.KubeVersion, Chart: in.Chart, Epoch: p.Epoch.ID,
		ExistingSize: func(instance string) (resource.Quantity, bool) {
			return pods.VolumeSize(in.liveStatefulSet(instance), database.DataVolume)
		},
	})
	if err != nil {
		return nil, err
	}
	p.Credentials = append(p.Credentials, databaseCredentials(in, p.Topology)...)
	for _, instance := range built.Instances {
		status := instance.Status()
		p.Databases = append(p.Databases, status)
		p.databaseScheduling[instance.Name] = instance.Spec.ManagedOrDefault().Scheduling
		p.addShortfall(instance.Name, database.DataVolume, instance.Storage, instance.NeededStorage)
		servers.Objects = append(servers.Objects, instance.ServerObjects...)
		schemas.Objects = append(schemas.Objects, instance.SetupObjects...)
		p.schemaResets = append(p.schemaResets, instance.ResetObjects...)
		p.Teardown = append(p.Teardown, instance.TeardownObjects...)
	}
	p.Settings = append(p.Settings, databaseSettings(p.Databases)...)
	return built.Connections, nil
}

// databaseCredentials returns the Secrets of superuser and members; none if the user has made the members' accounts.
func databaseCredentials(in Input, topology platform.Topology) []platform.Credential {
	var all []platform.Credential
	spec := in.Network.Spec.DatabaseOrDefault()
	if spec.HasUserSchemas() {
		return nil
	}
	if spec.Provider != v1alpha1.ProviderExternal {
		all = append(all, platform.Credential{Name: naming.DatabaseSuperuserSecret(in.Network.Name), Keys: []string{database.PasswordKey}})
	}
	for _, m := range topology.Members {
		all = append(all, platform.Credential{Name: naming.MemberDatabaseSecret(in.Network.Name, m.Name), Keys: []string{database.PasswordKey}})
	}
	return all
}

// settingGroup is a setting with the indexes of the instances that have it.
type settingGroup struct {
	database.Setting
	instanceIndexes []int
}

// databaseSettings returns the settings of the instances, grouped by value, so that their number does not grow with the network.
func databaseSettings(instances []database.InstanceStatus) []v1alpha1.DerivedSetting {
	var groups []*settingGroup
	known := map[database.Setting]*settingGroup{}
	for i, instance := range instances {
		for _, s := range instance.Settings {
			if known[s] == nil {
				known[s] = &settingGroup{Setting: s}
				groups = append(groups, known[s])
			}
			known[s].instanceIndexes = append(known[s].instanceIndexes, i)
		}
	}
	settings := make([]v1alpha1.DerivedSetting, 0, len(groups))
	for _, g := range groups {
		settings = append(settings, v1alpha1.DerivedSetting{Name: "postgresql" + g.instanceSelector(instances) + "." + g.Name, Value: g.Value, Source: g.Source})
	}
	return settings
}

// instanceSelector returns the names of the group's instances in brackets. It is empty if the group holds all
// instances.
func (g *settingGroup) instanceSelector(all []database.InstanceStatus) string {
	n := len(g.instanceIndexes)
	first, last := g.instanceIndexes[0], g.instanceIndexes[n-1]
	switch {
	case n == len(all):
		return ""
	case n == 1:
		return fmt.Sprintf("[%s]", all[first].Name)
	case last-first == n-1:
		return fmt.Sprintf("[%s to %s]", all[first].Name, all[last].Name)
	default:
		return fmt.Sprintf("[%s and %d more]", all[first].Name, n-1)
	}
}
