package registry_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/registry"
)

// targetNetwork returns a network of a platform with members in two regions, the first two in LON.
func targetNetwork(t *testing.T, of v1alpha1.PlatformType, notary v1alpha1.CordaNotaryType, count int32) (platform.Platform, *v1alpha1.BenchmarkNetworkSpec) {
	t.Helper()
	p, err := registry.New().Get(of)
	if err != nil {
		t.Fatal(err)
	}
	spec := &v1alpha1.BenchmarkNetworkSpec{}
	spec.Platform.Type, spec.Members.Count = of, count
	if of == v1alpha1.PlatformCorda {
		spec.Platform.Corda = &v1alpha1.CordaPlatform{Notary: v1alpha1.CordaNotary{Type: notary, Replicas: ptr.To(int32(3))}}
	}
	names := p.Topology(&v1alpha1.BenchmarkNetwork{Spec: *spec}).MemberNames()
	spec.Regions = &v1alpha1.RegionsSpec{Items: []v1alpha1.Region{{Name: "LON", Members: names[:2]}, {Name: "NYC", Members: names[2:]}}}
	return p, spec
}

// resolveTarget returns the target of a fault after its resolution, and the error.
func resolveTarget(p platform.Platform, spec *v1alpha1.BenchmarkNetworkSpec, w v1alpha1.Workload, f v1alpha1.Fault) (v1alpha1.FaultTarget, string) {
	w.Faults = []v1alpha1.Fault{f}
	faults, errs := platform.ResolveFaults(p, spec, &w, field.NewPath("workload"))
	problem := ""
	if err := errs.ToAggregate(); err != nil {
		problem = err.Error()
	}
	return faults[0].Target, problem
}

// TestResolveTargets compares random combinations of role, region and share with a filter of each member by itself.
func TestResolveTargets(t *testing.T) {
	for seed := range uint64(200) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 0))
			p, spec := targetNetwork(t, v1alpha1.PlatformCorda, v1alpha1.CordaNotaryRaft, 2+random.Int32N(5))
			var target v1alpha1.FaultTarget
			target.Role, target.Region = []string{"", "Member", "Notary"}[random.IntN(3)], []string{"", "LON", "NYC"}[random.IntN(3)]
			if random.IntN(2) == 0 || target.Role+target.Region == "" {
				target.SharePercent = ptr.To(1 + random.Int32N(100))
			}
			var want []string
			for i, m := range p.Topology(&v1alpha1.BenchmarkNetwork{Spec: *spec}).Members {
				isNotary, region := strings.HasPrefix(m.Name, "notary"), "NYC"
				if i < 2 {
					region = "LON"
				}
				if (target.Role == "" || isNotary == (target.Role == "Notary")) && (target.Region == "" || target.Region == region) {
					want = append(want, m.Name)
				}
			}
			if target.SharePercent != nil {
				for share := float64(*target.SharePercent) / 100 * float64(len(want)); float64(len(want)-1) >= share; {
					want = want[1:]
				}
			}
			got, problem := resolveTarget(p, spec, v1alpha1.Workload{}, v1alpha1.Fault{Type: v1alpha1.FaultPause, Target: target})
			if len(want) == 0 {
				want = nil
			}
			if !reflect.DeepEqual(got.Members, want) || (problem == "") != (len(want) > 0) {
				t.Errorf("%+v selects %v, want %v: %s", target, got.Members, want, problem)
			}
		})
	}
}

