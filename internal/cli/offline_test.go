package cli_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/internal/cli"
	"github.com/benchnet/benchnet/internal/run/results"
)

// TestResultFilesNeedNoCluster reads result files with a kubeconfig that does not exist.
func TestResultFilesNeedNoCluster(t *testing.T) {
	experiment := filepath.Join("..", "..", "docs", "measured", "i1.json.gz")
	run := filepath.Join("..", "report", "testdata", "malachite.json.gz")
	directory := t.TempDir()
	hostile := filepath.Join(directory, "hostile.json")
	if err := os.WriteFile(hostile, []byte(`{"apiVersion":"benchnet.dev/v1alpha1","kind":"RunResult","schemaVersion":1,"run":{"name":"../x"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"report of an experiment", []string{"report", experiment, "-o", "-", "--csv", directory}, 0, "<html"},
		{"report of a run", []string{"report", run, "-o", "-"}, 0, "<html"},
		{"report of an indented run that is larger than a stored one", []string{"report", writeIndentedCopy(t, run), "-o", "-"}, 0, "<html"},
		{"comparison of a file with itself", []string{"compare", experiment, experiment, "--metric", "throughput"}, 0, "DETECTABLE"},
		{"no such file", []string{"report", filepath.Join(directory, "none.json")}, 1, "no such file"},
		{"a file that is no result", []string{"report", "offline_test.go"}, 1, "read offline_test.go: "},
		{"a name that is a path", []string{"report", hostile}, 1, `name "../x"`},
		{"a name needs a cluster", []string{"report", "i1"}, 1, "kubeconfig"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out, errOut bytes.Buffer
			args := append([]string{"--kubeconfig", filepath.Join(directory, "kubeconfig")}, test.args...)
			code := cli.Run(t.Context(), "0.1.0", strings.NewReader(""), &out, &errOut, args)
			if text := out.String() + errOut.String(); code != test.code || !strings.Contains(text, test.want) {
				t.Errorf("exit code %d, want %d; no %q in\n%.500s", code, test.code, test.want, text)
			}
		})
	}
}

// writeIndentedCopy returns a copy of a document with over four megabytes of spaces, like the output of results
// -o json for a long run.
func writeIndentedCopy(t *testing.T, file string) string {
	t.Helper()
	packed, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := results.UnpackDocument(packed)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", strings.Repeat(" ", results.MaxDecodedBytes/bytes.Count(text, []byte(",")))); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "indented.json")
	if err := os.WriteFile(name, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}
