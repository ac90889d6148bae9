package controllers_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/cli/cluster"
	"github.com/benchnet/benchnet/internal/kube/apply"
	"github.com/benchnet/benchnet/internal/kube/limits"
	kubesnapshot "github.com/benchnet/benchnet/internal/kube/snapshot"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/network/plan"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/loadgen"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
	"github.com/benchnet/benchnet/internal/run/verdict"
	"github.com/benchnet/benchnet/internal/status"
)

const (
	// maxObjectBytes is etcd's limit on a request. The API server stores an object with its managed fields.
	maxObjectBytes = 1536 << 10
	// maxDataBytes is the API server's limit on the values of a ConfigMap or Secret.
	maxDataBytes = 1 << 20
	// longName has as many characters as a network's name may have.
	longName = "a-network-with-a-name-as-long-as-a-dns-label-may-be-xxxxxxxxxxx"
)

// largestTemplates contain one of everything that can grow. Numbers and lists are raised to what the CRD and
// the platform accept.
var largestTemplates = map[v1alpha1.PlatformType]string{
	v1alpha1.PlatformCorda: `
platform: {type: Corda, corda: {version: "4.10", tuning: {jvmArgs: ["-Dio.netty.a=b"]}}}
members: {count: 2, heap: 4Gi, cores: "2", memory: 8Gi}
workloads:
- {name: w, type: Corda, corda: {finance: {operation: IssueAndPay}, initiators: [member-0]}, load: {clients: 50}, measure: {warmUp: 24h, window: 24h, drain: 1h}, workers: {count: 1, memory: 64Gi}}`,
	v1alpha1.PlatformJPaxos: `
platform: {type: JPaxos, jpaxos: {image: "registry.example.com/jpaxos:2021", transport: TCP, jvmArgs: ["-Dio.netty.a=b"]}}
members: {count: 3, heap: 1Gi, cores: "1", memory: 2Gi}
workloads:
- {name: w, type: JPaxos, jpaxos: {requestBytes: 128}, load: {clients: 1000}, measure: {warmUp: 24h, window: 24h, drain: 1h}, workers: {count: 1, memory: 64Gi}}`,
	v1alpha1.PlatformMalachite: `
platform: {type: Malachite, malachite: {blockSize: 1Mi, peers: {type: Ring, degree: 2}, powers: {distribution: Zipf}, keptBlocks: 100, threads: 2}}
members: {count: 4}
workloads:
- {name: w, type: Blocks, blocks: {transactionBytes: 250}, measure: {warmUp: 24h, window: 24h, drain: 1h}, workers: {memory: 512Gi}}`,
	v1alpha1.PlatformMalachiteEVM: `
platform: {type: MalachiteEVM, malachiteEVM: {execution: {flags: {cache: 256}}, threads: 2}}
members: {count: 4, cores: "4", memory: 16Gi}
workloads:
- {name: w, type: EVM, evm: {batchSize: 10}, load: {model: Open, ratePerSecond: 1k, clients: 50}, measure: {warmUp: 24h, window: 24h, drain: 1h}, workers: {count: 1, memory: 64Gi}}`,
	v1alpha1.PlatformCometBFT: `
platform: {type: CometBFT, cometBFT: {application: KVStore, tuning: Fast, mempool: {size: 10000000}, gossip: {rate: 1Gi}, keptBlocks: 1000000, threads: 2}}
members: {count: 4, cores: "4", memory: 16Gi}
workloads:
- {name: w, type: CometBFT, cometBFT: {batchSize: 10}, load: {model: Open, ratePerSecond: 1k, clients: 50}, measure: {warmUp: 24h, window: 24h, drain: 1h}, workers: {count: 1, memory: 64Gi}}`,
	v1alpha1.PlatformEmerald: `
platform: {type: Emerald, emerald: {image: "registry.example/emerald:1", execution: {client: Reth, image: "registry.example/reth:1"}}}
members: {count: 4, cores: "4", memory: 16Gi}
workloads:
- {name: w, type: EVM, evm: {batchSize: 10}, load: {model: Open, ratePerSecond: 1k, clients: 50}, measure: {warmUp: 24h, window: 24h, drain: 1h}, workers: {count: 1, memory: 64Gi}}`,
}

