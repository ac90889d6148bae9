package controllers_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/corda"
)

// newTestEnvWithUsedNetwork returns an environment with a network on which one run has ended, so that it is not
// fresh.
func newTestEnvWithUsedNetwork(t *testing.T) *testEnv {
	t.Helper()
	w := newTestEnvWithRun(t, twoWorkerRun)
	w.markRunComplete("extra")
	w.reconcileNetwork("banks")
	return w
}

// createRunWithReset creates a run on the network with that reset policy. Its name must sort after all others,
// since creation times have whole seconds.
func (w *testEnv) createRunWithReset(name, reset string) {
	w.t.Helper()
	text := strings.Replace(twoWorkerRun, "name: extra}", "name: "+name+"}", 1)
	must(w.t, w.createFromYAML(strings.Replace(text, "    name: extra\n", "    name: extra\n    reset: "+reset+"\n", 1), &v1alpha1.BenchmarkRun{}))
}

// annotateReset does what kubectl benchnet reset does.
func (w *testEnv) annotateReset(value string) {
	w.t.Helper()
	n := w.getNetwork("banks")
	before := n.DeepCopy()
	metav1.SetMetaDataAnnotation(&n.ObjectMeta, v1alpha1.AnnotationReset, value)
	must(w.t, w.client.Patch(w.ctx, n, client.MergeFrom(before)))
}

// memberSets returns the members' StatefulSets as epoch/replicas.
func (w *testEnv) memberSets() []string {
	w.t.Helper()
	var list appsv1.StatefulSetList
	must(w.t, w.client.List(w.ctx, &list, client.InNamespace(w.namespace), client.HasLabels{v1alpha1.LabelMember}))
	return namesOf(list.Items, func(s appsv1.StatefulSet) string {
		return fmt.Sprintf("%s/%d", s.Spec.Template.Annotations[v1alpha1.AnnotationEpoch], *s.Spec.Replicas)
	})
}

// stopPods simulates the StatefulSet controller for StatefulSets without replicas.
func (w *testEnv) stopPods() {
	w.t.Helper()
	var list appsv1.StatefulSetList
	must(w.t, w.client.List(w.ctx, &list, client.InNamespace(w.namespace)))
	for i := range list.Items {
		s := &list.Items[i]
		if *s.Spec.Replicas > 0 {
			continue
		}
		err := w.client.Delete(w.ctx, &corev1.Pod{ObjectMeta: w.objectMeta(s.Name + "-0")}, client.GracePeriodSeconds(0))
		must(w.t, client.IgnoreNotFound(err))
		before := s.DeepCopy()
		s.Status.ObservedGeneration, s.Status.Replicas, s.Status.ReadyReplicas = s.Generation, 0, 0
		must(w.t, w.client.Status().Patch(w.ctx, s, client.MergeFrom(before)))
	}
}

func (w *testEnv) resetJob() *batchv1.Job {
	w.t.Helper()
	var jobs batchv1.JobList
	must(w.t, w.client.List(w.ctx, &jobs, client.InNamespace(w.namespace)))
	for i := range jobs.Items {
		if strings.Contains(jobs.Items[i].Name, "-reset-") && jobs.Items[i].DeletionTimestamp == nil {
			return &jobs.Items[i]
		}
	}
	return nil
}

func (w *testEnv) networkReady() *metav1.Condition {
	w.t.Helper()
	c := meta.FindStatusCondition(w.getNetwork("banks").Status.Conditions, v1alpha1.ConditionReady)
	if c == nil {
		w.t.Fatal("the network has no condition Ready")
	}
	return c
}

