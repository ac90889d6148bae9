package cli

import (
	"bytes"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/benchnet/benchnet/internal/cli/bundle"
)

// TestConfirmReferences confirms references without a terminal.
func TestConfirmReferences(t *testing.T) {
	image := bundle.References{All: []string{`BenchmarkNetwork "n": spec.image: "evil:1"`}}
	host := `BenchmarkNetwork "n": spec.database.external.servers[0].host: "db.example"`
	database := bundle.References{All: []string{host}, ExternalDatabases: []string{host}}
	for name, test := range map[string]struct {
		references bundle.References
		options    reproduceOptions
		err, out   string
	}{
		"nothing":                {},
		"image":                  {image, reproduceOptions{}, image.All[0] + "\ncheck them, and confirm them with --yes", ""},
		"image confirmed":        {image, reproduceOptions{yes: true}, "", image.All[0]},
		"database":               {database, reproduceOptions{yes: true}, "needs --allow-external-databases:\n  " + host, ""},
		"database not confirmed": {database, reproduceOptions{allowExternalDatabases: true}, "confirm them with --yes", ""},
		"database confirmed":     {database, reproduceOptions{yes: true, allowExternalDatabases: true}, "", host},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			s := newSession("0.1.0", genericiooptions.IOStreams{In: strings.NewReader("y\n"), Out: &out, ErrOut: &out})
			err := s.confirmReferences(test.references, test.options)
			if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("got %v, want %q", err, test.err)
			}
			if !strings.Contains(out.String(), test.out) {
				t.Errorf("no %q in %q", test.out, out.String())
			}
		})
	}
}
