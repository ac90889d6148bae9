package platform

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
)

// Override is a part of the spec by which some nodes differ from the other members.
type Override struct {
	// Members are the members, as the spec names them. It is empty for other nodes.
	Members []string
	// Nodes names the nodes, such as "notary" or "member-0 to member-3".
	Nodes string
	// Path is the path of the part below spec.
	Path []string
	// Spec is the spec of the network as it is for these nodes.
	Spec *v1alpha1.BenchmarkNetworkSpec
}

// replacePath returns the source of a setting with the path of the override in place of those that it overrides.
func (o Override) replacePath(source string) string {
	path := "spec." + strings.Join(o.Path, ".")
	return strings.NewReplacer("spec.members", path, "spec.database.managed", path+".database", "spec.database", path+".database").Replace(source)
}

// replaceField returns the field of the override in place of the field of the members, or the settings of the database, that
// it overrides. It returns false for other fields. The path is that of the spec.
func (o Override) replaceField(name string, path *field.Path) (string, bool) {
	own := path.Child(o.Path[0], o.Path[1:]...)
	if rest, found := strings.CutPrefix(name, path.Child("members").String()+"."); found {
		return own.Child(rest).String(), true
	}
	return own.Child("database", "settings").String(), name == path.Child("database", "managed", "settings").String()
}

// overridesOf returns the overrides of members and those of the platform.
func overridesOf(p Platform, spec *v1alpha1.BenchmarkNetworkSpec) []Override {
	var all []Override
	for i := range spec.Members.Overrides {
		o := &spec.Members.Overrides[i]
		all = append(all, Override{Members: o.Members, Path: []string{"members", fmt.Sprintf("overrides[%d]", i)}, Spec: spec.WithNodeOverride(&o.NodeOverride)})
	}
	if provider, ok := p.(OverrideProvider); ok {
		all = append(all, provider.Overrides(spec)...)
	}
	names := NewMemberNames(p, spec)
	for i := range all {
		if ordinals := names.Ordinals(all[i].Members); len(ordinals) > 0 {
			all[i].Nodes = formatOrdinals(ordinals)
		}
	}
	return all
}

// formatOrdinals returns the names of members, shortened if there are more than one.
func formatOrdinals(ordinals []int32) string {
	sorted := slices.Sorted(slices.Values(ordinals))
	first, last, n := sorted[0], sorted[len(sorted)-1], len(sorted)
	switch {
	case n == 1:
		return MemberName(first)
	case int(last-first) == n-1:
		return MemberName(first) + " to " + MemberName(last)
	}
	return fmt.Sprintf("%s and %d more", MemberName(first), n-1)
}

// DerivedSettings returns the settings derived from the spec: those of the members, then those in which overridden
// nodes differ, with the names of the nodes in brackets.
func DerivedSettings(p Platform, spec *v1alpha1.BenchmarkNetworkSpec) []v1alpha1.DerivedSetting {
	common := p.DerivedSettings(spec)
	settings := slices.Clone(common)
	for _, o := range overridesOf(p, spec) {
		own := p.DerivedSettings(o.Spec)
		if version := p.Version(o.Spec); version != p.Version(spec) {
			own = append(own, v1alpha1.DerivedSetting{Name: "version", Value: version, Source: "spec.members.version"})
		}
		for _, s := range own {
			same := func(c v1alpha1.DerivedSetting) bool { return c.Name == s.Name && c.Value == s.Value }
			if !slices.ContainsFunc(common, same) {
				s.Name += "[" + o.Nodes + "]"
				s.Source = o.replacePath(s.Source)
				settings = append(settings, s)
			}
		}
	}
	return settings
}

// validateOverrides rejects members that two overrides name, and overrides with which a node cannot run. The path is
// that of the spec. Problems that the spec has without overrides are not repeated.
func validateOverrides(p Platform, spec *v1alpha1.BenchmarkNetworkSpec, path *field.Path, without field.ErrorList) field.ErrorList {
	overrides := overridesOf(p, spec)
	problems := validateOverriddenMembers(NewMemberNames(p, spec), overrides, path)
	for _, o := range overrides {
		own := path.Child(o.Path[0], o.Path[1:]...)
		if o.Spec.Members.Scheduling != spec.Members.Scheduling {
			problems = append(problems, pods.ValidateScheduling(o.Spec.Members.Scheduling, own.Child("scheduling"))...)
		}
		if scheduling := o.Spec.DatabaseOrDefault().ManagedOrDefault().Scheduling; scheduling != spec.DatabaseOrDefault().ManagedOrDefault().Scheduling {
			problems = append(problems, pods.ValidateScheduling(scheduling, own.Child("database", "scheduling"))...)
		}
		for _, problem := range p.Validate(o.Spec, path) {
			if slices.ContainsFunc(without, func(e *field.Error) bool { return e.Error() == problem.Error() }) {
				continue
			}
			if name, found := o.replaceField(problem.Field, path); found {
				problem.Field = name
			} else {
				problem.Detail += " (for " + o.Nodes + ", because of " + own.String() + ")"
			}
			problems = append(problems, problem)
		}
	}
	return problems
}

// validateOverriddenMembers rejects names that no member has, and members that two overrides of a list name.
func validateOverriddenMembers(names MemberNames, overrides []Override, path *field.Path) field.ErrorList {
	var problems field.ErrorList
	// seen holds the first override of a member, by the path of the list and the member.
	seen := map[string]string{}
	for _, o := range overrides {
		entry := o.Path[len(o.Path)-1]
		list := strings.TrimSuffix(strings.Join(o.Path, "."), entry)
		at := path.Child(o.Path[0], o.Path[1:]...).Child("members")
		problems = append(problems, names.ValidateList(o.Members, at)...)
		for i, name := range o.Members {
			ordinal, ok := names.Ordinal(name)
			key := list + MemberName(ordinal)
			switch first := seen[key]; {
			case !ok:
			case first == "":
				seen[key] = entry
			case first != entry:
				problems = append(problems, field.Invalid(at.Index(i), name, "must be in one override only: "+first+" names the member too"))
			}
		}
	}
	return problems
}
