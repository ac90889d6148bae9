package golden

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pmezard/go-difflib/difflib"
)

// A difference has one section for each document, in order. A section begins with the document's title. A second line
// names the document that it was derived from, unless that is the document of the same title in the base: another one of
// the base, or an earlier one of the same output. Hunks of a unified diff follow, unless the two are equal.
const (
	titlePrefix  = "=== "
	sourcePrefix = "<<< "
)

// formatDifference describes each document by the shortest diff from a document of its kind in the base or of the output
// before it, or from nothing.
func formatDifference(base, got []Document) string {
	var text strings.Builder
	known := newDocumentSet(base)
	for _, d := range got {
		text.WriteString(titlePrefix + d.Title + "\n")
		source, hunks := known.nearestSource(d)
		if source != d.Title {
			text.WriteString(sourcePrefix + source + "\n")
		}
		text.WriteString(hunks)
		known.addDocument(d)
	}
	return text.String()
}

// applyDifference returns the documents that a difference from base describes.
func applyDifference(base []Document, difference string) ([]Document, error) {
	var all []Document
	known := newDocumentSet(base)
	sections := strings.Split("\n"+strings.TrimSuffix(difference, "\n"), "\n"+titlePrefix)
	for _, section := range sections[1:] {
		title, hunks, _ := strings.Cut(section+"\n", "\n")
		d, err := known.applyTo(title, hunks)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

// documentSet holds the documents that a section can derive from. A later one replaces an earlier one of the same title.
type documentSet struct {
	titles []string
	texts  map[string]string
}

func newDocumentSet(base []Document) *documentSet {
	set := &documentSet{texts: map[string]string{}}
	for _, d := range base {
		set.addDocument(d)
	}
	return set
}

func (s *documentSet) addDocument(d Document) {
	if _, ok := s.texts[d.Title]; !ok {
		s.titles = append(s.titles, d.Title)
	}
	s.texts[d.Title] = d.Text
}

// applyTo returns the document of a title after applying hunks to the document that their first line names, or else to the known
// one of that title, and adds it to the set.
func (s *documentSet) applyTo(title, hunks string) (Document, error) {
	source := title
	if rest, ok := strings.CutPrefix(hunks, sourcePrefix); ok {
		source, hunks, _ = strings.Cut(rest, "\n")
	}
	text, err := applyHunks(s.texts[source], hunks)
	if err != nil {
		return Document{}, fmt.Errorf("%s: %w", title, err)
	}
	d := Document{title, text}
	s.addDocument(d)
	return d, nil
}

// nearestSource returns the title of the document from which d has the shortest diff, and the diff. An unknown title stands
// for an empty document.
func (s *documentSet) nearestSource(d Document) (source, hunks string) {
	source, hunks = d.Title, formatHunks(s.texts[d.Title], d.Text, 1)
	kind, _, _ := strings.Cut(d.Title, " ")
	for _, title := range s.titles {
		if other, _, _ := strings.Cut(title, " "); other != kind {
			continue
		}
		if h := formatHunks(s.texts[title], d.Text, 1); strings.Count(h, "\n") < strings.Count(hunks, "\n") {
			source, hunks = title, h
		}
	}
	return source, hunks
}

// formatHunks returns the hunks of the unified diff, or "" if the texts are equal.
func formatHunks(before, after string, context int) string {
	a, b := splitLines(before), splitLines(after)
	var text strings.Builder
	for _, group := range difflib.NewMatcherWithJunk(a, b, false, nil).GetGroupedOpCodes(context) {
		first, last := group[0], group[len(group)-1]
		fmt.Fprintf(&text, "@@ -%d,%d +%d,%d @@\n", first.I1+1, last.I2-first.I1, first.J1+1, last.J2-first.J1)
		for _, code := range group {
			if code.Tag == 'e' {
				writeLines(&text, " ", a[code.I1:code.I2])
				continue
			}
			writeLines(&text, "-", a[code.I1:code.I2])
			writeLines(&text, "+", b[code.J1:code.J2])
		}
	}
	return text.String()
}

func splitLines(text string) []string { return slices.Collect(strings.Lines(text)) }

func writeLines(text *strings.Builder, prefix string, lines []string) {
	for _, line := range lines {
		text.WriteString(prefix + line)
	}
}

// applyHunks changes a text by the hunks of a unified diff. It fails if a line to keep or to remove is not there.
func applyHunks(text, hunks string) (string, error) {
	source := splitLines(text)
	var result strings.Builder
	next := 0
	for line := range strings.Lines(hunks) {
		switch {
		case strings.HasPrefix(line, "@@"):
			var start int
			if _, err := fmt.Sscanf(line, "@@ -%d,", &start); err != nil || start-1 < next || start-1 > len(source) {
				return "", fmt.Errorf("hunk %q: out of order or not within %d lines", strings.TrimSpace(line), len(source))
			}
			writeLines(&result, "", source[next:start-1])
			next = start - 1
		case line[0] == '+':
			result.WriteString(line[1:])
		case next >= len(source) || source[next] != line[1:]:
			return "", fmt.Errorf("line %d: want %q", next+1, line[1:])
		default:
			if line[0] == ' ' {
				result.WriteString(line[1:])
			}
			next++
		}
	}
	writeLines(&result, "", source[next:])
	return result.String(), nil
}