// largestVariants returns further variants of the largest network: database topologies, storage types, scheduling.
func largestVariants(kind v1alpha1.PlatformType) map[string]string {
	persistent, ephemeral := "type: Persistent, className: "+strings.Repeat("c", 253), "type: Ephemeral"
	variants := map[string]string{"Persistent": "members: {storage: {" + persistent + "}}", "Ephemeral": "members: {storage: {" + ephemeral + "}}"}
	variants["Scheduled"] = largestScheduling()
	variants["Overridden"] = largestOverrides(kind)
	switch kind {
	case v1alpha1.PlatformCorda:
		for topology, more := range map[string]string{"PerMember": "", "Shared": "", "PerHost": ", membersPerInstance: 3"} {
			for storage, text := range map[string]string{"Persistent": persistent, "Ephemeral": ephemeral} {
				variants["PostgreSQL "+topology+" "+storage] = fmt.Sprintf("database: {engine: PostgreSQL, topology: %s%s, managed: {memory: 8Ti, storage: {%s}}}",
					topology, more, text)
			}
		}
		variants["PostgreSQL apart"] = "database: {engine: PostgreSQL, topology: PerHost, membersPerInstance: 100, managed: {memory: 8Ti, scheduling: " + longScheduling() + "}}"
		variants["PostgreSQL External"] = fmt.Sprintf("database: {engine: PostgreSQL, topology: Shared, provider: External, external: {servers: [{host: %s, adminSecret: {name: admin}}]}}",
			strings.Repeat("h", 253))
		variants["SQL Server"] = fmt.Sprintf("platform: {corda: {distribution: Enterprise, version: '4.12', image: %s}}\n"+
			"database: {engine: SQLServer, topology: Shared, provider: External, external: {servers: [{host: %s}], jdbcSecret: {name: %s}}}",
			"example.com/corda:"+strings.Repeat("1", 400), strings.Repeat("h", 253), strings.Repeat("s", 253))
		variants["Notary service"] = "platform: {corda: {notary: {type: SharedDatabase, replicas: 8}}}\ndatabase: {engine: PostgreSQL, topology: Shared, managed: {memory: 8Ti}}"
		variants["Databases of a notary"] = "platform: {corda: {notary: {type: BFT, replicas: 7, scheduling: " + longScheduling() +
			", database: {memory: 8Ti, settings: " + longSettings() + ", scheduling: " + longScheduling() + "}}}}\n" +
			"database: {engine: PostgreSQL, topology: PerHost, membersPerInstance: 1, managed: {memory: 8Ti, scheduling: " + longScheduling() + "}}"
		variants["BFT notary"] = "platform: {corda: {notary: {type: BFT, replicas: 7, size: Large}}}"
		variants["Raft notary"] = "platform: {corda: {notary: {type: Raft, replicas: 5, size: Large}}}"
	default:
		variants["Regions"] = "regions: {items: [{name: NYC, count: 1}, {name: LON, count: 1}, {name: SFO, count: 1}]}"
	}
	return variants
}

// TestLargestAllowed takes the largest network that the CRD and its platform accept, and a run on it, through
// plan, apply and status on a real API server. The objects of a thousand members are too many to write, so the
// largest of each kind is written in a dry run.
func TestLargestAllowed(t *testing.T) {
	schema := crdSchema(t, "benchmarknetworks").Properties["spec"]
	for kind, template := range largestTemplates {
		t.Run(string(kind), func(t *testing.T) {
			w := newTestEnv(t)
			l := &largestNetwork{testEnv: w, object: &unstructured.Unstructured{Object: map[string]any{}}}
			l.object.SetUnstructuredContent(map[string]any{"apiVersion": v1alpha1.GroupVersion.String(), "kind": "BenchmarkNetwork",
				"metadata": map[string]any{"name": longName, "namespace": w.namespace}})
			var spec map[string]any
			must(t, yaml.Unmarshal([]byte(template), &spec))
			l.object.Object["spec"] = spec
			if _, err := l.dryRunCreate(); err != nil {
				t.Fatalf("the template is not admitted: %v", err)
			}
			l.raiseToMaxima(&schema, spec)
			network, err := l.dryRunCreate()
			must(t, err)
			t.Logf("%d members, %d workloads, %d workers", network.Spec.Members.Count, len(network.Spec.Workloads), network.Spec.Workloads[0].Workers.Count)
			if n := schemaProperty(schema, "workloads").MaxItems; len(network.Spec.Workloads) != int(*n) {
				t.Errorf("%d workloads, want %d: the spec was not enlarged", len(network.Spec.Workloads), *n)
			}
			for variant, text := range largestVariants(kind) {
				t.Run(variant, func(t *testing.T) { l.tryVariant(t, network.Spec.Members.Count, text) })
			}
		})
	}
}

// largestNetwork is a network that is being raised to the largest accepted size.
type largestNetwork struct {
	*testEnv
	object *unstructured.Unstructured
}

