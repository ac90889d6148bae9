package emulation

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// amazon are the regions whose round trips were measured, in the order of the page.
var amazon = []string{"us-east-1", "us-east-2", "us-west-1", "us-west-2", "ca-central-1", "sa-east-1", "eu-west-1", "eu-west-2", "eu-central-1",
	"ap-south-1", "ap-southeast-1", "ap-southeast-2", "ap-northeast-1", "ap-northeast-2"}

// TestThePageHasTheTable holds docs/regions.md and the table in the code together.
func TestThePageHasTheTable(t *testing.T) {
	page, err := os.ReadFile("../../docs/regions.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{matrix(), aliases()} {
		if !strings.Contains(string(page), part) {
			t.Errorf("docs/regions.md should have:\n%s", part)
		}
	}
}

func matrix() string {
	var out strings.Builder
	fmt.Fprintf(&out, "| | %s |\n|%s\n", strings.Join(amazon[1:], " | "), strings.Repeat("---|", len(amazon)))
	for i, a := range amazon[:len(amazon)-1] {
		cells := make([]string, 0, len(amazon))
		for j, b := range amazon[1:] {
			cell := ""
			if j+1 > i {
				roundTrip, _ := RoundTrip(a, b)
				cell = fmt.Sprint(roundTrip.Milliseconds())
			}
			cells = append(cells, cell)
		}
		fmt.Fprintf(&out, "| %s | %s |\n", a, strings.Join(cells, " | "))
	}
	return out.String()
}

// aliases are the names that stand for each of Amazon's regions.
func aliases() string {
	var out strings.Builder
	out.WriteString("| AWS | the same place |\n|---|---|\n")
	for _, a := range amazon {
		var same []string
		for _, b := range Known() {
			if distance, ok := RoundTrip(a, b); ok && distance < time.Millisecond && b != a {
				same = append(same, b)
			}
		}
		slices.Sort(same)
		fmt.Fprintf(&out, "| %s | %s |\n", a, strings.Join(same, ", "))
	}
	return out.String()
}
