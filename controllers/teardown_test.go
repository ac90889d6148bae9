package controllers_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta1"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// onAnExternalServer are the two banks, whose schemas are on a server of the user's own.
var onAnExternalServer = strings.Replace(twoBanks, "topology: Shared", "topology: Shared, provider: External, external: {host: db.example, adminSecret: {name: admin}}", 1)

// adminSecret makes the administrator's Secret of onAnExternalServer.
func (w *world) adminSecret(labels map[string]string) *corev1.Secret {
	w.t.Helper()
	secret := &corev1.Secret{ObjectMeta: w.meta("admin"), StringData: map[string]string{"username": "postgres", "password": "p"}}
	secret.Labels = labels
	must(w.t, w.client.Create(w.ctx, secret))
	return secret
}

// forNetworks are the labels of a Secret that networks may use.
var forNetworks = map[string]string{v1alpha1.LabelDatabaseAdmin: "true"}

// TestAdminSecretNeedsItsLabel: whoever may create networks must not get at any Secret of the namespace.
func TestAdminSecretNeedsItsLabel(t *testing.T) {
	w := newWorld(t)
	must(t, w.create(onAnExternalServer, &v1alpha1.BenchmarkNetwork{}))
	w.reconcileNetwork("banks")
	refused := func(message string) {
		t.Helper()
		c := meta.FindStatusCondition(w.network("banks").Status.Conditions, v1alpha1.ConditionAccepted)
		if c.Status != metav1.ConditionFalse || !strings.Contains(c.Message, message) {
			t.Errorf("the network should be refused with %q, but Accepted is %+v", message, c)
		}
	}
	refused(`secrets "admin" not found`)
	secret := w.adminSecret(nil)
	if result := w.reconcileNetwork("banks"); result.RequeueAfter == 0 {
		t.Error("the Secret may be labelled later, so the network should be looked at again")
	}
	refused("kubectl label secret --namespace " + w.namespace + " admin benchnet.dev/database-admin=true")
	if jobs := append(w.jobs("setup"), w.jobs("teardown")...); len(jobs) > 0 {
		t.Fatalf("the Secret reaches the Jobs %v", jobs)
	}
	label := func(value string) {
		t.Helper()
		must(t, w.client.Patch(w.ctx, secret, client.RawPatch(types.MergePatchType, []byte(`{"metadata": {"labels": {"benchnet.dev/database-admin": `+value+`}}}`))))
	}
	label(`"true"`)
	w.bringUp("banks")
	if jobs := w.jobs("setup"); len(jobs) != 1 {
		t.Errorf("the labelled Secret should be used, but there are Jobs %v", jobs)
	}
	label("null")
	must(t, w.client.Delete(w.ctx, w.network("banks")))
	if _, err := w.networks().Reconcile(w.ctx, w.request("banks")); err == nil || !strings.Contains(err.Error(), "benchnet.dev/database-admin=true") {
		t.Errorf("the network should be held with the reason, but: %v", err)
	}
	if jobs := w.jobs("teardown"); len(jobs) > 0 {
		t.Errorf("the Secret that is not labelled any more reaches %v", jobs)
	}
	label(`"true"`)
	w.reconcileNetwork("banks")
	if jobs := w.jobs("teardown"); len(jobs) != 1 {
		t.Errorf("a Job should remove the schemas, but there are %v", jobs)
	}
}

// jobs of a purpose on the banks' database that nobody is deleting.
func (w *world) jobs(purpose string) []string {
	w.t.Helper()
	var list batchv1.JobList
	must(w.t, w.client.List(w.ctx, &list, client.InNamespace(w.namespace), client.MatchingLabels{"app.kubernetes.io/component": "database-" + purpose}))
	list.Items = slices.DeleteFunc(list.Items, func(j batchv1.Job) bool { return j.DeletionTimestamp != nil })
	return namesOf(list.Items, func(j batchv1.Job) string { return j.Name })
}

