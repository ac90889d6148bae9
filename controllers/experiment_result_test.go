package controllers

import (
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/experiment/preflight"
	"github.com/benchnet/benchnet/internal/kube/apply"
	"github.com/benchnet/benchnet/internal/status"
)

// TestExperimentResultTooLargeForAConfigMap has comparisons with messages that do not fit, even without the
// reasons of the runs.
func TestExperimentResultTooLargeForAConfigMap(t *testing.T) {
	pass := &experimentPass{experiment: &v1alpha1.BenchmarkExperiment{}, step: &experiment.NextStep{}, forecast: &preflight.ResourceForecast{},
		result: &experiment.Result{}}
	random := rand.NewChaCha8([32]byte{1})
	for range 100 {
		var text [16 << 10]byte
		_, _ = random.Read(text[:]) // It never fails.
		pass.result.Comparisons = append(pass.result.Comparisons, experiment.ComparisonOutcome{Message: hex.EncodeToString(text[:])})
	}
	if err := (&ExperimentReconciler{}).writeResult(t.Context(), pass, apply.Owner{}); err != nil {
		t.Fatal(err)
	}
	s := status.ComputeExperiment(pass.statusInput(time.Unix(1, 0)))
	c := meta.FindStatusCondition(s.Conditions, v1alpha1.ConditionComplete)
	if s.Phase != "Failed" || s.Result != nil || c.Reason != v1alpha1.ReasonResultTooLarge || !strings.Contains(c.Message, "the results of the runs stay") {
		t.Errorf("the experiment should have failed without a result, but is %s: %+v", s.Phase, c)
	}
}
