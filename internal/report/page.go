package report

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
)

//go:embed templates
var templateFiles embed.FS

// pageData holds everything that a report shows, in order. The template uses no other data.
type pageData struct {
	// Kind is Run or Experiment.
	Kind, Title, Subtitle string
	// Summary describes in sentences what was measured and the outcome.
	Summary []string
	Banner  banner
	Keys    []keyFigure
	Links   []Link
	// Empty sections are omitted.
	Sections []section
	// Data is the document from which the page was rendered, for programs.
	Data any
}

// banner shows the verdict.
type banner struct {
	// Mood is valid, invalid or noted. It determines the colour.
	Mood    string
	Verdict string
	Reasons []bannerReason
}

type bannerReason struct{ Code, Subject, Message string }

// keyFigure is one of the numbers at the top of the page.
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

type htmlTable struct {
	Title  string
	Header []tableColumn
	Rows   []tableRow
}

type tableColumn struct {
	Name string
	// Kind is text (one line), number (one line, right-aligned) or prose (several lines).
	Kind string
}

type tableRow struct {
	// Mood is invalid or failed for a row that must not be read like the others.
	Mood  string
	Cells []string
}

// codeBlock is text for copying.
type codeBlock struct{ Title, Text string }

func (s section) Empty() bool {
	return len(s.Text)+len(s.Figures)+len(s.Tables)+len(s.Code) == 0
}

var pageTemplate = template.Must(template.New("page.html.tmpl").Funcs(template.FuncMap{
	"style": func() (template.CSS, error) {
		text, err := templateFiles.ReadFile("templates/style.css")
		return template.CSS(text), err //nolint:gosec // The style sheet is our own file.
	},
	"script": func() (template.JS, error) {
		text, err := templateFiles.ReadFile("templates/charts.js")
		return template.JS(text), err //nolint:gosec // The script is our own file.
	},
	"scriptHash": func() (string, error) {
		text, err := templateFiles.ReadFile("templates/charts.js")
		hash := sha256.Sum256(text)
		return base64.StdEncoding.EncodeToString(hash[:]), err
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
