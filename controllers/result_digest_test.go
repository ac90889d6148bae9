package controllers_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// replaceResult replaces the result document in a ConfigMap, as anybody may who may write ConfigMaps.
func (w *testEnv) replaceResult(configMap string) {
	w.t.Helper()
	cm := &corev1.ConfigMap{}
	w.mustGet(configMap, cm)
	before := cm.DeepCopy()
	forged, err := document.EncodeRunResult(&document.RunResult{APIVersion: document.APIVersion, Kind: document.Kind, SchemaVersion: document.SchemaVersion,
		Summary: measurement.Summary{ThroughputPerSecond: 1e6, Completed: 1e7, Requests: 1e7, Unit: "blocks"}})
	must(w.t, err)
	cm.BinaryData[protocol.ResultKey] = forged
	must(w.t, w.client.Patch(w.ctx, cm, client.MergeFrom(before)))
}

// wantDigest checks that a status has the digest of the document that it refers to.
func (w *testEnv) wantDigest(at *v1alpha1.ResultReference) {
	w.t.Helper()
	cm := &corev1.ConfigMap{}
	w.mustGet(at.ConfigMapName, cm)
	if want := document.Digest(cm.BinaryData[at.Key]); at.Digest != want {
		w.t.Errorf("the status has the digest %q, want %q", at.Digest, want)
	}
}

func TestRunRecordsDigestOfResult(t *testing.T) {
	w := newTestEnvWithRun(t, twoWorkerRun)
	w.reconcileRun("extra")
	w.finishTwoWorkerRun()
	if w.getRun("extra").Status.Result == nil {
		t.Fatalf("the run has no result: %+v", w.getRun("extra").Status.Conditions)
	}
	w.wantDigest(w.getRun("extra").Status.Result)
}

// TestReplacedRunResultFails replaces the result of one run before its experiment reads it. The run counts as failed, and another
// attempt replaces it.
func TestReplacedRunResultFails(t *testing.T) {
	w := newTestEnvWithExperiment(t, gridExperiment)
	for range 5 {
		if len(w.listRuns()) > 0 {
			break
		}
		w.reconcileExperiment("grid")
	}
	w.completeAllRuns(100)
	first := w.listRuns()[0]
	w.replaceResult(first.Status.Result.ConfigMapName)
	e := w.reconcileUntilComplete("grid")
	found := false
	for _, run := range w.experimentResult(e).Runs {
		if run.Name != first.Name {
			continue
		}
		found = true
		if len(run.Reasons) == 0 || !strings.Contains(run.Reasons[0], "was replaced after it was written") || run.Metrics != nil {
			t.Errorf("the run with a forged result is %+v", run)
		}
	}
	if !found {
		t.Errorf("run %s is not in the result", first.Name)
	}
	w.wantDigest(e.Status.Result)
}

// TestStoredBaselineNeedsItsDigest compares with a stored result by its digest, and by another one.
func TestStoredBaselineNeedsItsDigest(t *testing.T) {
	w := newTestEnvWithExperiment(t, gridExperiment)
	stored := w.reconcileUntilComplete("grid").Status.Result
	for name, c := range map[string]struct {
		digest, want string
		accepted     bool
	}{
		"its own": {stored.Digest, "", true},
		"another": {"sha256:" + strings.Repeat("0", 64), "spec.compare.stored.digest: ConfigMap " + stored.ConfigMapName, false},
	} {
		t.Run(name, func(t *testing.T) {
			compared := strings.NewReplacer("grid", strings.ReplaceAll(name, " ", "-"), "repetitions: 2", "repetitions: 2\n  strategy: Compare\n"+
				"  compare: {stored: {configMapName: "+stored.ConfigMapName+", digest: \""+c.digest+"\"}}").Replace(gridExperiment)
			compared = strings.Replace(compared, strings.ReplaceAll(name, " ", "-")+"-results", stored.ConfigMapName, 1)
			e := &v1alpha1.BenchmarkExperiment{}
			must(t, w.createFromYAML(compared, e))
			w.reconcileExperiment(e.Name)
			accepted := meta.FindStatusCondition(w.getExperiment(e.Name).Status.Conditions, v1alpha1.ConditionAccepted)
			if accepted == nil || (accepted.Status == "True") != c.accepted || !strings.Contains(accepted.Message, c.want) {
				t.Errorf("Accepted is %+v, want %t with %q", accepted, c.accepted, c.want)
			}
		})
	}
}
