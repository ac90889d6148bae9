package plan

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/database"
	"github.com/benchnet/benchnet/internal/names"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/pods"
)

// postgresqlVersion is the major version in the tag of the project's PostgreSQL image.
const postgresqlVersion = "15"

// passwordKey is the key of the password in the Secrets of databases.
const passwordKey = "password"

// buildDatabases adds the stages of the databases and of their schemas, with their credentials, and returns the plan of the databases. The
// set-up of the schemas begins when all servers are ready, so that it does not use up its tries while it waits for them.
func buildDatabases(in Input, pin platform.Input, p *Plan) (database.Plan, error) {
	servers := Stage{Name: StageDatabases, Provisioning: true}
	schemas := Stage{Name: StageSchemas, Needs: []StageName{StageDatabases}, Provisioning: true}
	defer func() {
		p.Stages = append(p.Stages, servers)
		if len(schemas.Objects) > 0 {
			p.Stages = append(p.Stages, schemas)
		}
	}()
	user, ok := in.Platform.(platform.DatabaseUser)
	p.UsesDatabase = ok
	if !ok || in.Network.Spec.DatabaseOrDefault().Engine != v1alpha1.EnginePostgreSQL {
		return database.Plan{}, nil
	}
	input := databaseInput(in, p.Topology, user.DatabaseNeeds(pin, p.Topology))
	input.Epoch = p.Epoch.ID
	input.Server.Storage.Existing = func(instance string) (resource.Quantity, bool) {
		return pods.VolumeSize(in.set(instance), database.DataVolume)
	}
	built, err := database.Build(input)
	if err != nil {
		return database.Plan{}, fmt.Errorf("spec.database: %w", err)
	}
	p.Credentials = append(p.Credentials, databaseCredentials(in, p.Topology)...)
	for _, instance := range built.Instances {
		status := instance.Status()
		p.Databases = append(p.Databases, status)
		p.addShortfall(instance.Name, database.DataVolume, instance.Storage, instance.NeededStorage)
		servers.Objects = append(servers.Objects, instance.Server...)
		schemas.Objects = append(schemas.Objects, instance.Setup...)
		p.Teardown = append(p.Teardown, instance.Teardown...)
	}
	p.Settings = append(p.Settings, databaseSettings(p.Databases)...)
	return built, nil
}

func databaseInput(in Input, topology platform.Topology, needs platform.DatabaseNeeds) database.Input {
	spec, network := in.Network.Spec.DatabaseOrDefault(), in.Network.Name
	members := make([]database.Member, 0, len(topology.Members))
	for _, m := range topology.Members {
		members = append(members, database.Member{
			Name: m.Name, Role: m.Role, Connections: needs.Connections,
			Transactions: needs.PlannedTransactions, States: needs.PlannedStates,
			Password: database.SecretKey{Name: names.MemberDatabase(network, m.Name), Key: passwordKey},
		})
	}
	input := database.Input{
		Network: network, Namespace: in.Network.Namespace, Labels: Labels(network, "database"), KubeVersion: in.KubeVersion,
		Engine: spec.Engine, Topology: spec.Topology, Provider: spec.Provider, Chart: in.Chart, Members: members,
		Server: server(in.Network),
		Images: database.Images{
			PostgreSQL: in.Images.Image("postgresql", postgresqlVersion),
			Exporter:   in.Images.Image("postgres-exporter", ""),
			Agent:      in.Images.Image("agent", ""),
		},
		Superuser: database.SecretKey{Name: names.DatabaseSuperuser(network), Key: passwordKey},
	}
	if spec.MembersPerInstance != nil {
		input.MembersPerInstance = *spec.MembersPerInstance
	}
	if needs.Template != nil {
		input.Template = &database.Template{
			Containers: append(append([]corev1.Container{}, needs.TemplateInit...), *needs.Template), Volumes: needs.Volumes}
	}
	if e := spec.External; e != nil {
		input.External = &database.External{
			Host: e.Host, Port: e.Port, SSLMode: e.SSLMode, Owner: string(in.Network.UID),
			User:     database.SecretKey{Name: e.AdminSecret.Name, Key: "username"},
			Password: database.SecretKey{Name: e.AdminSecret.Name, Key: passwordKey},
		}
	}
	return input
}

// server is an instance of provider Chart; it reserves what it may use, or less where the members do.
func server(network *v1alpha1.BenchmarkNetwork) database.Server {
	spec := network.Spec.DatabaseOrDefault()
	cores, memory := quantity(spec.Cores, "1"), quantity(spec.Memory, "1Gi")
	requests := corev1.ResourceList{corev1.ResourceCPU: cores, corev1.ResourceMemory: memory}
	if network.Spec.Members.Reservation == v1alpha1.ReservationMinimal {
		requests = corev1.ResourceList{corev1.ResourceCPU: share(cores, 10), corev1.ResourceMemory: share(memory, 2)}
	}
	s := database.Server{
		Resources: corev1.ResourceRequirements{
			Limits: corev1.ResourceList{corev1.ResourceCPU: cores, corev1.ResourceMemory: memory}, Requests: requests},
		NodeSelector: network.Spec.Members.Placement.NodeSelector,
		Tolerations:  network.Spec.Members.Placement.Tolerations,
	}
	if spec.Storage != nil {
		s.Storage = database.Storage{Type: spec.Storage.Type, Size: spec.Storage.Size, ClassName: spec.Storage.ClassName}
	}
	return s
}

func databaseCredentials(in Input, topology platform.Topology) []platform.Credential {
	var all []platform.Credential
	if in.Network.Spec.DatabaseOrDefault().Provider == v1alpha1.ProviderChart {
		all = append(all, platform.Credential{Name: names.DatabaseSuperuser(in.Network.Name), Keys: []string{passwordKey}})
	}
	for _, m := range topology.Members {
		all = append(all, platform.Credential{Name: names.MemberDatabase(in.Network.Name, m.Name), Keys: []string{passwordKey}})
	}
	return all
}

// bindings are how each member reaches its own.
func bindings(built database.Plan) map[string]platform.Database {
	all := make(map[string]platform.Database, len(built.Bindings))
	for member, b := range built.Bindings {
		all[member] = platform.Database{URL: b.URL, User: b.User,
			PasswordSecret: b.Password.Name, PasswordKey: b.Password.Key, Affinity: b.Affinity}
	}
	return all
}

// resets make the members' schemas anew.
func resets(built database.Plan) []client.Object {
	var all []client.Object
	for _, instance := range built.Instances {
		all = append(all, instance.Reset...)
	}
	return all
}
