package report

import (
	"embed"
	"fmt"
	"html/template"
	"io"
)

//go:embed templates
var templateFiles embed.FS

// pageData is everything that a report shows, in order. The template knows no more than this.
type pageData struct {
	// Kind is Run or Experiment.
	Kind, Title, Subtitle string
	// Summary answers in sentences what was measured and what came out.
	Summary []string
	Banner  banner
	Keys    []keyFigure
	// Sections with nothing in them are left out.
	Sections []section
	// Data is the document that the page was made from, for programs.
	Data any
}

// banner is the verdict.
type banner struct {
	// Mood is valid, invalid or noted: its colour.
	Mood    string
	Verdict string
	Reasons []bannerReason
}

type bannerReason struct{ Code, Subject, Message string }

// keyFigure is one of the numbers to see first.
type keyFigure struct{ Label, Value, Unit, Note string }

type section struct {
	ID, Title string
	Text      []string
	Figures   []figure
	Tables    []htmlTable
	Code      []codeBlock
}

// figure is a chart in the page.
type figure struct {
	Name, Title, Caption string
	SVG                  template.HTML
}

// htmlTable is a table.
type htmlTable struct {
	Title  string
	Header []tableColumn
	Rows   []tableRow
}

// tableColumn of a table.
type tableColumn struct {
	Name string
	// Kind is text (one line), number (one line, to the right) or prose (many lines).
	Kind string
}

type tableRow struct {
	// Mood is invalid or failed where the row must not be read as the others.
	Mood  string
	Cells []string
}

// codeBlock is text to be copied.
type codeBlock struct{ Title, Text string }

func (s section) Empty() bool {
	return len(s.Text)+len(s.Figures)+len(s.Tables)+len(s.Code) == 0
}

var pageTemplate = template.Must(template.New("page.html.tmpl").Funcs(template.FuncMap{
	"style": func() (template.CSS, error) {
		text, err := templateFiles.ReadFile("templates/style.css")
		return template.CSS(text), err //nolint:gosec // The style sheet is our own file.
	},
}).ParseFS(templateFiles, "templates/page.html.tmpl"))

func (p pageData) renderTo(w io.Writer) error {
	if err := pageTemplate.Execute(w, p); err != nil {
		return fmt.Errorf("write report of %s: %w", p.Title, err)
	}
	return nil
}

// renderFigures draws charts for the page.
func renderFigures(charts []Chart) ([]figure, error) {
	var all []figure
	for _, c := range charts {
		drawing, err := c.renderInline()
		if err != nil {
			return nil, err
		}
		all = append(all, figure{Name: c.Name, Title: c.Title, Caption: c.Caption, SVG: template.HTML(drawing)})
	}
	return all, nil
}

func textColumns(names ...string) []tableColumn { return newColumns("text", names) }

func numberColumns(names ...string) []tableColumn { return newColumns("number", names) }

func proseColumns(names ...string) []tableColumn { return newColumns("prose", names) }

func newColumns(kind string, names []string) []tableColumn {
	var all []tableColumn
	for _, name := range names {
		all = append(all, tableColumn{name, kind})
	}
	return all
}
