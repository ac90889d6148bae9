package kinds

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// TestTrimDropsGeneratedSecrets checks that the cache holds no generated key, but the data of a chart's Secret,
// which is compared.
func TestTrimDropsGeneratedSecrets(t *testing.T) {
	for generated, kept := range map[v1alpha1.GeneratedSecret]bool{"": true, v1alpha1.GeneratedCredentials: false, v1alpha1.GeneratedGenesis: false} {
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{v1alpha1.AnnotationGenerated: string(generated)}},
			Data: map[string][]byte{"key": []byte("value")}}
		Trim(secret)
		if len(secret.Data) > 0 != kept || len(secret.Annotations) == 0 {
			t.Errorf("generated as %q: the data is kept: %t, want %t", generated, !kept, kept)
		}
	}
}

func TestTrimDigestsReports(t *testing.T) {
	report := &corev1.ConfigMap{BinaryData: map[string][]byte{"result.json.gz": make([]byte, 1<<20)}, Data: map[string]string{"progress.json": "{}"}}
	Trim(report)
	if n := len(report.BinaryData["result.json.gz"]); n == 0 || n > 100 || report.Data["progress.json"] != "{}" {
		t.Errorf("the key of the result and the progress should be there, but the result has %d bytes: %v", n, report.Data)
	}
}
