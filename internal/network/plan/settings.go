package plan

import (
	"fmt"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/network/database"
)

// settingGroup is a setting with the indexes of the instances that have it.
type settingGroup struct {
	database.Setting
	instanceIndexes []int
}

// databaseSettings returns the settings of the instances, grouped by value, so that their number does not grow with the network.
func databaseSettings(instances []database.InstanceStatus) []v1alpha1.DerivedSetting {
	var groups []*settingGroup
	known := map[database.Setting]*settingGroup{}
	for i, instance := range instances {
		for _, s := range instance.Settings {
			if known[s] == nil {
				known[s] = &settingGroup{Setting: s}
				groups = append(groups, known[s])
			}
			known[s].instanceIndexes = append(known[s].instanceIndexes, i)
		}
	}
	settings := make([]v1alpha1.DerivedSetting, 0, len(groups))
	for _, g := range groups {
		settings = append(settings, v1alpha1.DerivedSetting{Name: "postgresql" + g.instanceSelector(instances) + "." + g.Name, Value: g.Value, Source: g.Source})
	}
	return settings
}

// instanceSelector returns the names of the group's instances in brackets. It is empty if the group holds all
// instances.
func (g *settingGroup) instanceSelector(all []database.InstanceStatus) string {
	n := len(g.instanceIndexes)
	first, last := g.instanceIndexes[0], g.instanceIndexes[n-1]
	switch {
	case n == len(all):
		return ""
	case n == 1:
		return fmt.Sprintf("[%s]", all[first].Name)
	case last-first == n-1:
		return fmt.Sprintf("[%s to %s]", all[first].Name, all[last].Name)
	default:
		return fmt.Sprintf("[%s and %d more]", all[first].Name, n-1)
	}
}
