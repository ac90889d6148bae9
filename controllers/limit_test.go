package controllers_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	controllerconfig "sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/controllers"
	"github.com/benchnet/benchnet/internal/kube/apply"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
)

const smallNetwork = `
apiVersion: benchnet.dev/v1alpha1
kind: BenchmarkNetwork
metadata: {name: NAME}
spec:
  platform: {type: Malachite, malachite: {blockSize: 1Ki}}
  members: {count: 4, cores: 200m, memory: 200Mi, storage: {type: Ephemeral}}
`

// setLimits sets limits that count only the networks of the test's namespace, and drops the state of the
// previous limiter.
func (w *testEnv) setLimits(limits controllers.Limits) {
	d := w.newDependencies()
	d.Client = client.NewNamespacedClient(w.operatorClient, w.namespace)
	d.Limits = limits
	w.limiter = &controllers.Limiter{Dependencies: d}
}

// newTestEnvWithLimit returns an environment with places for that many networks.
func newTestEnvWithLimit(t *testing.T, networks int) *testEnv {
	t.Helper()
	w := newTestEnv(t)
	w.setLimits(controllers.Limits{MaxNetworks: networks})
	return w
}

func (w *testEnv) createSmallNetwork(name string, change ...string) {
	w.t.Helper()
	text := strings.Replace(smallNetwork, "NAME", name, 1)
	must(w.t, w.createFromYAML(strings.NewReplacer(change...).Replace(text), &v1alpha1.BenchmarkNetwork{}))
}

