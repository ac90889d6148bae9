package latency

import (
	"fmt"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/internal/golden"
)

// TestDocumentedRoundTrips checks that docs/round-trips.csv agrees with the table in the code.
func TestDocumentedRoundTrips(t *testing.T) {
	golden.CheckText(t, "../../../docs/round-trips.csv", roundTripTable())
}

// roundTripTable returns the round trips between all regions in ms, as CSV. A cell is empty if the table has no figure.
func roundTripTable() string {
	var out strings.Builder
	fmt.Fprintf(&out, "region,area,%s\n", strings.Join(knownRegions(), ","))
	for _, a := range knownRegions() {
		fmt.Fprintf(&out, "%s,%s", a, metroAreaByRegion[a])
		for _, b := range knownRegions() {
			cell := ""
			if roundTrip, ok := LookupRoundTrip(a, b); ok {
				cell = fmt.Sprint(float64(roundTrip.Microseconds()) / 1000)
			}
			out.WriteString("," + cell)
		}
		out.WriteString("\n")
	}
	return out.String()
}
