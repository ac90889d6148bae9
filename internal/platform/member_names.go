package platform

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/limits"
)

// MemberNamer is a platform whose members have names of their own.
type MemberNamer interface {
	// OwnMemberNames returns these names in the order of the members.
	OwnMemberNames(spec *v1alpha1.BenchmarkNetworkSpec) []string
}

// MemberName returns the name of the member with the given ordinal.
func MemberName(ordinal int32) string { return fmt.Sprintf("member-%d", ordinal) }

// MemberNames are the names by which a spec refers to members: member-0 and so on, and those of the platform.
type MemberNames struct {
	ordinals map[string]int32
	count    int32
}

// NewMemberNames returns the names of the members of a network.
func NewMemberNames(p Platform, spec *v1alpha1.BenchmarkNetworkSpec) MemberNames {
	n := MemberNames{ordinals: map[string]int32{}, count: spec.Members.Count}
	if namer, ok := p.(MemberNamer); ok {
		for i, name := range namer.OwnMemberNames(spec) {
			n.ordinals[name] = int32(i)
		}
	}
	for i := range n.count {
		n.ordinals[MemberName(i)] = i
	}
	return n
}

// Ordinal returns the ordinal of the member with that name, and whether there is one.
func (n MemberNames) Ordinal(name string) (ordinal int32, ok bool) {
	ordinal, ok = n.ordinals[name]
	return ordinal, ok
}

// Ordinals returns the ordinals of the names that members have.
func (n MemberNames) Ordinals(names []string) []int32 {
	var all []int32
	for _, name := range names {
		if ordinal, ok := n.ordinals[name]; ok {
			all = append(all, ordinal)
		}
	}
	return all
}

// Validate rejects a name that no member has.
func (n MemberNames) Validate(name string, path *field.Path) field.ErrorList {
	if _, ok := n.ordinals[name]; ok {
		return nil
	}
	var all []string
	for i := range n.count {
		all = append(all, MemberName(i))
	}
	return field.ErrorList{field.Invalid(path, name, "is not a member of the network; its members are "+limits.JoinItems(all, ", "))}
}

// ValidateList rejects names that no member has, and names of the same member.
func (n MemberNames) ValidateList(names []string, path *field.Path) field.ErrorList {
	var problems field.ErrorList
	seen := map[int32]string{}
	for i, name := range names {
		problems = append(problems, n.Validate(name, path.Index(i))...)
		ordinal, ok := n.Ordinal(name)
		if other := seen[ordinal]; ok && other != "" {
			problems = append(problems, field.Invalid(path.Index(i), name, "is the member that "+other+" names"))
		}
		if ok {
			seen[ordinal] = name
		}
	}
	return problems
}