func TestResetRecreatesDatabases(t *testing.T) {
	w := newTestEnvWithUsedNetwork(t)
	hash, identities := w.getNetwork("banks").Status.PlanHash, w.secretVersions()
	w.createRunWithReset("fresh", "Reset")
	w.reconcileNetwork("banks")
	w.reconcileNetwork("banks")
	if got := w.memberSets(); !slices.Equal(got, []string{"/0", "/0", "/0"}) {
		t.Fatalf("all members should stop in their old epoch, but are %v", got)
	}
	if w.resetJob() != nil {
		t.Fatal("databases must not be touched while members run")
	}
	if c := w.networkReady(); c.Reason != v1alpha1.ReasonResetting || !strings.Contains(c.Message, "StatefulSet banks-") {
		t.Errorf("Ready should name the members that have not stopped, but is %+v", c)
	}
	w.reconcileRun("fresh")
	w.wantReason("fresh", v1alpha1.ReasonWaitingForReset, "have not stopped")
	w.stopPods()
	w.reconcileNetwork("banks")
	job := w.resetJob()
	if job == nil {
		t.Fatal("the databases should be recreated once the members have stopped")
	}
	if got := w.memberSets(); !slices.Equal(got, []string{"/0", "/0", "/0"}) {
		t.Fatalf("no member may start before its database is ready, but members are %v", got)
	}
	w.completeJobs()
	w.reconcileNetwork("banks")
	epoch := w.getNetwork("banks").Status.Epoch.ID
	if got := w.memberSets(); epoch == "" || !slices.Equal(got, []string{epoch + "/1", epoch + "/1", epoch + "/1"}) {
		t.Fatalf("all members should start in epoch %s, but are %v", epoch, got)
	}
	if c := w.networkReady(); c.Status != metav1.ConditionFalse || c.Reason != v1alpha1.ReasonResetting {
		t.Errorf("the network is resetting until its members are ready, but: %+v", c)
	}
	w.reconcileRun("fresh")
	w.wantReason("fresh", v1alpha1.ReasonWaitingForReset, "banks")
	w.markStatefulSetsReady()
	w.reconcileNetwork("banks")
	if c := w.networkReady(); c.Status != metav1.ConditionTrue || w.getNetwork("banks").Status.PlanHash != hash {
		t.Errorf("the same network should be ready again, but: %+v, plan %s, before %s", c, w.getNetwork("banks").Status.PlanHash, hash)
	}
	if now := w.secretVersions(); !maps.Equal(now, identities) {
		t.Errorf("identities should be the same, but were %v and are %v", identities, now)
	}
	w.reconcileRun("fresh")
	w.mustGet("fresh", &batchv1.Job{})
	w.wantNoWrites()
	if w.resetJob() != nil {
		t.Error("the reset's Job should be deleted: running it again would empty the databases of running members")
	}
}

// secretVersions returns the resource versions of the genesis Secrets by name.
func (w *testEnv) secretVersions() map[string]string {
	w.t.Helper()
	var secrets corev1.SecretList
	must(w.t, w.client.List(w.ctx, &secrets, client.InNamespace(w.namespace), client.MatchingLabels{"app.kubernetes.io/component": "genesis"}))
	all := map[string]string{}
	for _, s := range secrets.Items {
		all[s.Name] = string(s.UID) + s.ResourceVersion
	}
	return all
}

// wantNoWrites checks that a pass over the network writes nothing.
func (w *testEnv) wantNoWrites() {
	w.t.Helper()
	before := w.writeCount.Load()
	w.applied = nil
	w.reconcileNetwork("banks")
	if wrote := w.writeCount.Load() - before; wrote != 0 {
		w.t.Errorf("a pass over an unchanged network wrote %d times: %v", wrote, w.applied)
	}
}

// reconcileThroughReset makes enough passes to complete a reset.
func (w *testEnv) reconcileThroughReset() {
	w.t.Helper()
	for range 6 {
		w.reconcileNetwork("banks")
		w.stopPods()
		w.completeJobs()
		w.markStartedSetsReady()
	}
	w.reconcileNetwork("banks")
}

// markStartedSetsReady calls markStatefulSetsReady unless a StatefulSet has no replicas.
func (w *testEnv) markStartedSetsReady() {
	w.t.Helper()
	var list appsv1.StatefulSetList
	must(w.t, w.client.List(w.ctx, &list, client.InNamespace(w.namespace)))
	for i := range list.Items {
		if *list.Items[i].Spec.Replicas == 0 {
			return
		}
	}
	w.markStatefulSetsReady()
}

func TestFreshNetworkIsNotReset(t *testing.T) {
	w := newTestEnv(t)
	must(t, w.createFromYAML(cordaNetwork[:strings.Index(cordaNetwork, "  workloads:")], &v1alpha1.BenchmarkNetwork{}))
	w.bringUp("banks")
	w.createRunWithReset("first", "Reset")
	w.reconcileNetwork("banks")
	if id := w.getNetwork("banks").Status.Epoch.ID; id != "" {
		t.Fatalf("without runs the network should be in its first epoch, not in %s", id)
	}
	w.reconcileRun("first")
	w.mustGet("first", &batchv1.Job{})
	w.wantNoWrites()
	w.markRunComplete("first")
	w.reconcileNetwork("banks")
	w.wantNoWrites()
	w.createRunWithReset("second", "Keep")
	w.reconcileThroughReset()
	if id := w.getNetwork("banks").Status.Epoch.ID; id != "" {
		t.Fatalf("the second run keeps the ledger: the network should be in its first epoch, not in %s", id)
	}
}

