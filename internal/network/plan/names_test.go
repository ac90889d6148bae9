package plan_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/network/plan"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
	"github.com/benchnet/benchnet/internal/platform/registry"
	"github.com/benchnet/benchnet/internal/run/loadgen"
)

// deriver returns the name of an object of an owner.
type deriver func(owner string) string

// ownerKind is a kind of owner with the names of its objects, by the kind of the object and by what the name has beside
// the owner's.
type ownerKind map[string]map[string]deriver

func (o ownerKind) add(kind, part string, name deriver) {
	if o[kind] == nil {
		o[kind] = map[string]deriver{}
	}
	o[kind][part] = name
}

// kindOf returns the kind of an object. A chart's objects are unstructured.
func kindOf(object client.Object) string {
	if kind := object.GetObjectKind().GroupVersionKind().Kind; kind != "" {
		return kind
	}
	return strings.TrimPrefix(fmt.Sprintf("%T", object)[strings.LastIndex(fmt.Sprintf("%T", object), ".")+1:], "*")
}

// sampleNetworks returns every sample, one with a dedicated database for each replica of its notary, and one that emulates latency.
func sampleNetworks(t *testing.T) []*v1alpha1.BenchmarkNetwork {
	t.Helper()
	var all []*v1alpha1.BenchmarkNetwork
	for _, p := range registry.New() {
		for _, s := range platformtest.LoadSamples(t, p) {
			all = append(all, s.Network)
			if s.Name == "corda_raft_notary" {
				replicated := s.Network.DeepCopy()
				replicated.Spec.Database = &v1alpha1.DatabaseSpec{Engine: v1alpha1.EnginePostgreSQL, Provider: v1alpha1.ProviderManaged, Topology: v1alpha1.TopologyShared}
				replicated.Spec.Platform.Corda.Notary.Database = &v1alpha1.DatabaseOverride{}
				all = append(all, replicated)
			}
		}
	}
	return all
}

// buildObjects returns every object that a network may have: those of its plan, those of a reset, and its passwords.
func buildObjects(t *testing.T, network *v1alpha1.BenchmarkNetwork) []client.Object {
	t.Helper()
	p, err := registry.New().Get(network.Spec.Platform.Type)
	if err != nil {
		t.Fatal(err)
	}
	in := plan.Input{Network: network, Platform: p, Images: platformtest.ImageCatalogue(), GenesisSecretFilled: func(string) bool { return false }}
	fresh, err := plan.Build(in)
	if err != nil {
		t.Fatalf("%s: %v", network.Name, err)
	}
	all := fresh.Objects()
	in.EpochRecord = fresh.EpochRecord.DeepCopy()
	in.EpochRecord.Data["id"] = "0123abcd"
	in.StatefulSet = func(name string) *appsv1.StatefulSet {
		return &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: name}}
	}
	reset, err := plan.Build(in)
	if err != nil {
		t.Fatalf("%s: %v", network.Name, err)
	}
	return append(all, reset.Objects()...)
}

// contentHash matches names of Jobs and ConfigMaps that end with a hash of their content.
var contentHash = regexp.MustCompile("-[0-9a-f]{8}$")

// laterOrdinal matches names of members and instances after the first two.
var laterOrdinal = regexp.MustCompile("-([2-9]|[1-9][0-9]+)(-[a-z]+)?$")

// networkOwner returns the names of the objects of networks, as found in the plans of all samples.
func networkOwner(t *testing.T) ownerKind {
	t.Helper()
	names := ownerKind{}
	names.add("Workload", "kueue", naming.KueueWorkload)
	for _, network := range sampleNetworks(t) {
		network.Name = "x"
		for _, object := range buildObjects(t, network) {
			kind, name := kindOf(object), object.GetName()
			switch account, isAccount := strings.CutPrefix(name, naming.ReservedPrefix); {
			case kind == "BenchmarkRun": // The test derives them from pairs of a network and a workload.
			case contentHash.MatchString(name): // A hash of the content distinguishes them from the Jobs of runs.
			case isAccount && strings.HasSuffix(account, "-x"):
				part := strings.TrimSuffix(account, "x")
				names.add(kind, part, func(n string) string {
					return naming.ReservedPrefix + part + strings.TrimSuffix(naming.Member(n, ""), "-")
				})
			case laterOrdinal.MatchString(name): // As the first ones.
			case strings.HasPrefix(name, "x-"):
				part := strings.TrimPrefix(name, "x-")
				names.add(kind, part, func(n string) string { return naming.Member(n, part) })
			default:
				t.Errorf("%s %s has a name from which that of its network does not follow", kind, name)
			}
		}
	}
	return names
}