// gone tells whether there is no such object.
func (w *world) gone(name string, object client.Object) bool {
	w.t.Helper()
	err := w.client.Get(w.ctx, client.ObjectKey{Namespace: w.namespace, Name: name}, object)
	if client.IgnoreNotFound(err) != nil {
		w.t.Fatal(err)
	}
	return apierrors.IsNotFound(err)
}

// removePods does what the garbage collector and the kubelet do when StatefulSets are gone.
func (w *world) removePods() {
	w.t.Helper()
	must(w.t, w.client.DeleteAllOf(w.ctx, &corev1.Pod{}, client.InNamespace(w.namespace), client.GracePeriodSeconds(0)))
}

// admit does what Kueue does when there is quota, be it once more.
func (w *world) admit(network string) {
	w.t.Helper()
	object := w.workload(network)
	if c := meta.FindStatusCondition(object.Status.Conditions, kueue.WorkloadEvicted); c != nil {
		c.Status = metav1.ConditionFalse
		must(w.t, w.client.Status().Update(w.ctx, object))
	}
	w.decide(network, kueue.WorkloadQuotaReserved, "QuotaReserved", "in ClusterQueue all")
	w.decide(network, kueue.WorkloadAdmitted, "Admitted", "admitted")
}

func (w *world) reserved(network string) bool {
	w.t.Helper()
	return meta.IsStatusConditionTrue(w.workload(network).Status.Conditions, kueue.WorkloadQuotaReserved)
}

// TestAnEvictedNetworkLeavesItsDatabaseServer: no schema may be there when the network is made anew, with other keys and passwords.
func TestAnEvictedNetworkLeavesItsDatabaseServer(t *testing.T) {
	w := withKueue(t)
	w.adminSecret(forNetworks)
	must(t, w.create(strings.NewReplacer(labelled("banks", "ours")...).Replace(onAnExternalServer), &v1alpha1.BenchmarkNetwork{}))
	w.reconcileNetwork("banks")
	w.admit("banks")
	w.reconcileNetwork("banks")
	w.bringUp("banks")
	w.reconcileNetwork("banks")
	password := func() string {
		s := &corev1.Secret{}
		w.get("banks-member-0-database", s)
		return string(s.Data["password"])
	}
	first := password()
	if got := w.jobs("setup"); len(got) != 1 || first == "" || len(w.jobs("teardown")) != 0 {
		t.Fatalf("the network should stand, with its schemas made: %v", got)
	}
	w.decide("banks", kueue.WorkloadEvicted, kueue.WorkloadEvictedByPreemption, "somebody with a higher priority came")
	for range 3 {
		w.reconcileNetwork("banks")
	}
	if got := w.jobs("teardown"); len(w.sets()) != 0 || len(got) != 1 || password() != first {
		t.Fatalf("members should go first, then the schemas by a Job, then all else, but there are %v and the Jobs %v", w.sets(), got)
	}
	if c := w.admitted("banks"); c.Reason != v1alpha1.ReasonEvicted || !strings.Contains(c.Message, "somebody with a higher priority") || !strings.Contains(c.Message, w.jobs("teardown")[0]) {
		t.Errorf("Admitted should say why the network goes, and what it waits for: %+v", c)
	}
	w.removePods()
	w.reconcileNetwork("banks")
	if !w.reserved("banks") {
		t.Error("as long as the schemas are there the quota should be held: the network must not begin anew on them")
	}
	w.completeJobs()
	for range 2 {
		w.reconcileNetwork("banks")
	}
	if w.reserved("banks") || len(w.jobs("teardown")) != 0 || slices.Contains(w.network("banks").Finalizers, "benchnet.dev/teardown") {
		t.Errorf("now the quota should be given back, and nothing be left to do on the server: %v", w.inventory())
	}
	w.reconcileNetwork("banks")
	if got := w.jobs("teardown"); len(got) != 0 {
		t.Errorf("schemas are dropped once, but there is %v", got)
	}
	w.admit("banks")
	w.reconcileNetwork("banks")
	w.bringUp("banks")
	if got := w.jobs("setup"); len(got) != 1 || password() == first || !slices.Contains(w.network("banks").Finalizers, "benchnet.dev/teardown") {
		t.Errorf("the network should be made anew, with its schemas and other passwords: %v", got)
	}
}

