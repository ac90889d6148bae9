package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// page is one of the project's Markdown files.
type page struct {
	// name is its path from the root of the repository.
	name string
	text string
	// blocks are its code blocks, fenced or indented.
	blocks []codeBlock
	// spans are its code spans outside of blocks.
	spans []span
	// rows are the rows of its tables, without headers.
	rows []tableRow
}

// codeBlock is a code block.
type codeBlock struct {
	// at is the location of its first line, page:line.
	at string
	// language is the language of a fenced block; empty for an indented one.
	language string
	text     string
}

// span is a code span or a line of code. at is its location.
type span struct{ at, text string }

// tableRow is a row of a table, with the heading above the table.
type tableRow struct {
	at, heading string
	head, cells []string
}

// readPages reads README.md and docs/*.md.
func readPages(t *testing.T) []*page {
	t.Helper()
	files, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	pages := make([]*page, 0, len(files)+1)
	for _, file := range append(files, "../README.md") {
		pages = append(pages, parsePage(filepath.Clean("docs/"+file), readFile(t, file)))
	}
	return pages
}

func readPage(t *testing.T, file string) *page {
	t.Helper()
	return parsePage(filepath.Clean("docs/"+file), readFile(t, file))
}

var codeSpan = regexp.MustCompile("`([^`]+)`")

// parsePage parses the parts of Markdown that the pages use.
func parsePage(name, text string) *page {
	p := &page{name: name, text: text}
	lines := strings.Split(text, "\n")
	var head []string
	var heading string
	for i := 0; i < len(lines); i++ {
		line, at := lines[i], name+":"+strconv.Itoa(i+1)
		switch {
		case isFence(line):
			end := i + 1 + indexOrLen(lines[i+1:], isFence)
			p.blocks = append(p.blocks, codeBlock{at, strings.Trim(line, " `"), strings.Join(lines[i+1:end], "\n") + "\n"})
			i = end
		case isIndented(line) && (i == 0 || strings.TrimSpace(lines[i-1]) == ""):
			end := i + indexOrLen(lines[i:], func(line string) bool { return !isIndented(line) && strings.TrimSpace(line) != "" })
			p.blocks = append(p.blocks, codeBlock{at, "", trimIndentation(lines[i:end])})
			i = end - 1
		case strings.HasPrefix(line, "#"):
			heading, head = strings.TrimSpace(strings.TrimLeft(line, "#")), nil
		case strings.HasPrefix(line, "|-") && strings.Trim(line, "|-: ") == "" && i > 0:
			head = splitCells(lines[i-1])
			p.rows = p.rows[:max(0, len(p.rows)-1)] // The previous line is the header, not a row.
		case strings.HasPrefix(line, "|"):
			p.rows = append(p.rows, tableRow{at, heading, head, splitCells(line)})
			p.addSpans(at, line)
		default:
			head = nil
			p.addSpans(at, line)
		}
	}
	return p
}

func isFence(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "```") }

func isIndented(line string) bool { return strings.HasPrefix(line, "    ") }

// indexOrLen returns the index of the first matching line, or the number of lines.
func indexOrLen(lines []string, found func(string) bool) int {
	if i := slices.IndexFunc(lines, found); i >= 0 {
		return i
	}
	return len(lines)
}

func (p *page) addSpans(at, line string) {
	for _, match := range codeSpan.FindAllStringSubmatch(line, -1) {
		p.spans = append(p.spans, span{at, match[1]})
	}
}

// trimIndentation removes the indentation that all lines have.
func trimIndentation(lines []string) string {
	least := -1
	for _, line := range lines {
		if indent := len(line) - len(strings.TrimLeft(line, " ")); strings.TrimSpace(line) != "" && (least < 0 || indent < least) {
			least = indent
		}
	}
	var text strings.Builder
	for _, line := range lines {
		text.WriteString(strings.TrimRight(line[min(least, len(line)):], " ") + "\n")
	}
	return strings.TrimRight(text.String(), "\n") + "\n"
}

// splitCells splits a row of a table into cells; \| is a character of a cell.
func splitCells(line string) []string {
	line = strings.ReplaceAll(strings.Trim(strings.TrimSpace(line), "|"), `\|`, "\x00")
	cells := strings.Split(line, "|")
	for i, cell := range cells {
		cells[i] = strings.ReplaceAll(strings.TrimSpace(cell), "\x00", "|")
	}
	return cells
}

// codeSpans returns the code spans in a text.
func codeSpans(text string) []string {
	var all []string
	for _, match := range codeSpan.FindAllStringSubmatch(text, -1) {
		all = append(all, match[1])
	}
	return all
}

// commandSeparator matches the separators of commands in one line.
var commandSeparator = regexp.MustCompile(`\|\||&&|[|;]`)

// commandLines returns the command lines in a page's blocks that begin with a word. It joins continued lines
// and removes comments.
func (p *page) commandLines(word string) []span {
	var all []span
	for _, b := range p.blocks {
		if b.language != "" && b.language != "sh" && b.language != "console" && b.language != "yaml" {
			continue
		}
		text := strings.ReplaceAll(b.text, "\\\n", " ")
		for line := range strings.SplitSeq(text, "\n") {
			line, _, _ = strings.Cut(line, " #")
			for _, part := range commandSeparator.Split(line, -1) {
				part = strings.TrimLeft(part, " $-")
				if part == word || strings.HasPrefix(part, word+" ") {
					all = append(all, span{b.at, strings.TrimSpace(part)})
				}
			}
		}
	}
	for _, s := range p.spans {
		if strings.HasPrefix(s.text, word+" ") {
			all = append(all, s)
		}
	}
	return all
}

func fileExists(path string) bool {
	_, err := os.Stat(filepath.Join("..", path))
	return err == nil
}
