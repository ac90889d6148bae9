// Package golden compares what a test renders with files in its testdata. One case of a family is stored in full. Each
// further case is stored as its difference from that one, so that a review shows what is particular to it. Every case is
// still compared as a whole.
package golden

import (
	"flag"
	"fmt"
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

// Check compares the documents with testdata/<name>.yaml. A document that resembles one before it, such as that of a further member, is
// stored as the difference from it.
func Check(t *testing.T, name string, got []Document) {
	t.Helper()
	path := fullPath(name)
	checkTitles(t, got)
	if *update {
		writeFile(t, path, formatDocuments(shortenDocuments(got)))
	}
	want, err := readDocuments(path)
	if err != nil {
		t.Fatal(err)
	}
	compareDocuments(t, path, want, got)
}

// CheckVariant compares the documents with testdata/<base>.yaml, changed as testdata/<name>.diff says. Check of the base
// must run before it, so that -update starts from the new base.
func CheckVariant(t *testing.T, base, name string, got []Document) {
	t.Helper()
	path := filepath.Join("testdata", name+".diff")
	checkTitles(t, got)
	baseDocuments, err := readDocuments(fullPath(base))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		writeFile(t, path, formatDifference(baseDocuments, got))
	}
	difference, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want, err := applyDifference(baseDocuments, string(difference))
	if err != nil {
		t.Fatalf("%s does not fit %s.yaml (go test -update rewrites both): %v", path, base, err)
	}
	compareDocuments(t, path, want, got)
}

// CheckText compares a text with a file that others read as it is.
func CheckText(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		writeFile(t, path, got)
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("the output differs from %s; go test -update rewrites it:\n%s", path, formatHunks(string(want), got, 3))
	}
}

// fullPath returns the file of a case that is stored in full.
func fullPath(name string) string { return filepath.Join("testdata", name+".yaml") }

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

func compareDocuments(t *testing.T, path string, want, got []Document) {
	t.Helper()
	if before, after := formatDocuments(want), formatDocuments(got); before != after {
		t.Errorf("the output differs from %s; go test -update rewrites it:\n%s", path, formatHunks(before, after, 3))
	}
}

func formatDocuments(documents []Document) string {
	var text strings.Builder
	for _, d := range documents {
		text.WriteString("---\n# " + d.Title + "\n" + d.Text)
	}
	return text.String()
}

func readDocuments(path string) ([]Document, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var all []Document
	for line := range strings.Lines(string(text)) {
		switch last := len(all) - 1; {
		case line == "---\n":
			all = append(all, Document{})
		case last < 0:
			return nil, fmt.Errorf("parse %s: it must begin with ---", path)
		case all[last].Title == "":
			all[last].Title = strings.TrimSpace(strings.TrimPrefix(line, "# "))
		default:
			all[last].Text += line
		}
	}
	return expandDocuments(all)
}

// shortenDocuments replaces each document by its difference from the most similar one before it, where that has less than half of the
// lines.
func shortenDocuments(documents []Document) []Document {
	all := slices.Clone(documents)
	known := newDocumentSet(nil)
	for i, d := range documents {
		source, hunks := known.nearestSource(d)
		if source != d.Title && 2*strings.Count(hunks, "\n") < strings.Count(d.Text, "\n") {
			all[i].Text = sourcePrefix + source + "\n" + hunks
		}
		known.addDocument(d)
	}
	return all
}

// expandDocuments is the reverse of shortenDocuments.
func expandDocuments(documents []Document) ([]Document, error) {
	known := newDocumentSet(nil)
	for i, d := range documents {
		if !strings.HasPrefix(d.Text, sourcePrefix) {
			known.addDocument(d)
			continue
		}
		expanded, err := known.applyTo(d.Title, d.Text)
		if err != nil {
			return nil, err
		}
		documents[i] = expanded
	}
	return documents, nil
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
