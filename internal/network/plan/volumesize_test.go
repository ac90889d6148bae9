package plan

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/kinds"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/members"
)

// growingPlatform sizes the volumes of its members by the number of workloads, one GiB each.
type growingPlatform struct{ fakePlatform }

func sizeFor(spec *v1alpha1.BenchmarkNetworkSpec) resource.Quantity {
	return *resource.NewQuantity(int64(len(spec.Workloads))<<30, resource.BinarySI)
}

func (growingPlatform) DerivedSettings(spec *v1alpha1.BenchmarkNetworkSpec) []v1alpha1.DerivedSetting {
	size := sizeFor(spec)
	return []v1alpha1.DerivedSetting{{Name: platform.SettingMemberStorage, Value: size.String(), Source: "the rule"}}
}

func (growingPlatform) SummarizeWorkloads(spec *v1alpha1.BenchmarkNetworkSpec) []v1alpha1.Workload {
	return make([]v1alpha1.Workload, len(spec.Workloads))
}

func (growingPlatform) BuildMembers(in platform.Input, t platform.Topology) ([]client.Object, error) {
	var all []client.Object
	for _, m := range t.Members {
		claims, volumes := members.StorageVolumes(in.Network, m, "state", sizeFor(&in.Network.Spec))
		all = append(all, members.StatefulSet(in.Network, m, corev1.PodSpec{Volumes: volumes}, nil, claims...))
	}
	return all, nil
}

func (growingPlatform) DatabaseRequirements(in platform.Input, t platform.Topology) platform.DatabaseRequirements {
	needs := fakePlatform{}.DatabaseRequirements(in, t)
	needs.PlannedTransactions = int64(len(in.Network.Spec.Workloads)) * 1_000_000
	return needs
}

// liveSets returns the StatefulSets of a plan as the cache holds them.
func liveSets(t *testing.T, p *Plan) func(name string) *appsv1.StatefulSet {
	t.Helper()
	live := map[string]*appsv1.StatefulSet{}
	for _, o := range p.Objects() {
		set, ok := o.(*appsv1.StatefulSet)
		if u, isUnstructured := o.(*unstructured.Unstructured); isUnstructured && u.GetKind() == "StatefulSet" {
			set, ok = &appsv1.StatefulSet{}, true
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, set); err != nil {
				t.Fatal(err)
			}
		}
		if ok {
			set = set.DeepCopy()
			kinds.Trim(set)
			live[set.Name] = set
		}
	}
	return func(name string) *appsv1.StatefulSet { return live[name] }
}

// TestAppendedWorkloadKeepsVolumes appends a workload that would derive larger volumes. Members and databases
// must not change, and the plan reports the volumes that are too small.
func TestAppendedWorkloadKeepsVolumes(t *testing.T) {
	for _, storage := range []v1alpha1.StorageType{v1alpha1.StoragePersistent, v1alpha1.StorageEphemeral} {
		t.Run(string(storage), func(t *testing.T) {
			in := newInput(func(in *Input) {
				in.Platform = growingPlatform{}
				in.Network.Spec.Members.Storage.Type = storage
				in.Network.Spec.Database.Managed.Storage = &v1alpha1.Storage{Type: storage}
			})
			created := mustBuild(t, in)
			if len(created.Shortfalls) != 0 {
				t.Fatalf("a new network lacks %+v", created.Shortfalls)
			}
			in.StatefulSet = liveSets(t, created)
			in.Network.Spec.Workloads = append(in.Network.Spec.Workloads, v1alpha1.NetworkWorkload{Workload: v1alpha1.Workload{
				Name: "third", Measure: v1alpha1.Measure{Window: v1alpha1.Seconds{Duration: time.Hour}}}})
			appended := mustBuild(t, in)
			if appended.Hash != created.Hash {
				t.Errorf("the appended workload changes members or databases")
			}
			var small []string
			for _, s := range appended.Shortfalls {
				small = append(small, s.StatefulSet+"/"+s.Volume)
			}
			if want := []string{"net-db/data", naming.Member("net", "member-0") + "/state", naming.Member("net", "member-1") + "/state"}; len(small) != len(want) {
				t.Errorf("volumes that are too small: %v, want %v", small, want)
			}
			if got := appended.Settings[0]; got.Value != "2Gi" || got.Source == "the rule" {
				t.Errorf("the setting should show the size that the volumes keep, but is %+v", got)
			}
			if got := appended.Databases[0].Storage; got != created.Databases[0].Storage {
				t.Errorf("the database's storage is %s, want %s as created", got, created.Databases[0].Storage)
			}
		})
	}
}

// TestPlannedWorkloadsSizeVolumes checks that the volumes of members and databases have space for the runs of an
// experiment, which the network does not list.
func TestPlannedWorkloadsSizeVolumes(t *testing.T) {
	listed := newInput(func(in *Input) { in.Platform = growingPlatform{} })
	planned := newInput(func(in *Input) {
		in.Platform = growingPlatform{}
		count := len(in.Network.Spec.Workloads)
		in.Network.Spec.Workloads = nil
		if err := platform.RecordPlannedWorkloads(in.Platform, in.Network, make([]v1alpha1.Workload, count)); err != nil {
			t.Fatal(err)
		}
	})
	want, got := mustBuild(t, listed), mustBuild(t, planned)
	if got.Hash != want.Hash || got.Settings[0] != want.Settings[0] {
		t.Errorf("planned workloads give the volumes %+v, listed ones %+v", got.Settings[0], want.Settings[0])
	}
	if runs := got.findStage(StageWorkloads).Objects; len(runs) != 0 {
		t.Errorf("the network should not create the planned runs, but creates %d", len(runs))
	}
}

// TestExperimentLabelIsKept changes the network's label and checks that the pods keep the label with which they
// were created.
func TestExperimentLabelIsKept(t *testing.T) {
	for name, test := range map[string]struct{ created, changed string }{
		"added":   {"", "other"},
		"changed": {"one", "other"},
		"removed": {"one", ""},
	} {
		t.Run(name, func(t *testing.T) {
			in := newInput(func(in *Input) { in.Network.Labels = map[string]string{v1alpha1.LabelExperiment: test.created} })
			in.EpochRecord = in.buildEpochRecord(Epoch{})
			in.Network.Labels[v1alpha1.LabelExperiment] = test.changed
			if got := in.experimentName(); got != test.created {
				t.Errorf("pods are labelled with %q, want %q", got, test.created)
			}
		})
	}
}