// dryRunCreate returns the network with its defaults if the API server and the platform accept it.
func (l *largestNetwork) dryRunCreate() (*v1alpha1.BenchmarkNetwork, error) {
	created := l.object.DeepCopy()
	if err := l.client.Create(l.ctx, created, client.DryRunAll, client.FieldValidation(metav1.FieldValidationStrict)); err != nil {
		return nil, err
	}
	network := &v1alpha1.BenchmarkNetwork{}
	if err := cluster.DecodeTyped(created, network); err != nil {
		return nil, err
	}
	p, err := l.platforms.Get(network.Spec.Platform.Type)
	if err != nil {
		return nil, err
	}
	problems := platform.ValidateNetwork(p, &network.Spec, field.NewPath("spec"))
	for i := range network.Spec.Workloads {
		problems = append(problems, platform.ValidateWorkload(p, &network.Spec, &network.Spec.Workloads[i].Workload, field.NewPath("spec"))...)
	}
	return network, problems.ToAggregate()
}

// tryVariant takes a variant of the network through plan, apply and status.
func (l *largestNetwork) tryVariant(t *testing.T, members int32, variant string) {
	w := newTestEnv(t)
	v := &largestNetwork{testEnv: w, object: l.object.DeepCopy()}
	v.object.SetNamespace(w.namespace)
	spec := v.object.Object["spec"].(map[string]any)
	var patch map[string]any
	must(t, yaml.Unmarshal([]byte(variant), &patch))
	mergeInto(spec, patch)
	if regions, ok := patch["regions"].(map[string]any); ok {
		list := regions["items"].([]any)
		list[0].(map[string]any)["count"] = int64(members) - 2
	}
	must(t, w.client.Create(w.ctx, v.object, client.FieldValidation(metav1.FieldValidationStrict)))
	network := w.getNetwork(v.object.GetName())
	w.wantSpecFits(network, network.Spec)
	network.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("BenchmarkNetwork"))
	p, err := w.platforms.Get(network.Spec.Platform.Type)
	must(t, err)
	built, err := plan.Build(plan.Input{Network: network, Platform: p, Images: testImages, KubeVersion: "v1.34.4",
		GenesisSecretFilled: func(string) bool { return true }})
	must(t, err)
	w.applyLargest(network, built.Objects())
	pods := fullPods(network, built.Topology)
	snapshot := kubesnapshot.New(w.client.Scheme(), nil, pods)
	var stages []status.ObservedStage
	for _, s := range built.Stages {
		stages = append(stages, status.ObservedStage{Name: s.Name, Started: true, Provisioning: true,
			Readiness: kubesnapshot.Readiness{State: kubesnapshot.StateFailed, Message: strings.Repeat("ü", 1<<20)}})
	}
	before := network.DeepCopy()
	network.Status = status.ComputeNetwork(status.NetworkInput{Network: network, Plan: built, Snapshot: snapshot, Stages: stages, Now: w.now})
	w.writeLargeStatus(before, network)
	if got := len(network.Status.Members); got < int(members) {
		t.Errorf("the status has %d members of %d", got, members)
	}
	w.tryRun(network, p, built, pods)
}

// applyLargest checks all objects against the limits, and applies the largest of each kind in a dry run with
// the operator's rights.
func (w *testEnv) applyLargest(owner client.Object, objects []client.Object) {
	w.t.Helper()
	byKind, sizes := map[string]client.Object{}, map[string]int{}
	for _, o := range objects {
		content, err := json.Marshal(o)
		must(w.t, err)
		if len(content) > maxObjectBytes {
			w.t.Errorf("%T %s has %d bytes", o, o.GetName(), len(content))
		}
		data := 0
		if cm, ok := o.(*corev1.ConfigMap); ok {
			for _, text := range cm.Data {
				data += len(text)
			}
			for _, value := range cm.BinaryData {
				data += len(value)
			}
		}
		if data > maxDataBytes {
			w.t.Errorf("ConfigMap %s has %d bytes of data", o.GetName(), data)
		}
		if kind := fmt.Sprintf("%T %s", o, o.GetObjectKind().GroupVersionKind().Kind); len(content) > sizes[kind] {
			byKind[kind], sizes[kind] = o, len(content)
		}
	}
	by := apply.Owner{Object: owner, Labels: map[string]string{v1alpha1.LabelNetwork: owner.GetName()}}
	for _, o := range objects {
		if role, ok := o.(*rbacv1.Role); ok { // A RoleBinding needs its Role, even in a dry run.
			must(w.t, apply.NewWriter(w.operatorClient, w.apiReader, w.operatorClient.Scheme()).Apply(w.ctx, by, role, nil))
		}
	}
	delete(byKind, "*v1.Role ")
	dry := apply.NewWriter(client.NewDryRunClient(w.operatorClient), w.apiReader, w.operatorClient.Scheme())
	for kind, o := range byKind {
		if err := dry.Apply(w.ctx, by, o, nil); err != nil {
			w.t.Errorf("apply %s %s of %d bytes: %v", kind, o.GetName(), sizes[kind], err)
		}
	}
	w.t.Logf("%d objects, the largest has %d bytes", len(objects), slices.Max(slices.Collect(maps.Values(sizes))))
}

