package cache

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestTrimKeepsChartSecrets(t *testing.T) {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "s", Labels: map[string]string{"app.kubernetes.io/component": "genesis"}},
		Data: map[string][]byte{"key": []byte("value")}}
	Trim(secret)
	if len(secret.Data) == 0 {
		t.Error("the chart's values must be kept for the comparison")
	}
}

func TestTrimDigestsReports(t *testing.T) {
	report := &corev1.ConfigMap{BinaryData: map[string][]byte{"result.json.gz": make([]byte, 1<<20)}, Data: map[string]string{"progress.json": "{}"}}
	Trim(report)
	if n := len(report.BinaryData["result.json.gz"]); n == 0 || n > 100 || report.Data["progress.json"] != "{}" {
		t.Errorf("the key of the result and the progress should be there, but the result has %d bytes: %v", n, report.Data)
	}
}