func runObjects(t *testing.T, name string) []client.Object {
	t.Helper()
	run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "bench"}}
	run.Spec.NetworkName, run.Spec.Workload.Workers.Count = "x", 2
	objects, err := loadgen.BuildObjects(run, loadgen.Driver{}, "agent:1", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, delivery := range []string{naming.Upload(name), naming.RunWebhook(name)} {
		objects = append(objects, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: delivery}}, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: delivery}},
			&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: delivery}}, &networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Name: delivery}})
	}
	return append(objects, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: naming.ResultConfigMap(name)}})
}

func experimentObjects(name string) []client.Object {
	delivery := metav1.ObjectMeta{Name: naming.ExperimentWebhook(name)}
	return []client.Object{&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: naming.ExperimentResult(name)}},
		&batchv1.Job{ObjectMeta: delivery}, &corev1.ConfigMap{ObjectMeta: delivery}, &corev1.Secret{ObjectMeta: delivery}, &networkingv1.NetworkPolicy{ObjectMeta: delivery},
		&v1alpha1.BenchmarkNetwork{ObjectMeta: metav1.ObjectMeta{Name: naming.ExperimentNetwork(name, 1)}}}
}

// registryOfNames finds objects of one kind and name with two owners.
type registryOfNames map[[2]string]string

func (r registryOfNames) add(t *testing.T, kind, name, owner string) {
	t.Helper()
	if other, found := r[[2]string{kind, name}]; found && other != owner {
		t.Errorf("%s %s belongs to %s and to %s", kind, name, other, owner)
	}
	r[[2]string{kind, name}] = owner
}

// TestNamesDoNotMeet checks that no two networks, runs or experiments have objects of one kind and name. Their names are
// put together from all parts that derived names have.
func TestNamesDoNotMeet(t *testing.T) {
	network := networkOwner(t)
	parts := map[string]bool{"a": true, "notary": true, "worker": true, "result": true, "results": true, "barrier": true, "w0": true, "upload": true, "n1": true,
		"benchnet": true, "run": true, "-x": true}
	for _, byPart := range network {
		for part := range byPart {
			for i, token := 0, strings.Split(strings.Trim(part, "-"), "-"); i < len(token); i++ {
				parts[strings.Join(token[:i+1], "-")], parts[strings.Join(token[i:], "-")] = true, true
			}
		}
	}
	owners := []string{"x", strings.Repeat("x", 30), naming.Member(strings.Repeat("x", 31), "")[:30], strings.Repeat("x", 40), strings.Repeat("x", 53)}
	for part := range parts {
		owners = append(owners, "x-"+part)
		for other := range parts {
			if !strings.Contains(other, "-") {
				owners = append(owners, "x-"+other+"-"+part)
			}
		}
	}
	slices.Sort(owners)
	seen := registryOfNames{}
	for _, owner := range slices.Compact(owners) {
		for kind, byPart := range network {
			for _, name := range byPart {
				seen.add(t, kind, name(owner), "network "+owner)
			}
		}
		for _, object := range runObjects(t, owner) {
			seen.add(t, kindOf(object), object.GetName(), "run "+owner)
		}
		seen.add(t, "Workload", naming.ExperimentKueueWorkload(owner), "experiment "+owner)
		for _, object := range experimentObjects(owner) {
			seen.add(t, kindOf(object), object.GetName(), "experiment "+owner)
		}
	}
	if len(network["StatefulSet"]) < 10 || network["ConfigMap"]["emulation"] == nil || network["StatefulSet"]["notary-0-pg"] == nil || network["Job"] == nil {
		t.Errorf("the samples lack objects: %v", slices.Sorted(maps.Keys(network["StatefulSet"])))
	}
}

// TestRunNamesDoNotMeet checks that runs of two networks share a name only if both names, joined by a hyphen, are the same, and
// that no two runs of experiments share one.
func TestRunNamesDoNotMeet(t *testing.T) {
	tokens := []string{"a", "b", "p01", "p01-r1", "r1", "a2", "s01", "s01-l100", "l100-r1", "0123abcd", "20261126", "a-b", "b-a", "a--b", "-b", strings.Repeat("c", 61),
		strings.Repeat("c", 40), strings.Repeat("c", 31) + "-0123abcd"}
	names := slices.Clone(tokens)
	for _, first := range tokens {
		for _, second := range tokens {
			names = append(names, first+"-"+second)
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return len(validation.IsDNS1123Label(name)) > 0 })
	seen := registryOfNames{}
	for _, network := range names {
		for _, workload := range names {
			name := naming.WorkloadRun(network, workload)
			seen.add(t, "BenchmarkRun", name, network+"-"+workload)
			if len(validation.IsDNS1123Label(name)) > 0 {
				t.Errorf("%s is no label", name)
			}
		}
		for _, point := range []string{"p01", "p02", "s01", "s01-l100", "s01-l1000"} {
			for attempt := 1; attempt <= 2; attempt++ {
				seen.add(t, "run of an experiment", naming.ExperimentRun(network, point, 1, attempt), fmt.Sprintf("experiment %s, %s, attempt %d", network, point, attempt))
			}
		}
	}
}

