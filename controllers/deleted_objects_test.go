package controllers_test

import (
	"fmt"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
)

// loseObject deletes an object as a user does, with what it controls.
func (w *testEnv) loseObject(o client.Object) {
	w.t.Helper()
	if len(o.GetFinalizers()) > 0 { // There is no controller here that removes the finalizer which protects volumes.
		w.mergePatch(o.DeepCopyObject().(client.Object), `{"metadata": {"finalizers": null}}`)
	}
	w.removeObject(o)
	var pods corev1.PodList
	must(w.t, w.client.List(w.ctx, &pods, client.InNamespace(w.namespace)))
	for i := range pods.Items {
		if owner := metav1.GetControllerOf(&pods.Items[i]); owner != nil && owner.UID == o.GetUID() {
			must(w.t, w.client.Delete(w.ctx, &pods.Items[i], client.GracePeriodSeconds(0)))
		}
	}
	for _, dependant := range w.listOwnedObjects() {
		if owner := metav1.GetControllerOf(dependant); owner != nil && owner.UID == o.GetUID() {
			w.loseObject(dependant)
		}
	}
}

// plannedContent returns what the operator sets in an object: not what the API server, Kubernetes or pods add.
func (w *testEnv) plannedContent(t *testing.T, o client.Object) map[string]any {
	t.Helper()
	fields := w.contentOf(t, o)
	for _, added := range [][]string{{"spec", "clusterIP"}, {"spec", "clusterIPs"}, {"spec", "volumeName"}, {"spec", "selector", "matchLabels", "batch.kubernetes.io/controller-uid"},
		{"spec", "template", "metadata", "labels"}} {
		unstructured.RemoveNestedField(fields, added...)
	}
	if cm, ok := o.(*corev1.ConfigMap); ok && strings.Contains(cm.Name, "-report-") {
		return nil // Workers fill it.
	}
	return fields
}

// find returns the present object of the kind and name, or nil.
func (w *testEnv) find(o client.Object) client.Object {
	for _, now := range w.listOwnedObjects() {
		if now.GetName() == o.GetName() && fmt.Sprintf("%T", now) == fmt.Sprintf("%T", o) {
			return now
		}
	}
	return nil
}

// isRestored reports whether an object exists again as it was before its deletion.
func (w *testEnv) isRestored(t *testing.T, before client.Object) bool {
	t.Helper()
	now := w.find(before)
	return now != nil && now.GetUID() != before.GetUID() && equality.Semantic.DeepEqual(w.plannedContent(t, now), w.plannedContent(t, before))
}

// TestNetworkWithoutEachObject deletes each object of a network in each phase. It must be restored as planned, except for what
// was generated once, which Ready reports, and Jobs that have done their work.
func TestNetworkWithoutEachObject(t *testing.T) {
	w := newTestEnv(t)
	must(t, w.createFromYAML(cordaNetwork[:strings.Index(cordaNetwork, "  workloads:")], &v1alpha1.BenchmarkNetwork{}))
	w.reconcileTwice("banks")
	w.loseEach(t, "genesis")
	w.fillGenesisSecrets()
	w.markStatefulSetsReady()
	w.completeJobs()
	w.reconcileTwice("banks")
	w.collectGarbage() // What the genesis needed.
	w.loseEach(t, "databases")
	for range 3 {
		w.simulateCluster()
		w.reconcileTwice("banks")
	}
	if c := w.networkReady(); c.Status != metav1.ConditionTrue {
		t.Fatalf("the network should be ready, but: %+v", c)
	}
	w.loseEach(t, "ready")
	if c := w.networkReady(); c.Status != metav1.ConditionTrue {
		t.Errorf("the network should be ready again, but: %+v", c)
	}
}

// TestUserChartWithoutEachObject deletes each object of a network with a user's chart, which has a claim of its own.
func TestUserChartWithoutEachObject(t *testing.T) {
	w := newTestEnv(t)
	text := userChart + `---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: {{ .Values.fullnameOverride }}-backup}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`
	must(t, w.client.Create(w.ctx, &corev1.ConfigMap{ObjectMeta: w.objectMeta("chart"), BinaryData: map[string][]byte{"chart.tgz": packChart(t, text)}}))
	must(t, w.createFromYAML(strings.Replace(cordaNetwork[:strings.Index(cordaNetwork, "  workloads:")], "topology: Shared",
		`topology: Shared, provider: Chart, chart: {configMapName: chart, values: {version: "", uid: ""}}`, 1), &v1alpha1.BenchmarkNetwork{}))
	must(t, w.reconcileUntilRendered("banks"))
	w.fillGenesisSecrets()
	w.markStatefulSetsReady()
	w.completeJobs()
	w.reconcileTwice("banks")
	w.collectGarbage()
	if w.find(&corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "banks-db-backup"}}) == nil {
		t.Fatal("the chart's claim does not exist")
	}
	w.loseEach(t, "databases")
}