// fullPods returns the pods of all members. Every field that a status repeats has its largest length.
func fullPods(network *v1alpha1.BenchmarkNetwork, topology platform.Topology) []corev1.Pod {
	var pods []corev1.Pod
	for _, m := range topology.Members {
		pod := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: naming.MemberPod(network.Name, m.Name), UID: "12345678-1234-1234-1234-123456789012",
			Labels: map[string]string{v1alpha1.LabelNetwork: network.Name, v1alpha1.LabelMember: m.Name}}}
		pod.Spec.NodeName = strings.Repeat("n", 63)
		for _, container := range []string{"member", "execution"} {
			pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{Name: container})
			pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, corev1.ContainerStatus{Name: container, RestartCount: 99,
				Image: "registry.example.com/project/member:1.0.0", ImageID: "registry.example.com/project/member@sha256:" + strings.Repeat("0", 64),
				State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff", Message: strings.Repeat("ü", 1<<10)}}})
		}
		pods = append(pods, pod)
	}
	return pods
}

// writeLargeStatus writes a status as the operator does, and checks the stored object against etcd's limit.
func (w *testEnv) writeLargeStatus(before, after client.Object) {
	w.t.Helper()
	kind := before.GetObjectKind().GroupVersionKind().Kind
	if err := w.operatorClient.Status().Patch(w.ctx, after.DeepCopyObject().(client.Object), client.MergeFrom(before), client.FieldOwner(v1alpha1.ManagedBy)); err != nil {
		w.t.Fatalf("write the status of %s: %.500v", kind, err)
	}
	stored := &unstructured.Unstructured{}
	stored.SetGroupVersionKind(after.GetObjectKind().GroupVersionKind())
	must(w.t, w.client.Get(w.ctx, client.ObjectKeyFromObject(after), stored))
	content, err := json.Marshal(stored)
	must(w.t, err)
	w.t.Logf("%s with a full status has %d bytes", kind, len(content))
	if len(content) > maxObjectBytes {
		w.t.Errorf("%s with a full status has %d bytes, at most %d", kind, len(content), maxObjectBytes)
	}
}

// tryRun takes a run of the last workload, which has the longest name, through its objects, status and result.
func (w *testEnv) tryRun(network *v1alpha1.BenchmarkNetwork, p platform.Platform, built *plan.Plan, pods []corev1.Pod) {
	w.t.Helper()
	run := &v1alpha1.BenchmarkRun{ObjectMeta: w.objectMeta(strings.Repeat("r", 63))}
	run.Spec = v1alpha1.BenchmarkRunSpec{NetworkName: network.Name, Workload: network.Spec.Workloads[len(network.Spec.Workloads)-1].Workload}
	must(w.t, w.client.Create(w.ctx, run))
	w.wantSpecFits(run, run.Spec)
	run.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("BenchmarkRun"))
	load, err := p.BuildDriver(platform.Input{Network: network, Images: testImages}, built.Topology, &run.Spec.Workload)
	must(w.t, err)
	databases, _ := plan.DatabaseEndpoints(p, network)
	load.Workload.Observe = append(load.Workload.Observe, databases...)
	if problem := loadgen.ValidateSampleMemory(&load.Workload, &run.Spec.Workload.Workers, field.NewPath("spec")); problem != nil {
		w.t.Error(problem)
	}
	baseline, err := kubesnapshot.EncodeBaseline(pods)
	must(w.t, err)
	objects, err := loadgen.BuildObjects(run, load, "agent", &loadgen.Release{Start: w.now, Baseline: baseline})
	must(w.t, err)
	result := fullResult(w.t, load, pods, network)
	packed, err := document.EncodeRunResult(result)
	must(w.t, err)
	w.t.Logf("the result of %d endpoints over %d s has %d bytes, a value for %d s", len(load.Workload.Observe), result.Times.WindowSeconds,
		len(packed), result.SeriesSeconds)
	w.applyLargest(run, append(objects, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: naming.ResultConfigMap(run.Name)},
		BinaryData: map[string][]byte{"result.json.gz": packed}}))
	for _, in := range []status.RunInput{
		{Run: run, Result: result, Now: w.now, WorkersReady: 50},
		{Run: run, Failure: strings.Repeat("ü", 1<<20), Now: w.now},
	} {
		before := run.DeepCopy()
		run.Status = status.ComputeRun(in)
		w.writeLargeStatus(before, run)
		w.mustGet(run.Name, run)
		run.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("BenchmarkRun"))
	}
}

