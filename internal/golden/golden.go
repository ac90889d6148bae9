// Package golden compares what a test renders with files in its testdata. A document that resembles an earlier one is stored as
// its difference from that one, so that a review shows what is particular to it. Every document is still compared as a whole.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Document is a titled part of a rendered output. The first word of its title is its kind.
type Document struct {
	Title, Text string
}

// NewYAML renders a value as YAML.
func NewYAML(t *testing.T, title string, value any) Document {
	t.Helper()
	text, err := yaml.Marshal(value)
	if err != nil {
		t.Fatalf("encode %s: %v", title, err)
	}
	return Document{title, string(text)}
}

// Case is one of the outputs that a test renders.
type Case struct {
	Name   string
	Render func(t *testing.T) []Document
}

// CheckCases compares the documents of each case with testdata/<name>.golden. A document can be stored as its difference from one
// of the same case or of a case before it.
func CheckCases(t *testing.T, cases []Case) {
	t.Helper()
	var earlier []source
	for _, c := range cases {
		path := filepath.Join("testdata", c.Name+".golden")
		t.Run(c.Name, func(t *testing.T) {
			got := c.Render(t)
			checkTitles(t, got)
			if *update {
				writeFile(t, path, formatDocuments(earlier, got))
			}
			if want := readDocuments(t, path, earlier); !slices.Equal(want, got) {
				t.Errorf("the output differs from %s; go test -update rewrites it:\n%s", path, formatHunks(joinDocuments(want), joinDocuments(got)))
			}
		})
		for _, d := range readDocuments(t, path, earlier) {
			earlier = append(earlier, source{c.Name, d})
		}
	}
}

// CheckText compares a text with a file that others read as it is.
func CheckText(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		writeFile(t, path, got)
	}
	if want := readFile(t, path); want != got {
		t.Errorf("the output differs from %s; go test -update rewrites it:\n%s", path, formatHunks(want, got))
	}
}

// checkTitles checks that no two documents have the same title, since differences refer to documents by title.
func checkTitles(t *testing.T, documents []Document) {
	t.Helper()
	seen := map[string]bool{}
	for _, d := range documents {
		if seen[d.Title] {
			t.Fatalf("two documents are titled %q", d.Title)
		}
		seen[d.Title] = true
	}
}

// joinDocuments returns one text in which each title encloses its document.
func joinDocuments(documents []Document) string {
	var text strings.Builder
	for _, d := range documents {
		text.WriteString(d.Title + ":\n")
		writeLines(&text, " ", splitLines(d.Text))
	}
	return text.String()
}

func readDocuments(t *testing.T, path string, earlier []source) []Document {
	t.Helper()
	documents, err := parseDocuments(earlier, readFile(t, path))
	if err != nil {
		t.Fatalf("%s does not fit the files that it derives from (go test -update rewrites it): %v", path, err)
	}
	return documents
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