func TestDeletedRunsCauseNoReset(t *testing.T) {
	w := newTestEnvWithUsedNetwork(t)
	w.createRunWithReset("fresh", "Reset")
	w.reconcileThroughReset()
	epoch := w.getNetwork("banks").Status.Epoch.ID
	w.reconcileRun("fresh")
	w.mustGet("fresh", &batchv1.Job{})
	for _, end := range []func(){
		func() { must(t, w.client.Delete(w.ctx, w.getRun("extra"))) },
		func() { w.markRunComplete("fresh") },
		func() { must(t, w.client.Delete(w.ctx, w.getRun("fresh"))) },
	} {
		end()
		w.reconcileNetwork("banks")
		w.wantNoWrites()
	}
	if now := w.getNetwork("banks").Status.Epoch.ID; now != epoch || epoch == "" {
		t.Errorf("the network should stay in epoch %q, but is in %q", epoch, now)
	}
	w.createRunWithReset("later", "Reset")
	w.reconcileThroughReset()
	if now := w.getNetwork("banks").Status.Epoch.ID; now == epoch {
		t.Error("a run used this epoch, deleted or not: the next run should get a new one")
	}
}

func TestResetAnnotationResetsOnce(t *testing.T) {
	w := newTestEnvWithUsedNetwork(t)
	w.annotateReset("1")
	w.reconcileThroughReset()
	first := w.getNetwork("banks").Status.Epoch.ID
	if first == "" || w.networkReady().Status != metav1.ConditionTrue {
		t.Fatalf("the network should have been reset, but its epoch is %q", first)
	}
	w.createRunWithReset("fresh", "Reset")
	w.reconcileThroughReset()
	if id := w.getNetwork("banks").Status.Epoch.ID; id != first {
		t.Errorf("no run has used the network: epoch %s should not become %s", first, id)
	}
	w.reconcileRun("fresh")
	w.annotateReset("2")
	w.reconcileNetwork("banks")
	if c := w.networkReady(); !strings.Contains(c.Message, "waits for BenchmarkRun fresh") || w.getNetwork("banks").Status.Epoch.ID != first {
		t.Errorf("a reset must wait for the running run and report it, but: %+v", c)
	}
	w.markRunComplete("fresh")
	w.reconcileThroughReset()
	if id := w.getNetwork("banks").Status.Epoch.ID; id == first {
		t.Error("the second request should be handled once the run has ended")
	}
	w.wantNoWrites()
}

// TestDeathDuringAReset makes the operator crash before each write of a reset in turn.
func TestDeathDuringAReset(t *testing.T) {
	reference := newTestEnvWithUsedNetwork(t)
	reference.createRunWithReset("fresh", "Reset")
	before := reference.writeCount.Load()
	reference.resetWithDeathAt(0)
	want, epoch, total := reference.listObjectNames(), reference.memberSets(), reference.writeCount.Load()-before
	if total < 10 {
		t.Fatalf("a reset should need more than 10 writes, but needed %d", total)
	}
	for k := int64(1); k <= total; k++ {
		t.Run(fmt.Sprintf("before write %d of %d", k, total), func(t *testing.T) {
			w := newTestEnvWithUsedNetwork(t)
			w.createRunWithReset("fresh", "Reset")
			w.resetWithDeathAt(k)
			if got := w.listObjectNames(); !slices.Equal(got, want) || len(w.memberSets()) != len(epoch) {
				t.Fatalf("the objects differ:\n got %v\nwant %v", got, want)
			}
			id := w.getNetwork("banks").Status.Epoch.ID
			for _, set := range w.memberSets() {
				if id == "" || set != id+"/1" {
					t.Errorf("all members should run in epoch %s, but there is %s", id, set)
				}
			}
		})
	}
}

// resetWithDeathAt takes a network through a reset with a crash before the k-th write. The databases must never
// be recreated while a member runs, and no member may start before that is done.
func (w *testEnv) resetWithDeathAt(k int64) {
	w.t.Helper()
	if k > 0 {
		w.failAtWrite = w.writeCount.Load() + k
	}
	for range 20 {
		before := w.writeCount.Load()
		_, err := w.networkReconciler().Reconcile(w.ctx, w.requestFor("banks"))
		if err != nil && !errors.Is(err, errDied) {
			w.t.Fatal(err)
		}
		w.wantResetOrder()
		if err == nil && w.writeCount.Load() == before {
			return
		}
		w.stopPods()
		w.completeJobs()
		w.markStartedSetsReady()
	}
	w.t.Fatalf("the network does not converge within 20 passes; %+v", w.getNetwork("banks").Status.Conditions)
}

