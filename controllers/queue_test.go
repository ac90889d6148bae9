package controllers_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	controllerconfig "sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/controllers"
	"github.com/benchnet/benchnet/internal/apply"
	"github.com/benchnet/benchnet/internal/observe"
	"github.com/benchnet/benchnet/internal/queue"
)

const small = `
apiVersion: benchnet.dev/v1alpha1
kind: BenchmarkNetwork
metadata: {name: NAME}
spec:
  platform: {type: Malachite, malachite: {blockSize: 1Ki}}
  members: {count: 4, cores: 200m, memory: 200Mi, storage: {type: Ephemeral}}
`

// queueing is a world in which so many networks may stand. Its queue sees its namespace alone: other tests have networks too.
func queueing(t *testing.T, limits queue.Limits, room controllers.RoomPolicy) *world {
	t.Helper()
	w := newWorld(t)
	w.restartQueue(limits, room)
	return w
}

// restartQueue is a queue that knows nothing of the one before.
func (w *world) restartQueue(limits queue.Limits, room controllers.RoomPolicy) {
	d := w.dependencies()
	d.Client = client.NewNamespacedClient(w.operator, w.namespace)
	w.queue = controllers.NewQueue(d, limits, room)
}

func (w *world) small(name string, change ...string) {
	w.t.Helper()
	text := strings.Replace(small, "NAME", name, 1)
	must(w.t, w.create(strings.NewReplacer(change...).Replace(text), &v1alpha1.BenchmarkNetwork{}))
}

// look lets the queue look once, and the networks' controller at each network once.
func (w *world) look(names ...string) {
	w.t.Helper()
	_, err := w.queue.Reconcile(w.ctx, ctrl.Request{})
	must(w.t, err)
	for _, name := range names {
		w.reconcileNetwork(name)
	}
}