// TestResolveLeaders checks who may lead on each platform, and the reason if that is not known.
func TestResolveLeaders(t *testing.T) {
	leader, followers := v1alpha1.FaultTarget{Select: v1alpha1.SelectLeader}, v1alpha1.FaultTarget{Select: v1alpha1.SelectFollowers}
	blocks := v1alpha1.Workload{Blocks: &v1alpha1.BlocksWorkload{Observe: "member-3"}}
	const path = "workload.faults[0].target."
	for name, c := range map[string]struct {
		platform v1alpha1.PlatformType
		notary   v1alpha1.CordaNotaryType
		workload v1alpha1.Workload
		fault    v1alpha1.Fault
		want     v1alpha1.FaultTarget
		problem  string
	}{
		"a Raft notary": {v1alpha1.PlatformCorda, v1alpha1.CordaNotaryRaft, v1alpha1.Workload{}, v1alpha1.Fault{Type: v1alpha1.FaultLink, Target: followers},
			v1alpha1.FaultTarget{Select: v1alpha1.SelectFollowers, Members: []string{"notary-0", "notary-1", "notary-2"}}, ""},
		"a bank": {v1alpha1.PlatformCorda, v1alpha1.CordaNotaryRaft, v1alpha1.Workload{}, v1alpha1.Fault{Target: v1alpha1.FaultTarget{Select: v1alpha1.SelectLeader, Role: "Member"}},
			v1alpha1.FaultTarget{}, path + `select: Invalid value: "Leader": selects none of the members that may lead and are not observed: notary-0, notary-1, notary-2`},
		"a single notary": {v1alpha1.PlatformCorda, v1alpha1.CordaNotarySingle, v1alpha1.Workload{}, v1alpha1.Fault{Target: leader},
			v1alpha1.FaultTarget{}, path + `select: Invalid value: "Leader": needs platform.corda.notary.type Raft: a notary of type Single has no leader that its agents can read`},
		"JPaxos": {v1alpha1.PlatformJPaxos, "", v1alpha1.Workload{}, v1alpha1.Fault{Target: v1alpha1.FaultTarget{Select: v1alpha1.SelectLeader, Region: "NYC"}},
			v1alpha1.FaultTarget{Select: v1alpha1.SelectLeader, Members: []string{"member-2", "member-3"}}, ""},
		"a validator": {v1alpha1.PlatformCometBFT, "", v1alpha1.Workload{}, v1alpha1.Fault{Type: v1alpha1.FaultKill, Target: leader},
			v1alpha1.FaultTarget{Select: "Proposer", Members: []string{"member-3"}}, ""},
		"a validator that is not observed": {v1alpha1.PlatformMalachite, "", blocks, v1alpha1.Fault{Type: v1alpha1.FaultPause, Target: leader},
			v1alpha1.FaultTarget{Select: "Proposer", Members: []string{"member-2"}}, ""},
		"validators that follow": {v1alpha1.PlatformMalachiteEVM, "", v1alpha1.Workload{}, v1alpha1.Fault{Type: v1alpha1.FaultKill, Target: followers},
			v1alpha1.FaultTarget{}, path + `select: Invalid value: "Followers": must be Leader: validators propose in turn, so all but one follow at any time; select them by sharePercent`},
		"the link of a validator": {v1alpha1.PlatformCometBFT, "", v1alpha1.Workload{}, v1alpha1.Fault{Type: v1alpha1.FaultLink, Target: leader},
			v1alpha1.FaultTarget{}, path + `select: Invalid value: "Leader": needs type Pause, or Kill of a Process or a Container: validators propose in turn, and other faults begin too slowly to hit a turn`},
		"the pod of a validator": {v1alpha1.PlatformCometBFT, "", v1alpha1.Workload{}, v1alpha1.Fault{Type: v1alpha1.FaultKill, Kill: &v1alpha1.KillFault{Of: v1alpha1.KillPod}, Target: leader},
			v1alpha1.FaultTarget{}, path + `select: Invalid value: "Leader": needs type Pause, or Kill of a Process or a Container: validators propose in turn, and other faults begin too slowly to hit a turn`},
		"a share of leaders": {v1alpha1.PlatformJPaxos, "", v1alpha1.Workload{}, v1alpha1.Fault{Target: v1alpha1.FaultTarget{Select: v1alpha1.SelectLeader, SharePercent: ptr.To(int32(50))}},
			v1alpha1.FaultTarget{}, path + "sharePercent: Forbidden: cannot be set with select, which selects by the role in the consensus"},
		"notaries of validators": {v1alpha1.PlatformCometBFT, "", v1alpha1.Workload{}, v1alpha1.Fault{Target: v1alpha1.FaultTarget{Role: "Notary"}},
			v1alpha1.FaultTarget{}, path + `role: Invalid value: "Notary": selects no member; the members are member-0, member-1, member-2, member-3`},
		"an unknown region": {v1alpha1.PlatformCometBFT, "", v1alpha1.Workload{}, v1alpha1.Fault{Target: v1alpha1.FaultTarget{Region: "SYD"}},
			v1alpha1.FaultTarget{}, path + `region: Unsupported value: "SYD": supported values: "LON", "NYC"`},
	} {
		t.Run(name, func(t *testing.T) {
			p, spec := targetNetwork(t, c.platform, c.notary, 4)
			if c.problem != "" {
				c.want = c.fault.Target
			}
			got, problem := resolveTarget(p, spec, c.workload, c.fault)
			if !reflect.DeepEqual(got, c.want) || problem != c.problem {
				t.Errorf("the target is %+v, problem %q, want %q", got, problem, c.problem)
			}
		})
	}
}
