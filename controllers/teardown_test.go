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
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// externalDatabaseNetwork is cordaNetwork with its schemas on a user's own server.
var externalDatabaseNetwork = strings.Replace(cordaNetwork, "topology: Shared", "topology: Shared, provider: External, external: {servers: [{host: db.example, adminSecret: {name: admin}}]}", 1)

// TestJDBCSecretNeedsItsLabel: members of a network in a user's image must not get access to any Secret of the namespace.
func TestJDBCSecretNeedsItsLabel(t *testing.T) {
	w := newTestEnv(t)
	network := strings.NewReplacer("engine: PostgreSQL", "engine: SQLServer", ", adminSecret: {name: admin}}]", "}], jdbcSecret: {name: admin}",
		"type: Corda, corda: {", `type: Corda, corda: {distribution: Enterprise, image: "example.com/corda:1", `).Replace(externalDatabaseNetwork)
	w.createAdminSecret(map[string]string{v1alpha1.LabelDatabaseAdmin: "true"})
	must(t, w.createFromYAML(network, &v1alpha1.BenchmarkNetwork{}))
	w.reconcileNetwork("banks")
	c := meta.FindStatusCondition(w.getNetwork("banks").Status.Conditions, v1alpha1.ConditionAccepted)
	if want := "spec.database.external.jdbcSecret.name: Secret admin"; c.Status != metav1.ConditionFalse || !strings.Contains(c.Message, want) ||
		!strings.Contains(c.Message, "benchnet.dev/database-jdbc=true") {
		t.Errorf("the network should be refused with %q, but Accepted is %+v", want, c)
	}
}

// createAdminSecret creates the admin Secret of externalDatabaseNetwork.
func (w *testEnv) createAdminSecret(labels map[string]string) *corev1.Secret {
	w.t.Helper()
	secret := &corev1.Secret{ObjectMeta: w.objectMeta("admin"), StringData: map[string]string{"username": "postgres", "password": "p"}}
	secret.Labels = labels
	must(w.t, w.client.Create(w.ctx, secret))
	return secret
}

// databaseAdminLabels are the labels of a Secret that networks may use.
var databaseAdminLabels = map[string]string{v1alpha1.LabelDatabaseAdmin: "true", v1alpha1.LabelDatabaseJDBC: "true"}

// TestAdminSecretNeedsItsLabel: a user who may create networks must not get access to any Secret of the
// namespace.
func TestAdminSecretNeedsItsLabel(t *testing.T) {
	w := newTestEnv(t)
	must(t, w.createFromYAML(externalDatabaseNetwork, &v1alpha1.BenchmarkNetwork{}))
	w.reconcileNetwork("banks")
	refused := func(message string) {
		t.Helper()
		c := meta.FindStatusCondition(w.getNetwork("banks").Status.Conditions, v1alpha1.ConditionAccepted)
		if c.Status != metav1.ConditionFalse || !strings.Contains(c.Message, message) {
			t.Errorf("the network should be refused with %q, but Accepted is %+v", message, c)
		}
	}
	refused(`secrets "admin" not found`)
	secret := w.createAdminSecret(nil)
	if result := w.reconcileNetwork("banks"); result.RequeueAfter == 0 {
		t.Error("the Secret may be labelled later, so the network should be requeued")
	}
	refused("kubectl label secret --namespace " + w.namespace + " admin benchnet.dev/database-admin=true")
	if jobs := append(w.databaseJobNames("setup"), w.databaseJobNames("teardown")...); len(jobs) > 0 {
		t.Fatalf("the Secret reaches the Jobs %v", jobs)
	}
	label := func(value string) {
		t.Helper()
		must(t, w.client.Patch(w.ctx, secret, client.RawPatch(types.MergePatchType, []byte(`{"metadata": {"labels": {"benchnet.dev/database-admin": `+value+`}}}`))))
	}
	label(`"true"`)
	w.bringUp("banks")
	if jobs := w.databaseJobNames("setup"); len(jobs) != 1 {
		t.Errorf("the labelled Secret should be used, but there are Jobs %v", jobs)
	}
	label("null")
	must(t, w.client.Delete(w.ctx, w.getNetwork("banks")))
	if _, err := w.networkReconciler().Reconcile(w.ctx, w.requestFor("banks")); err == nil || !strings.Contains(err.Error(), "benchnet.dev/database-admin=true") {
		t.Errorf("the network should be kept with the reason, but: %v", err)
	}
	if jobs := w.databaseJobNames("teardown"); len(jobs) > 0 {
		t.Errorf("the Secret, which is no longer labelled, reaches %v", jobs)
	}
	label(`"true"`)
	w.reconcileNetwork("banks")
	if jobs := w.databaseJobNames("teardown"); len(jobs) != 1 {
		t.Errorf("a Job should remove the schemas, but there are %v", jobs)
	}
}