func (w *testEnv) wantResetOrder() {
	w.t.Helper()
	var pods corev1.PodList
	must(w.t, w.client.List(w.ctx, &pods, client.InNamespace(w.namespace), client.HasLabels{v1alpha1.LabelMember}))
	job := w.resetJob()
	done := job != nil && len(job.Status.Conditions) > 0
	for _, set := range w.memberSets() {
		started := !strings.HasPrefix(set, "/")
		if started && job != nil && !done {
			w.t.Errorf("member %s started before its database was ready", set)
		}
	}
	if job != nil && !done && len(pods.Items) > 0 {
		w.t.Errorf("databases are recreated while %s runs", pods.Items[0].Name)
	}
}

// TestDeletedEpochRecord: a user deletes the epoch's ConfigMap during a run and in the middle of a reset.
func TestDeletedEpochRecord(t *testing.T) {
	w := newTestEnvWithUsedNetwork(t)
	lose := func() {
		must(t, w.client.Delete(w.ctx, &corev1.ConfigMap{ObjectMeta: w.objectMeta("banks-epoch")}))
	}
	w.createRunWithReset("fresh", "Reset")
	w.reconcileNetwork("banks")
	w.reconcileNetwork("banks")
	lose()
	w.stopPods()
	w.reconcileNetwork("banks")
	if w.resetJob() == nil {
		t.Error("a reset in progress should continue")
	}
	lose()
	w.reconcileThroughReset()
	epoch := w.getNetwork("banks").Status.Epoch.ID
	w.reconcileRun("fresh")
	w.mustGet("fresh", &batchv1.Job{})
	lose()
	w.reconcileNetwork("banks")
	if got := w.memberSets(); epoch == "" || !slices.Equal(got, []string{epoch + "/1", epoch + "/1", epoch + "/1"}) {
		t.Errorf("the members should continue in epoch %q while the run measures, but are %v", epoch, got)
	}
	w.wantNoWrites()
	w.annotateReset("1")
	w.reconcileNetwork("banks")
	lose()
	w.reconcileNetwork("banks")
	w.mustGet("banks-epoch", &corev1.ConfigMap{})
}

// platformWithoutReset is a platform that does not support resets.
type platformWithoutReset struct {
	platform.Platform
	platform.GenesisProvider
	platform.DatabaseConsumer
}

func TestPlatformWithoutReset(t *testing.T) {
	w := newTestEnv(t)
	c := corda.New()
	w.platforms = platform.Registry{platformWithoutReset{c, c, c}}
	must(t, w.createFromYAML(cordaNetwork[:strings.Index(cordaNetwork, "  workloads:")], &v1alpha1.BenchmarkNetwork{}))
	w.bringUp("banks")
	w.createRunWithReset("fresh", "Reset")
	w.reconcileRun("fresh")
	w.wantReason("fresh", v1alpha1.ReasonInvalidSpec, `spec.workload.reset: Unsupported value: "Reset": supported values: "Keep"`)
}

// TestResetProceedsWhileARunWaits: a run waits for a network with a broken member, which only a reset repairs.
func TestResetProceedsWhileARunWaits(t *testing.T) {
	w := newTestEnvWithUsedNetwork(t)
	set := &appsv1.StatefulSet{}
	w.mustGet("banks-member-0", set)
	before := set.DeepCopy()
	set.Status.ReadyReplicas = 0
	must(t, w.client.Status().Patch(w.ctx, set, client.MergeFrom(before)))
	w.createRunWithReset("later", "Keep")
	w.reconcileNetwork("banks")
	w.reconcileRun("later")
	w.wantReason("later", v1alpha1.ReasonWaitingForNetwork, "banks is not ready")
	w.annotateReset("1")
	w.reconcileNetwork("banks")
	w.reconcileThroughReset()
	if c := w.networkReady(); c.Status != metav1.ConditionTrue || w.getNetwork("banks").Status.Epoch.ID == "" {
		t.Errorf("the network should be reset and ready, but: %+v", c)
	}
	w.reconcileRun("later")
	w.mustGet("later", &batchv1.Job{})
}