// startedNetworks returns the names of the networks that have objects.
func (w *testEnv) startedNetworks() string {
	w.t.Helper()
	var names []string
	for _, o := range w.listOwnedObjects() {
		if name := o.GetLabels()[v1alpha1.LabelNetwork]; name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

func (w *testEnv) admittedCondition(name string) *metav1.Condition {
	w.t.Helper()
	c := meta.FindStatusCondition(w.getNetwork(name).Status.Conditions, v1alpha1.ConditionAdmitted)
	if c == nil {
		w.t.Fatalf("network %s has no condition Admitted", name)
	}
	return c
}

// reconcileTwice makes two passes over each network: it is admitted in the first and begins in the second.
func (w *testEnv) reconcileTwice(names ...string) {
	w.t.Helper()
	for range 2 {
		for _, name := range names {
			w.reconcileNetwork(name)
		}
	}
}

func TestNetworkBeginsWithoutLimit(t *testing.T) {
	w := newTestEnv(t)
	w.createSmallNetwork("a")
	w.reconcileNetwork("a")
	if c := w.admittedCondition("a"); c.Status != metav1.ConditionTrue || c.Reason != v1alpha1.ReasonNotLimited || w.startedNetworks() != "a" {
		t.Errorf("without limits a network starts in its first pass, but %q did: %+v", w.startedNetworks(), c)
	}
}

func TestWaitingNetworkHasOnlyStatus(t *testing.T) {
	w := newTestEnvWithLimit(t, 1)
	w.createSmallNetwork("a")
	w.createSmallNetwork("b")
	w.reconcileNetwork("b")
	if got := w.startedNetworks(); got != "" {
		t.Fatalf("a was created first, but %q started", got)
	}
	w.reconcileTwice("a", "b")
	if got := w.startedNetworks(); got != "a" {
		t.Fatalf("a was created first, but %q started", got)
	}
	b, c := w.getNetwork("b"), w.admittedCondition("b")
	if c.Status != metav1.ConditionFalse || c.Reason != v1alpha1.ReasonLimitReached ||
		!strings.Contains(c.Message, "maxNetworks") || !strings.Contains(c.Message, "1 of 1 networks admitted") {
		t.Errorf("b should report the limit and the number of admitted networks: %+v", c)
	}
	if ready := meta.FindStatusCondition(b.Status.Conditions, v1alpha1.ConditionReady); b.Status.Phase != "Queued" ||
		ready.Reason != v1alpha1.ReasonLimitReached || ready.Message != c.Message {
		t.Errorf("phase and Ready should agree: %s, %+v", b.Status.Phase, ready)
	}
	before := w.writeCount.Load()
	w.reconcileTwice("b")
	if wrote := w.writeCount.Load() - before; wrote != 0 {
		t.Errorf("a waiting network was written %d times", wrote)
	}
	must(t, w.client.Delete(w.ctx, w.getNetwork("a")))
	w.reconcileTwice("b")
	if got := w.startedNetworks(); !strings.Contains(got, "b") {
		t.Errorf("b should start after the deletion of a, but %q has", got)
	}
}

// TestTenantsCannotInfluenceAdmission tries everything that a tenant may write: labels, annotations and owners.
func TestTenantsCannotInfluenceAdmission(t *testing.T) {
	for name, c := range map[string]struct {
		metadata string
		owner    *metav1.OwnerReference
	}{
		"priority":            {metadata: ", labels: {kueue.x-k8s.io/priority-class: urgent}"},
		"an admitted group":   {metadata: `, labels: {benchnet.dev/group: a}, annotations: {benchnet.dev/group-size: "1"}`},
		"a group of millions": {metadata: `, labels: {benchnet.dev/group: b}, annotations: {benchnet.dev/group-size: "1000000000"}`},
		"an invented owner": {owner: &metav1.OwnerReference{APIVersion: v1alpha1.GroupVersion.String(), Kind: "BenchmarkExperiment",
			Name: "none", UID: "invented", Controller: new(true)}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newTestEnvWithLimit(t, 1)
			w.createSmallNetwork("a", "metadata: {name: a}", "metadata: {name: a, labels: {benchnet.dev/group: a}}")
			w.reconcileTwice("a")
			w.createSmallNetwork("b", "metadata: {name: b}", "metadata: {name: b"+c.metadata+"}")
			if c.owner != nil {
				n := w.getNetwork("b")
				before := n.DeepCopy()
				n.OwnerReferences = []metav1.OwnerReference{*c.owner}
				must(t, w.client.Patch(w.ctx, n, client.MergeFrom(before)))
			}
			w.createSmallNetwork("c")
			w.reconcileTwice("b", "c")
			if got := w.startedNetworks(); got != "a" {
				t.Fatalf("a uses the whole limit, but %q started", got)
			}
			must(t, w.client.Delete(w.ctx, w.getNetwork("a")))
			w.reconcileTwice("b", "c")
			if b, c := w.admittedCondition("b"), w.admittedCondition("c"); b.Status != metav1.ConditionTrue || c.Reason != v1alpha1.ReasonLimitReached {
				t.Errorf("b is next, and c after it: %+v, %+v", b, c)
			}
		})
	}
}

func TestAdmissionOutlivesOperator(t *testing.T) {
	w := newTestEnvWithLimit(t, 1)
	w.createSmallNetwork("b")
	w.reconcileNetwork("b")
	if c := w.admittedCondition("b"); c.Status != metav1.ConditionTrue || w.startedNetworks() != "" {
		t.Fatalf("the admission must be written before any object, but %q started: %+v", w.startedNetworks(), c)
	}
	w.createSmallNetwork("a")
	w.setLimits(controllers.Limits{MaxNetworks: 1})
	w.reconcileTwice("a", "b")
	if got := w.startedNetworks(); got != "b" {
		t.Errorf("b was admitted before the operator crashed, but %q started", got)
	}
}

func TestLimitCountsNetworksThatBeganWithoutOne(t *testing.T) {
	w := newTestEnv(t)
	w.createSmallNetwork("b")
	w.reconcileNetwork("b")
	w.createSmallNetwork("a")
	w.setLimits(controllers.Limits{MaxNetworksPerNamespace: 1})
	w.reconcileTwice("a", "b")
	if got := w.startedNetworks(); got != "b" || !strings.Contains(w.admittedCondition("a").Message, "maxNetworksPerNamespace") {
		t.Errorf("b exists, a should wait, but %q started: %+v", got, w.admittedCondition("a"))
	}
}

func TestInvalidNetworkTakesNoPlace(t *testing.T) {
	w := newTestEnvWithLimit(t, 1)
	must(t, w.createFromYAML(strings.NewReplacer("name: banks", "name: a", "count: 2", "count: 2, heap: 4Gi, memory: 1Gi").Replace(cordaNetwork), &v1alpha1.BenchmarkNetwork{}))
	w.createSmallNetwork("b")
	w.reconcileTwice("a", "b")
	if a := w.getNetwork("a"); !meta.IsStatusConditionFalse(a.Status.Conditions, v1alpha1.ConditionAccepted) {
		t.Fatalf("a should be refused: %+v", a.Status.Conditions)
	}
	if got := w.startedNetworks(); got != "b" {
		t.Errorf("a is invalid, b should start, but %q did", got)
	}
}

// TestNetworkWaitsOnceItIsAccepted: a network is invalid until another object exists, and that object is
// created when the limit is reached.
func TestNetworkWaitsOnceItIsAccepted(t *testing.T) {
	w := newTestEnvWithLimit(t, 1)
	must(t, w.createFromYAML(strings.NewReplacer("name: banks", "name: a", "topology: Shared", "topology: Shared, provider: Chart, chart: {configMapName: mine, key: mine.tgz}").Replace(cordaNetwork), &v1alpha1.BenchmarkNetwork{}))
	w.createSmallNetwork("b")
	w.reconcileTwice("a", "b")
	must(t, w.client.Create(w.ctx, &corev1.ConfigMap{ObjectMeta: w.objectMeta("mine"), BinaryData: map[string][]byte{"mine.tgz": packChart(t, databaseChart)}}))
	w.waitFor("a is accepted", func() bool {
		w.reconcileNetwork("a") // Its chart is rendered meanwhile.
		return meta.IsStatusConditionTrue(w.getNetwork("a").Status.Conditions, v1alpha1.ConditionAccepted)
	})
	w.reconcileNetwork("a")
	if c := w.admittedCondition("a"); c.Reason != v1alpha1.ReasonLimitReached || w.startedNetworks() != "b" {
		t.Errorf("b was admitted while a was refused, but %q started: %+v", w.startedNetworks(), c)
	}
}

// TestStoppingPodsHoldPlace: the pods of a deleted network hold one place until the last of them has ended,
// whatever nodes they select. A pod with the label of a network that never existed holds none.
func TestStoppingPodsHoldPlace(t *testing.T) {
	w := newTestEnvWithLimit(t, 2)
	w.createSmallNetwork("old")
	w.reconcileTwice("old")
	w.createSmallNetwork("b")
	forged := w.objectMeta("forged")
	forged.Labels = map[string]string{v1alpha1.LabelNetwork: "forged", "app.kubernetes.io/managed-by": v1alpha1.ManagedBy}
	must(t, w.client.Create(w.ctx, &corev1.Pod{ObjectMeta: forged, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}}))
	pods := make([]*corev1.Pod, 2)
	for i, selector := range []map[string]string{nil, {"pool": "metal"}} {
		meta := w.objectMeta(fmt.Sprintf("old-%d", i))
		meta.Labels = map[string]string{v1alpha1.LabelNetwork: "old", "app.kubernetes.io/managed-by": v1alpha1.ManagedBy}
		meta.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "StatefulSet", Name: "old", UID: "old", Controller: new(true)}}
		pods[i] = &corev1.Pod{ObjectMeta: meta, Spec: corev1.PodSpec{NodeSelector: selector, Containers: []corev1.Container{{Name: "c", Image: "i"}}}}
		must(t, w.client.Create(w.ctx, pods[i]))
	}
	must(t, w.client.Delete(w.ctx, w.getNetwork("old")))
	w.reconcileTwice("b")
	if got := w.startedNetworks(); !strings.Contains(got, "b") {
		t.Fatalf("the limit allows a second network, but %q started", got)
	}
	w.createSmallNetwork("c")
	must(t, w.client.Delete(w.ctx, pods[0], client.GracePeriodSeconds(0)))
	w.reconcileTwice("c")
	if c := w.admittedCondition("c"); c.Status != metav1.ConditionFalse {
		t.Fatalf("a pod of the old network still uses its node: %+v", c)
	}
	must(t, w.client.Delete(w.ctx, pods[1], client.GracePeriodSeconds(0)))
	w.reconcileTwice("c")
	if c := w.admittedCondition("c"); c.Status != metav1.ConditionTrue {
		t.Errorf("c should start after the pods are deleted: %+v", c)
	}
}

