package controllers_test

import (
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/delivery"
	"github.com/benchnet/benchnet/internal/naming"
)

const resultUpload = `upload: {endpoint: "http://minio:9000", bucket: results, prefix: team-a, secretName: s3}`

// withDelivery returns twoWorkerRun with a delivery.
func withDelivery(fields ...string) string {
	return twoWorkerRun + "  delivery:\n    " + strings.Join(fields, "\n    ") + "\n"
}

// newTestEnvWithUpload returns an environment with a measured run that has a labelled Secret for its upload.
func newTestEnvWithUpload(t *testing.T) *testEnv {
	w := newTestEnvWithRun(t, withDelivery(resultUpload))
	w.createLabelledSecret("s3", v1alpha1.LabelUpload)
	w.reconcileRun("extra")
	w.finishTwoWorkerRun()
	return w
}

// createLabelledSecret creates a Secret that resources may use as the label says.
func (w *testEnv) createLabelledSecret(name, label string) {
	w.t.Helper()
	secret := &corev1.Secret{ObjectMeta: w.objectMeta(name)}
	secret.Labels = map[string]string{label: "true"}
	must(w.t, w.client.Create(w.ctx, secret))
}

// wantUploaded checks the condition Uploaded, and that the upload does not change the verdict.
func (w *testEnv) wantUploaded(status metav1.ConditionStatus, reason, message string) {
	w.t.Helper()
	run := w.getRun("extra")
	c := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionUploaded)
	if c == nil || c.Status != status || c.Reason != reason || !strings.Contains(c.Message, message) {
		w.t.Errorf("Uploaded is %+v, want %s, %s: %q", c, status, reason, message)
	}
	if run.Status.Verdict != v1alpha1.VerdictValid || !run.IsComplete() {
		w.t.Errorf("verdict %s, complete %t", run.Status.Verdict, run.IsComplete())
	}
}

func TestUpload(t *testing.T) {
	w := newTestEnvWithUpload(t)
	w.reconcileRun("extra")
	w.wantUploaded(metav1.ConditionUnknown, v1alpha1.ReasonUploading, "Job "+naming.Upload("extra")+" begins")
	manifests, job := &corev1.ConfigMap{}, &batchv1.Job{}
	w.mustGet(naming.Upload("extra"), manifests)
	w.mustGet(naming.Upload("extra"), &networkingv1.NetworkPolicy{})
	w.mustGet(naming.Upload("extra"), job)
	if !strings.Contains(manifests.Data["run.yaml"], "networkName: banks") || !strings.Contains(manifests.Data["network.yaml"], "type: Corda") {
		t.Errorf("the manifests are %v", manifests.Data)
	}
	must(t, w.patchRun("extra", `{"spec": {"ttlSecondsAfterFinished": 0}}`))
	w.reconcileRun("extra")
	w.wantUploaded(metav1.ConditionUnknown, v1alpha1.ReasonUploading, "is running")

	w.completeJob(job.Name)
	uid := string(w.getRun("extra").UID)
	must(t, w.patchRun("extra", `{"spec": {"ttlSecondsAfterFinished": 3600}}`))
	w.reconcileRun("extra")
	w.wantUploaded(metav1.ConditionTrue, v1alpha1.ReasonUploaded, "http://minio:9000/results/team-a/"+w.namespace+"/extra/"+uid+"/")
}

func TestUploadFails(t *testing.T) {
	w := newTestEnvWithUpload(t)
	w.reconcileRun("extra")
	w.failJob(naming.Upload("extra"), 1)
	w.reconcileRun("extra")
	w.wantUploaded(metav1.ConditionFalse, v1alpha1.ReasonUploadFailed, "its last words")
	first := w.jobUID(naming.Upload("extra"))
	w.reconcileRun("extra")
	if again := w.jobUID(naming.Upload("extra")); again != first {
		t.Error("a failed upload was started again")
	}
}

// TestFailedUploadIsTriedAgainAfterAChange checks that a corrected delivery is carried out, also after the run has ended.
func TestFailedUploadIsTriedAgainAfterAChange(t *testing.T) {
	w := newTestEnvWithUpload(t)
	w.reconcileRun("extra")
	w.failJob(naming.Upload("extra"), 1)
	w.reconcileRun("extra")
	failed := w.jobUID(naming.Upload("extra"))
	must(t, w.patchRun("extra", `{"spec": {"ttlSecondsAfterFinished": 3600}}`))
	w.reconcileRun("extra")
	w.wantUploaded(metav1.ConditionFalse, v1alpha1.ReasonUploadFailed, "its last words")
	must(t, w.patchRun("extra", `{"spec": {"delivery": {"upload": {"bucket": "archive"}}}}`))
	w.reconcileRun("extra")
	w.wantUploaded(metav1.ConditionUnknown, v1alpha1.ReasonUploading, "is created again, since the delivery has changed")
	w.reconcileRun("extra")
	if again := w.jobUID(naming.Upload("extra")); again == failed {
		t.Error("the failed Job is left")
	}
	w.completeJob(naming.Upload("extra"))
	w.reconcileRun("extra")
	w.wantUploaded(metav1.ConditionTrue, v1alpha1.ReasonUploaded, "http://minio:9000/archive/team-a/")
}

