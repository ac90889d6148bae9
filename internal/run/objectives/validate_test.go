package objectives

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

func TestValidateScope(t *testing.T) {
	profile := func(duration string) string {
		return `{model: Open, profile: [{name: up, type: Ramp, duration: 30s, ratePerSecond: 0, toRatePerSecond: 20},
			{name: top, type: Steps, duration: ` + duration + `, ratePerSecond: 20, toRatePerSecond: 30, steps: 2}]}`
	}
	for name, c := range map[string]struct {
		load, scopes string
		want         []string
	}{
		"of a segment":             {profile("60s"), "scope: segment/up", nil},
		"of a level":               {profile("60s"), "scope: segment/top-2", nil},
		"of no segment":            {profile("60s"), "scope: segment/top", []string{`objectives[0].scope`, `"segment/top"`, `supported values: "segment/up", "segment/top-1", "segment/top-2"`}},
		"of window and segment":    {profile("60s"), "query: null}, {metric: LatencyP95, maxLatency: 1s, scope: segment/up", nil},
		"twice":                    {profile("60s"), "scope: segment/up}, {metric: LatencyP95, maxLatency: 1s, scope: segment/up", []string{`objectives[1].metric`, "LatencyP95 of segment/up"}},
		"without a profile":        {"{model: Open, ratePerSecond: 5}", "scope: segment/up", []string{`objectives[0].scope`, `"segment/up"`, "needs load.profile"}},
		"of a profile with errors": {profile("61s"), "scope: segment/top-2", nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := &v1alpha1.Workload{}
			if err := yaml.UnmarshalStrict([]byte("load: "+c.load+"\nobjectives: [{metric: LatencyP95, maxLatency: 1s, "+c.scopes+"}]"), w); err != nil {
				t.Fatal(err)
			}
			errs := Validate(w, field.NewPath("workload"))
			message := fmt.Sprint(errs.ToAggregate())
			if len(c.want) == 0 && len(errs) > 0 {
				t.Errorf("it is rejected: %s", message)
			}
			for _, part := range c.want {
				if !strings.Contains(message, part) {
					t.Errorf("the message should name %q: %s", part, message)
				}
			}
		})
	}
}
