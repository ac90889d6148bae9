package report

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"sync"
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
	Figures   []Chart
	Tables    []htmlTable
	Code      []codeBlock
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

// Charts returns the charts of all sections.
func (p pageData) Charts() []Chart {
	all := []Chart{}
	for _, s := range p.Sections {
		all = append(all, s.Figures...)
	}
	return all
}

var pageTemplate = template.Must(template.New("page.html.tmpl").Funcs(template.FuncMap{
	"style":  func() template.CSS { return template.CSS(readTemplates("uplot/uPlot.min.css", "style.css")) }, //nolint:gosec // The style sheets are files of ours.
	"script": func() template.JS { return template.JS(pageScript()) },                                        //nolint:gosec // The scripts are files of ours.
	"scriptHash": func() string {
		hash := sha256.Sum256([]byte(pageScript()))
		return base64.StdEncoding.EncodeToString(hash[:])
	},
}).ParseFS(templateFiles, "templates/page.html.tmpl"))

// pageScript returns the only script of a page: uPlot with its license, and ours. uPlot measures in pixels of the page,
// because it draws an SVG, whatever the resolution of the screen.
var pageScript = sync.OnceValue(func() string {
	return "/*\n" + readTemplates("uplot/LICENSE") + "*/\nconst uPlot = ((devicePixelRatio) => {\n" + readTemplates("uplot/uPlot.iife.min.js") +
		"return uPlot;\n})(1);\n" + readTemplates("charts.js")
})

// readTemplates returns the text of embedded files, each with a line break at its end.
func readTemplates(names ...string) string {
	var all strings.Builder
	for _, name := range names {
		text, err := templateFiles.ReadFile("templates/" + name)
		if err != nil {
			panic(err) // The files are part of the binary.
		}
		all.Write(append(text, '\n'))
	}
	return all.String()
}

func (p pageData) renderTo(w io.Writer) error {
	if err := pageTemplate.Execute(w, p); err != nil {
		return fmt.Errorf("write report of %s: %w", p.Title, err)
	}
	return nil
}

// withRows returns the tables that have rows.
func withRows(tables ...htmlTable) []htmlTable {
	return slices.DeleteFunc(tables, func(t htmlTable) bool { return len(t.Rows) == 0 })
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
