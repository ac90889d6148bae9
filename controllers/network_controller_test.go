package controllers_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/kinds"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
	"github.com/benchnet/benchnet/internal/naming"
)

const cordaNetwork = `
apiVersion: benchnet.dev/v1alpha1
kind: BenchmarkNetwork
metadata: {name: banks}
spec:
  platform: {type: Corda, corda: {version: "4.10"}}
  members: {count: 2}
  database: {engine: PostgreSQL, topology: Shared}
  workloads:
  - name: issue
    type: Corda
    corda: {finance: {operation: Issue}}
    load: {clients: 4}
    measure: {warmUp: 1s, window: 10s}
  - name: pay
    type: Corda
    corda: {finance: {operation: Pay}}
    load: {clients: 4}
`

func TestStagesFollowEachOther(t *testing.T) {
	w := newTestEnv(t)
	must(t, w.createFromYAML(cordaNetwork, &v1alpha1.BenchmarkNetwork{}))
	w.reconcileNetwork("banks")
	w.reconcileNetwork("banks")
	n := w.getNetwork("banks")
	ready := meta.FindStatusCondition(n.Status.Conditions, v1alpha1.ConditionReady)
	if ready == nil || ready.Status != metav1.ConditionFalse || !strings.Contains(ready.Message, "genesis") {
		t.Fatalf("Ready should be False and name the genesis Job, but is %+v", ready)
	}
	if got := w.statefulSetNames(); !slices.Equal(got, []string{"banks-db"}) {
		t.Fatalf("before genesis and databases are ready only the database should exist, but there are %v", got)
	}
	if got := w.databaseJobNames("setup"); len(got) != 0 {
		t.Fatalf("the schemas must wait for their server, but there are %v", got)
	}
	w.markStatefulSetsReady()
	w.reconcileNetwork("banks")
	w.completeJobs()
	w.reconcileNetwork("banks")
	if got := w.statefulSetNames(); len(got) != 1 {
		t.Fatalf("members must wait for the genesis, but there are %v", got)
	}
	w.fillGenesisSecrets()
	w.reconcileNetwork("banks")
	if got := w.statefulSetNames(); !slices.Equal(got, []string{"banks-db", "banks-member-0", "banks-member-1", "banks-notary"}) {
		t.Fatalf("members and notary should exist, but there are %v", got)
	}
	w.markStatefulSetsReady()
	w.reconcileNetwork("banks")
	n = w.getNetwork("banks")
	if !meta.IsStatusConditionTrue(n.Status.Conditions, v1alpha1.ConditionReady) || n.Status.Display.Members != "3/3" {
		t.Fatalf("the network should be ready with 3/3 members, but has %s and %+v", n.Status.Display.Members, n.Status.Conditions)
	}
	for _, s := range n.Status.Stages {
		if s.State != "Ready" || s.ReadyAt == nil {
			t.Errorf("stage %s should be ready with a time, but is %+v", s.Name, s)
		}
	}
}

func TestUnchangedNetworkIsNotWritten(t *testing.T) {
	w := newTestEnv(t)
	must(t, w.createFromYAML(cordaNetwork, &v1alpha1.BenchmarkNetwork{}))
	w.bringUp("banks")
	w.reconcileNetwork("banks")
	w.wantNoWrites()
}

func TestGenesisRightsAreRevoked(t *testing.T) {
	w := newTestEnv(t)
	must(t, w.createFromYAML(cordaNetwork, &v1alpha1.BenchmarkNetwork{}))
	w.reconcileNetwork("banks")
	role := &rbacv1.Role{}
	w.mustGet(naming.GenesisJob("banks"), role)
	for _, rule := range role.Rules {
		if !slices.Equal(rule.Resources, []string{"secrets"}) || len(rule.ResourceNames) != 4 || slices.Contains(rule.Verbs, "create") {
			t.Errorf("the genesis may patch only its four Secrets, but may %+v", rule)
		}
	}
	binding := &rbacv1.RoleBinding{}
	w.mustGet(naming.GenesisJob("banks"), binding)
	must(t, w.client.Delete(w.ctx, binding))
	w.reconcileNetwork("banks")
	w.mustGet(naming.GenesisJob("banks"), binding)
	if owner := metav1.GetControllerOf(binding); owner == nil || owner.UID != role.UID {
		t.Errorf("an object deleted by hand should be recreated with the role as owner, but is owned by %+v", owner)
	}
	w.bringUp("banks")
	for _, o := range []client.Object{&rbacv1.Role{}, &rbacv1.RoleBinding{}, &corev1.ServiceAccount{}, &batchv1.Job{}} {
		err := w.client.Get(w.ctx, client.ObjectKey{Namespace: w.namespace, Name: naming.GenesisJob("banks")}, o)
		if err == nil && o.GetDeletionTimestamp() == nil {
			t.Errorf("%T of the genesis should be deleted once the genesis is complete", o)
		}
	}
	identity := &corev1.Secret{}
	w.mustGet("banks-member-0-identity", identity)
	if len(identity.Data) == 0 {
		t.Error("the operator must not remove what the genesis Job wrote to a Secret")
	}
}

