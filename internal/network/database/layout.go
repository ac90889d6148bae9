package database

import (
	"cmp"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
)

const (
	// DefaultName is the name of the database with the members' schemas.
	DefaultName = "corda"
	// InstanceLabel on an instance's pod names the instance.
	InstanceLabel = v1alpha1.LabelDatabaseInstance

	serverPort = 5432

	// agentPort and exporterPort serve metrics on an instance of the project's chart, commandsPort the agent's commands.
	agentPort    = 9101
	commandsPort = 9201
	exporterPort = 9187
)

// defaultPorts are the ports of external servers, by engine.
var defaultPorts = map[v1alpha1.DatabaseEngine]int32{
	v1alpha1.EnginePostgreSQL: serverPort, v1alpha1.EngineSQLServer: 1433, v1alpha1.EngineOracle: 1521,
}

// ExternalPort returns the port of an external server.
func ExternalPort(spec v1alpha1.DatabaseSpec, server v1alpha1.ExternalServer) int32 {
	return cmp.Or(server.Port, defaultPorts[spec.Engine])
}

// AgentURL returns the URL at which an instance of the project's chart reports its container's resource usage.
func AgentURL(instance string) string {
	return fmt.Sprintf("http://%s:%d/metrics", instance, agentPort)
}

// CommandsURL returns the base URL of the commands of the agent of an instance of the project's chart.
func CommandsURL(instance string) string { return fmt.Sprintf("http://%s:%d", instance, commandsPort) }

// ExporterURL returns the URL of the PostgreSQL metrics of an instance of the project's chart.
func ExporterURL(instance string) string {
	return fmt.Sprintf("http://%s:%d/metrics", instance, exporterPort)
}

// Layout holds every instance of a network and each member's connection.
type Layout struct {
	Instances []Instance
	// Connections are keyed by member name.
	Connections map[string]platform.DatabaseConnection
}

// Instance is one PostgreSQL server.
type Instance struct {
	Name string
	Host string
	Port int32
	// Spec is spec.database as it is for this instance.
	Spec v1alpha1.DatabaseSpec
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

	// External is the server of provider External.
	External *v1alpha1.ExternalServer
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
	if err := in.validateInput(); err != nil {
		return Layout{}, fmt.Errorf("%s: %w", specPath, err)
	}
	groups := in.groupMembers()
	if err := in.assignExternalServers(groups); err != nil {
		return Layout{}, fmt.Errorf("%s.%w", specPath, err)
	}
	if in.databaseSpec().HasUserSchemas() {
		return in.buildUserSchemas(groups), nil
	}
	layout := Layout{Connections: make(map[string]platform.DatabaseConnection, len(in.Members))}
	var servers [][]client.Object
	if in.Chart != nil {
		var err error
		if servers, err = in.renderUserChart(groups); err != nil {
			return Layout{}, fmt.Errorf("%s: %w", specPath, err)
		}
	}
	for n, g := range groups {
		var server []client.Object
		if servers != nil {
			server = servers[n]
		}
		instance, err := in.buildInstance(g, server)
		if err != nil {
			return Layout{}, fmt.Errorf("%s: database instance %s: %w", g.fieldPath(), g.name, err)
		}
		layout.Instances = append(layout.Instances, instance)
		for _, m := range g.members {
			layout.Connections[m.Name] = in.buildConnection(instance, m)
		}
	}
	if err := in.checkUniqueNames(layout.Instances); err != nil {
		return Layout{}, fmt.Errorf("%s: %w", specPath, err)
	}
	return layout, nil
}

// buildUserSchemas returns instances without objects, and the connections that the user's Secret holds.
func (in Input) buildUserSchemas(groups []memberGroup) Layout {
	layout := Layout{Connections: make(map[string]platform.DatabaseConnection, len(in.Members))}
	for _, g := range groups {
		i := newExternalInstance(g)
		for _, m := range g.members {
			i.Members = append(i.Members, m.Name)
			layout.Connections[m.Name] = platform.NewSecretConnection(g.spec.External.JDBCSecret.Name, m.Name)
		}
		layout.Instances = append(layout.Instances, i)
	}
	return layout
}

