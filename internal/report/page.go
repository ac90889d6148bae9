package report

import (
	"embed"
	"fmt"
	"html/template"
	"io"
)

//go:embed templates
var files embed.FS

// page is everything that a report shows, in order. The template knows no more than this.
type page struct {
	// Kind is Run or Experiment.
	Kind, Title, Subtitle string
	// Summary answers in sentences what was measured and what came out.
	Summary []string
	Banner  banner
	Keys    []key
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
	Reasons []finding
}

type finding struct{ Code, Subject, Message string }

// key is one of the numbers to see first.
type key struct{ Label, Value, Unit, Note string }

type section struct {
	ID, Title string
	Text      []string
	Figures   []figure
	Tables    []listing
	Code      []code
}

// figure is a chart in the page.
type figure struct {
	Name, Title, Caption string
	SVG                  template.HTML
}

// listing is a table.
type listing struct {
	Title  string
	Header []column
	Rows   []row
}

// column of a table.
type column struct {
	Name string
	// Kind is text (one line), number (one line, to the right) or prose (many lines).
	Kind string
}

type row struct {
	// Mood is invalid or failed where the row must not be read as the others.
	Mood  string
	Cells []string
}

// code is text to be copied.
type code struct{ Title, Text string }

func (s section) Empty() bool {
	return len(s.Text)+len(s.Figures)+len(s.Tables)+len(s.Code) == 0
}

var pageTemplate = template.Must(template.New("page.html.tmpl").Funcs(template.FuncMap{
	"style": func() (template.CSS, error) {
		text, err := files.ReadFile("templates/style.css")
		return template.CSS(text), err //nolint:gosec // The style sheet is our own file.
	},
}).ParseFS(files, "templates/page.html.tmpl"))

func (p page) write(w io.Writer) error {
	if err := pageTemplate.Execute(w, p); err != nil {
		return fmt.Errorf("write report of %s: %w", p.Title, err)
	}
	return nil
}

// figures draws charts for the page.
func figures(charts []Chart) ([]figure, error) {
	var all []figure
	for _, c := range charts {
		drawing, err := c.inline()
		if err != nil {
			return nil, err
		}
		all = append(all, figure{Name: c.Name, Title: c.Title, Caption: c.Caption, SVG: template.HTML(drawing)})
	}
	return all, nil
}

func texts(names ...string) []column { return columns("text", names) }

func numbers(names ...string) []column { return columns("number", names) }

func prose(names ...string) []column { return columns("prose", names) }

func columns(kind string, names []string) []column {
	var all []column
	for _, name := range names {
		all = append(all, column{name, kind})
	}
	return all
}
