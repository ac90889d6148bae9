package controllers_test

import (
	"encoding/json"
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

// newTestEnvWithDelivery returns an environment with a measured run on banks that has deliveries.
func newTestEnvWithDelivery(t *testing.T, deliveries ...string) *testEnv {
	return newTestEnvWithEndedRun(t, withDelivery(deliveries...))
}

// newTestEnvWithEndedRun returns an environment with a measured run on banks.
func newTestEnvWithEndedRun(t *testing.T, run string) *testEnv {
	w := newTestEnvWithRun(t, run)
	w.reconcileRun("extra")
	w.finishTwoWorkerRun()
	w.reconcileRun("extra")
	return w
}

// wantNotified checks the condition Notified.
func (w *testEnv) wantNotified(conditions []metav1.Condition, status metav1.ConditionStatus, reason, message string) {
	w.t.Helper()
	c := meta.FindStatusCondition(conditions, v1alpha1.ConditionNotified)
	if c == nil || c.Status != status || c.Reason != reason || !strings.Contains(c.Message, message) {
		w.t.Errorf("Notified is %+v, want %s, %s: %q", c, status, reason, message)
	}
}

// readDocument returns the document that a webhook receives.
func (w *testEnv) readDocument(name string) (document delivery.Document) {
	w.t.Helper()
	files := &corev1.ConfigMap{}
	w.mustGet(name, files)
	must(w.t, json.Unmarshal([]byte(files.Data["document.json"]), &document))
	return document
}

func TestRunWebhook(t *testing.T) {
	w := newTestEnvWithDelivery(t, `webhook: {url: "https://ci.example.org/hooks"}`)
	w.wantNotified(w.getRun("extra").Status.Conditions, metav1.ConditionUnknown, v1alpha1.ReasonNotifying, "Job "+naming.RunWebhook("extra")+" begins")
	document := w.readDocument(naming.RunWebhook("extra"))
	if document.Name != "extra" || document.Verdict != "Valid" || document.Gates != "None" || len(document.Figures) == 0 || document.Time == nil {
		t.Errorf("document %+v", document)
	}
	w.mustGet(naming.RunWebhook("extra"), &networkingv1.NetworkPolicy{})
	must(t, w.patchRun("extra", `{"spec": {"ttlSecondsAfterFinished": 0}}`))
	w.reconcileRun("extra")
	w.wantNotified(w.getRun("extra").Status.Conditions, metav1.ConditionUnknown, v1alpha1.ReasonNotifying, "is running")
	w.completeJob(naming.RunWebhook("extra"))
	must(t, w.patchRun("extra", `{"spec": {"ttlSecondsAfterFinished": 3600}}`))
	w.reconcileRun("extra")
	w.wantNotified(w.getRun("extra").Status.Conditions, metav1.ConditionTrue, v1alpha1.ReasonNotified, "https://ci.example.org/hooks has received the document")
	if run := w.getRun("extra"); run.Status.Verdict != v1alpha1.VerdictValid || run.IsDelivering() {
		t.Errorf("verdict %s, delivering %t", run.Status.Verdict, run.IsDelivering())
	}
}

func TestRunWebhookFails(t *testing.T) {
	w := newTestEnvWithDelivery(t, `webhook: {url: "https://ci.example.org/hooks"}`)
	w.failJob(naming.RunWebhook("extra"), 1)
	w.reconcileRun("extra")
	w.wantNotified(w.getRun("extra").Status.Conditions, metav1.ConditionFalse, v1alpha1.ReasonNotificationFailed, "its last words")
}

// TestWebhookOfForbiddenServer checks that a URL that can never be used is not retried.
func TestWebhookOfForbiddenServer(t *testing.T) {
	w := newTestEnvWithDelivery(t, `webhook: {url: "http://169.254.169.254/latest"}`)
	w.wantNotified(w.getRun("extra").Status.Conditions, metav1.ConditionFalse, v1alpha1.ReasonNotificationFailed,
		"spec.delivery.webhook.url: 169.254.169.254 is refused: it is a link-local address, as of a cloud's metadata")
}

// TestWebhookOfFailedRun checks that the end of a run without a result is reported, here because the run was cancelled.
func TestWebhookOfFailedRun(t *testing.T) {
	w := newTestEnvWithRun(t, withDelivery(`webhook: {url: "https://ci.example.org/hooks"}`))
	w.cancelRun("extra")
	w.reconcileRun("extra")
	w.reconcileRun("extra")
	if document := w.readDocument(naming.RunWebhook("extra")); document.Verdict != "Cancelled" || !strings.Contains(document.Message, "cancelled") {
		t.Errorf("document %+v", document)
	}
}

// TestWebhookSecretNeedsItsLabel: a user who may create runs must not get a signature with any key of the namespace.
func TestWebhookSecretNeedsItsLabel(t *testing.T) {
	w := newTestEnvWithDelivery(t, `webhook: {url: "https://ci.example.org/hooks", secretName: hook}`)
	w.wantNotified(w.getRun("extra").Status.Conditions, metav1.ConditionUnknown, v1alpha1.ReasonNotifying, `spec.delivery.webhook.secretName: secrets "hook" not found`)
	if !w.isGone(naming.RunWebhook("extra"), &batchv1.Job{}) {
		t.Fatal("there is a Job")
	}
	w.createLabelledSecret("hook", v1alpha1.LabelUpload)
	w.reconcileRun("extra")
	w.wantNotified(w.getRun("extra").Status.Conditions, metav1.ConditionUnknown, v1alpha1.ReasonNotifying, "hook benchnet.dev/webhook=true")
	must(t, w.client.Delete(w.ctx, &corev1.Secret{ObjectMeta: w.objectMeta("hook")}))
	w.createLabelledSecret("hook", v1alpha1.LabelWebhook)
	w.reconcileRun("extra")
	w.mustGet(naming.RunWebhook("extra"), &batchv1.Job{})
}

// TestWebhookOfGates checks that a webhook for failed gates receives only those.
func TestWebhookOfGates(t *testing.T) {
	run := strings.Replace(withDelivery(`webhook: {url: "https://ci.example.org/hooks", when: GatesNotPassed}`), "\n    workers:",
		"\n    objectives: [{metric: LatencyMean, maxLatency: 50ms}]\n    workers:", 1)
	for _, test := range []struct {
		name, limit, reason, gates string
	}{
		{"passed", "50ms", v1alpha1.ReasonNotificationNotDue, ""},
		{"failed", "5ms", v1alpha1.ReasonNotifying, "Failed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newTestEnvWithEndedRun(t, strings.Replace(run, "50ms", test.limit, 1))
			status := metav1.ConditionUnknown
			if test.gates == "" {
				status = metav1.ConditionFalse
			}
			w.wantNotified(w.getRun("extra").Status.Conditions, status, test.reason, "")
			if test.gates == "" {
				if !w.isGone(naming.RunWebhook("extra"), &batchv1.Job{}) {
					t.Error("there is a Job")
				}
				return
			}
			if document := w.readDocument(naming.RunWebhook("extra")); document.Gates != test.gates || !strings.Contains(document.Message, "LatencyMean is 20.0 ms, must be at most 5.00 ms") {
				t.Errorf("document %+v", document)
			}
		})
	}
}