// loseEach deletes each object of the network, one after another.
func (w *testEnv) loseEach(t *testing.T, phase string) {
	t.Helper()
	for _, o := range w.listOwnedObjects() {
		t.Run(fmt.Sprintf("%s %T %s", phase, o, o.GetName()), func(t *testing.T) {
			w.t = t
			if o = w.find(o); o == nil {
				t.Skip("it was deleted with its owner")
			}
			done := false
			if job, ok := o.(*batchv1.Job); ok {
				done = job.Status.CompletionTime != nil
			}
			w.loseObject(o)
			w.reconcileTwice("banks")
			reported := strings.Contains(w.networkReady().Message, o.GetName()+" was deleted")
			switch {
			case reported:
				secret, ok := o.(*corev1.Secret)
				if !ok {
					t.Fatalf("only generated Secrets should be reported, but: %+v", w.networkReady())
				}
				secret.ObjectMeta = w.objectMeta(secret.Name)
				must(t, w.client.Create(w.ctx, secret))
				w.reconcileTwice("banks")
			case !w.isRestored(t, o) && !done:
				t.Errorf("it is neither restored nor reported: %+v", w.networkReady())
			}
			w.markStatefulSetsReady() // Pods of a deleted StatefulSet.
			if phase != "genesis" {
				w.completeJobs()
			}
			w.reconcileTwice("banks")
		})
	}
	w.t = t
}

// runPhases lead a run with two workers from its creation to the end of its upload and its webhook.
var runPhases = []struct {
	name  string
	enter func(w *testEnv, run string)
}{
	{"preparing", func(w *testEnv, run string) { w.reconcileRun(run) }},
	{"released", func(w *testEnv, run string) {
		if !w.isGone(run, &batchv1.Job{}) {
			w.createReadyWorkers(run)
		}
		w.reconcileRun(run)
	}},
	{"one worker ended", func(w *testEnv, run string) { w.endWorker(run, 0); w.reconcileRun(run) }},
	{"both workers ended", func(w *testEnv, run string) { w.endWorker(run, 1) }},
	{"result written", func(w *testEnv, run string) { w.reconcileRun(run) }},
	{"complete", func(w *testEnv, run string) { w.reconcileRun(run) }},
	{"delivering", func(w *testEnv, run string) { w.reconcileRun(run) }},
	{"delivered", func(w *testEnv, run string) {
		if !w.isGone(naming.Upload(run), &batchv1.Job{}) {
			w.completeJob(naming.Upload(run))
		}
		if !w.isGone(naming.RunWebhook(run), &batchv1.Job{}) {
			w.completeJob(naming.RunWebhook(run))
		}
		w.reconcileRun(run)
	}},
}

// endWorker simulates the end of a worker. Its Job ends with the last one.
func (w *testEnv) endWorker(run string, worker int32) {
	w.t.Helper()
	if w.isGone(run, &batchv1.Job{}) {
		return
	}
	if !w.isGone(naming.WorkerReport(run, worker), &corev1.ConfigMap{}) {
		w.reportResult(w.getRun(run), worker, 100, 20_000)
	}
	if worker == 1 {
		w.completeJob(run)
	}
}

// TestRunWithoutEachObject deletes each object of a run in each phase. No result may be silently wrong.
func TestRunWithoutEachObject(t *testing.T) {
	w := newTestEnvWithRun(t, deliveringRun)
	w.createLabelledSecret("s3", v1alpha1.LabelUpload)
	number := 0
	for phase := range runPhases {
		lost := map[string]bool{}
		for again := true; again; number++ {
			run := "extra"
			if number > 0 {
				run = fmt.Sprintf("extra-%03d", number)
				w.createRun(run)
			}
			again = w.loseNext(t, run, phase, lost)
		}
	}
}

