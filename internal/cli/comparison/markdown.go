package comparison

import (
	"fmt"
	"io"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/cli/table"
	"github.com/benchnet/benchnet/internal/experiment"
)

// WriteMarkdown writes a comparison for a pull request: a summary, the gates that did not pass, and the tables.
func WriteMarkdown(w io.Writer, baseline, candidate string, outcomes []experiment.ComparisonOutcome, tables ...*table.Table) error {
	fmt.Fprintf(w, "**%s against %s:** %s\n", table.EscapeMarkdown(candidate), table.EscapeMarkdown(baseline), summarizeGates(outcomes))
	open := "\n"
	for _, o := range outcomes {
		if o.Gate == v1alpha1.GateFailed || o.Gate == v1alpha1.GateUndecided {
			fmt.Fprintf(w, "%s- %s, %s: %s\n", open, o.Gate, table.EscapeMarkdown(o.Candidate), table.EscapeMarkdown(o.Message))
			open = ""
		}
	}
	for _, t := range tables {
		fmt.Fprintln(w)
		if err := t.PrintMarkdown(w); err != nil {
			return err
		}
	}
	return nil
}

// summarizeGates counts the gates by their outcome.
func summarizeGates(outcomes []experiment.ComparisonOutcome) string {
	count := map[v1alpha1.GateOutcome]int{}
	for _, o := range outcomes {
		count[o.Gate]++
	}
	judged := len(outcomes) - count[""]
	if judged == 0 {
		return "no gates"
	}
	return fmt.Sprintf("%d of %d gates passed, %d failed, %d undecided",
		count[v1alpha1.GatePassed], judged, count[v1alpha1.GateFailed], count[v1alpha1.GateUndecided])
}
