package platform

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// ValidateWorkload rejects a workload that a network of the platform cannot serve. Every error names its
// field.
func ValidateWorkload(p Platform, spec *v1alpha1.BenchmarkNetworkSpec, w *v1alpha1.Workload, path *field.Path) field.ErrorList {
	loadable, ok := p.(LoadTarget)
	if !ok {
		return field.ErrorList{field.Forbidden(path, fmt.Sprintf("platform %s makes its own load and takes no workloads", p.Type()))}
	}
	problems := loadable.ValidateWorkload(spec, w, path)
	if _, ok := p.(Resettable); !ok && w.Reset == v1alpha1.ResetReset {
		problems = append(problems, field.NotSupported(path.Child("reset"), w.Reset, []v1alpha1.ResetPolicy{v1alpha1.ResetKeep}))
	}
	return problems
}
