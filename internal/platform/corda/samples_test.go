package corda_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform/corda"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
)

func TestConform(t *testing.T) {
	platformtest.Conform(t, corda.New(), platformtest.Samples(t, "corda"))
}

func TestGolden(t *testing.T) {
	platformtest.Golden(t, corda.New(), platformtest.Samples(t, "corda"))
}

// Every sample of a run must be admitted, and be one that the network it names can serve.
func TestSampleRun(t *testing.T) {
	var run v1alpha1.BenchmarkRun
	if err := platformtest.RunAdmission(t).Admit(platformtest.SampleFile(t, "corda_run.yaml"), &run); err != nil {
		t.Fatalf("admit: %v", err)
	}
	for _, s := range platformtest.Samples(t, "corda") {
		if s.Network.Name != run.Spec.NetworkName {
			continue
		}
		if errs := corda.New().ValidateWorkload(&s.Network.Spec, &run.Spec.Workload, field.NewPath("spec", "workload")); len(errs) > 0 {
			t.Errorf("refused: %v", errs)
		}
		return
	}
	t.Errorf("no sample makes network %s", run.Spec.NetworkName)
}