// TestLongestNamesAreValid builds all samples and runs with the longest names, and checks names and labels as the API
// server does.
func TestLongestNamesAreValid(t *testing.T) {
	longest := strings.Repeat("n", 63)
	objects := runObjects(t, longest)
	objects = append(objects, experimentObjects(longest)...)
	for _, network := range sampleNetworks(t) {
		network.Name = longest
		objects = append(objects, buildObjects(t, network)...)
	}
	for _, object := range objects {
		id, name := kindOf(object)+" "+object.GetName(), object.GetName()
		problems := validation.IsDNS1123Subdomain(name)
		switch kindOf(object) {
		case "Service":
			problems = validation.IsDNS1035Label(name)
		case "StatefulSet": // Its pods have its name in a label and as host name.
			problems = append(validation.IsDNS1123Label(name+"-0"), validation.IsValidLabelValue(name+"-0123456789")...)
		case "Job":
			problems = append(validation.IsDNS1123Label(name), validation.IsValidLabelValue(name)...)
			if job := object.(*batchv1.Job); job.Spec.CompletionMode != nil { // The host names of its pods have its name.
				problems = validation.IsDNS1123Label(name + "-49")
			}
		case "BenchmarkNetwork", "BenchmarkRun":
			problems = validation.IsDNS1123Label(name)
		}
		for key, value := range object.GetLabels() {
			for _, problem := range validation.IsValidLabelValue(value) {
				problems = append(problems, key+": "+problem)
			}
		}
		for _, problem := range problems {
			t.Errorf("%s: %s", id, problem)
		}
	}
}

// TestAccountsHaveTheReservedPrefix checks that no name of a network or a run leads to the account of somebody else.
func TestAccountsHaveTheReservedPrefix(t *testing.T) {
	objects := runObjects(t, "default")
	for _, network := range sampleNetworks(t) {
		network.Name = "deployer"
		objects = append(objects, buildObjects(t, network)...)
	}
	for _, object := range objects {
		switch object := object.(type) {
		case *corev1.ServiceAccount, *rbacv1.Role, *rbacv1.RoleBinding:
			checkReserved(t, kindOf(object), object.GetName())
		case *appsv1.StatefulSet:
			checkReserved(t, "the account of StatefulSet "+object.Name, object.Spec.Template.Spec.ServiceAccountName)
		case *batchv1.Job:
			checkReserved(t, "the account of Job "+object.Name, object.Spec.Template.Spec.ServiceAccountName)
		}
	}
}

func checkReserved(t *testing.T, what, name string) {
	t.Helper()
	if name != "" && !strings.HasPrefix(name, naming.ReservedPrefix) {
		t.Errorf("%s is %s, without the prefix %s", what, name, naming.ReservedPrefix)
	}
}

// TestNamesOfUsers checks which names networks, runs and experiments may have.
func TestNamesOfUsers(t *testing.T) {
	samples := map[string]string{"network": "malachite_m1.yaml", "run": "corda_run.yaml", "experiment": "experiment_m1.yaml"}
	for kind, file := range samples {
		admission := platformtest.NewAdmission(t, "../../../config/crd/bases/benchnet.dev_benchmark"+kind+"s.yaml")
		for name, admitted := range map[string]bool{"pay": true, "default": true, "release-4-10": true, strings.Repeat("n", 63): true, strings.Repeat("n", 64): false,
			"release-4.10": false, "4-10": false, "benchnet-run-pay": false, "benchnet-": false, "benchnets": true} {
			t.Run(kind+" "+name, func(t *testing.T) {
				object := map[string]any{}
				if err := yaml.Unmarshal(platformtest.ReadSampleFile(t, file), &object); err != nil {
					t.Fatal(err)
				}
				object["metadata"].(map[string]any)["name"] = name
				manifest, err := yaml.Marshal(object)
				if err != nil {
					t.Fatal(err)
				}
				err = admission.Admit(manifest, &map[string]any{})
				if admitted != (err == nil) || err != nil && !strings.Contains(err.Error(), "metadata.name must be ") {
					t.Errorf("got %v", err)
				}
			})
		}
	}
}