// deliveringRun has an upload and a webhook.
var deliveringRun = withDelivery(`webhook: {url: "https://ci.example.org/hooks"}`, resultUpload)

// createRun creates another deliveringRun, whose turn it is.
func (w *testEnv) createRun(run string) {
	w.t.Helper()
	w.now = w.now.Add(60e9)
	must(w.t, w.createFromYAML(strings.Replace(deliveringRun, "name: extra}", "name: "+run+"}", 1), &v1alpha1.BenchmarkRun{}))
	w.reconcileNetwork("banks")
}

// loseNext takes a run through its phases and deletes one object in the given phase: the first whose role is not in lost. It
// reports whether there are more.
func (w *testEnv) loseNext(t *testing.T, run string, phase int, lost map[string]bool) (more bool) {
	t.Helper()
	for _, p := range runPhases[:phase+1] {
		p.enter(w, run)
	}
	var object client.Object
	role := ""
	for _, o := range w.listOwnedObjects() {
		name := strings.NewReplacer(naming.Upload(run), "upload", naming.RunWebhook(run), "webhook", run, "RUN").Replace(fmt.Sprintf("%T %s", o, o.GetName()))
		if o.GetLabels()[v1alpha1.LabelRun] != run || lost[name] {
			continue
		}
		if object != nil {
			more = true
			break
		}
		object, role = o, name
	}
	if object == nil {
		return false
	}
	lost[role] = true
	t.Run(runPhases[phase].name+" "+role, func(t *testing.T) {
		w.t = t
		w.loseObject(object)
		w.reconcileRun(run)
		w.reconcileRun(run)
		if want := lossOf(phase, role); want == "" && (phase < bothEnded || isDelivery(phase, role)) && !w.isRestored(t, object) {
			t.Error("it is not restored")
		}
		for _, p := range runPhases[phase+1:] {
			p.enter(w, run)
		}
		w.wantOutcome(run, lossOf(phase, role))
	})
	w.t = t
	w.reconcileNetwork("banks")
	return more
}

// isDelivery reports whether the role is that of an upload or a webhook that has not ended.
func isDelivery(phase int, role string) bool {
	return runPhases[phase].name == "delivering" && (strings.HasSuffix(role, "upload") || strings.HasSuffix(role, "webhook"))
}

// bothEnded is the index of the phase from which the run needs nothing again.
const bothEnded = 3

// lossOf returns a part of what a run must report if it loses the object in the phase, or "" if its result must be Valid and
// exist.
func lossOf(phase int, role string) string {
	switch kind := runPhases[phase].name; {
	case role == "*v1.ConfigMap RUN-barrier" && phase >= 1 && phase <= bothEnded:
		return "RUN-barrier was deleted"
	case role == "*v1.Job RUN" && kind == "released":
		return "Job RUN of the workers was deleted"
	case role == "*v1.Job RUN" && kind == "one worker ended":
		return "worker 1 wrote no result"
	case role == "*v1.ConfigMap RUN-w0" && (phase == 2 || phase == bothEnded):
		return "worker 0 wrote no result"
	case role == "*v1.ConfigMap RUN-w1" && phase == bothEnded:
		return "worker 1 wrote no result"
	case role == "*v1.ConfigMap RUN-result" && phase > 4:
		return "ConfigMap RUN-result with the result was deleted"
	}
	return ""
}

// wantOutcome checks that a run has ended, and that it is Valid with a result, or reports the loss.
func (w *testEnv) wantOutcome(run, loss string) {
	w.t.Helper()
	s, valid := w.getRun(run).Status, false
	if ready := meta.FindStatusCondition(s.Conditions, v1alpha1.ConditionReady); ready != nil {
		valid = s.Verdict == v1alpha1.VerdictValid && ready.Status == metav1.ConditionTrue
	}
	reported := fmt.Sprintf("%+v %+v", s.Reasons, s.Conditions)
	switch {
	case !w.getRun(run).IsComplete():
		w.t.Errorf("the run has not ended: %s", reported)
	case loss == "" && !valid:
		w.t.Errorf("the verdict should be Valid, but is %q: %s", s.Verdict, reported)
	case loss != "" && (valid || !strings.Contains(reported, strings.ReplaceAll(loss, "RUN", run))):
		w.t.Errorf("the run should report %q, but has the verdict %q: %s", loss, s.Verdict, reported)
	}
}