// interleavedPair returns an experiment whose two networks have to exist at the same time.
func interleavedPair(name string) string {
	text := strings.NewReplacer("name: grid", "name: "+name, "repetitions: 2", "repetitions: 2\n  order: {type: Interleaved}").Replace(gridExperiment)
	return text[:strings.Index(text, "  axes:")] + "  variants:\n  - name: one\n  - name: two\n    patch: {network: {platform: {malachite: {blockSize: 2Ki}}}}\n"
}

// TestComparisonsDoNotBlockEachOther has two comparisons that need two networks each, and three places.
func TestComparisonsDoNotBlockEachOther(t *testing.T) {
	w := newTestEnvWithLimit(t, 3)
	w.createNode("laboratory", "64", "256Gi")
	for _, name := range []string{"xx", "yy"} {
		must(t, w.createFromYAML(interleavedPair(name), &v1alpha1.BenchmarkExperiment{}))
		for range 2 {
			_, err := w.experimentReconciler().Reconcile(w.ctx, w.requestFor(name))
			must(t, err)
		}
	}
	w.reconcileTwice("yy-n2", "xx-n1", "yy-n1", "xx-n2")
	if got := w.startedNetworks(); got != "xx-n1 xx-n2" {
		t.Fatalf("only one pair should start, but %q did", got)
	}
	if c := w.admittedCondition("yy-n2"); !strings.Contains(c.Message, "2 of 3 networks admitted, 2 requested") {
		t.Errorf("yy should wait for two networks: %+v", c)
	}
	must(t, w.client.Delete(w.ctx, w.getNetwork("xx-n1")))
	w.createSmallNetwork("zz") // Created in the same second as yy or later: within a second the name decides.
	w.reconcileTwice("yy-n1", "zz")
	if got := w.startedNetworks(); strings.Contains(got, "yy") || strings.Contains(got, "zz") {
		t.Fatalf("xx counts twice while one of its networks exists, and no later network overtakes yy, but %q started", got)
	}
	w.now = w.now.Add(2 * time.Hour)
	w.reconcileRun("yy-p01-r1")
	if run := w.getRun("yy-p01-r1"); meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionComplete) {
		t.Errorf("a run must not fail because its network waits: %+v", run.Status.Conditions)
	}
	must(t, w.client.Delete(w.ctx, w.getNetwork("xx-n2")))
	w.reconcileTwice("yy-n1", "yy-n2")
	if got := w.startedNetworks(); !strings.Contains(got, "yy-n1 yy-n2") {
		t.Errorf("yy should start after the deletion of xx, but %q did", got)
	}
}

