package golden

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pmezard/go-difflib/difflib"
)

// A golden file has one section for each document, in order:
//
//	=== <title>                                 The text follows.
//	=== <title> <<< <source>                    Hunks follow, which change the text of the source.
//	=== <title> <<< <source>, <old> -> <new>    Hunks follow, after each <old> in the source has become <new>.
//
// The source is the title of an earlier document of the same file, the name of an earlier case, which means its document of the
// same title, or "<case>: <title>". A hunk begins with "@@ <line of the source> <keys that enclose it>". Lines to remove begin
// with "-", lines to add with "+".
const (
	titlePrefix     = "=== "
	sourceSeparator = " <<< "
	renameSeparator = ", "
	renameArrow     = " -> "
)

// source is a document from which others can derive. The name of its case is empty within the same file.
type source struct {
	caseName string
	Document
}

// formatReference returns how the document of a title refers to the source.
func (s source) formatReference(title string) string {
	switch {
	case s.caseName == "":
		return s.Title
	case s.Title == title:
		return s.caseName
	}
	return s.caseName + ": " + s.Title
}

// formatDocuments returns the golden file of documents. It is the reverse of parseDocuments.
func formatDocuments(earlier []source, documents []Document) string {
	var text strings.Builder
	sources := slices.Clone(earlier)
	for _, d := range documents {
		heading, body := formatDocument(sources, d)
		text.WriteString(titlePrefix + heading + "\n" + body)
		sources = append(sources, source{"", d})
	}
	return text.String()
}

// formatDocument returns the section of a document: the shortest difference from a source of its kind, or the text if no difference
// has less than half of its lines. A difference from a case other than the first counts twice, because it is harder to read. Of two
// equally short differences, it prefers the one without renaming.
func formatDocument(sources []source, d Document) (heading, body string) {
	heading, body = d.Title, d.Text
	kind, _, _ := strings.Cut(d.Title, " ")
	least := strings.Count(d.Text, "\n")
	for _, s := range sources {
		if other, _, _ := strings.Cut(s.Title, " "); other != kind {
			continue
		}
		weight := 2
		if s.caseName != "" && s.caseName != sources[0].caseName {
			weight = 4
		}
		reference := d.Title + sourceSeparator + s.formatReference(d.Title)
		hunks := formatHunks(s.Text, d.Text)
		if cost := weight * strings.Count(hunks, "\n"); cost < least {
			least, heading, body = cost, reference, hunks
		}
		before, after := differingWord(s.Title, d.Title)
		hunks = formatHunks(strings.ReplaceAll(s.Text, before, after), d.Text)
		if cost := weight*strings.Count(hunks, "\n") + 1; cost < least {
			least, heading, body = cost, reference+renameSeparator+before+renameArrow+after, hunks
		}
	}
	return heading, body
}

// word matches a word of a title with the number that follows it, such as member-0.
var word = regexp.MustCompile(`[A-Za-z]\w*(-\d+\b)?|\w+`)

// differingWord returns the word of each title that is not in the other. Both are empty unless it is the only difference.
func differingWord(from, to string) (before, after string) {
	a, b := word.FindAllString(from, -1), word.FindAllString(to, -1)
	if len(a) != len(b) {
		return "", ""
	}
	for i := range a {
		switch {
		case a[i] == b[i]:
		case before != "":
			return "", ""
		default:
			before, after = a[i], b[i]
		}
	}
	return before, after
}

// parseDocuments returns the documents of a golden file. It fails if a difference does not fit its source.
func parseDocuments(earlier []source, text string) ([]Document, error) {
	var documents []Document
	sources := slices.Clone(earlier)
	for _, section := range strings.Split("\n"+strings.TrimSuffix(text, "\n"), "\n"+titlePrefix)[1:] {
		heading, body, _ := strings.Cut(section+"\n", "\n")
		title, derivation, derived := strings.Cut(heading, sourceSeparator)
		d := Document{title, body}
		if derived {
			var err error
			if d.Text, err = deriveText(sources, title, derivation, body); err != nil {
				return nil, fmt.Errorf("%s: %w", title, err)
			}
		}
		documents = append(documents, d)
		sources = append(sources, source{"", d})
	}
	return documents, nil
}

func deriveText(sources []source, title, derivation, hunks string) (string, error) {
	reference, rename, _ := strings.Cut(derivation, renameSeparator)
	before, after, _ := strings.Cut(rename, renameArrow)
	i := slices.IndexFunc(sources, func(s source) bool { return s.formatReference(title) == reference })
	if i < 0 {
		return "", fmt.Errorf("no document %q before it", reference)
	}
	return applyHunks(strings.ReplaceAll(sources[i].Text, before, after), hunks)
}

// formatHunks returns what changes one text into another, or "" if they are equal.
func formatHunks(before, after string) string {
	a, b := splitLines(before), splitLines(after)
	var text strings.Builder
	for _, code := range difflib.NewMatcherWithJunk(a, b, false, nil).GetOpCodes() {
		if code.Tag == 'e' {
			continue
		}
		lines, first := a, code.I1
		if code.Tag == 'i' {
			lines, first = b, code.J1
		}
		text.WriteString(strings.TrimSpace(fmt.Sprintf("@@ %d %s", code.I1+1, enclosingKeys(lines, first))) + "\n")
		writeLines(&text, "-", a[code.I1:code.I2])
		writeLines(&text, "+", b[code.J1:code.J2])
	}
	return text.String()
}

// enclosingKeys returns the path of the YAML keys that enclose a line.
func enclosingKeys(lines []string, at int) string {
	const indentation = " -" // Items of a list are not indented deeper than its key.
	var keys []string
	depth := len(lines[at]) - len(strings.TrimLeft(lines[at], indentation))
	for _, line := range slices.Backward(lines[:at]) {
		text := strings.TrimLeft(line, indentation)
		key, encloses := strings.CutSuffix(strings.TrimRight(text, "|- \n"), ":")
		if encloses && len(line)-len(text) < depth {
			depth = len(line) - len(text)
			keys = append(keys, key)
		}
	}
	slices.Reverse(keys)
	return strings.Join(keys, ".")
}

func splitLines(text string) []string { return slices.Collect(strings.Lines(text)) }

func writeLines(text *strings.Builder, prefix string, lines []string) {
	for _, line := range lines {
		text.WriteString(prefix + line)
	}
}

// applyHunks changes a text by hunks. It fails if a line to remove is not there.
func applyHunks(text, hunks string) (string, error) {
	lines := splitLines(text)
	var result strings.Builder
	next := 0
	for line := range strings.Lines(hunks) {
		switch {
		case strings.HasPrefix(line, "@@"):
			var start int
			if _, err := fmt.Sscanf(line, "@@ %d", &start); err != nil || start-1 < next || start-1 > len(lines) {
				return "", fmt.Errorf("hunk %q: out of order or not within %d lines", strings.TrimSpace(line), len(lines))
			}
			writeLines(&result, "", lines[next:start-1])
			next = start - 1
		case line[0] == '+':
			result.WriteString(line[1:])
		case next >= len(lines) || "-"+lines[next] != line:
			return "", fmt.Errorf("line %d: want %q", next+1, line[1:])
		default:
			next++
		}
	}
	writeLines(&result, "", lines[next:])
	return result.String(), nil
}
