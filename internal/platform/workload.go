package platform

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// ValidateWorkload rejects a workload that a network of the platform cannot serve. Every error names its
// field.
func ValidateWorkload(p Platform, spec *v1alpha1.BenchmarkNetworkSpec, w *v1alpha1.Workload, path *field.Path) field.ErrorList {
	problems := p.ValidateWorkload(spec, w, path)
	if _, ok := p.(Resettable); !ok && w.Reset == v1alpha1.ResetReset {
		problems = append(problems, field.NotSupported(path.Child("reset"), w.Reset, []v1alpha1.ResetPolicy{v1alpha1.ResetKeep}))
	}
	return problems
}