// refuse makes the spec of a network that stands impossible: a workload's run has the name of somebody else's.
func (w *world) refuse(network string) (by *v1alpha1.BenchmarkRun) {
	w.t.Helper()
	const workload = "{name: more, malachite: {observe: 0}, measure: {warmUp: 1s, window: 10s}}"
	by = &v1alpha1.BenchmarkRun{}
	must(w.t, w.create("{apiVersion: benchnet.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: "+network+"-more}, spec: {networkName: "+network+", workload: "+workload+"}}", by))
	must(w.t, w.client.Patch(w.ctx, w.network(network), client.RawPatch("application/merge-patch+json",
		[]byte(`{"spec": {"workloads": [{"name": "more", "malachite": {"observe": 0}, "measure": {"warmUp": "1s", "window": "10s"}}]}}`))))
	w.reconcileNetwork(network)
	if c := meta.FindStatusCondition(w.network(network).Status.Conditions, v1alpha1.ConditionAccepted); c == nil || c.Status != metav1.ConditionFalse {
		w.t.Fatalf("the spec should be refused: %+v", c)
	}
	return by
}

// TestARefusedNetworkGivesWay: Kueue counts on the room of what it evicts, and what cannot begin holds none.
func TestARefusedNetworkGivesWay(t *testing.T) {
	w := withKueue(t)
	w.small("a", labelled("a", "ours")...)
	w.reconcileNetwork("a")
	w.admit("a")
	w.reconcileNetwork("a")
	w.bringUp("a")
	other := w.refuse("a")
	if len(w.sets()) == 0 || !w.reserved("a") || w.admitted("a").Status != metav1.ConditionTrue {
		t.Fatalf("a refused network that stands should stand on, and keep its place: %v", w.inventory())
	}
	w.decide("a", kueue.WorkloadEvicted, kueue.WorkloadEvictedByPreemption, "somebody with a higher priority came")
	w.reconcileNetwork("a")
	if c := w.admitted("a"); c.Reason != v1alpha1.ReasonEvicted {
		t.Errorf("it should say why it goes: %+v", c)
	}
	w.reconcileNetwork("a")
	if len(w.sets()) != 0 || w.gone("a-kueue", &kueue.Workload{}) {
		t.Errorf("it should go, and hold its quota while pods are there: %v", w.inventory())
	}
	w.removePods()
	for range 2 {
		w.reconcileNetwork("a")
	}
	if !w.gone("a-kueue", &kueue.Workload{}) {
		t.Error("what is refused should ask for no quota")
	}
	must(t, w.client.Delete(w.ctx, other))
	w.reconcileNetwork("a")
	w.admit("a")
	w.reconcileNetwork("a")
	w.bringUp("a")
	if len(w.sets()) == 0 {
		t.Error("once its spec is accepted it should ask again, and begin")
	}
}

// TestWhatIsRefusedAsksForNoQuota while it waits.
func TestWhatIsRefusedAsksForNoQuota(t *testing.T) {
	w := withKueue(t)
	w.small("a", labelled("a", "ours")...)
	w.reconcileNetwork("a")
	w.workload("a")
	w.refuse("a")
	if !w.gone("a-kueue", &kueue.Workload{}) {
		t.Error("the Workload should be taken back")
	}
}

// deleteDependantsFirst lets the real garbage collector delete all that the banks own before the operator sees that they are deleted.
func (w *world) deleteDependantsFirst() {
	w.t.Helper()
	must(w.t, w.client.Delete(w.ctx, w.network("banks"), client.PropagationPolicy(metav1.DeletePropagationForeground)))
	w.waitFor("the dependants go", func() bool {
		return len(w.inventory()) == 0 || slices.Equal(w.inventory(), []string{"*v1alpha1.BenchmarkRun banks-issue"})
	})
}

