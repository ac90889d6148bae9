package latency

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// awsRegions are the measured regions, in the order of the page.
var awsRegions = []string{"us-east-1", "us-east-2", "us-west-1", "us-west-2", "ca-central-1", "sa-east-1", "eu-west-1", "eu-west-2", "eu-central-1",
	"ap-south-1", "ap-southeast-1", "ap-southeast-2", "ap-northeast-1", "ap-northeast-2"}

// TestRegionsPageIsCurrent checks that docs/regions.md agrees with the table in the code.
func TestRegionsPageIsCurrent(t *testing.T) {
	page, err := os.ReadFile("../../../docs/regions.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{roundTripMatrix(), regionAliases()} {
		if !strings.Contains(string(page), part) {
			t.Errorf("docs/regions.md should have:\n%s", part)
		}
	}
}

func roundTripMatrix() string {
	var out strings.Builder
	fmt.Fprintf(&out, "| | %s |\n|%s\n", strings.Join(awsRegions[1:], " | "), strings.Repeat("---|", len(awsRegions)))
	for i, a := range awsRegions[:len(awsRegions)-1] {
		cells := make([]string, 0, len(awsRegions))
		for j, b := range awsRegions[1:] {
			cell := ""
			if j+1 > i {
				roundTrip, _ := LookupRoundTrip(a, b)
				cell = fmt.Sprint(roundTrip.Milliseconds())
			}
			cells = append(cells, cell)
		}
		fmt.Fprintf(&out, "| %s | %s |\n", a, strings.Join(cells, " | "))
	}
	return out.String()
}

// regionAliases returns a table of the regions of other clouds that are treated as each AWS region.
func regionAliases() string {
	var out strings.Builder
	out.WriteString("| AWS | the same place |\n|---|---|\n")
	for _, a := range awsRegions {
		var same []string
		for _, b := range knownRegions() {
			if distance, ok := LookupRoundTrip(a, b); ok && distance < time.Millisecond && b != a {
				same = append(same, b)
			}
		}
		slices.Sort(same)
		fmt.Fprintf(&out, "| %s | %s |\n", a, strings.Join(same, ", "))
	}
	return out.String()
}