// TestExperimentAboveLimitIsRefused: networks that must exist at the same time, or are kept, would wait for each other's places.
func TestExperimentAboveLimitIsRefused(t *testing.T) {
	for field, text := range map[string]string{
		"spec.order.type":       interleavedPair("pair"),
		"spec.networkRetention": strings.NewReplacer("name: grid", "name: pair", "spec:", "spec:\n  networkRetention: Retain").Replace(gridExperiment),
	} {
		t.Run(field, func(t *testing.T) {
			w := newTestEnvWithExperiment(t, text)
			experiments := w.experimentReconciler()
			experiments.Limits = controllers.Limits{MaxNetworksPerNamespace: 1}
			_, err := experiments.Reconcile(w.ctx, w.requestFor("pair"))
			must(t, err)
			c := meta.FindStatusCondition(w.getExperiment("pair").Status.Conditions, v1alpha1.ConditionAccepted)
			if c.Status != metav1.ConditionFalse || !strings.Contains(c.Message, field) || !strings.Contains(c.Message, "maxNetworksPerNamespace 1") {
				t.Errorf("the experiment should be refused with the limit: %+v", c)
			}
		})
	}
}

// TestLimitUnderConcurrency runs a real manager, with several workers and a lagging cache, on many networks
// with a limit of three. Each network is deleted as soon as it is admitted.
func TestLimitUnderConcurrency(t *testing.T) {
	w := newTestEnv(t)
	w.startLimitedManager(controllers.Limits{MaxNetworks: 3})
	const networks = 24
	for i := range networks {
		go func() {
			object := w.decodeYAML(strings.Replace(smallNetwork, "NAME", fmt.Sprintf("n%02d", i), 1))
			if err := w.client.Create(w.ctx, object); err != nil && w.ctx.Err() == nil {
				t.Error(err)
			}
		}()
	}
	through := map[string]bool{}
	deadline := time.Now().Add(10 * time.Minute)
	for len(through) < networks {
		if time.Now().After(deadline) {
			t.Fatalf("only %d of %d networks were admitted", len(through), networks)
		}
		var list v1alpha1.BenchmarkNetworkList
		must(t, w.client.List(w.ctx, &list, client.InNamespace(w.namespace)))
		var admitted []*v1alpha1.BenchmarkNetwork
		for i := range list.Items {
			if meta.IsStatusConditionTrue(list.Items[i].Status.Conditions, v1alpha1.ConditionAdmitted) {
				admitted = append(admitted, &list.Items[i])
			}
		}
		if len(admitted) > 3 {
			t.Fatalf("%d networks were admitted at the same time, but the limit is 3", len(admitted))
		}
		for _, n := range admitted[:min(1, len(admitted))] {
			through[n.Name] = true
			must(t, client.IgnoreNotFound(w.client.Delete(w.ctx, n)))
		}
	}
}