// databaseJobNames returns the names of the Jobs of a purpose on the databases, without those that are being
// deleted.
func (w *testEnv) databaseJobNames(purpose string) []string {
	w.t.Helper()
	var list batchv1.JobList
	must(w.t, w.client.List(w.ctx, &list, client.InNamespace(w.namespace), client.MatchingLabels{"app.kubernetes.io/component": "database-" + purpose}))
	list.Items = slices.DeleteFunc(list.Items, func(j batchv1.Job) bool { return j.DeletionTimestamp != nil })
	return namesOf(list.Items, func(j batchv1.Job) string { return j.Name })
}

// isGone reports whether the object does not exist.
func (w *testEnv) isGone(name string, object client.Object) bool {
	w.t.Helper()
	err := w.client.Get(w.ctx, client.ObjectKey{Namespace: w.namespace, Name: name}, object)
	if client.IgnoreNotFound(err) != nil {
		w.t.Fatal(err)
	}
	return apierrors.IsNotFound(err)
}

// deletePods simulates the garbage collector and the kubelet after StatefulSets are deleted.
func (w *testEnv) deletePods() {
	w.t.Helper()
	must(w.t, w.client.DeleteAllOf(w.ctx, &corev1.Pod{}, client.InNamespace(w.namespace), client.GracePeriodSeconds(0)))
}

// admitWithKueue simulates Kueue when there is quota, for the first time or again.
func (w *testEnv) admitWithKueue(network string) {
	w.t.Helper()
	object := w.getKueueWorkload(network)
	if c := meta.FindStatusCondition(object.Status.Conditions, kueue.WorkloadEvicted); c != nil {
		c.Status = metav1.ConditionFalse
		must(w.t, w.client.Status().Update(w.ctx, object))
	}
	w.setKueueCondition(network, kueue.WorkloadQuotaReserved, "QuotaReserved", "in ClusterQueue all")
	w.setKueueCondition(network, kueue.WorkloadAdmitted, "Admitted", "admitted")
}

func (w *testEnv) hasQuotaReserved(network string) bool {
	w.t.Helper()
	return meta.IsStatusConditionTrue(w.getKueueWorkload(network).Status.Conditions, kueue.WorkloadQuotaReserved)
}

// TestEvictionDropsExternalSchemas: no schema may be left when the network is created again with other keys and
// passwords.
func TestEvictionDropsExternalSchemas(t *testing.T) {
	w := newTestEnvWithKueue(t)
	w.createAdminSecret(databaseAdminLabels)
	must(t, w.createFromYAML(strings.NewReplacer(withQueueLabel("banks", "ours")...).Replace(externalDatabaseNetwork), &v1alpha1.BenchmarkNetwork{}))
	w.reconcileNetwork("banks")
	w.admitWithKueue("banks")
	w.reconcileNetwork("banks")
	w.bringUp("banks")
	w.reconcileNetwork("banks")
	password := func() string {
		s := &corev1.Secret{}
		w.mustGet("banks-member-0-database", s)
		return string(s.Data["password"])
	}
	first := password()
	if got := w.databaseJobNames("setup"); len(got) != 1 || first == "" || len(w.databaseJobNames("teardown")) != 0 {
		t.Fatalf("the network should be ready, with its schemas created: %v", got)
	}
	w.setKueueCondition("banks", kueue.WorkloadEvicted, kueue.WorkloadEvictedByPreemption, "a network with a higher priority arrived")
	for range 3 {
		w.reconcileNetwork("banks")
	}
	if got := w.databaseJobNames("teardown"); len(w.statefulSetNames()) != 0 || len(got) != 1 || password() != first {
		t.Fatalf("members should be deleted first, then the schemas by a Job, then everything else, but there are %v and the Jobs %v", w.statefulSetNames(), got)
	}
	if c := w.admittedCondition("banks"); c.Reason != v1alpha1.ReasonEvicted || !strings.Contains(c.Message, "a network with a higher priority") || !strings.Contains(c.Message, w.databaseJobNames("teardown")[0]) {
		t.Errorf("Admitted should report why the network is evicted and what it waits for: %+v", c)
	}
	w.deletePods()
	w.reconcileNetwork("banks")
	if !w.hasQuotaReserved("banks") {
		t.Error("the quota must be held while the schemas exist: the network must not restart on them")
	}
	w.completeJobs()
	for range 2 {
		w.reconcileNetwork("banks")
	}
	if w.hasQuotaReserved("banks") || len(w.databaseJobNames("teardown")) != 0 || slices.Contains(w.getNetwork("banks").Finalizers, "benchnet.dev/teardown") {
		t.Errorf("now the quota should be released, and no work should remain on the server: %v", w.listObjectNames())
	}
	w.reconcileNetwork("banks")
	if got := w.databaseJobNames("teardown"); len(got) != 0 {
		t.Errorf("schemas must be dropped once, but there is %v", got)
	}
	w.admitWithKueue("banks")
	w.reconcileNetwork("banks")
	w.bringUp("banks")
	if got := w.databaseJobNames("setup"); len(got) != 1 || password() == first || !slices.Contains(w.getNetwork("banks").Finalizers, "benchnet.dev/teardown") {
		t.Errorf("the network should be recreated, with its schemas and new passwords: %v", got)
	}
}

