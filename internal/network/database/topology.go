package database

import (
	"crypto/sha256"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
)

// memberGroup holds the members of one instance.
type memberGroup struct {
	name    string
	members []MemberSpec
}

// groupMembers distributes the members over instances: <network>-db with topology Shared, and <network>-db-<i>
// otherwise.
func (in Input) groupMembers() []memberGroup {
	size := 1
	switch in.Topology {
	case v1alpha1.TopologyShared:
		return []memberGroup{{name: naming.SharedDatabase(in.Network), members: in.Members}}
	case v1alpha1.TopologyPerHost:
		size = int(in.MembersPerInstance)
	}
	var out []memberGroup
	for start := 0; start < len(in.Members); start += size {
		out = append(out, memberGroup{
			name:    naming.DatabaseInstance(in.Network, len(out)),
			members: in.Members[start:min(start+size, len(in.Members))],
		})
	}
	return out
}

func (in Input) buildBinding(i Instance, m MemberSpec) Binding {
	role := in.roleName(m)
	b := Binding{
		Instance: i.Name,
		URL:      fmt.Sprintf("jdbc:postgresql://%s:%d/%s?currentSchema=%s", i.Host, i.Port, in.databaseName(), role),
		User:     role,
		Schema:   role,
		Password: m.Password,
	}
	if in.Provider == v1alpha1.ProviderExternal && in.External.SSLMode != "" {
		b.URL += "&sslmode=" + in.External.SSLMode
	}
	if in.Topology == v1alpha1.TopologyPerHost {
		b.Affinity = instanceAffinity(i.Name)
	}
	return b
}

func instanceAffinity(name string) *corev1.PodAffinity {
	return &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
		LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{InstanceLabel: name}},
		TopologyKey:   corev1.LabelHostname,
	}}}
}

// maxIdentifierBytes is PostgreSQL's limit in bytes (NAMEDATALEN - 1). PostgreSQL silently truncates longer
// names.
const maxIdentifierBytes = 63

// roleName returns the name of the member's role and schema: its name with - replaced by _. On an external
// server, which many networks may share, the namespace and the network's name precede it. A hash shortens names
// that are too long.
func (in Input) roleName(m MemberSpec) string {
	name := strings.ReplaceAll(m.Name, "-", "_")
	if in.Provider == v1alpha1.ProviderExternal {
		name = strings.ReplaceAll(in.Namespace+"__"+in.Network, "-", "_") + "__" + name
	}
	if isReservedName(name) {
		name = "m_" + name
	}
	if len(name) > maxIdentifierBytes {
		sum := fmt.Sprintf("%x", sha256.Sum256([]byte(name)))[:10]
		name = name[:maxIdentifierBytes-len(sum)-1] + "_" + sum
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

func (in Input) databaseName() string {
	if in.Provider == v1alpha1.ProviderExternal && in.External.Database != "" {
		return in.External.Database
	}
	return DefaultName
}

func (in Input) roleOwner() string {
	if in.Provider == v1alpha1.ProviderExternal && in.External.Owner != "" {
		return in.External.Owner
	}
	return in.Namespace + "/" + in.Network
}

func (e ExternalServer) portOrDefault() int32 {
	if e.Port != 0 {
		return e.Port
	}
	return serverPort
}
