package corda

import "testing"

// TestPlatformVersions checks the platform versions of releases; those of 4.11 and 4.12 are in R3's documentation.
func TestPlatformVersions(t *testing.T) {
	for version, want := range map[string]int{"4.3": 5, "4.10": 12, "4.11": 13, "4.12": 140, "4.13": 140, "4.99": 140, "": 0, "4": 0} {
		t.Run(version, func(t *testing.T) {
			if got := platformVersionOf(version); got != want {
				t.Errorf("got %d, want %d", got, want)
			}
		})
	}
}

func TestVersionRanges(t *testing.T) {
	for _, test := range []struct {
		versions      versionRange
		text          string
		inside, other string
	}{
		{projectImages, "4.3 to 4.10", "4.10", "4.11"},
		{projectCorDapps, "4.3 to 4.11", "4.11", "4.12"},
		{notaryServices, "4.6 or later", "4.20", "4.5"},
	} {
		t.Run(test.text, func(t *testing.T) {
			if test.versions.String() != test.text || !test.versions.contains(test.inside) || test.versions.contains(test.other) {
				t.Errorf("%v should contain %s and not %s", test.versions, test.inside, test.other)
			}
		})
	}
}