// makeSpecInvalid makes the spec of an existing network invalid: the run of a workload has the name of a
// foreign run.
func (w *testEnv) makeSpecInvalid(network string) (by *v1alpha1.BenchmarkRun) {
	w.t.Helper()
	const workload = "{name: more, type: Blocks, blocks: {observe: member-0}, measure: {warmUp: 1s, window: 10s}}"
	by = &v1alpha1.BenchmarkRun{}
	must(w.t, w.createFromYAML("{apiVersion: benchnet.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: "+network+"-more}, spec: {networkName: "+network+", workload: "+workload+"}}", by))
	must(w.t, w.client.Patch(w.ctx, w.getNetwork(network), client.RawPatch("application/merge-patch+json",
		[]byte(`{"spec": {"workloads": [{"name": "more", "type": "Blocks", "blocks": {"observe": "member-0"}, "measure": {"warmUp": "1s", "window": "10s"}}]}}`))))
	w.reconcileNetwork(network)
	if c := meta.FindStatusCondition(w.getNetwork(network).Status.Conditions, v1alpha1.ConditionAccepted); c == nil || c.Status != metav1.ConditionFalse {
		w.t.Fatalf("the spec should be refused: %+v", c)
	}
	return by
}

// TestInvalidNetworkIsEvicted: Kueue relies on the quota of an evicted network, and a network that cannot begin
// reserves none.
func TestInvalidNetworkIsEvicted(t *testing.T) {
	w := newTestEnvWithKueue(t)
	w.createSmallNetwork("a", withQueueLabel("a", "ours")...)
	w.reconcileNetwork("a")
	w.admitWithKueue("a")
	w.reconcileNetwork("a")
	w.bringUp("a")
	other := w.makeSpecInvalid("a")
	if len(w.statefulSetNames()) == 0 || !w.hasQuotaReserved("a") || w.admittedCondition("a").Status != metav1.ConditionTrue {
		t.Fatalf("a refused network that runs should keep running and remain admitted: %v", w.listObjectNames())
	}
	w.setKueueCondition("a", kueue.WorkloadEvicted, kueue.WorkloadEvictedByPreemption, "a network with a higher priority arrived")
	w.reconcileNetwork("a")
	if c := w.admittedCondition("a"); c.Reason != v1alpha1.ReasonEvicted {
		t.Errorf("the network should report the eviction's reason: %+v", c)
	}
	w.reconcileNetwork("a")
	if len(w.statefulSetNames()) != 0 || w.isGone("a-kueue", &kueue.Workload{}) {
		t.Errorf("the network should be deleted and hold its quota while pods exist: %v", w.listObjectNames())
	}
	w.deletePods()
	for range 2 {
		w.reconcileNetwork("a")
	}
	if !w.isGone("a-kueue", &kueue.Workload{}) {
		t.Error("a refused network should request no quota")
	}
	must(t, w.client.Delete(w.ctx, other))
	w.reconcileNetwork("a")
	w.admitWithKueue("a")
	w.reconcileNetwork("a")
	w.bringUp("a")
	if len(w.statefulSetNames()) == 0 {
		t.Error("once its spec is accepted the network should request quota again and start")
	}
}

// TestInvalidNetworkRequestsNoQuota: the Workload of a waiting network is deleted when its spec becomes
// invalid.
func TestInvalidNetworkRequestsNoQuota(t *testing.T) {
	w := newTestEnvWithKueue(t)
	w.createSmallNetwork("a", withQueueLabel("a", "ours")...)
	w.reconcileNetwork("a")
	w.getKueueWorkload("a")
	w.makeSpecInvalid("a")
	if !w.isGone("a-kueue", &kueue.Workload{}) {
		t.Error("the Workload should be deleted")
	}
}