func TestDriftAndStrayObjects(t *testing.T) {
	w := newTestEnv(t)
	n := &v1alpha1.BenchmarkNetwork{}
	must(t, w.createFromYAML(cordaNetwork, n))
	w.bringUp("banks")
	cm := &corev1.ConfigMap{}
	w.mustGet("banks-member-0", cm)
	original := cm.Data["node.conf"]
	cm.Data["node.conf"] = "changed by hand"
	must(t, w.client.Update(w.ctx, cm))
	stray := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "stray", Namespace: w.namespace,
		Labels:          map[string]string{"app.kubernetes.io/managed-by": v1alpha1.ManagedBy, v1alpha1.LabelNetwork: "banks"},
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(n, v1alpha1.GroupVersion.WithKind("BenchmarkNetwork"))}}}
	must(t, w.client.Create(w.ctx, stray))
	w.reconcileNetwork("banks")
	w.mustGet("banks-member-0", cm)
	if cm.Data["node.conf"] != original {
		t.Error("a field changed by hand should be reset")
	}
	if err := w.client.Get(w.ctx, client.ObjectKeyFromObject(stray), stray); err == nil {
		t.Error("an owned object that is not planned should be removed")
	}
}

// TestDriftOfDroppedSpecs covers the kinds whose specs the cache drops.
func TestDriftOfDroppedSpecs(t *testing.T) {
	w := newTestEnv(t)
	must(t, w.createFromYAML(cordaNetwork, &v1alpha1.BenchmarkNetwork{}))
	w.bringUp("banks")
	set, policy := &appsv1.StatefulSet{}, &networkingv1.NetworkPolicy{}
	w.mustGet("banks-member-0", set)
	w.mustGet("banks-within", policy)
	image, rules := set.Spec.Template.Spec.Containers[0].Image, len(policy.Spec.Ingress)
	set.Spec.Template.Spec.Containers[0].Image = "other"
	metav1.SetMetaDataAnnotation(&set.Spec.Template.ObjectMeta, "kubectl.kubernetes.io/restartedAt", "now")
	must(t, w.client.Update(w.ctx, set))
	policy.Spec.Ingress = nil
	must(t, w.client.Update(w.ctx, policy))
	w.reconcileNetwork("banks")
	w.mustGet("banks-member-0", set)
	if got := set.Spec.Template.Spec.Containers[0].Image; got != image {
		t.Errorf("the image changed by hand is still %q, want %q", got, image)
	}
	w.mustGet("banks-within", policy)
	if got := len(policy.Spec.Ingress); got != rules {
		t.Errorf("the rules removed by hand are %d, want %d", got, rules)
	}
	// An unplanned field is removed, and causes no repeated writes.
	metav1.SetMetaDataAnnotation(&set.Spec.Template.ObjectMeta, "kubectl.kubernetes.io/restartedAt", "later")
	must(t, w.client.Update(w.ctx, set))
	w.reconcileNetwork("banks")
	w.mustGet("banks-member-0", set)
	settled := set.ResourceVersion
	w.reconcileNetwork("banks")
	w.mustGet("banks-member-0", set)
	if set.Spec.Template.Annotations["kubectl.kubernetes.io/restartedAt"] != "" || set.ResourceVersion != settled {
		t.Errorf("a restart by hand should be undone by one write: %v", set.Spec.Template.Annotations)
	}
}

func TestNetworkOwnsAllObjects(t *testing.T) {
	w := newTestEnv(t)
	must(t, w.createFromYAML(cordaNetwork, &v1alpha1.BenchmarkNetwork{}))
	for _, takeOn := range []func(string){func(name string) { w.reconcileNetwork(name) }, w.bringUp} {
		takeOn("banks")
		network := w.getNetwork("banks").UID
		goes := map[types.UID]bool{network: true}
		for _, o := range w.listOwnedObjects() {
			ref := metav1.GetControllerOf(o)
			goes[o.GetUID()] = ref != nil && ref.UID == network
		}
		for _, o := range w.listOwnedObjects() {
			if ref := metav1.GetControllerOf(o); ref == nil || !goes[ref.UID] {
				t.Errorf("%T %s is not owned by its network: deleting the network would leave it behind", o, o.GetName())
			}
		}
	}
}