// begun are the networks of which something was made.
func (w *world) begun() string {
	w.t.Helper()
	var names []string
	for _, o := range w.objects() {
		if name := o.GetLabels()[v1alpha1.LabelNetwork]; name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

func (w *world) admitted(name string) *metav1.Condition {
	w.t.Helper()
	c := meta.FindStatusCondition(w.network(name).Status.Conditions, v1alpha1.ConditionAdmitted)
	if c == nil {
		w.t.Fatalf("network %s has no condition Admitted", name)
	}
	return c
}

var one = queue.Limits{MaxNetworks: 1}

func TestWithoutAQueueNothingWaits(t *testing.T) {
	w := newWorld(t)
	w.small("a")
	w.reconcileNetwork("a")
	if c := w.admitted("a"); c.Status != metav1.ConditionTrue || c.Reason != v1alpha1.ReasonNotLimited || w.begun() != "a" {
		t.Errorf("without limits a network begins in its first pass, but %q did: %+v", w.begun(), c)
	}
}

func TestQueuedNetworkHasNothingButItsStatus(t *testing.T) {
	w := queueing(t, one, controllers.RoomNever)
	w.small("a")
	w.small("b")
	w.reconcileNetwork("b")
	if got := w.begun(); got != "" {
		t.Fatalf("nothing may begin before the queue has looked, but %q did", got)
	}
	w.look("a", "b")
	w.look("a", "b")
	if got := w.begun(); got != "a" {
		t.Fatalf("a came first, but %q began", got)
	}
	b := w.network("b")
	c := w.admitted("b")
	if c.Status != metav1.ConditionFalse || c.Reason != v1alpha1.ReasonQueued ||
		!strings.Contains(c.Message, "position 1 of 1: waits for a free place in the cluster (1 of 1 taken by "+w.namespace+"/a)") {
		t.Errorf("b should say what it waits for: %+v", c)
	}
	if ready := meta.FindStatusCondition(b.Status.Conditions, v1alpha1.ConditionReady); b.Status.Phase != "Queued" ||
		b.Status.QueuePosition != "1 of 1" || ready.Reason != v1alpha1.ReasonQueued || ready.Message != c.Message {
		t.Errorf("phase, position and Ready should say the same: %s, %s, %+v", b.Status.Phase, b.Status.QueuePosition, ready)
	}
	before := w.writes.Load()
	w.look("b")
	w.look("b")
	if wrote := w.writes.Load() - before; wrote != 0 {
		t.Errorf("a network that goes on waiting was written %d times", wrote)
	}
	must(t, w.client.Delete(w.ctx, w.network("a")))
	w.look("b", "b")
	if got := w.begun(); !strings.Contains(got, "b") || w.network("b").Status.QueuePosition != "" {
		t.Errorf("b should begin when a is gone, but %q has, at position %q", got, w.network("b").Status.QueuePosition)
	}
}

func TestPriorityMayChangeWhileWaiting(t *testing.T) {
	w := queueing(t, one, controllers.RoomNever)
	w.small("a")
	w.look("a", "a")
	w.small("b")
	w.small("c")
	w.look("b", "c")
	if p := w.network("c").Status.QueuePosition; p != "2 of 2" {
		t.Fatalf("c should be second, but is %s", p)
	}
	must(t, w.client.Patch(w.ctx, w.network("c"), client.RawPatch("application/merge-patch+json", []byte(`{"spec": {"priority": 10}}`))))
	w.look("b", "c")
	if b, c := w.network("b").Status.QueuePosition, w.network("c").Status.QueuePosition; b != "2 of 2" || c != "1 of 2" {
		t.Errorf("c should have overtaken b, but b is %s and c %s", b, c)
	}
}

// lagging is a queue whose cache knows of all networks, and of nothing that was written about them since.
func (w *world) lagging(limits queue.Limits) {
	d := w.dependencies()
	d.Client = client.NewNamespacedClient(interceptor.NewClient(w.client.(client.WithWatch), interceptor.Funcs{
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			err := c.List(ctx, list, opts...)
			if networks, ok := list.(*v1alpha1.BenchmarkNetworkList); ok {
				for i := range networks.Items {
					networks.Items[i].Status = v1alpha1.BenchmarkNetworkStatus{ObservedGeneration: -1}
				}
			}
			return err
		}}), w.namespace)
	w.queue = controllers.NewQueue(d, limits, controllers.RoomNever)
}

// TestALaggingCacheGivesNoPlaceTwice: what was decided counts, though the cache shows neither that nor what came of it.
func TestALaggingCacheGivesNoPlaceTwice(t *testing.T) {
	w := newWorld(t)
	w.small("a")
	w.lagging(one)
	w.look("a", "a")
	w.small("b", "spec:", "spec:\n  priority: 100")
	for range 3 {
		w.look("a", "b")
	}
	if got := w.begun(); got != "a" {
		t.Errorf("a has the only place though b goes first, but %q began", got)
	}
}

func TestPlacesOutliveTheOperator(t *testing.T) {
	w := queueing(t, one, controllers.RoomNever)
	w.small("b")
	w.look("b")
	if c := w.admitted("b"); c.Status != metav1.ConditionTrue || w.begun() != "" {
		t.Fatalf("that b was admitted is to be written before anything is made, but %q began: %+v", w.begun(), c)
	}
	w.small("a", "spec:", "spec:\n  priority: 100")
	w.restartQueue(one, controllers.RoomNever)
	w.look("a", "b")
	if got := w.begun(); got != "b" {
		t.Errorf("b was admitted before the operator died, but %q began", got)
	}
}

// What began without a queue has a place when there is one.
func TestAQueueForNetworksThatStand(t *testing.T) {
	w := newWorld(t)
	w.small("b")
	w.reconcileNetwork("b")
	w.small("a")
	w.restartQueue(one, controllers.RoomNever)
	w.look("a", "b")
	if got := w.begun(); got != "b" {
		t.Errorf("b stands, a should wait, but %q began", got)
	}
}

func TestAnImpossibleNetworkTakesNoPlace(t *testing.T) {
	w := queueing(t, one, controllers.RoomNever)
	must(t, w.create(strings.NewReplacer("name: banks", "name: a", "count: 2", "count: 2, heap: 4Gi, memory: 1Gi").Replace(twoBanks), &v1alpha1.BenchmarkNetwork{}))
	w.small("b")
	w.look("a", "b")
	w.look("a", "b")
	w.look("a", "b")
	if a := w.network("a"); !meta.IsStatusConditionFalse(a.Status.Conditions, v1alpha1.ConditionAccepted) {
		t.Fatalf("a should be refused: %+v", a.Status.Conditions)
	}
	if got := w.begun(); got != "b" {
		t.Errorf("a cannot be carried out, b should begin, but %q did", got)
	}
}

func TestPodsThatStopHoldTheirPlace(t *testing.T) {
	w := queueing(t, one, controllers.RoomNever)
	w.small("b")
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "old", Namespace: w.namespace, Labels: map[string]string{v1alpha1.LabelNetwork: "old"}},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}}
	must(t, w.client.Create(w.ctx, pod))
	w.look("b")
	if c := w.admitted("b"); !strings.Contains(c.Message, "taken by "+w.namespace+"/old (its pods are stopping)") {
		t.Fatalf("b should wait for the pods of a network that is gone: %+v", c)
	}
	must(t, w.client.Delete(w.ctx, pod, client.GracePeriodSeconds(0)))
	w.look("b")
	if c := w.admitted("b"); c.Status != metav1.ConditionTrue {
		t.Errorf("b should begin when they are gone: %+v", c)
	}
}