// TestNetworkDelivery checks that the delivery of a network is that of its runs, and stays so.
func TestNetworkDelivery(t *testing.T) {
	w := newTestEnv(t)
	must(t, w.createFromYAML(cordaNetwork+"  delivery: {webhook: {url: \"https://ci.example.org/a\"}}\n", &v1alpha1.BenchmarkNetwork{}))
	w.bringUp("banks")
	for _, url := range []string{"https://ci.example.org/a", "https://ci.example.org/b"} {
		network := &v1alpha1.BenchmarkNetwork{}
		w.mustGet("banks", network)
		must(t, w.client.Patch(w.ctx, network, client.RawPatch(types.MergePatchType, []byte(`{"spec": {"delivery": {"webhook": {"url": "`+url+`"}}}}`))))
		w.reconcileNetwork("banks")
		if hook := w.getRun("banks-issue").Spec.Delivery.Webhook; hook == nil || hook.URL != url {
			t.Errorf("the webhook of the run is %+v, want %s", hook, url)
		}
	}
}

// TestUploadMeetsForeignObject checks that an upload that can never start ends, so that it does not block the TTL.
func TestUploadMeetsForeignObject(t *testing.T) {
	w := newTestEnvWithUpload(t)
	must(t, w.client.Create(w.ctx, &corev1.ConfigMap{ObjectMeta: w.objectMeta(naming.Upload("extra"))}))
	w.reconcileRun("extra")
	w.wantUploaded(metav1.ConditionFalse, v1alpha1.ReasonUploadFailed, "was not created by the operator")
}

// TestUploadSecretNeedsItsLabel: a user who may create runs must not get access to any Secret of the namespace.
func TestUploadSecretNeedsItsLabel(t *testing.T) {
	w := newTestEnvWithUpload(t)
	label := func(value string) {
		t.Helper()
		secret := &corev1.Secret{ObjectMeta: w.objectMeta("s3")}
		patch := []byte(`{"metadata": {"labels": {"benchnet.dev/upload": ` + value + `}}}`)
		must(t, w.client.Patch(w.ctx, secret, client.RawPatch(types.MergePatchType, patch)))
	}
	label("null")
	if result, err := w.runReconciler().Reconcile(w.ctx, w.requestFor("extra")); err != nil || result.RequeueAfter == 0 {
		t.Errorf("the Secret may be labelled later, so the run should be requeued: %+v, %v", result, err)
	}
	w.wantUploaded(metav1.ConditionUnknown, v1alpha1.ReasonUploading, "kubectl label secret --namespace "+w.namespace+" s3 benchnet.dev/upload=true")
	if !w.isGone(naming.Upload("extra"), &batchv1.Job{}) {
		t.Fatal("the Secret reaches a Job")
	}
	label(`"true"`)
	w.reconcileRun("extra")
	w.wantUploaded(metav1.ConditionUnknown, v1alpha1.ReasonUploading, "Job "+naming.Upload("extra")+" begins")
	w.mustGet(naming.Upload("extra"), &batchv1.Job{})
}

// TestUploadWithoutSecretEnds checks that an upload without a Secret that it may use does not block the TTL for ever.
func TestUploadWithoutSecretEnds(t *testing.T) {
	w := newTestEnvWithUpload(t)
	must(t, w.client.Delete(w.ctx, &corev1.Secret{ObjectMeta: w.objectMeta("s3")}))
	w.reconcileRun("extra")
	w.wantUploaded(metav1.ConditionUnknown, v1alpha1.ReasonUploading, `secrets "s3" not found`)
	w.now = w.now.Add(delivery.Timeout)
	w.reconcileRun("extra")
	w.wantUploaded(metav1.ConditionFalse, v1alpha1.ReasonUploadFailed, `spec.delivery.upload.secretName: secrets "s3" not found`)
}

// TestUploadLeavesOutChangedNetwork checks that the condition says why a manifest was not copied.
func TestUploadLeavesOutChangedNetwork(t *testing.T) {
	w := newTestEnvWithUpload(t)
	network := w.getNetwork("banks")
	network.Status.PlanHash = "another"
	must(t, w.client.Status().Update(w.ctx, network))
	w.reconcileRun("extra")
	w.completeJob(naming.Upload("extra"))
	w.reconcileRun("extra")
	w.wantUploaded(metav1.ConditionTrue, v1alpha1.ReasonUploaded, "left out: network.yaml: BenchmarkNetwork banks has changed since the run")
}

// TestUploadFieldsAreChecked checks that the API server rejects invalid endpoints, buckets and prefixes.
func TestUploadFieldsAreChecked(t *testing.T) {
	w := newTestEnv(t)
	for replaced, by := range map[string]string{
		"http://minio:9000": "ftp://minio:9000", "minio:9000": "user@minio:9000", "//minio:9000": "//minio:99999", "minio:9000\"": "minio:9000/path\"",
		"bucket: results": "bucket: UPPER", "prefix: team-a": "prefix: /team-a", "prefix: team-a,": "prefix: a/../b,", "secretName: s3": "secretName: ''",
	} {
		t.Run(by, func(t *testing.T) {
			text := strings.Replace(withDelivery(resultUpload), replaced, by, 1)
			if err := w.createFromYAML(text, &v1alpha1.BenchmarkRun{}); err == nil || !strings.Contains(err.Error(), "spec.delivery.upload.") {
				t.Errorf("got %v, want an error of a field of spec.delivery.upload", err)
			}
		})
	}
}
