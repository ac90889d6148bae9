package database

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/destination"
	"github.com/benchnet/benchnet/internal/kube/limits"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/platform"
)

// specPath is the path of the spec of all instances but dedicated ones.
const specPath = "spec.database"

// memberGroup holds the members of one instance.
type memberGroup struct {
	name string
	// spec is spec.database as it is for the instance.
	spec    v1alpha1.DatabaseSpec
	members []platform.Member
	// dedicated is set if the instance is apart from those of the topology.
	dedicated *platform.DedicatedInstance
	// external is the server outside of the network, or nil.
	external *v1alpha1.ExternalServer
}

// fieldPath returns the path of the fields that describe the instance.
func (g memberGroup) fieldPath() string {
	if g.dedicated != nil {
		return g.dedicated.Path
	}
	return specPath
}

// settingsSource returns the path of the field that holds the given settings.
func (g memberGroup) settingsSource() string {
	if g.dedicated != nil && g.dedicated.Override.Settings != nil {
		return g.dedicated.Path + ".settings"
	}
	return specPath + ".managed.settings"
}

// groupMembers distributes the members over the instances of the topology and the dedicated ones.
func (in Input) groupMembers() []memberGroup {
	var dedicated []memberGroup
	common := slices.Clone(in.Members)
	for i := range in.Requirements.DedicatedInstances {
		d := &in.Requirements.DedicatedInstances[i]
		serves := func(m platform.Member) bool { return slices.Contains(d.Members, m.Name) }
		group := memberGroup{name: naming.DedicatedDatabase(in.Network.Name, d.Name), spec: in.databaseSpec().WithOverride(d.Override), dedicated: d}
		for _, m := range in.Members {
			if serves(m) {
				group.members = append(group.members, m)
			}
		}
		common = slices.DeleteFunc(common, serves)
		dedicated = append(dedicated, group)
	}
	return append(in.groupByTopology(common), dedicated...)
}

// assignExternalServers gives each group its server outside of the network.
func (in Input) assignExternalServers(groups []memberGroup) error {
	if !in.isExternal() {
		return nil
	}
	spec := in.databaseSpec()
	servers := spec.External.Servers
	if len(servers) != len(groups) {
		return fmt.Errorf("external.servers has %d servers, but topology %s has %d instances: name a server for each, in the order of %s",
			len(servers), spec.Topology, len(groups), describeMembers(groups))
	}
	for i := range servers {
		groups[i].external = &servers[i]
		at := fmt.Sprintf("external.servers[%d]", i)
		if err := destination.CheckHost(servers[i].Host); err != nil {
			return fmt.Errorf("%s.host: %w", at, err)
		}
		for j := range i {
			if servers[j].Host == servers[i].Host && ExternalPort(spec, servers[j]) == ExternalPort(spec, servers[i]) {
				return fmt.Errorf("%s is the server of external.servers[%d], %s:%d: use topology Shared, or another server", at, j, servers[i].Host,
					ExternalPort(spec, servers[i]))
			}
		}
	}
	return nil
}

// describeMembers returns the first members of the groups.
func describeMembers(groups []memberGroup) string {
	var names []string
	for _, g := range groups {
		names = append(names, g.members[0].Name)
	}
	return limits.JoinItems(names, ", ")
}

// groupByTopology distributes members over instances: <network>-db with topology Shared, and <network>-db-<i>
// otherwise. With topology PerMember, members that share tables have one instance together.
func (in Input) groupByTopology(members []platform.Member) []memberGroup {
	spec, size := in.databaseSpec(), 1
	switch spec.Topology {
	case v1alpha1.TopologyShared:
		return []memberGroup{{name: naming.SharedDatabase(in.Network.Name), spec: spec, members: members}}
	case v1alpha1.TopologyPerHost:
		size = int(*spec.MembersPerInstance)
	}
	var out []memberGroup
	for start, end := 0, 0; start < len(members); start = end {
		end = min(start+size, len(members))
		for in.sharesTables(members[start]) && end < len(members) && in.sharesTables(members[end]) {
			end++
		}
		out = append(out, memberGroup{name: naming.DatabaseInstance(in.Network.Name, len(out)), spec: spec, members: members[start:end]})
	}
	return out
}

// sharesTables reports whether the member uses tables together with others.
func (in Input) sharesTables(m platform.Member) bool {
	shared := in.Requirements.SharedTables
	return shared != nil && slices.Contains(shared.Members, m.Name)
}

func (in Input) buildConnection(i Instance, m platform.Member) platform.DatabaseConnection {
	role := in.roleName(m)
	c := platform.DatabaseConnection{
		URL:            fmt.Sprintf("jdbc:postgresql://%s:%d/%s?currentSchema=%s", i.Host, i.Port, DefaultName, role),
		User:           role,
		PasswordSecret: in.passwordSecret(m),
		PasswordKey:    PasswordKey,
	}
	if external := i.External; external != nil && external.SSLMode != "" {
		c.URL += "&sslmode=" + external.SSLMode
	}
	if i.Spec.Topology == v1alpha1.TopologyPerHost {
		c.Affinity = in.hostAffinity(i)
	}
	return c
}

func (in Input) passwordSecret(m platform.Member) string {
	return naming.MemberDatabaseSecret(in.Network.Name, m.Name)
}

// hostAffinity keeps the members of an instance on one host: that of the instance, or the same one if the spec says
// where instances run.
func (in Input) hostAffinity(i Instance) *corev1.PodAffinity {
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{InstanceLabel: i.Name}}
	if i.Spec.ManagedOrDefault().Scheduling != nil {
		selector = &metav1.LabelSelector{MatchLabels: naming.MembersSelector(in.Network.Name), MatchExpressions: []metav1.LabelSelectorRequirement{
			{Key: v1alpha1.LabelMember, Operator: metav1.LabelSelectorOpIn, Values: i.Members}}}
	}
	return &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
		LabelSelector: selector, TopologyKey: corev1.LabelHostname}}}
}

// maxIdentifierBytes is PostgreSQL's limit in bytes (NAMEDATALEN - 1). PostgreSQL silently truncates longer
// names.
const maxIdentifierBytes = 63

// roleName returns the name of the member's role and schema: its name with - replaced by _. On an external
// server, which many networks may share, the namespace and the network's name precede it. Names that are too long or
// ambiguous end with a hash.
func (in Input) roleName(m platform.Member) string {
	full := m.Name
	if in.isExternal() {
		full = in.Network.Namespace + "__" + in.Network.Name + "__" + m.Name
	}
	name := strings.ReplaceAll(full, "-", "_")
	if isReservedName(name) {
		name = "m_" + name
	}
	ambiguous := strings.Contains(full, "--") || strings.HasPrefix(full, "m-")
	if len(name) > maxIdentifierBytes || ambiguous {
		sum := fmt.Sprintf("%x", sha256.Sum256([]byte(full)))[:10]
		name = name[:min(len(name), maxIdentifierBytes-len(sum)-1)] + "_" + sum
	}
	return name
}

// isReservedName reports whether PostgreSQL, the exporter or the template uses the name.
func isReservedName(name string) bool {
	switch name {
	case "template", "public", "none", "postgres", "exporter", "information_schema":
		return true
	}
	return strings.HasPrefix(name, "pg_")
}

// roleOwnerComment returns the mark of this network's roles. Roles with another mark are never changed. On an external
// server it is unique among all users of the server.
func (in Input) roleOwnerComment() string {
	if in.isExternal() {
		return string(in.Network.UID)
	}
	return in.Network.Namespace + "/" + in.Network.Name
}
