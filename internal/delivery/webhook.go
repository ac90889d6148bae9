package delivery

import (
	"encoding/json"
	"fmt"
	"path"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// documentFile is the file with the document.
const documentFile = "document.json"

// BuildRunWebhook returns the objects that notify the webhook of a run that has ended, in the order in which they are needed.
func BuildRunWebhook(run *v1alpha1.BenchmarkRun, agentImage string) ([]client.Object, error) {
	meta := metav1.ObjectMeta{Name: naming.RunWebhook(run.Name), Namespace: run.Namespace, Labels: naming.RunWebhookLabels(run.Name)}
	return buildWebhook(meta, "spec.delivery.webhook", run.Spec.Delivery.Webhook, DescribeRun(run), agentImage)
}

// BuildExperimentWebhook returns the objects that notify the webhook of an experiment that has ended, in the order in which they
// are needed.
func BuildExperimentWebhook(e *v1alpha1.BenchmarkExperiment, agentImage string) ([]client.Object, error) {
	meta := metav1.ObjectMeta{Name: naming.ExperimentWebhook(e.Name), Namespace: e.Namespace, Labels: naming.ExperimentWebhookLabels(e.Name)}
	return buildWebhook(meta, "spec.delivery.webhook", e.Spec.Delivery.Webhook, DescribeExperiment(e), agentImage)
}

// buildWebhook returns the objects of the webhook in a field.
func buildWebhook(meta metav1.ObjectMeta, field string, hook *v1alpha1.Webhook, document Document, agentImage string) ([]client.Object, error) {
	receiver, err := parseServer(field+".url", hook.URL)
	if err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode the document of %s %s: %w", document.Kind, document.Name, err)
	}
	webhook := delivery{meta: meta, server: receiver, files: map[string]string{documentFile: string(text)},
		container: corev1.Container{Name: "webhook",
			Command: []string{"/agent", "notify", "--url", hook.URL, "--id", document.UID, path.Join(filesDir, documentFile)}}}
	if hook.SecretName != "" {
		webhook.container.Env = []corev1.EnvVar{pods.EnvFromSecret(protocol.SigningKeyVariable, hook.SecretName, "signingKey"),
			authoritiesFromSecret(hook.SecretName)}
	}
	return webhook.buildObjects(agentImage), nil
}