// fullResult returns a result with all measurements at their largest. Series are as long as workers may report
// them.
func fullResult(t *testing.T, load loadgen.Driver, pods []corev1.Pod, network *v1alpha1.BenchmarkNetwork) *document.RunResult {
	t.Helper()
	random, seconds := rand.New(rand.NewPCG(1, 1)), load.Workload.Measure.WindowSeconds
	numbers := func(n int, most float64) measurement.Series {
		values := make(measurement.Series, n)
		for i := range values {
			values[i] = float64(int(random.Float64()*most*1e4)) / 1e4
		}
		return values
	}
	m := &measurement.Measurement{Start: time.Unix(1, 0), WindowSeconds: seconds, Histogram: measurement.NewHistogram(), SeriesSeconds: 256,
		Completed: make([]int64, seconds), Failed: make([]int64, seconds)}
	for i := range seconds {
		m.Completed[i], m.Failed[i] = random.Int64N(10_000), random.Int64N(10)
	}
	length, clock, share := (seconds+255)/256, measurement.Clock{OffsetMillis: 0.1234, ErrorMillis: 0.1234}, 0.1234
	pressure := &measurement.Pressure{CPU: &share, Memory: &share, IO: &share}
	for _, o := range load.Workload.Observe {
		m.Members = append(m.Members, measurement.MemberUsage{Member: o.Member, Role: o.Role, CPUSeconds: numbers(length, 32), MemoryBytes: numbers(length, 1e9),
			Evidence: measurement.Evidence{CPULimit: 32, MemoryLimitBytes: 1e11, Pressure: pressure, Volume: &measurement.VolumeUsage{SizeBytes: 1e11, LeastAvailableBytes: 1e10},
				Host: &measurement.Host{CPUs: 32, BusyShare: share, Pressure: pressure}, Clock: &clock, GarbageCollection: &measurement.GarbageCollection{Share: share}}})
		for _, s := range append(o.Series, protocol.ObservedSeries{Name: "networkReceive"}, protocol.ObservedSeries{Name: "networkTransmit"}) {
			m.Series = append(m.Series, measurement.NamedSeries{Subject: o.Member, Name: s.Name, Unit: s.Unit, Values: numbers(length, 1e6)})
		}
	}
	for i := range measurement.MaxBlocks {
		m.Blocks = append(m.Blocks, measurement.Block{Height: int64(i), Micros: int64(i)*4_000_000 + random.Int64N(1e6), Bytes: random.Int64N(1e7), Proposer: strings.Repeat("A", 40)})
	}
	for i := range 1000 {
		m.Errors = append(m.Errors, measurement.ErrorCount{Kind: fmt.Sprintf("com.example.Exception%d", i), Count: random.Int64N(1e6), Example: strings.Repeat("ü", 200)})
	}
	long := strings.Repeat("ü", limits.MaxItem/2)
	var judged verdict.Verdict
	for range 50 {
		judged.Reasons = append(judged.Reasons, verdict.Reason{Code: "WorkerMissing", Subject: "worker-0", Message: long})
	}
	for _, o := range load.Workload.Observe {
		judged.Notes = append(judged.Notes, verdict.Reason{Code: "MemberThrottled", Subject: o.Member, Message: strings.Repeat("m", 150)})
	}
	var measures []measurement.PlatformMetric
	for i := range 100 {
		measures = append(measures, measurement.PlatformMetric{Name: fmt.Sprintf("measure-%d", i), Value: random.Float64(), Unit: "ms", Source: "a source"})
	}
	result, err := document.NewRunResult(m, verdict.Interpretation{Measures: measures}, judged)
	must(t, err)
	workload, err := json.Marshal(load.Workload)
	must(t, err)
	result.Workload, result.Bottleneck = workload, &verdict.Bottleneck{Message: long}
	result.Environment = document.Environment{Images: kubesnapshot.DescribeImages(pods), Containers: kubesnapshot.DescribeContainers(pods), Settings: map[string]string{}}
	for i := range 100 {
		result.Environment.Nodes = append(result.Environment.Nodes, document.NodeInfo{Name: fmt.Sprintf("node-%d.%s", i, network.Name)})
	}
	return result
}
