package forecast

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

func TestTimeline(t *testing.T) {
	const faults = `
faults:
- {name: database, type: Kill, at: 90s, target: {databases: [db]}}
- {name: leader, type: Pause, at: 60s, duration: 20s, target: {select: Leader}}
- {name: share, type: Kill, at: 100s, target: {role: Notary, region: LON, sharePercent: 50}}
measure: {warmUp: 10s, window: 2m}
`
	for name, c := range map[string]struct {
		workload string
		want     []TimelineEntry
	}{
		"constant": {"load: {model: Open, ratePerSecond: 5}\nmeasure: {warmUp: 10s, window: 1m}", nil},
		"profile": {`
measure: {warmUp: 10s, window: 1m}
load:
  model: Open
  profile:
  - {name: up, type: Ramp, duration: 20s, ratePerSecond: 5, toRatePerSecond: 15}
  - {name: top, type: Constant, duration: 40s, ratePerSecond: 15}
`, []TimelineEntry{{"pay", 0, 20, "segment/up", "10.0/s"}, {"pay", 20, 60, "segment/top", "15.0/s"}}},
		"faults in an open loop": {"load: {model: Open, ratePerSecond: 5}" + faults, []TimelineEntry{
			{"pay", 0, 60, "segment/baseline", "5.00/s"}, {"pay", 60, 120, "segment/faults", "5.00/s"},
			{"pay", 60, 80, "fault/leader", "Pause Leader"}, {"pay", 90, 90, "fault/database", "Kill db"},
			{"pay", 100, 100, "fault/share", "Kill Notary, LON, 50 %"}}},
		"faults in a closed loop": {"load: {clients: 5}" + faults, []TimelineEntry{
			{"pay", 0, 60, "segment/baseline", ""}, {"pay", 60, 120, "segment/faults", ""},
			{"pay", 60, 80, "fault/leader", "Pause Leader"}, {"pay", 90, 90, "fault/database", "Kill db"},
			{"pay", 100, 100, "fault/share", "Kill Notary, LON, 50 %"}}},
	} {
		t.Run(name, func(t *testing.T) {
			w := v1alpha1.Workload{Name: "pay"}
			if err := yaml.UnmarshalStrict([]byte(c.workload), &w); err != nil {
				t.Fatal(err)
			}
			if difference := cmp.Diff(c.want, timelineOf(&w)); difference != "" {
				t.Error(difference)
			}
		})
	}
}