// TestKeptResultsOutliveForegroundDeletion, as Argo CD prunes.
func TestKeptResultsOutliveForegroundDeletion(t *testing.T) {
	w := newWorld(t)
	w.startControllers("garbage-collector-controller")
	must(t, w.create(strings.Replace(twoBanks, "spec:", "spec:\n  resultPolicy: Keep", 1), &v1alpha1.BenchmarkNetwork{}))
	w.bringUp("banks")
	w.end("banks-issue")
	run := w.run("banks-issue")
	run.Status.Result = &v1alpha1.ResultReference{ConfigMapName: "banks-issue-result", Key: "result.json.gz"}
	must(t, w.client.Status().Update(w.ctx, run))
	for range 3 {
		w.reconcileNetwork("banks")
	}
	if c := meta.FindStatusCondition(w.network("banks").Status.Conditions, v1alpha1.ConditionAccepted); c.Status != metav1.ConditionTrue || !slices.Equal(w.runNames(), []string{"banks-issue", "banks-pay"}) {
		t.Errorf("the network should know its run though that is free, and go on with the next: %v, %+v", w.runNames(), c)
	}
	w.steady()
	w.deleteDependantsFirst()
	w.reconcileNetwork("banks")
	w.waitFor("the network is gone", func() bool { return w.gone("banks", &v1alpha1.BenchmarkNetwork{}) })
	time.Sleep(2 * time.Second) // The garbage collector would have taken the run by then.
	if got := w.runNames(); !slices.Equal(got, []string{"banks-issue"}) {
		t.Errorf("the run with a result alone should stay, but there are %v", got)
	}
}

// TestANamespaceNeedNotWaitForSchemas: no Job can be made in one that is being deleted.
func TestANamespaceNeedNotWaitForSchemas(t *testing.T) {
	w := newWorld(t)
	w.adminSecret(forNetworks)
	must(t, w.create(onAnExternalServer, &v1alpha1.BenchmarkNetwork{}))
	w.bringUp("banks")
	must(t, w.client.Delete(w.ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.namespace}}))
	must(t, w.client.Delete(w.ctx, w.network("banks")))
	w.reconcileNetwork("banks")
	if !w.gone("banks", &v1alpha1.BenchmarkNetwork{}) {
		t.Errorf("the network should be gone, but has the finalizers %v", w.network("banks").Finalizers)
	}
}

// TestSchemasGoOnForegroundDeletion, when what the operator wrote down of them is gone already, and the members' passwords too.
func TestSchemasGoOnForegroundDeletion(t *testing.T) {
	w := newWorld(t)
	w.startControllers("garbage-collector-controller")
	w.adminSecret(forNetworks)
	must(t, w.create(onAnExternalServer, &v1alpha1.BenchmarkNetwork{}))
	w.bringUp("banks")
	w.deleteDependantsFirst()
	w.reconcileNetwork("banks")
	jobs := w.jobs("teardown")
	if len(jobs) != 1 {
		t.Fatalf("a Job should remove the schemas, but there are %v", jobs)
	}
	time.Sleep(2 * time.Second) // The garbage collector would have taken it by then.
	job := &batchv1.Job{}
	w.get(jobs[0], job)
	needed := map[string]bool{}
	for _, v := range job.Spec.Template.Spec.Volumes {
		if v.ConfigMap != nil {
			w.get(v.ConfigMap.Name, &corev1.ConfigMap{})
		}
		if v.Projected != nil || v.Secret != nil {
			needed[v.Name] = true
		}
	}
	if job.DeletionTimestamp != nil || len(needed) > 0 {
		t.Errorf("the Job should need nothing that is gone, but needs %v", slices.Collect(maps.Keys(needed)))
	}
	w.completeJobs()
	w.reconcileNetwork("banks")
	w.waitFor("the network is gone", func() bool { return w.gone("banks", &v1alpha1.BenchmarkNetwork{}) })
}
