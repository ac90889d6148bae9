package plan

import (
	"fmt"
	"testing"

	"github.com/benchnet/benchnet/internal/network/database"
)

func TestDatabaseSettingsAreGroupedByValue(t *testing.T) {
	const total = 101
	cases := map[string]struct {
		connections func(instance int) string
		want        []string
	}{
		"all alike": {func(int) string { return "21" },
			[]string{"postgresql.max_connections=21", "postgresql.shared_buffers=256MB"}},
		"the last differs": {func(i int) string { return map[bool]string{true: "21", false: "120"}[i == total-1] },
			[]string{"postgresql[n-db-0 to n-db-99].max_connections=120", "postgresql.shared_buffers=256MB",
				"postgresql[n-db-100].max_connections=21"}},
		"two kinds by turns": {func(i int) string { return map[int]string{0: "21", 1: "120"}[i%2] },
			[]string{"postgresql[n-db-0 and 50 more].max_connections=21", "postgresql.shared_buffers=256MB",
				"postgresql[n-db-1 and 49 more].max_connections=120"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var instances []database.InstanceStatus
			for i := range total {
				instances = append(instances, database.InstanceStatus{Name: fmt.Sprintf("n-db-%d", i), Settings: []database.Setting{
					{Name: "max_connections", Value: c.connections(i), Source: "pools"}, {Name: "shared_buffers", Value: "256MB", Source: "memory"}}})
			}
			var got []string
			for _, s := range databaseSettings(instances) {
				got = append(got, s.Name+"="+s.Value)
			}
			if fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("got  %v\nwant %v", got, c.want)
			}
		})
	}
}
