package capacity

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/network/plan"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
	"github.com/benchnet/benchnet/internal/platform/registry"
)

// statefulSetManifest has a main container, a sidecar, and an init container that needs more than both. The
// scheduler counts max(init + sidecar, sum).
const statefulSetManifest = `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 2
  template:
    spec:
      initContainers:
      - {name: side, restartPolicy: Always, resources: {requests: {cpu: 100m, memory: 64Mi}}}
      - {name: before, resources: {requests: {cpu: "2", memory: 128Mi}}}
      containers:
      - {name: main, resources: {limits: {memory: 1Gi}, requests: {cpu: 500m}}}
      volumes:
      - {name: scratch, ephemeral: {volumeClaimTemplate: {spec: {resources: {requests: {storage: 1Gi}}}}}}
  volumeClaimTemplates:
  - {metadata: {name: data}, spec: {resources: {requests: {storage: 8Gi}}}}
`

func parseManifest[T client.Object](t *testing.T, text string, into T) T {
	t.Helper()
	if err := yaml.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(err)
	}
	return into
}

func assertNeeds(t *testing.T, needs Needs, pods int32, cores, memory string, volumes int32, storage string) {
	t.Helper()
	c, m := needs.Cores(), needs.Memory()
	if needs.Pods() != pods || c.String() != cores || m.String() != memory || needs.Volumes != volumes || needs.Storage.String() != storage {
		t.Errorf("needs %d pods, %s cores, %s of memory, %d volumes of %s; want %d, %s, %s, %d, %s", needs.Pods(), c.String(), m.String(),
			needs.Volumes, needs.Storage.String(), pods, cores, memory, volumes, storage)
	}
}

func computeNeeds(t *testing.T, objects ...client.Object) Needs {
	t.Helper()
	needs, err := ComputeNeeds(objects)
	if err != nil {
		t.Fatal(err)
	}
	return needs
}

func TestComputeNeeds(t *testing.T) {
	typed := computeNeeds(t, parseManifest(t, statefulSetManifest, &appsv1.StatefulSet{}))
	assertNeeds(t, typed, 2, "4200m", "2176Mi", 4, "18Gi")
	rendered := computeNeeds(t, parseManifest(t, statefulSetManifest, &unstructured.Unstructured{Object: map[string]any{}}))
	assertNeeds(t, rendered, 2, "4200m", "2176Mi", 4, "18Gi")
	claim := computeNeeds(t, parseManifest(t, "metadata: {name: c}\nspec: {resources: {requests: {storage: 2Gi}}}", &corev1.PersistentVolumeClaim{}))
	assertNeeds(t, claim, 0, "0", "0", 1, "2Gi")
	job := `{metadata: {name: j}, spec: {parallelism: 5, completions: 3, template: {spec: {containers: [{name: c, resources: {limits: {cpu: 100m}}}]}}}}`
	assertNeeds(t, computeNeeds(t, parseManifest(t, job, &batchv1.Job{})), 3, "300m", "0", 0, "0")
	assertNeeds(t, computeNeeds(t, &corev1.Secret{}, &corev1.Service{}), 0, "0", "0", 0, "0")
	if _, err := ComputeNeeds([]client.Object{&unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "d"}, "spec": map[string]any{"replicas": "two"}}}}); err == nil {
		t.Error("a Deployment that cannot be read should be refused")
	}
}

// TestComputeNetworkNeedsOfPhases checks the peak over the phases: Jobs end before members start; databases
// exist in both phases.
func TestComputeNetworkNeedsOfPhases(t *testing.T) {
	job := parseManifest(t, `{metadata: {name: genesis}, spec: {template: {spec: {containers: [{name: c, resources: {requests: {cpu: 200m, memory: 4Gi}}}]}}}}`, &batchv1.Job{})
	db := parseManifest(t, `{metadata: {name: db}, spec: {template: {spec: {containers: [{name: c, resources: {requests: {cpu: 100m, memory: 1Gi}}}]}}}}`, &appsv1.StatefulSet{})
	member := parseManifest(t, `{metadata: {name: m}, spec: {template: {spec: {containers: [{name: c, resources: {requests: {cpu: "1", memory: 1Gi}}}]}}}}`, &appsv1.StatefulSet{})
	p := &plan.Plan{Stages: []plan.Stage{
		{Name: plan.StageGenesis, Objects: []client.Object{job}},
		{Name: plan.StageDatabases, Objects: []client.Object{db}},
		{Name: plan.StageMembers, Objects: []client.Object{member}},
	}}
	needs, err := ComputeNetworkNeeds(p, computeNeeds(t, parseManifest(t, `{metadata: {name: w}, spec: {template: {spec: {containers: [{name: c, resources: {requests: {cpu: 100m}}}]}}}}`, &batchv1.Job{})))
	if err != nil {
		t.Fatal(err)
	}
	assertNeeds(t, needs, 3, "1200m", "5Gi", 0, "0")
	assertNeeds(t, needs.Add(needs), 6, "2400m", "10Gi", 0, "0")
}