// deleteDependantsFirst lets the real garbage collector delete everything that the network owns before the
// operator sees the deletion.
func (w *testEnv) deleteDependantsFirst() {
	w.t.Helper()
	must(w.t, w.client.Delete(w.ctx, w.getNetwork("banks"), client.PropagationPolicy(metav1.DeletePropagationForeground)))
	w.waitFor("the dependants are deleted", func() bool {
		names := w.listObjectNames()
		isEmpty := len(names) == 0 || slices.Equal(names, []string{"*v1alpha1.BenchmarkRun banks-issue"})
		return isEmpty && !slices.Contains(w.getNetwork("banks").Finalizers, metav1.FinalizerDeleteDependents)
	})
}

// TestKeptResultsOutliveForegroundDeletion deletes a network as Argo CD prunes.
func TestKeptResultsOutliveForegroundDeletion(t *testing.T) {
	w := newTestEnv(t)
	w.startControllers("garbage-collector-controller")
	must(t, w.createFromYAML(strings.Replace(cordaNetwork, "spec:", "spec:\n  resultRetention: Retain", 1), &v1alpha1.BenchmarkNetwork{}))
	w.bringUp("banks")
	w.markRunComplete("banks-issue")
	run := w.getRun("banks-issue")
	run.Status.Result = &v1alpha1.ResultReference{ConfigMapName: "banks-issue-result", Key: "result.json.gz"}
	must(t, w.client.Status().Update(w.ctx, run))
	for range 3 {
		w.reconcileNetwork("banks")
	}
	if c := meta.FindStatusCondition(w.getNetwork("banks").Status.Conditions, v1alpha1.ConditionAccepted); c.Status != metav1.ConditionTrue || !slices.Equal(w.runNames(), []string{"banks-issue", "banks-pay"}) {
		t.Errorf("the network should find its released run and continue with the next: %v, %+v", w.runNames(), c)
	}
	w.wantNoWrites()
	w.deleteDependantsFirst()
	w.reconcileNetwork("banks")
	w.waitFor("the network is deleted", func() bool { return w.isGone("banks", &v1alpha1.BenchmarkNetwork{}) })
	time.Sleep(2 * time.Second) // The garbage collector would have deleted the run by then.
	if got := w.runNames(); !slices.Equal(got, []string{"banks-issue"}) {
		t.Errorf("only the run with a result should remain, but there are %v", got)
	}
}

// TestNamespaceDeletionSkipsTeardown: no Job can be created in a namespace that is being deleted.
func TestNamespaceDeletionSkipsTeardown(t *testing.T) {
	w := newTestEnv(t)
	w.createAdminSecret(databaseAdminLabels)
	must(t, w.createFromYAML(externalDatabaseNetwork, &v1alpha1.BenchmarkNetwork{}))
	w.bringUp("banks")
	must(t, w.client.Delete(w.ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.namespace}}))
	must(t, w.client.Delete(w.ctx, w.getNetwork("banks")))
	w.reconcileNetwork("banks")
	if !w.isGone("banks", &v1alpha1.BenchmarkNetwork{}) {
		t.Errorf("the network should be deleted, but has the finalizers %v", w.getNetwork("banks").Finalizers)
	}
}

// TestForegroundDeletionDropsSchemas: the schemas are dropped even after the operator's records and the
// members' passwords are deleted.
func TestForegroundDeletionDropsSchemas(t *testing.T) {
	w := newTestEnv(t)
	w.startControllers("garbage-collector-controller")
	w.createAdminSecret(databaseAdminLabels)
	must(t, w.createFromYAML(externalDatabaseNetwork, &v1alpha1.BenchmarkNetwork{}))
	w.bringUp("banks")
	w.deleteDependantsFirst()
	w.reconcileNetwork("banks")
	jobs := w.databaseJobNames("teardown")
	if len(jobs) != 1 {
		t.Fatalf("a Job should remove the schemas, but there are %v", jobs)
	}
	time.Sleep(2 * time.Second) // The garbage collector would have deleted it by then.
	job := &batchv1.Job{}
	w.mustGet(jobs[0], job)
	needed := map[string]bool{}
	for _, v := range job.Spec.Template.Spec.Volumes {
		if v.ConfigMap != nil {
			w.mustGet(v.ConfigMap.Name, &corev1.ConfigMap{})
		}
		if v.Projected != nil || v.Secret != nil {
			needed[v.Name] = true
		}
	}
	if job.DeletionTimestamp != nil || len(needed) > 0 {
		t.Errorf("the Job must not need deleted objects, but needs %v", slices.Collect(maps.Keys(needed)))
	}
	w.completeJobs()
	w.reconcileNetwork("banks")
	w.waitFor("the network is deleted", func() bool { return w.isGone("banks", &v1alpha1.BenchmarkNetwork{}) })
}