// startLimitedManager runs a manager with limits for the test's namespace until the test ends.
func (w *testEnv) startLimitedManager(limits controllers.Limits) {
	w.t.Helper()
	mgr, err := ctrl.NewManager(operatorConfig(operatorNamespace), ctrl.Options{Scheme: w.client.Scheme(), Metrics: metricsserver.Options{BindAddress: "0"},
		Controller: controllerconfig.Controller{SkipNameValidation: new(true)},
		Cache:      controllers.CacheScope{WatchedNamespaces: []string{w.namespace}, Kueue: w.kueueMode}.Options()})
	must(w.t, err)
	d := w.newDependencies()
	d.Now = time.Now
	d.Client, d.Writer, d.SnapshotReader = mgr.GetClient(), apply.NewWriter(mgr.GetClient(), mgr.GetAPIReader(), mgr.GetScheme()), snapshot.NewReader(mgr.GetClient(), mgr.GetScheme())
	d.Limits = limits
	must(w.t, controllers.IndexRunsByNetwork(w.ctx, mgr.GetFieldIndexer()))
	must(w.t, (&controllers.NetworkReconciler{Dependencies: d, Limiter: &controllers.Limiter{Dependencies: d}}).SetupWithManager(mgr, 4))
	ctx, stop := context.WithCancel(w.ctx)
	ended := make(chan error)
	go func() { ended <- mgr.Start(ctx) }()
	w.t.Cleanup(func() {
		stop()
		must(w.t, <-ended)
	})
}
