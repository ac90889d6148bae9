package plan

import (
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/golden"
	"github.com/benchnet/benchnet/internal/naming"
)

func newInput(edit func(*Input)) Input {
	in := Input{
		Network: &v1alpha1.BenchmarkNetwork{
			ObjectMeta: metav1.ObjectMeta{Name: "net", Namespace: "ns", UID: "uid"},
			Spec: v1alpha1.BenchmarkNetworkSpec{
				NetworkTemplate: v1alpha1.NetworkTemplate{Platform: v1alpha1.PlatformSpec{Type: "Fake"},
					Members: v1alpha1.MembersSpec{Count: 2, Reservation: v1alpha1.ReservationFull},
					Database: &v1alpha1.DatabaseSpec{Engine: v1alpha1.EnginePostgreSQL, Topology: v1alpha1.TopologyShared, Provider: v1alpha1.ProviderManaged,
						Managed: &v1alpha1.ManagedDatabase{}}},
				Workloads: []v1alpha1.NetworkWorkload{{Workload: v1alpha1.Workload{Name: "first", Type: v1alpha1.WorkloadCorda}}, {Workload: v1alpha1.Workload{Name: "second", Type: v1alpha1.WorkloadCorda}}},
			},
		},
		Platform:            fakePlatform{},
		Images:              naming.ImageCatalogue{Registry: "example.com", Version: "1"},
		GenesisSecretFilled: func(string) bool { return false },
	}
	if edit != nil {
		edit(&in)
	}
	return in
}

// TestGoldenPlans pins whole plans: every object of every stage.
func TestGoldenPlans(t *testing.T) {
	var cases []golden.Case
	for _, c := range []struct {
		name string
		edit func(*Input)
	}{
		{"new", nil},
		{"genesis", func(in *Input) { in.GenesisSecretFilled = func(string) bool { return true } }},
		{"h2", func(in *Input) { in.Network.Spec.Database.Engine = v1alpha1.EngineH2 }},
		{"per-host", func(in *Input) {
			in.Network.Spec.Database.Topology, in.Network.Spec.Database.MembersPerInstance = v1alpha1.TopologyPerHost, new(int32(1))
			in.Network.Spec.Members.Reservation = v1alpha1.ReservationMinimal
		}},
		{"scheduled", func(in *Input) {
			in.Network.Spec.Members.Scheduling = parseScheduling(t, "nodeSelector: {node-role: ledger}")
			in.Network.Spec.Database.Managed.Scheduling = parseScheduling(t, `
tolerations: [{key: dedicated, operator: Exists}]
affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, labelSelector: {matchLabels: {a: b}}}]}}
topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {a: b}}}]
priorityClassName: high`)
			in.Network.Spec.PodTemplate = &v1alpha1.PodTemplate{Metadata: v1alpha1.PodMetadata{Labels: map[string]string{"team": "a"}}}
			in.Network.Spec.ImagePullSecrets = []string{"registry"}
		}},
	} {
		cases = append(cases, golden.Case{Name: c.name, Render: func(t *testing.T) []golden.Document { return renderPlan(t, mustBuildPlan(t, c.edit)) }})
	}
	golden.CheckCases(t, cases)
}

// TestZonesChangeNoObject checks that a network with regions from zones gets no sidecars.
func TestZonesChangeNoObject(t *testing.T) {
	zones := mustBuildPlan(t, func(in *Input) {
		in.Network.Spec.Regions = &v1alpha1.RegionsSpec{Source: v1alpha1.RegionsFromNodeZone}
	})
	if !slices.Equal(renderPlan(t, zones), renderPlan(t, mustBuildPlan(t, nil))) {
		t.Error("the plan differs from that without spec.regions")
	}
}

