// Command statistics simulates experiments with known true values, judges them with the methods of benchnet,
// and writes a table for each subject into hack/statistics/README.md, between that subject's markers. Its seeds are
// fixed, so that the same code gives the same tables on every machine.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// subject is one table of the page. Its place is marked by lines with <!-- simulated NAME --> and
// <!-- end NAME -->.
type subject struct {
	name string
	// simulations is the number of simulated experiments for each row of the published table.
	simulations int
	// build simulates that many experiments for each row.
	build func(simulations int) markdownTable
}

// subjects lists every table; each has a file of its own.
var subjects = []subject{
	{"comparisons", 5000, simulateComparisons},
	{"power", 2000, simulatePower},
	{"planning", 1000, simulatePlanning},
	{"coverage", 5000, simulateCoverage},
	{"gates", 1000, simulateGates},
	{"stored", 1000, simulateStored},
	{"equivalence", 5000, simulateEquivalence},
	{"overload", 1000, simulateOverload},
	{"saturation", 1000, simulateSaturation},
	{"stability", 1000, simulateStability},
	{"throughput limits", 1000, simulateThroughputLimits},
	{"latency limits", 1000, simulateLatencyLimits},
	{"steady families", 1000, simulateSteadyFamilies},
	{"steady trends", 1000, simulateTrends},
	{"steady latency trends", 1000, simulateLatencyTrends},
}

// markdownTable is a table of short cells.
type markdownTable struct {
	header []string
	rows   [][]string
}

func (t markdownTable) String() string {
	lines := []string{formatRow(t.header), "|" + strings.Repeat("---|", len(t.header))}
	for _, row := range t.rows {
		lines = append(lines, formatRow(row))
	}
	return strings.Join(lines, "\n")
}

func formatRow(cells []string) string { return "| " + strings.Join(cells, " | ") + " |" }

func main() {
	page := flag.String("page", "hack/statistics/README.md", "page with the markers")
	simulations := flag.Int("simulations", 0, "simulated experiments for each row; 0: as in the published table")
	only := flag.String("only", "", "name of the only table to write; default: all")
	flag.Parse()
	if err := updatePage(*page, *only, *simulations); err != nil {
		fmt.Fprintln(os.Stderr, "statistics:", err)
		os.Exit(1)
	}
}

// updatePage replaces the table of each selected subject.
func updatePage(page, only string, simulations int) error {
	if only != "" && !slices.ContainsFunc(subjects, func(s subject) bool { return s.name == only }) {
		return fmt.Errorf("no table is named %q", only)
	}
	for _, s := range subjects {
		if s.name != cmp.Or(only, s.name) {
			continue
		}
		count := cmp.Or(simulations, s.simulations)
		table := s.build(count)
		// Read after the simulation, which takes minutes, so that edits made meanwhile are kept.
		text, err := os.ReadFile(page)
		if err != nil {
			return fmt.Errorf("read the page: %w", err)
		}
		caption := fmt.Sprintf("Each row: %d simulated experiments, seed %d; results in %%.", count, recordedSeed)
		updated, err := replaceTable(string(text), s.name, fmt.Sprintf("%s\n\n%s", table, caption))
		if err != nil {
			return err
		}
		if err := os.WriteFile(page, []byte(updated), 0o644); err != nil {
			return fmt.Errorf("write the page: %w", err)
		}
	}
	return nil
}

// replaceTable replaces what lies between the markers of a subject. It fails if the page has no such markers.
func replaceTable(page, name, content string) (string, error) {
	between := regexp.MustCompile(`(?s)(<!-- simulated ` + regexp.QuoteMeta(name) + ` -->\n).*?(\n<!-- end ` + regexp.QuoteMeta(name) + ` -->)`)
	if !between.MatchString(page) {
		return "", fmt.Errorf("the page has no markers <!-- simulated %s --> and <!-- end %s -->", name, name)
	}
	return between.ReplaceAllStringFunc(page, func(match string) string {
		parts := between.FindStringSubmatch(match)
		return parts[1] + "\n" + content + "\n" + parts[2]
	}), nil
}
