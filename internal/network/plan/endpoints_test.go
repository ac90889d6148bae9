package plan

import (
	"maps"
	"slices"
	"testing"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// TestDatabaseEndpoints checks that the project's own instances are observed and that a user's chart or an
// external server is reported as unobserved.
func TestDatabaseEndpoints(t *testing.T) {
	for name, c := range map[string]struct {
		spec       v1alpha1.DatabaseSpec
		observed   []string
		unobserved []string
	}{
		"own": {v1alpha1.DatabaseSpec{Engine: v1alpha1.EnginePostgreSQL, Provider: v1alpha1.ProviderManaged},
			[]string{"http://net-db:9101/metrics", "http://net-db:9187/metrics"}, nil},
		"the user's chart": {v1alpha1.DatabaseSpec{Engine: v1alpha1.EnginePostgreSQL, Provider: v1alpha1.ProviderChart, Chart: &v1alpha1.DatabaseChart{}},
			nil, []string{"net-db"}},
		"external":            {v1alpha1.DatabaseSpec{Engine: v1alpha1.EnginePostgreSQL, Provider: v1alpha1.ProviderExternal}, nil, []string{"net-db"}},
		"schemas of the user": {v1alpha1.DatabaseSpec{Engine: v1alpha1.EngineSQLServer, Provider: v1alpha1.ProviderExternal}, nil, []string{"net-db"}},
		"H2":                  {v1alpha1.DatabaseSpec{Engine: v1alpha1.EngineH2}, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			network := &v1alpha1.BenchmarkNetwork{Spec: v1alpha1.BenchmarkNetworkSpec{NetworkTemplate: v1alpha1.NetworkTemplate{Database: &c.spec}},
				Status: v1alpha1.BenchmarkNetworkStatus{Databases: []v1alpha1.DatabaseStatus{{Name: "net-db", Members: 3}}}}
			observed, unobserved := DatabaseEndpoints(fakePlatform{}, network)
			var urls []string
			for _, o := range observed {
				urls = append(urls, o.URL)
				if o.Member != "net-db" || o.Kind != "Database" || o.Role != "serves 3 members" {
					t.Errorf("observed %+v", o)
				}
			}
			if !slices.Equal(urls, c.observed) || !slices.Equal(slices.Sorted(maps.Keys(unobserved)), c.unobserved) {
				t.Errorf("observed %v, unobserved %v; want %v and %v", urls, unobserved, c.observed, c.unobserved)
			}
		})
	}
}

func TestDatabaseEndpointsWithoutObservation(t *testing.T) {
	network := newInput(nil).Network
	network.Spec.Observation = v1alpha1.ObservationNone
	network.Status.Databases = []v1alpha1.DatabaseStatus{{Name: "net-db", Members: 3}}
	observed, unobserved := DatabaseEndpoints(fakePlatform{}, network)
	if len(observed) > 0 || unobserved["net-db"] != "spec.observation of the network is None" {
		t.Errorf("observed %v, unobserved %v", observed, unobserved)
	}
}
