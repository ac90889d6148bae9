package platformtest

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// CheckAccepted checks that a network is valid, and that the platform knows its version and the finality of its workloads.
func CheckAccepted(t *testing.T, p platform.Platform, network *v1alpha1.BenchmarkNetwork) {
	t.Helper()
	if p.Type() != network.Spec.Platform.Type {
		t.Errorf("platform %s got a network of platform %s", p.Type(), network.Spec.Platform.Type)
	}
	if p.Version(&network.Spec) == "" {
		t.Error("the platform has no version")
	}
	for _, err := range validateWithWorkloads(p, &network.Spec) {
		t.Errorf("refused: %v", err)
	}
	for i := range network.Spec.Workloads {
		w := &network.Spec.Workloads[i].Workload
		if of := p.FinalityOf(w); (of == "") != (w.Type == v1alpha1.WorkloadJMeter) || (of == measurement.FinalityOfBlock) != (w.Type == v1alpha1.WorkloadBlocks) {
			t.Errorf("workload %s of type %s has the finality of %q", w.Name, w.Type, of)
		}
	}
}

// validateWithWorkloads returns the errors of a network and of its workloads.
func validateWithWorkloads(p platform.Platform, spec *v1alpha1.BenchmarkNetworkSpec) field.ErrorList {
	errs := platform.ValidateNetwork(p, spec, field.NewPath("spec"))
	for i := range spec.Workloads {
		errs = append(errs, p.ValidateWorkload(spec, &spec.Workloads[i].Workload, field.NewPath("spec", "workloads").Index(i))...)
	}
	return errs
}

// Refusal is an error in a network that the platform must reject.
type Refusal struct {
	Name string
	// Change introduces the error.
	Change func(*v1alpha1.BenchmarkNetworkSpec)
	// Field is the field of the validation error, below spec. Says lists parts of its message.
	Field string
	Says  []string
}

// CheckRefusal applies the change to a valid network and expects exactly one error, the one that r describes.
func CheckRefusal(t *testing.T, p platform.Platform, good *v1alpha1.BenchmarkNetwork, r Refusal) {
	t.Run(r.Name, func(t *testing.T) {
		CheckAccepted(t, p, good)
		mistaken := good.DeepCopy()
		r.Change(&mistaken.Spec)
		errs := validateWithWorkloads(p, &mistaken.Spec)
		if len(errs) != 1 {
			t.Fatalf("got %d errors, want one: %v", len(errs), errs)
		}
		if errs[0].Field != "spec."+r.Field {
			t.Errorf("the error is for field %s, want spec.%s", errs[0].Field, r.Field)
		}
		for _, part := range r.Says {
			if !strings.Contains(errs[0].Error(), part) {
				t.Errorf("%q does not say %q", errs[0].Error(), part)
			}
		}
		t.Log(errs[0])
	})
}
