package loadgen

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

func TestValidateSampleMemory(t *testing.T) {
	const day = 24 * 60 * 60
	for name, c := range map[string]struct {
		members, every, window int
		workers                int32
		memory                 string
		refused                bool
	}{
		"ten members, 20 min":              {10, 0, 1200, 1, "1Gi", false},
		"100 members, 30 min":              {100, 0, 1800, 1, "1Gi", false},
		"100 members, a day":               {100, 0, day, 1, "1Gi", true},
		"100 members, a day, more memory":  {100, 0, day, 1, "64Gi", false},
		"100 members, a day, more workers": {100, 0, day, 50, "1Gi", false},
		"a day, each minute":               {100, 60, day, 1, "1Gi", false},
		"uneven shares":                    {51, 0, day, 50, "200Mi", true},
	} {
		t.Run(name, func(t *testing.T) {
			w := &protocol.WorkloadFile[any]{Measure: protocol.MeasureTimes{WindowSeconds: c.window}, Observe: make([]protocol.ObservedEndpoint, c.members)}
			for i := range w.Observe {
				w.Observe[i].EverySeconds = c.every
			}
			err := ValidateSampleMemory(w, &v1alpha1.Workers{Count: c.workers, Memory: resource.MustParse(c.memory)}, field.NewPath("spec", "workload"))
			if (err != nil) != c.refused {
				t.Errorf("got %v, want a refusal: %t", err, c.refused)
			}
			if err != nil && !strings.HasPrefix(err.Error(), "spec.workload.workers: Invalid value: ") {
				t.Errorf("the message does not begin with the field: %v", err)
			}
		})
	}
}
