package database

import (
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

const (
	// DefaultName is the name of the database with the members' schemas.
	DefaultName = "corda"
	// InstanceLabel on an instance's pod names the instance.
	InstanceLabel = v1alpha1.LabelDatabaseInstance

	// DefaultPort is PostgreSQL's default port.
	DefaultPort = 5432

	serverPort = DefaultPort

	// agentPort and exporterPort serve metrics on an instance of the project's chart.
	agentPort    = 9101
	exporterPort = 9187
)

// AgentURL returns the URL at which an instance of the project's chart reports its container's resource usage.
func AgentURL(instance string) string {
	return fmt.Sprintf("http://%s:%d/metrics", instance, agentPort)
}

// ExporterURL returns the URL of the PostgreSQL metrics of an instance of the project's chart.
func ExporterURL(instance string) string {
	return fmt.Sprintf("http://%s:%d/metrics", instance, exporterPort)
}

// Layout holds every instance of a network and each member's connection.
type Layout struct {
	Instances []Instance
	// Bindings are keyed by member name. Empty with engine H2.
	Bindings map[string]Binding
}

// Instance is one PostgreSQL server.
type Instance struct {
	Name string
	Host string
	Port int32
	// Members are the names of the members that it serves, in order.
	Members []string
	// MaxConnections is the server's limit; 0 if the server decides (a user's chart, an external server).
	MaxConnections int32
	// Storage is the size of its volume; zero if the server decides.
	Storage resource.Quantity
	// NeededStorage is the size for the planned load. It differs from Storage if the volume existed before the
	// load grew.
	NeededStorage resource.Quantity
	// Settings are those of postgresql.conf with their sources, by name; none if the server decides.
	Settings []Setting
	// ServerObjects are the objects of the server; empty with provider External.
	ServerObjects []client.Object
	// SetupObjects are the ConfigMap and the Job that create the members' schemas. The Job's name changes with
	// its content.
	SetupObjects []client.Object
	// ResetObjects recreate the members' schemas, once per epoch. Apply them while no member runs. Empty in the
	// first epoch.
	ResetObjects []client.Object
	// TeardownObjects remove the members' schemas and roles. Apply them before the network is deleted. Set only
	// if the server outlives the network.
	TeardownObjects []client.Object
}

// Objects returns the objects of the instance without those of reset and teardown, in the order in which to
// apply them.
func (i Instance) Objects() []client.Object {
	return append(append([]client.Object{}, i.ServerObjects...), i.SetupObjects...)
}

// Binding is a member's connection to its schema.
type Binding struct {
	// Instance is the name of the instance that serves the member.
	Instance string
	// URL is the JDBC URL, with the schema and without a password.
	URL string
	// User is the member's role; its schema has the same name.
	User     string
	Schema   string
	Password SecretKey
	// Affinity places the member's pod on its instance's host; nil unless the topology is PerHost.
	Affinity *corev1.PodAffinity
}

// InstanceStatus is the part of an instance that the network's status shows.
type InstanceStatus struct {
	Name string
	// Address is host:port.
	Address string
	// MaxConnections and Storage are empty if the server decides.
	MaxConnections int32
	Storage        string
	MembersServed  int32
	Settings       []Setting
}

// Status returns the part of the instance's status that follows from the layout.
func (i Instance) Status() InstanceStatus {
	s := InstanceStatus{
		Name:           i.Name,
		Address:        fmt.Sprintf("%s:%d", i.Host, i.Port),
		MaxConnections: i.MaxConnections,
		MembersServed:  int32(len(i.Members)),
		Settings:       i.Settings,
	}
	if !i.Storage.IsZero() {
		s.Storage = i.Storage.String()
	}
	return s
}

// Build returns the layout. Its errors are user errors and name what to change.
func Build(in Input) (Layout, error) {
	if in.Engine == v1alpha1.EngineH2 {
		return Layout{}, nil
	}
	if err := in.validateInput(); err != nil {
		return Layout{}, err
	}
	plan := Layout{Bindings: make(map[string]Binding, len(in.Members))}
	groups := in.groupMembers()
	var servers [][]client.Object
	if in.Chart != nil && in.Provider == v1alpha1.ProviderChart {
		var err error
		if servers, err = in.renderUserChart(groups); err != nil {
			return Layout{}, err
		}
	}
	for n, g := range groups {
		var server []client.Object
		if servers != nil {
			server = servers[n]
		}
		instance, err := in.buildInstance(g, server)
		if err != nil {
			return Layout{}, fmt.Errorf("database instance %s: %w", g.name, err)
		}
		if err := in.checkUniqueNames(instance); err != nil {
			return Layout{}, fmt.Errorf("database instance %s: %w", g.name, err)
		}
		plan.Instances = append(plan.Instances, instance)
		for _, m := range g.members {
			plan.Bindings[m.Name] = in.buildBinding(instance, m)
		}
	}
	return plan, nil
}

// buildInstance returns the instance of a group. The server is the rendering of a user's chart, or nil without
// one.
func (in Input) buildInstance(g memberGroup, server []client.Object) (Instance, error) {
	i := Instance{Name: g.name, Host: g.name, Port: serverPort}
	for _, m := range g.members {
		i.Members = append(i.Members, m.Name)
	}
	var err error
	switch {
	case in.Provider == v1alpha1.ProviderExternal:
		i.Host, i.Port = in.External.Host, in.External.portOrDefault()
	case in.Chart != nil:
		i.ServerObjects = server
	default:
		err = in.renderOwnChart(g, &i)
	}
	if err != nil {
		return Instance{}, err
	}
	i.SetupObjects = in.buildSetup(g, i)
	if in.Epoch != "" {
		i.ResetObjects = in.buildReset(g, i)
	}
	if in.Provider == v1alpha1.ProviderExternal {
		i.TeardownObjects = in.buildTeardown(g, i)
	}
	return i, nil
}

func (in Input) validateInput() error {
	switch {
	case in.Engine != v1alpha1.EnginePostgreSQL:
		return fmt.Errorf("database engine %q is not known", in.Engine)
	case len(in.Members) == 0:
		return errors.New("a database needs at least one member")
	case in.Topology == v1alpha1.TopologyPerHost && in.MembersPerInstance < 1:
		return errors.New("topology PerHost needs membersPerInstance of at least 1")
	case in.Provider == v1alpha1.ProviderExternal && in.External == nil:
		return errors.New("provider External needs a host and an admin Secret")
	case in.Provider == v1alpha1.ProviderExternal && in.Topology != v1alpha1.TopologyShared:
		return fmt.Errorf("provider External has one server: topology must be Shared, not %s", in.Topology)
	}
	return in.validateMembers()
}

func (in Input) validateMembers() error {
	seen := map[string]string{}
	for _, m := range in.Members {
		role := in.roleName(m)
		if other, ok := seen[role]; ok {
			return fmt.Errorf("members %s and %s would share the database role %s: rename one", other, m.Name, role)
		}
		seen[role] = m.Name
		if m.Connections < 1 {
			return fmt.Errorf("member %s needs at least 1 database connection, not %d", m.Name, m.Connections)
		}
	}
	return nil
}
