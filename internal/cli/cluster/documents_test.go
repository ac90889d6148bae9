package cluster

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/document"
)

// TestReadStoredResultChecksItsDigest reads a document whose recorded digest is its own, another one, or absent.
func TestReadStoredResultChecksItsDigest(t *testing.T) {
	text := []byte("a document")
	stored := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "lab", Name: "r-result"}, BinaryData: map[string][]byte{"result.json.gz": text}}
	c := &Connection{Client: fake.NewClientBuilder().WithObjects(stored).Build()}
	for name, test := range map[string]struct{ digest, want string }{
		"its own":   {document.Digest(text), ""},
		"another":   {document.Digest([]byte("forged")), "ConfigMap r-result: its digest is " + document.Digest(text)},
		"no digest": {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			at := &v1alpha1.ResultReference{ConfigMapName: "r-result", Key: "result.json.gz", Digest: test.digest}
			got, err := c.readStoredResult(t.Context(), "lab", at, "run r", nil)
			if test.want == "" && (err != nil || string(got) != string(text)) || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got %q, %v, want an error with %q", got, err, test.want)
			}
		})
	}
}

func TestNoRunResultError(t *testing.T) {
	newRun := func(name string, conditions ...metav1.Condition) v1alpha1.BenchmarkRun {
		return v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: v1alpha1.BenchmarkRunStatus{Conditions: conditions}}
	}
	cancelled := metav1.Condition{Type: v1alpha1.ConditionComplete, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonCancelled, Message: "cancelled by spec.cancelled"}
	failed := metav1.Condition{Type: v1alpha1.ConditionComplete, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonRunFailed, Message: "worker 0 failed"}
	measuring := metav1.Condition{Type: v1alpha1.ConditionComplete, Status: metav1.ConditionFalse, Reason: "Measuring", Message: "5 s"}
	stalled := metav1.Condition{Type: v1alpha1.ConditionStalled, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonInvalidSpec, Message: "spec.x is 1"}
	for name, test := range map[string]struct {
		runs []v1alpha1.BenchmarkRun
		want string
	}{
		"cancelled": {[]v1alpha1.BenchmarkRun{newRun("r", cancelled)}, "bnet/n has no run with a result: run r has no result: Cancelled: cancelled by spec.cancelled"},
		"failed":    {[]v1alpha1.BenchmarkRun{newRun("a", cancelled), newRun("b", failed)}, "bnet/n has no run with a result: run b has no result: RunFailed: worker 0 failed"},
		"stalled":   {[]v1alpha1.BenchmarkRun{newRun("r", measuring, stalled)}, "bnet/n has no run with a result: run r has no result: InvalidSpec: spec.x is 1"},
		"measuring": {[]v1alpha1.BenchmarkRun{newRun("r", measuring)}, "bnet/n has no run with a result: run r has no result yet: kubectl benchnet watch shows how far it is"},
		"new":       {[]v1alpha1.BenchmarkRun{newRun("r")}, "bnet/n has no run with a result: run r has no result yet: kubectl benchnet watch shows how far it is"},
		"no runs":   {nil, "bnet/n has no runs yet: kubectl benchnet watch shows how far it is"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := NoRunResultError(Target{Kind: Network, Name: "n"}, test.runs).Error(); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