// TestComputeNetworkNeedsOfCorda uses the sample of a real platform: its setup pods end, its databases and
// members keep running.
func TestComputeNetworkNeedsOfCorda(t *testing.T) {
	needs := needsOfNetwork(t, twoBanksManifest)
	// Two members and a notary of a tenth of a core and half of 2Gi, a database of a tenth and half of 1Gi, and
	// its exporter.
	if len(needs.RunningPods) != 4 || needs.Volumes == 0 {
		t.Errorf("the standing network should be 4 pods with volumes, but: %d pods, %d volumes", len(needs.RunningPods), needs.Volumes)
	}
	running := SumRequests(needs.RunningPods)
	if c, m := running.Cpu().MilliValue(), running.Memory().Value()>>20; c < 400 || c > 500 || m < 3584 || m > 3584+128 {
		t.Errorf("it requests %dm and %d MiB", c, m)
	}
	if len(needs.SetupPods) < 3 {
		t.Errorf("it is set up by a database and at least two Jobs, but: %d pods", len(needs.SetupPods))
	}
}

// TestComputeNetworkNeedsOfRoles checks that members and notary count with their own sizes.
func TestComputeNetworkNeedsOfRoles(t *testing.T) {
	equal := needsOfNetwork(t, twoBanksManifest)
	own := needsOfNetwork(t, strings.NewReplacer(`"4.10"`, `"4.10", notary: {cores: "3", storage: {size: 7Gi}}`,
		"count: 2", "count: 2, overrides: [{members: [member-1], memory: 6Gi}]").Replace(twoBanksManifest))
	cores, memory, storage := own.Cores(), own.Memory(), own.Storage.DeepCopy()
	cores.Sub(equal.Cores())
	memory.Sub(equal.Memory())
	storage.Sub(equal.Storage)
	// Two cores more at a tenth, 4Gi more at a half, and 7Gi instead of 2Gi.
	if cores.String() != "200m" || memory.String() != "2Gi" || storage.String() != "5Gi" {
		t.Errorf("it needs %s cores, %s of memory and %s of storage more, want 200m, 2Gi and 5Gi", &cores, &memory, &storage)
	}
}

// needsOfNetwork returns the needs of a network without load.
func needsOfNetwork(t *testing.T, manifest string) Needs {
	t.Helper()
	network := platformtest.NewAdmission(t, "../../../config/crd/bases/benchnet.dev_benchmarknetworks.yaml").AdmitNetwork(t, []byte(manifest))
	corda, err := registry.New().Get(network.Spec.Platform.Type)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Build(plan.Input{Network: network, Platform: corda, Images: naming.ImageCatalogue{Registry: "example.com", Version: "1"},
		KubeVersion: "v1.34.4", GenesisSecretFilled: func(string) bool { return false }})
	if err != nil {
		t.Fatal(err)
	}
	needs, err := ComputeNetworkNeeds(p, Needs{})
	if err != nil {
		t.Fatal(err)
	}
	return needs
}

const twoBanksManifest = `
apiVersion: benchnet.dev/v1alpha1
kind: BenchmarkNetwork
metadata: {name: banks}
spec:
  platform: {type: Corda, corda: {version: "4.10"}}
  members: {count: 2, heap: 1Gi, cores: "1", memory: 2Gi, reservation: Minimal}
  database: {engine: PostgreSQL, topology: Shared, managed: {cores: "1", memory: 1Gi}}
`