// TestRunDeliversBoth checks that the upload and the webhook do not hinder each other.
func TestRunDeliversBoth(t *testing.T) {
	w := newTestEnvWithDelivery(t, `webhook: {url: "https://ci.example.org/hooks"}`,
		`upload: {endpoint: "http://minio:9000", bucket: results, secretName: s3}`)
	w.wantUploaded(metav1.ConditionUnknown, v1alpha1.ReasonUploading, `secrets "s3" not found`)
	w.completeJob(naming.RunWebhook("extra"))
	w.createLabelledSecret("s3", v1alpha1.LabelUpload)
	w.reconcileRun("extra")
	w.wantNotified(w.getRun("extra").Status.Conditions, metav1.ConditionTrue, v1alpha1.ReasonNotified, "")
	w.completeJob(naming.Upload("extra"))
	w.reconcileRun("extra")
	w.wantUploaded(metav1.ConditionTrue, v1alpha1.ReasonUploaded, "http://minio:9000/results/")
}

func TestExperimentWebhook(t *testing.T) {
	w := newTestEnvWithExperiment(t, strings.Replace(gridExperiment, "  repetitions: 2", `  repetitions: 1
  ttlSecondsAfterFinished: 0
  delivery: {webhook: {url: "https://ci.example.org/hooks", secretName: hook}}`, 1))
	w.createLabelledSecret("hook", v1alpha1.LabelWebhook)
	w.reconcileUntilComplete("grid")
	w.reconcileExperiment("grid")
	w.wantNotified(w.getExperiment("grid").Status.Conditions, metav1.ConditionUnknown, v1alpha1.ReasonNotifying, "begins")
	document := w.readDocument(naming.ExperimentWebhook("grid"))
	if document.Kind != "BenchmarkExperiment" || document.Verdict != "Complete" || len(document.Figures) != 3 || document.Figures[0].Value != 2 {
		t.Errorf("document %+v", document)
	}
	w.reconcileExperiment("grid")
	w.wantNotified(w.getExperiment("grid").Status.Conditions, metav1.ConditionUnknown, v1alpha1.ReasonNotifying, "is running")
	w.completeJob(naming.ExperimentWebhook("grid"))
	must(t, w.client.Patch(w.ctx, w.getExperiment("grid"), client.RawPatch(types.MergePatchType, []byte(`{"spec": {"ttlSecondsAfterFinished": 3600}}`))))
	w.reconcileExperiment("grid")
	w.wantNotified(w.getExperiment("grid").Status.Conditions, metav1.ConditionTrue, v1alpha1.ReasonNotified, "has received the document")
}

// TestWebhookFieldsAreChecked checks that the API server rejects invalid webhooks.
func TestWebhookFieldsAreChecked(t *testing.T) {
	w := newTestEnv(t)
	for name, test := range map[string]struct{ webhook, want string }{
		"scheme":       {`{url: "ftp://ci.example.org"}`, "spec.delivery.webhook.url"},
		"user":         {`{url: "https://user@ci.example.org"}`, "spec.delivery.webhook.url"},
		"port":         {`{url: "https://ci.example.org:99999/"}`, "spec.delivery.webhook.url"},
		"space":        {`{url: "https://ci.example.org/a b"}`, "spec.delivery.webhook.url"},
		"trigger":      {`{url: "https://ci.example.org", when: Always}`, "spec.delivery.webhook.when"},
		"no objective": {`{url: "https://ci.example.org", when: GatesNotPassed}`, "spec.delivery.webhook.when GatesNotPassed needs spec.workload.objectives"},
	} {
		t.Run(name, func(t *testing.T) {
			text := withDelivery("webhook: " + test.webhook)
			if err := w.createFromYAML(text, &v1alpha1.BenchmarkRun{}); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
	text := strings.Replace(gridExperiment, "  repetitions: 2", `  delivery: {webhook: {url: "https://ci.example.org", when: GatesNotPassed}}`, 1)
	if err := w.createFromYAML(text, &v1alpha1.BenchmarkExperiment{}); err == nil || !strings.Contains(err.Error(), "spec.delivery.webhook.when GatesNotPassed needs") {
		t.Errorf("got %v", err)
	}
}
