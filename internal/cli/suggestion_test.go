package cli

import (
	"bytes"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/benchnet/benchnet/internal/cli/cluster"
)

// TestSuggestions checks the suggestions after a plan, and of a command.
func TestSuggestions(t *testing.T) {
	target := cluster.Target{Kind: cluster.Experiment, Namespace: "lab", Name: "i1"}
	plan := func(fits bool, files ...string) func(*session) {
		return func(s *session) {
			flags := newFileFlags("to plan")
			*flags.Filenames = files
			s.suggestPlanned(flags, fits)
		}
	}
	for name, test := range map[string]struct {
		suggest func(*session)
		want    string
	}{
		"plan of files":        {plan(true, "a.yaml", "b.yaml"), "next: kubectl benchnet run -f a.yaml -f b.yaml\n"},
		"plan of a name":       {plan(true), ""},
		"plan that is too big": {plan(false, "a.yaml"), "next: request less, or add nodes: pods that do not fit wait for nodes\n"},
		"command":              {func(s *session) { s.suggestCommand("report", target) }, "next: kubectl benchnet report -n lab bexp/i1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var out, errOut bytes.Buffer
			test.suggest(newSession("0.1.0", genericiooptions.IOStreams{Out: &out, ErrOut: &errOut}))
			if errOut.String() != test.want || out.Len() > 0 {
				t.Errorf("got %q and %q, want %q", errOut.String(), out.String(), test.want)
			}
		})
	}
}