func TestNetworksWaitForRoom(t *testing.T) {
	w := newWorld(t)
	w.node("small-"+w.namespace, "1200m", "4Gi")
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "small-" + w.namespace}}
	must(t, w.client.Patch(w.ctx, node, client.RawPatch("application/merge-patch+json", []byte(`{"metadata": {"labels": {"room": "`+w.namespace+`"}}}`))))
	w.restartQueue(queue.Limits{}, controllers.RoomAlways)
	there := []string{"count: 4", "count: 4, placement: {nodeSelector: {room: " + w.namespace + "}}"}
	w.small("a", there...)
	w.small("b", there...)
	w.small("c", "count: 4", "count: 40, placement: {nodeSelector: {room: "+w.namespace+"}}")
	w.look("a", "b", "c")
	w.look("a", "b", "c")
	if got := w.begun(); got != "a" {
		t.Fatalf("there is room for a alone, but %q began", got)
	}
	if c := w.admitted("b"); c.Reason != v1alpha1.ReasonQueued || !strings.Contains(c.Message, "waits for room: together with "+w.namespace+"/a") || !strings.Contains(c.Message, "needs") {
		t.Errorf("b should say what is missing: %+v", c)
	}
	if c := w.admitted("c"); c.Reason != v1alpha1.ReasonQueued || !strings.Contains(c.Message, "waits for room behind "+w.namespace+"/b") {
		t.Errorf("c waits behind b: %+v", c)
	}
	must(t, w.client.Delete(w.ctx, w.network("b")))
	w.look("c")
	if c := w.admitted("c"); c.Reason != v1alpha1.ReasonClusterTooSmall || !meta.IsStatusConditionTrue(w.network("c").Status.Conditions, v1alpha1.ConditionStalled) {
		t.Errorf("c never fits: %+v", c)
	}
}

// TestExperimentsOfPairsDoNotBlockEachOther: two comparisons that need two networks each share a queue of three.
func TestExperimentsOfPairsDoNotBlockEachOther(t *testing.T) {
	w := queueing(t, queue.Limits{MaxNetworks: 3}, controllers.RoomNever)
	w.node("laboratory", "64", "256Gi")
	for _, name := range []string{"xx", "yy"} {
		text := strings.NewReplacer("name: grid", "name: "+name, "repetitions: 2", "repetitions: 2\n  order: {type: Interleaved}").Replace(grid)
		text = text[:strings.Index(text, "  axes:")] + "  variants:\n  - name: one\n  - name: two\n    patch: {network: {platform: {malachite: {blockSize: 2Ki}}}}\n"
		must(t, w.create(text, &v1alpha1.BenchmarkExperiment{}))
		for range 2 {
			_, err := w.experiments().Reconcile(w.ctx, w.request(name))
			must(t, err)
		}
	}
	networks := []string{"xx-n1", "xx-n2", "yy-n1", "yy-n2"}
	w.look(networks...)
	w.look(networks...)
	if got := w.begun(); got != "xx-n1 xx-n2" {
		t.Fatalf("one pair should begin, and nothing of the other, but %q did", got)
	}
	if c := w.admitted("yy-n2"); !strings.Contains(c.Message, "waits for 2 free places") {
		t.Errorf("y waits for two places: %+v", c)
	}
	w.now = w.now.Add(2 * time.Hour)
	w.reconcileRun("yy-p01-r1")
	if run := w.run("yy-p01-r1"); meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionComplete) {
		t.Errorf("a run must not give up its network for the time that this waits in the queue: %+v", run.Status.Conditions)
	}
}