func TestWorkloadsRunInOrder(t *testing.T) {
	w := newTestEnv(t)
	must(t, w.createFromYAML(cordaNetwork, &v1alpha1.BenchmarkNetwork{}))
	w.bringUp("banks")
	if got := w.runNames(); !slices.Equal(got, []string{"banks-issue"}) {
		t.Fatalf("only the first workload should run, but there are %v", got)
	}
	w.markRunComplete("banks-issue")
	w.reconcileNetwork("banks")
	if got := w.runNames(); !slices.Equal(got, []string{"banks-issue", "banks-pay"}) {
		t.Fatalf("the second workload should follow, but there are %v", got)
	}
	if last := w.getNetwork("banks").Status.LastRun; last == nil || last.Name != "banks-issue" || *last.ThroughputMilliPerSecond != 12_300 {
		t.Errorf("the network should show the last run, but shows %+v", last)
	}
	if phase := w.getNetwork("banks").Status.Phase; phase != "Running" {
		t.Errorf("phase should be Running, but is %s", phase)
	}
	w.markRunComplete("banks-pay")
	w.reconcileNetwork("banks")
	if phase := w.getNetwork("banks").Status.Phase; phase != "Finished" {
		t.Errorf("phase should be Finished, but is %s", phase)
	}
}

// TestDeathBetweenAnyTwoWrites makes the operator crash before its first write, before its second, and so on,
// and restart. The same objects must result each time.
func TestDeathBetweenAnyTwoWrites(t *testing.T) {
	reference := newTestEnv(t)
	must(t, reference.createFromYAML(cordaNetwork, &v1alpha1.BenchmarkNetwork{}))
	reference.bringUp("banks")
	reference.reconcileNetwork("banks")
	want, total := reference.listObjectNames(), reference.writeCount.Load()
	if total < 20 {
		t.Fatalf("provisioning a network should need more than 20 writes, but needed %d", total)
	}
	for k := int64(1); k <= total; k++ {
		t.Run(fmt.Sprintf("before write %d of %d", k, total), func(t *testing.T) {
			w := newTestEnv(t)
			must(t, w.createFromYAML(cordaNetwork, &v1alpha1.BenchmarkNetwork{}))
			w.failAtWrite = k
			w.convergeAfterDeath("banks")
			if got := w.listObjectNames(); !slices.Equal(got, want) {
				t.Fatalf("the objects differ:\n got %v\nwant %v", got, want)
			}
		})
	}
}

// convergeAfterDeath reconciles, and simulates cluster and genesis, until a pass writes nothing.
func (w *testEnv) convergeAfterDeath(name string) {
	w.t.Helper()
	for range 20 {
		before := w.writeCount.Load()
		_, err := w.networkReconciler().Reconcile(w.ctx, w.requestFor(name))
		if err != nil && !errors.Is(err, errDied) {
			w.t.Fatal(err)
		}
		if err == nil && w.writeCount.Load() == before {
			return
		}
		w.simulateCluster()
	}
	w.t.Fatalf("the network does not converge within 20 passes; applied last: %v; %+v", w.applied[max(0, len(w.applied)-5):], w.getNetwork(name).Status.Stages)
}

func (w *testEnv) simulateCluster() {
	w.markStatefulSetsReady()
	var jobs batchv1.JobList
	must(w.t, w.client.List(w.ctx, &jobs, client.InNamespace(w.namespace)))
	for _, j := range jobs.Items {
		if strings.Contains(j.Name, "-genesis-") {
			w.fillGenesisSecrets()
		}
	}
	w.completeJobs()
	w.collectGarbage()
}

