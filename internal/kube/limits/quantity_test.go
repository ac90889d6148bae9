package limits

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

func TestValidateQuantities(t *testing.T) {
	for text, refused := range map[string]bool{"1Gi": false, "-1": false, "8Ei": false, "0": false, "1n": false, "1e19": true, "-1e30": true, "1e20000000": true, "e700": true} {
		spec := v1alpha1.BenchmarkNetworkSpec{Workloads: make([]v1alpha1.NetworkWorkload, 2)}
		spec.Members.Heap = new(resource.MustParse("1Gi"))
		spec.Workloads[1].Load = &v1alpha1.Load{RatePerSecond: new(resource.MustParse(text))}
		problems := ValidateQuantities(&spec, field.NewPath("spec"))
		if (len(problems) > 0) != refused {
			t.Errorf("%s: %v", text, problems)
		}
		if refused && problems[0].Field != "spec.workloads[1].load.ratePerSecond" {
			t.Errorf("%s is named as %s", text, problems[0].Field)
		}
	}
}