func mustBuildPlan(t *testing.T, edit func(*Input)) *Plan {
	t.Helper()
	p, err := Build(newInput(edit))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func renderPlan(t *testing.T, p *Plan) []golden.Document {
	t.Helper()
	all := []golden.Document{golden.NewYAML(t, "Credentials", p.Credentials)}
	for _, s := range p.Stages {
		all = append(all, golden.NewYAML(t, "Stage "+string(s.Name), map[string]any{"needs": s.Needs, "requiredSecrets": s.RequiredSecrets}))
		for _, o := range s.Objects {
			if scripts, ok := o.(*corev1.ConfigMap); ok && s.Name == StageSchemas { // Scripts are separate files.
				o = &corev1.ConfigMap{TypeMeta: scripts.TypeMeta, ObjectMeta: scripts.ObjectMeta, Data: map[string]string{"members.txt": scripts.Data["members.txt"]}}
			}
			all = append(all, golden.NewYAML(t, objectKind(o)+" "+o.GetName()+" in stage "+string(s.Name), o))
		}
	}
	return all
}

// objectKind returns the kind of an object, or its Go type if it has none.
func objectKind(o client.Object) string {
	if kind := o.GetObjectKind().GroupVersionKind().Kind; kind != "" {
		return kind
	}
	return fmt.Sprintf("%T", o)
}

func TestBuildIsDeterministic(t *testing.T) {
	first := mustBuildPlan(t, nil)
	for range 10 {
		again := mustBuildPlan(t, nil)
		if again.Hash != first.Hash || !slices.Equal(renderPlan(t, again), renderPlan(t, first)) {
			t.Fatal("two plans of the same input differ")
		}
	}
}

func TestHashCoversDatabases(t *testing.T) {
	hash := func(edit func(*Input)) string { return mustBuildPlan(t, edit).Hash }
	same := hash(nil)
	if other := hash(func(in *Input) { in.GenesisSecretFilled = func(string) bool { return true } }); other != same {
		t.Error("complete genesis must not change the hash: it is what a result depends on")
	}
	if other := hash(func(in *Input) { in.Network.Spec.Database.Topology = v1alpha1.TopologyPerMember }); other == same {
		t.Error("another database topology must change the hash")
	}
}

func TestDueRuns(t *testing.T) {
	ended := func(done bool) *v1alpha1.BenchmarkRun {
		status := metav1.ConditionFalse
		if done {
			status = metav1.ConditionTrue
		}
		return &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{{UID: "uid", Controller: new(true)}}},
			Status: v1alpha1.BenchmarkRunStatus{Conditions: []metav1.Condition{{Type: v1alpha1.ConditionComplete, Status: status}}}}
	}
	kept := func() *v1alpha1.BenchmarkRun {
		run := ended(true)
		run.OwnerReferences = nil
		return run
	}
	first, second := naming.WorkloadRun("net", "first"), naming.WorkloadRun("net", "second")
	cases := []struct {
		name   string
		paused bool
		runs   map[string]*v1alpha1.BenchmarkRun
		want   []string
	}{
		{"none yet", false, nil, []string{first}},
		{"first under way", false, map[string]*v1alpha1.BenchmarkRun{first: ended(false)}, []string{first}},
		{"first ended", false, map[string]*v1alpha1.BenchmarkRun{first: ended(true)}, []string{first, second}},
		{"first has lost its owner", false, map[string]*v1alpha1.BenchmarkRun{first: kept()}, []string{second}},
		{"paused", true, nil, nil},
		{"paused after the first", true, map[string]*v1alpha1.BenchmarkRun{first: ended(true)}, []string{first}},
		{"listed before one under way", false, map[string]*v1alpha1.BenchmarkRun{second: ended(false)}, []string{second}},
		{"listed before one that ended", false, map[string]*v1alpha1.BenchmarkRun{second: ended(true)}, []string{second, first}},
		{"paused, listed before another", true, map[string]*v1alpha1.BenchmarkRun{second: ended(false)}, []string{second}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			in := newInput(func(in *Input) { in.Network.Spec.PauseRuns, in.WorkloadRuns = c.paused, c.runs })
			var got []string
			runs, err := buildDueRuns(in)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range runs {
				got = append(got, o.GetName())
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("due are %v, want %v", got, c.want)
			}
		})
	}
}

// TestIsNetworkRun checks which runs count as those of the network's workloads. Users can create a run with any owner, annotation and
// workload, but write no status.
func TestIsNetworkRun(t *testing.T) {
	network := newInput(nil).Network
	workload := network.Spec.Workloads[0].Workload
	lighter := workload
	lighter.Measure.WarmUp.Duration = time.Second
	controller := []metav1.OwnerReference{{UID: "uid", Controller: new(true)}}
	annotations := map[string]string{"benchnet.dev/network-uid": "uid"}
	measured := func(uid types.UID) *v1alpha1.RunRelease { return &v1alpha1.RunRelease{NetworkUID: uid} }
	for name, c := range map[string]struct {
		run      string
		meta     metav1.ObjectMeta
		workload v1alpha1.Workload
		release  *v1alpha1.RunRelease
		want     bool
	}{
		"controlled":                       {run: "net-first", meta: metav1.ObjectMeta{OwnerReferences: controller}, workload: workload, want: true},
		"kept":                             {run: "net-first", workload: workload, release: measured("uid"), want: true},
		"annotated by a user":              {run: "net-first", meta: metav1.ObjectMeta{Annotations: annotations}, workload: workload},
		"measured a lighter workload":      {run: "net-first", meta: metav1.ObjectMeta{Annotations: annotations}, workload: lighter, release: measured("uid")},
		"measured the workload's namesake": {run: "net-other", workload: workload, release: measured("uid")},
		"kept from an earlier network":     {run: "net-first", workload: workload, release: measured("earlier")},
		"owned, but not controlled":        {run: "net-first", meta: metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{{UID: "uid"}}}, workload: workload},
		"controlled by an earlier network": {run: "net-first", meta: metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{{UID: "earlier", Controller: new(true)}}}, workload: workload},
	} {
		t.Run(name, func(t *testing.T) {
			run := &v1alpha1.BenchmarkRun{ObjectMeta: c.meta, Spec: v1alpha1.BenchmarkRunSpec{NetworkName: "net", Workload: c.workload}}
			run.Name, run.Status.Release = c.run, c.release
			if got := IsNetworkRun(network, run); got != c.want {
				t.Errorf("it counts as a run of the network: %t, want %t", got, c.want)
			}
		})
	}
}

// TestGenesisSecretsAreMarked checks that the Secrets of the genesis carry the annotation by which the cache
// drops their data and the writer leaves it alone.
func TestGenesisSecretsAreMarked(t *testing.T) {
	p := mustBuildInput(t, nil)
	for _, o := range p.findStage(StageGenesis).Objects {
		if secret, ok := o.(*corev1.Secret); ok && secret.Annotations[v1alpha1.AnnotationGenerated] != "Genesis" {
			t.Errorf("Secret %s has annotations %v", secret.Name, secret.Annotations)
		}
	}
}
