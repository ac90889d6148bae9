package platform

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/limits"
	"github.com/benchnet/benchnet/internal/network/latency/sidecar"
	"github.com/benchnet/benchnet/internal/run/loadgen"
)

// roleNotary is the role of notaries, both in topologies and in targets of faults.
const roleNotary = "Notary"

// ResolveFaults returns the faults of a workload with the names of the members that their targets select. Of a target with select, they are
// those that may have the role when the fault begins. A target that selects nothing is an error and stays as it is. The path is that of the
// workload.
func ResolveFaults(p Platform, spec *v1alpha1.BenchmarkNetworkSpec, w *v1alpha1.Workload, path *field.Path) ([]v1alpha1.Fault, field.ErrorList) {
	if len(w.Faults) == 0 {
		return nil, nil
	}
	network := &v1alpha1.BenchmarkNetwork{Spec: *spec}
	r := targetResolver{platform: p, spec: spec, topology: p.Topology(network)}
	r.regions = sidecar.AssignRegions(network, r.topology.MemberNames(), r.topology.MemberAliases())
	if w.Blocks != nil {
		r.observed = w.Blocks.Observe
	}
	faults := slices.Clone(w.Faults)
	var errs field.ErrorList
	for i := range faults {
		if err := r.resolveTarget(&faults[i], path.Child("faults").Index(i).Child("target")); err != nil {
			errs = append(errs, err)
		}
	}
	return faults, errs
}

// targetResolver finds the members that targets of faults select.
type targetResolver struct {
	platform Platform
	spec     *v1alpha1.BenchmarkNetworkSpec
	topology Topology
	// regions are the regions of the members by name, and observed is the member whose blocks are observed.
	regions  map[string]string
	observed string
}

// resolveTarget sets the names of the members that the target of a fault selects. The path is that of the target.
func (r *targetResolver) resolveTarget(f *v1alpha1.Fault, path *field.Path) *field.Error {
	t := f.Target
	if t.Select == "" && t.Role == "" && t.Region == "" && t.SharePercent == nil {
		return nil
	}
	names, err := r.filterMembers(&t, path)
	if err != nil {
		return err
	}
	selection := t.Select
	switch {
	case selection != "" && t.SharePercent != nil:
		return field.Forbidden(path.Child("sharePercent"), "cannot be set with select, which selects by the role in the consensus")
	case selection != "":
		var problem string
		if selection, names, problem = r.selectLeaders(f, names); problem != "" {
			return field.Invalid(path.Child("select"), t.Select, problem)
		}
	case t.SharePercent != nil:
		names = names[len(names)-(len(names)*int(*t.SharePercent)+99)/100:]
	}
	f.Target = v1alpha1.FaultTarget{Select: selection, Members: names}
	return nil
}

// filterMembers returns the members that have the role of the target in the network and are in its region.
func (r *targetResolver) filterMembers(t *v1alpha1.FaultTarget, path *field.Path) ([]string, *field.Error) {
	var names []string
	known := map[string]bool{}
	for _, m := range r.topology.Members {
		if t.Role == "" || (t.Role == roleNotary) == (m.Role == roleNotary) {
			names, known[r.regions[m.Name]] = append(names, m.Name), true
		}
	}
	switch {
	case len(names) == 0:
		return nil, field.Invalid(path.Child("role"), t.Role, "selects no member; the members are "+limits.JoinItems(r.topology.MemberNames(), ", "))
	case t.Region == "":
		return names, nil
	case len(r.regions) == 0:
		return nil, field.Invalid(path.Child("region"), t.Region, "needs spec.regions.items of the network")
	case !known[t.Region]:
		return nil, field.NotSupported(path.Child("region"), t.Region, slices.Sorted(maps.Keys(known)))
	}
	return slices.DeleteFunc(names, func(name string) bool { return r.regions[name] != t.Region }), nil
}

// selectLeaders returns those of the members that may have the role in the consensus, or why they are not known. Members that propose in turn
// all lead within seconds, so the last one stands for them: it is hit when its turn begins.
func (r *targetResolver) selectLeaders(f *v1alpha1.Fault, names []string) (selection v1alpha1.FaultSelection, selected []string, problem string) {
	reader, ok := r.platform.(LeaderReader)
	if !ok {
		return "", nil, fmt.Sprintf("cannot be read: the members of a network of type %s do not report who leads", r.platform.Type())
	}
	leadership, err := reader.Leadership(r.spec, r.topology)
	if err != nil {
		return "", nil, err.Error()
	}
	eligible := slices.DeleteFunc(leadership.Members, func(name string) bool { return leadership.InTurn && name == r.observed })
	selected = slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(eligible, name) })
	isQuick := f.Type == v1alpha1.FaultPause || f.Type == v1alpha1.FaultKill && (f.Kill == nil || f.Kill.Of != v1alpha1.KillPod)
	switch {
	case len(selected) == 0:
		return "", nil, "selects none of the members that may lead and are not observed: " + limits.JoinItems(eligible, ", ")
	case !leadership.InTurn:
		return f.Target.Select, selected, ""
	case f.Target.Select != v1alpha1.SelectLeader:
		return "", nil, "must be Leader: validators propose in turn, so all but one follow at any time; select them by sharePercent"
	case !isQuick:
		return "", nil, "needs type Pause, or Kill of a Process or a Container: validators propose in turn, and other faults begin too slowly to hit a turn"
	}
	return loadgen.SelectProposer, selected[len(selected)-1:], ""
}
