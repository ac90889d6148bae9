package latency

import (
	"slices"
	"time"
)

// SameRegionRoundTrip is the default round trip within a region.
const SameRegionRoundTrip = 500 * time.Microsecond

// metroArea is a metropolitan area in which clouds have regions.
type metroArea string

// metroAreaByRegion maps regions to their areas. The measured regions are those of AWS. Regions of other clouds
// in the same area are assumed to have the same round trips, which is an estimate.
var metroAreaByRegion = map[string]metroArea{
	"NYC": "New York", "LON": "London", "AMS": "Amsterdam", "SFO": "San Francisco",
	// AWS.
	"ap-northeast-1": "Tokyo", "ap-northeast-2": "Seoul", "ap-south-1": "Mumbai", "ap-southeast-1": "Singapore",
	"ap-southeast-2": "Sydney", "ca-central-1": "Montreal", "eu-central-1": "Frankfurt", "eu-west-1": "Dublin",
	"eu-west-2": "London", "sa-east-1": "Sao Paulo", "us-east-1": "Northern Virginia", "us-east-2": "Ohio",
	"us-west-1": "Northern California", "us-west-2": "Oregon",
	// Google Cloud.
	"asia-northeast1": "Tokyo", "asia-northeast3": "Seoul", "asia-south1": "Mumbai", "asia-southeast1": "Singapore",
	"australia-southeast1": "Sydney", "northamerica-northeast1": "Montreal", "europe-west3": "Frankfurt", "europe-west2": "London",
	"southamerica-east1": "Sao Paulo", "us-east4": "Northern Virginia", "us-east5": "Ohio", "us-west1": "Oregon",
	// Azure.
	"japaneast": "Tokyo", "koreacentral": "Seoul", "westindia": "Mumbai", "southeastasia": "Singapore", "australiaeast": "Sydney",
	"germanywestcentral": "Frankfurt", "northeurope": "Dublin", "uksouth": "London", "brazilsouth": "Sao Paulo",
	"eastus": "Northern Virginia", "westus": "Northern California",
}

// estimatedRoundTrips are the round trips in ms between the four cities, derived from measurements of nearby
// regions. No source that measures all of them was found.
var estimatedRoundTrips = map[[2]metroArea]int64{
	{"New York", "London"}: 72, {"New York", "Amsterdam"}: 80, {"New York", "San Francisco"}: 70,
	{"London", "Amsterdam"}: 8, {"London", "San Francisco"}: 138, {"Amsterdam", "San Francisco"}: 145,
}

// measuredAreas are the areas in the order of halvedRoundTrips.
var measuredAreas = []metroArea{"Tokyo", "Seoul", "Mumbai", "Singapore", "Sydney", "Montreal", "Frankfurt", "Dublin", "London",
	"Sao Paulo", "Northern Virginia", "Ohio", "Northern California", "Oregon"}

// halvedRoundTrips holds half of the round trips between measuredAreas, in whole ms, as a lower triangle. They
// are medians over a month between AWS regions that cloudping.co published, as stored in circlefin/arc-node
// (crates/quake).
var halvedRoundTrips = [][]int64{
	{},
	{19},
	{66, 67},
	{36, 37, 33},
	{53, 77, 78, 48},
	{79, 93, 95, 115, 100},
	{116, 117, 62, 82, 127, 48},
	{103, 121, 63, 88, 129, 36, 12},
	{108, 126, 58, 84, 133, 41, 9, 8},
	{131, 149, 150, 165, 157, 64, 103, 90, 95},
	{76, 93, 95, 109, 101, 10, 48, 36, 40, 58},
	{70, 86, 100, 103, 94, 15, 52, 41, 45, 63, 10},
	{56, 70, 118, 88, 70, 41, 78, 67, 75, 88, 35, 29},
	{51, 65, 112, 83, 71, 32, 73, 61, 66, 89, 34, 27, 12},
}

// LookupRoundTrip returns the round trip between two regions of the built-in table, and false if the table has
// no figure for them.
func LookupRoundTrip(a, b string) (time.Duration, bool) {
	from, known := metroAreaByRegion[a]
	to, alsoKnown := metroAreaByRegion[b]
	switch {
	case a == b, known && alsoKnown && from == to:
		return SameRegionRoundTrip, true
	case !known || !alsoKnown:
		return 0, false
	}
	for _, pair := range [][2]metroArea{{from, to}, {to, from}} {
		if ms, ok := estimatedRoundTrips[pair]; ok {
			return time.Duration(ms) * time.Millisecond, true
		}
	}
	i, j := slices.Index(measuredAreas, from), slices.Index(measuredAreas, to)
	if i < 0 || j < 0 {
		return 0, false
	}
	i, j = max(i, j), min(i, j)
	return 2 * time.Duration(halvedRoundTrips[i][j]) * time.Millisecond, true
}
