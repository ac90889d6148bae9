package plan

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/network/database"
	"github.com/benchnet/benchnet/internal/platform"
)

// postgresqlVersion is the major version in the tag of the project's PostgreSQL image.
const postgresqlVersion = "15"

// passwordKey is the key of the password in the Secrets of databases.
const passwordKey = "password"

// buildDatabaseStages adds the stages of the databases and of their schemas to the plan, with their
// credentials, and returns the layout of the databases. The set-up of the schemas starts when all servers are
// ready, so that its Jobs do not use up their retries while they wait.
func buildDatabaseStages(in Input, pin platform.Input, p *Plan) (database.Layout, error) {
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
	if !ok || in.Network.Spec.DatabaseOrDefault().Engine != v1alpha1.EnginePostgreSQL {
		return database.Layout{}, nil
	}
	input := newDatabaseInput(in, p.Topology, user.DatabaseRequirements(pin, p.Topology))
	input.Epoch = p.Epoch.ID
	input.Server.Storage.ExistingSize = func(instance string) (resource.Quantity, bool) {
		return pods.VolumeSize(in.liveStatefulSet(instance), database.DataVolume)
	}
	built, err := database.Build(input)
	if err != nil {
		return database.Layout{}, fmt.Errorf("spec.database: %w", err)
	}
	p.Credentials = append(p.Credentials, databaseCredentials(in, p.Topology)...)
	for _, instance := range built.Instances {
		status := instance.Status()
		p.Databases = append(p.Databases, status)
		p.addShortfall(instance.Name, database.DataVolume, instance.Storage, instance.NeededStorage)
		servers.Objects = append(servers.Objects, instance.ServerObjects...)
		schemas.Objects = append(schemas.Objects, instance.SetupObjects...)
		p.Teardown = append(p.Teardown, instance.TeardownObjects...)
	}
	p.Settings = append(p.Settings, databaseSettings(p.Databases)...)
	return built, nil
}

func newDatabaseInput(in Input, topology platform.Topology, needs platform.DatabaseRequirements) database.Input {
	spec, network := in.Network.Spec.DatabaseOrDefault(), in.Network.Name
	members := make([]database.MemberSpec, 0, len(topology.Members))
	for _, m := range topology.Members {
		members = append(members, database.MemberSpec{
			Name: m.Name, Role: m.Role, Connections: needs.Connections,
			Transactions: needs.PlannedTransactions, States: needs.PlannedStates,
			Password: database.SecretKey{Name: naming.MemberDatabaseSecret(network, m.Name), Key: passwordKey},
		})
	}
	input := database.Input{
		Network: network, Namespace: in.Network.Namespace, Labels: NetworkLabels(network, "database"), KubeVersion: in.KubeVersion,
		Engine: spec.Engine, Topology: spec.Topology, Provider: spec.Provider, Chart: in.Chart, Members: members,
		Server: databaseServer(in.Network),
		Images: database.Images{
			PostgreSQL: in.Images.Image("postgresql", postgresqlVersion),
			Exporter:   in.Images.Image("postgres-exporter", ""),
			Agent:      in.Images.Image("agent", ""),
		},
		Superuser: database.SecretKey{Name: naming.DatabaseSuperuserSecret(network), Key: passwordKey},
	}
	if spec.MembersPerInstance != nil {
		input.MembersPerInstance = *spec.MembersPerInstance
	}
	if needs.Template != nil {
		input.Template = &database.SchemaTemplate{
			Containers: append(append([]corev1.Container{}, needs.TemplateInit...), *needs.Template), Volumes: needs.Volumes}
	}
	if e := spec.External; e != nil {
		input.External = &database.ExternalServer{
			Host: e.Host, Port: e.Port, SSLMode: e.SSLMode, Owner: string(in.Network.UID),
			User:     database.SecretKey{Name: e.AdminSecret.Name, Key: "username"},
			Password: database.SecretKey{Name: e.AdminSecret.Name, Key: passwordKey},
		}
	}
	return input
}

// databaseServer returns the server of an instance of provider Chart. Its requests equal its limits, or less if
// the members' reservation is Minimal.
func databaseServer(network *v1alpha1.BenchmarkNetwork) database.ServerSpec {
	spec := network.Spec.DatabaseOrDefault()
	cores, memory := quantityOrDefault(spec.Cores, "1"), quantityOrDefault(spec.Memory, "1Gi")
	requests := corev1.ResourceList{corev1.ResourceCPU: cores, corev1.ResourceMemory: memory}
	if network.Spec.Members.Reservation == v1alpha1.ReservationMinimal {
		requests = corev1.ResourceList{corev1.ResourceCPU: divideQuantity(cores, 10), corev1.ResourceMemory: divideQuantity(memory, 2)}
	}
	s := database.ServerSpec{
		Resources: corev1.ResourceRequirements{
			Limits: corev1.ResourceList{corev1.ResourceCPU: cores, corev1.ResourceMemory: memory}, Requests: requests},
		NodeSelector: network.Spec.Members.Placement.NodeSelector,
		Tolerations:  network.Spec.Members.Placement.Tolerations,
	}
	if spec.Storage != nil {
		s.Storage = database.StorageSpec{Type: spec.Storage.Type, Size: spec.Storage.Size, ClassName: spec.Storage.ClassName}
	}
	return s
}

func databaseCredentials(in Input, topology platform.Topology) []platform.Credential {
	var all []platform.Credential
	if in.Network.Spec.DatabaseOrDefault().Provider == v1alpha1.ProviderChart {
		all = append(all, platform.Credential{Name: naming.DatabaseSuperuserSecret(in.Network.Name), Keys: []string{passwordKey}})
	}
	for _, m := range topology.Members {
		all = append(all, platform.Credential{Name: naming.MemberDatabaseSecret(in.Network.Name, m.Name), Keys: []string{passwordKey}})
	}
	return all
}

// databaseConnections returns the connection of each member to its database, by member name.
func databaseConnections(built database.Layout) map[string]platform.DatabaseConnection {
	all := make(map[string]platform.DatabaseConnection, len(built.Bindings))
	for member, b := range built.Bindings {
		all[member] = platform.DatabaseConnection{URL: b.URL, User: b.User,
			PasswordSecret: b.Password.Name, PasswordKey: b.Password.Key, Affinity: b.Affinity}
	}
	return all
}

// databaseResetObjects returns the objects that recreate the members' schemas.
func databaseResetObjects(built database.Layout) []client.Object {
	var all []client.Object
	for _, instance := range built.Instances {
		all = append(all, instance.ResetObjects...)
	}
	return all
}
