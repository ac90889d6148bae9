package latency

import (
	"maps"
	"slices"
	"testing"
	"time"
)

func TestLookupRoundTrip(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want time.Duration
	}{
		{"NYC", "LON", 72 * time.Millisecond},
		{"LON", "AMS", 8 * time.Millisecond},
		{"SFO", "AMS", 145 * time.Millisecond},
		{"NYC", "NYC", SameRegionRoundTrip},
		{"us-east-1", "eu-west-2", 80 * time.Millisecond},
		{"us-west-2", "us-west-1", 24 * time.Millisecond},
		{"ap-northeast-1", "sa-east-1", 262 * time.Millisecond},
		{"us-east4", "uksouth", 80 * time.Millisecond},
		{"eastus", "us-east-1", SameRegionRoundTrip},
		{"Mars", "Mars", SameRegionRoundTrip},
	} {
		for _, pair := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			if got, ok := LookupRoundTrip(pair[0], pair[1]); !ok || got != c.want {
				t.Errorf("%s to %s: %v, %v; want %v", pair[0], pair[1], got, ok, c.want)
			}
		}
	}
	for _, pair := range [][2]string{{"NYC", "us-east-1"}, {"Mars", "NYC"}, {"Mars", "Venus"}} {
		if got, ok := LookupRoundTrip(pair[0], pair[1]); ok {
			t.Errorf("%s to %s: got %v without a table entry", pair[0], pair[1], got)
		}
	}
}

// TestRoundTripTableIsComplete checks that any two regions of the clouds, and any two of the four cities, have
// a figure that the speed of light permits.
func TestRoundTripTableIsComplete(t *testing.T) {
	cities := map[string]bool{"NYC": true, "LON": true, "AMS": true, "SFO": true}
	for _, a := range knownRegions() {
		for _, b := range knownRegions() {
			if cities[a] != cities[b] {
				continue
			}
			got, ok := LookupRoundTrip(a, b)
			if !ok || got < SameRegionRoundTrip || got > 400*time.Millisecond {
				t.Errorf("%s to %s: %v, %v", a, b, got, ok)
			}
		}
	}
	if len(halvedRoundTrips) != len(measuredAreas) {
		t.Fatalf("%d rows for %d places", len(halvedRoundTrips), len(measuredAreas))
	}
	for i, row := range halvedRoundTrips {
		if len(row) != i {
			t.Errorf("row %s has %d figures, want %d", measuredAreas[i], len(row), i)
		}
	}
}

// knownRegions returns the names of the regions in the built-in table, sorted.
func knownRegions() []string { return slices.Sorted(maps.Keys(metroAreaByRegion)) }