func TestQueueMetrics(t *testing.T) {
	w := queueing(t, queue.Limits{MaxNetworks: 1, Pools: []queue.Pool{{Name: "metal", NodeSelector: map[string]string{"pool": "metal"}, MaxNetworks: 1}}}, controllers.RoomNever)
	w.small("a")
	w.small("b", "count: 4", "count: 4, placement: {nodeSelector: {pool: metal}}")
	w.look("a", "b")
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(w.queue)
	want := `
# HELP benchnet_queue_limit_networks Networks that may stand at one time in a pool; without a pool: in the whole cluster. Absent where there is no limit.
# TYPE benchnet_queue_limit_networks gauge
benchnet_queue_limit_networks{pool=""} 1
benchnet_queue_limit_networks{pool="metal"} 1
# HELP benchnet_queue_networks Networks that have a place in the queue (state admitted) or wait for one (state waiting), by pool.
# TYPE benchnet_queue_networks gauge
benchnet_queue_networks{pool="",state="admitted"} 1
benchnet_queue_networks{pool="",state="waiting"} 0
benchnet_queue_networks{pool="metal",state="admitted"} 0
benchnet_queue_networks{pool="metal",state="waiting"} 1
`
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want), "benchnet_queue_networks", "benchnet_queue_limit_networks"); err != nil {
		t.Error(err)
	}
	if n := testutil.CollectAndCount(w.queue, "benchnet_queue_wait_seconds"); n != 1 {
		t.Errorf("one network was admitted, but there are %d histograms of waits", n)
	}
}

// TestManyNetworksAtOnce lets a real manager, with several workers and a cache that lags as caches do, take many networks through a
// queue of three places. Each network goes as soon as it was admitted.
func TestManyNetworksAtOnce(t *testing.T) {
	w := newWorld(t)
	w.manage(queue.Limits{MaxNetworks: 3})
	const networks = 24
	for i := range networks {
		go func() {
			object := w.decode(strings.Replace(small, "NAME", fmt.Sprintf("n%02d", i), 1))
			if err := w.client.Create(w.ctx, object); err != nil && w.ctx.Err() == nil {
				t.Error(err)
			}
		}()
	}
	through := map[string]bool{}
	deadline := time.Now().Add(10 * time.Minute)
	for len(through) < networks {
		if time.Now().After(deadline) {
			t.Fatalf("only %d of %d networks got through", len(through), networks)
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
			t.Fatalf("%d networks were admitted at one time, there are 3 places", len(admitted))
		}
		for _, n := range admitted[:min(1, len(admitted))] {
			through[n.Name] = true
			must(t, client.IgnoreNotFound(w.client.Delete(w.ctx, n)))
		}
	}
}

// manage starts a manager for the world's namespace, with a queue; it stops with the test.
func (w *world) manage(limits queue.Limits) {
	w.t.Helper()
	mgr, err := ctrl.NewManager(config, ctrl.Options{Scheme: w.client.Scheme(), Metrics: metricsserver.Options{BindAddress: "0"},
		Controller: controllerconfig.Controller{SkipNameValidation: new(true)},
		Cache:      cache.Options{DefaultNamespaces: map[string]cache.Config{w.namespace: {}}}})
	must(w.t, err)
	d := w.dependencies()
	d.Now = time.Now
	d.Client, d.Writer, d.Reader = mgr.GetClient(), apply.NewWriter(mgr.GetClient(), mgr.GetAPIReader(), mgr.GetScheme()), observe.NewReader(mgr.GetClient(), mgr.GetScheme())
	waiting := controllers.NewQueue(d, limits, controllers.RoomNever)
	must(w.t, controllers.IndexRuns(mgr))
	must(w.t, waiting.SetupWithManager(mgr))
	must(w.t, (&controllers.NetworkReconciler{Dependencies: d, Queue: waiting}).SetupWithManager(mgr, 4))
	ctx, stop := context.WithCancel(w.ctx)
	ended := make(chan error)
	go func() { ended <- mgr.Start(ctx) }()
	w.t.Cleanup(func() {
		stop()
		must(w.t, <-ended)
	})
}