func TestExpiredNetworkIsDeleted(t *testing.T) {
	w := newTestEnv(t)
	must(t, w.createFromYAML(strings.Replace(cordaNetwork, "spec:", "spec:\n  ttlSecondsAfterFinished: 60", 1), &v1alpha1.BenchmarkNetwork{}))
	w.bringUp("banks")
	w.markRunComplete("banks-issue")
	w.reconcileNetwork("banks")
	w.markRunComplete("banks-pay")
	if again := w.reconcileNetwork("banks").RequeueAfter; again <= 0 || again.Seconds() > 60 {
		t.Fatalf("the network should be requeued within its time to live, but is requeued after %s", again)
	}
	w.now = w.now.Add(2 * 60e9)
	w.reconcileNetwork("banks")
	if err := w.client.Get(w.ctx, client.ObjectKey{Namespace: w.namespace, Name: "banks"}, &v1alpha1.BenchmarkNetwork{}); err == nil {
		t.Error("the network should be deleted after its time to live")
	}
}

func TestApplyErrorOfNetworkIsReported(t *testing.T) {
	w := newTestEnv(t)
	must(t, w.createFromYAML(cordaNetwork, &v1alpha1.BenchmarkNetwork{}))
	w.failAtWrite = 8 // The credentials exist, the first genesis Secret does not.
	if _, err := w.networkReconciler().Reconcile(w.ctx, w.requestFor("banks")); !errors.Is(err, errDied) {
		t.Fatalf("the pass should end with the write's error, but: %v", err)
	}
	ready := meta.FindStatusCondition(w.getNetwork("banks").Status.Conditions, v1alpha1.ConditionReady)
	if ready == nil || !strings.Contains(ready.Message, errDied.Error()) {
		t.Errorf("Ready should contain the error, but is %+v", ready)
	}
}

// newRelease returns the record of the release of a run on its present network.
func (w *testEnv) newRelease(run *v1alpha1.BenchmarkRun) *v1alpha1.RunRelease {
	return &v1alpha1.RunRelease{StartTime: metav1.NowMicro(), NetworkUID: w.getNetwork(run.Spec.NetworkName).UID,
		JobUID: "j", JobGeneration: 1, BarrierUID: "b", BarrierVersion: "1", Digest: "d"}
}

// markRunComplete marks a run as released and complete.
func (w *testEnv) markRunComplete(name string) {
	w.t.Helper()
	run := w.getRun(name)
	before := run.DeepCopy()
	now := metav1.NewTime(w.now)
	run.Status.CompletionTime, run.Status.ThroughputMilliPerSecond, run.Status.Verdict = &now, new(int64(12_300)), v1alpha1.VerdictValid
	run.Status.Release = w.newRelease(run)
	meta.SetStatusCondition(&run.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionComplete, Status: metav1.ConditionTrue, Reason: "Test"})
	must(w.t, w.client.Status().Patch(w.ctx, run, client.MergeFrom(before)))
}

func (w *testEnv) statefulSetNames() []string {
	var list appsv1.StatefulSetList
	must(w.t, w.client.List(w.ctx, &list, client.InNamespace(w.namespace)))
	return namesOf(list.Items, func(s appsv1.StatefulSet) string { return s.Name })
}

func (w *testEnv) runNames() []string {
	var list v1alpha1.BenchmarkRunList
	must(w.t, w.client.List(w.ctx, &list, client.InNamespace(w.namespace)))
	return namesOf(list.Items, func(r v1alpha1.BenchmarkRun) string { return r.Name })
}

// listOwnedObjects returns all objects that the operator created in the namespace and that are not being
// deleted.
func (w *testEnv) listOwnedObjects() []client.Object {
	w.t.Helper()
	var all []client.Object
	for _, kind := range kinds.Owned() {
		list, err := snapshot.NewList(kind.Object, w.client.Scheme())
		must(w.t, err)
		must(w.t, w.client.List(w.ctx, list, client.InNamespace(w.namespace), client.MatchingLabels{"app.kubernetes.io/managed-by": v1alpha1.ManagedBy}))
		items, err := meta.ExtractList(list)
		must(w.t, err)
		for _, item := range items {
			if o := item.(client.Object); o.GetDeletionTimestamp() == nil {
				all = append(all, o)
			}
		}
	}
	return all
}

func (w *testEnv) listObjectNames() []string {
	w.t.Helper()
	return namesOf(w.listOwnedObjects(), func(o client.Object) string {
		return fmt.Sprintf("%T %s", o, setupHash.ReplaceAllString(o.GetName(), "-setup-*"))
	})
}

// setupHash matches the end of a setup Job's name, which depends on the namespace.
var setupHash = regexp.MustCompile(`-setup-[0-9a-f]+$`)

func namesOf[T any](items []T, name func(T) string) []string {
	var all []string
	for _, item := range items {
		all = append(all, name(item))
	}
	slices.Sort(all)
	return all
}