// newExternalInstance returns the instance of a group on a server outside of the network.
func newExternalInstance(g memberGroup) Instance {
	return Instance{Name: g.name, Host: g.external.Host, Port: ExternalPort(g.spec, *g.external), Spec: g.spec, External: g.external}
}

// buildInstance returns the instance of a group. The server is the rendering of a user's chart, or nil without
// one.
func (in Input) buildInstance(g memberGroup, server []client.Object) (Instance, error) {
	i := Instance{Name: g.name, Host: g.name, Port: serverPort, Spec: g.spec}
	if g.external != nil {
		i = newExternalInstance(g)
	}
	for _, m := range g.members {
		i.Members = append(i.Members, m.Name)
	}
	switch {
	case g.external != nil:
	case in.Chart != nil:
		i.ServerObjects = server
	default:
		if err := in.renderOwnChart(g, &i); err != nil {
			return Instance{}, err
		}
	}
	i.SetupObjects = in.buildSetup(g, i)
	if in.Epoch != "" {
		i.ResetObjects = in.buildReset(g, i)
	}
	if g.external != nil {
		i.TeardownObjects = in.buildTeardown(g, i)
	}
	return i, nil
}

func (in Input) validateInput() error {
	spec := in.databaseSpec()
	switch {
	case len(in.Members) == 0:
		return errors.New("a database needs at least one member")
	case spec.Topology == v1alpha1.TopologyPerHost && (spec.MembersPerInstance == nil || *spec.MembersPerInstance < 1):
		return errors.New("topology PerHost needs membersPerInstance of at least 1")
	case in.isExternal() != (spec.External != nil), spec.HasUserSchemas() && !in.isExternal():
		return errors.New("provider External needs external.servers, and other providers take none")
	case in.isExternal() && spec.Topology == v1alpha1.TopologyPerHost:
		return errors.New("topology must be Shared or PerMember with provider External, not PerHost, whose servers are in the cluster")
	case in.isExternal() && len(in.Requirements.DedicatedInstances) > 0:
		return errors.New("provider External has no instances that are dedicated to some members: use topology PerMember")
	}
	return in.validateMembers()
}

// validateMembers rejects members without a connection, and members with the same database role.
func (in Input) validateMembers() error {
	seen := map[string]string{}
	for _, m := range in.Members {
		if connections := in.Requirements.Connections[m.Name]; connections < 1 {
			return fmt.Errorf("member %s needs at least 1 database connection, not %d", m.Name, connections)
		}
		role := in.roleName(m)
		if other, ok := seen[role]; ok {
			return fmt.Errorf("members %s and %s would share the database role %s: rename one", other, m.Name, role)
		}
		seen[role] = m.Name
	}
	return nil
}

const (
	// bytesPerTransaction and bytesPerState follow R3's rule of thumb, 10 KB each (SQL Server 2017).
	bytesPerTransaction = 10_000
	bytesPerState       = 10_000
	// storageSafetyFactor covers indexes, bloat between vacuums, warm-up and repeated windows.
	storageSafetyFactor = 2
	// maxWALBytes is the default of max_wal_size, 1 GB, which the write-ahead log may reach between
	// checkpoints.
	maxWALBytes = 1 << 30
	// bytesPerSchema is the size of a member's schema before the first transaction: 0.9 MB measured for Corda
	// 4.10 with finance on PostgreSQL 15.
	bytesPerSchema = 1_000_000

	// DataVolume is the name of the data volume in the project's chart.
	DataVolume = "data"
)

// neededStorage returns the size that the volume should have: the requested size, or else the estimated size in
// whole GiB. The estimate covers the planned load with a safety factor, an empty schema per member, and the
// write-ahead log.
func (in Input) neededStorage(g memberGroup) resource.Quantity {
	if storage := g.spec.ManagedOrDefault().Storage; storage != nil && storage.Size != nil {
		return *storage.Size
	}
	members := int64(len(g.members))
	planned := in.Requirements.PlannedTransactions*bytesPerTransaction + in.Requirements.PlannedStates*bytesPerState
	bytes := members*(planned*storageSafetyFactor+bytesPerSchema) + maxWALBytes
	return *resource.NewQuantity((bytes+gibibyte-1)/gibibyte*gibibyte, resource.BinarySI)
}
