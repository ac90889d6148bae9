package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// FuzzHostileNames writes the report of a run in which every name is hostile. The page must have no more
// scripts, handlers or external addresses than one with harmless names.
func FuzzHostileNames(f *testing.F) {
	content := readRecordedRun(f, "testdata/bottleneck.json.gz")
	packed, err := document.EncodeRunResult(content)
	if err != nil {
		f.Fatal(err)
	}
	harmless := countActiveContent(renderPageNamed(f, packed, "harmless"))
	for _, name := range []string{
		"<script>alert(1)</script>", `"><img src=x onerror=alert(1)>`, "javascript:alert(1)", "</svg><script>", "</title><script>", "<!--", "]]>", "&lt;b&gt;", "\x00", "\xff", "{{.}}",
	} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		page := renderPageNamed(t, packed, name)
		if got := countActiveContent(page); got != harmless {
			t.Errorf("a run called %q makes a page with %+v, want %+v", name, got, harmless)
		}
	})
}

// activeContent counts the elements of a page that a browser executes or loads.
type activeContent struct{ scripts, images, drawings, frames int }

func countActiveContent(page string) activeContent {
	lower := strings.ToLower(page)
	return activeContent{strings.Count(lower, "<script"), strings.Count(lower, "<img"), strings.Count(lower, "<svg"), strings.Count(lower, "<iframe")}
}

func renderPageNamed(t testing.TB, packed []byte, name string) string {
	t.Helper()
	r, err := document.DecodeRunResult(packed)
	if err != nil {
		t.Fatal(err)
	}
	renameEverything(r, name)
	var page bytes.Buffer
	if err := WriteRunPage(&page, r); err != nil {
		t.Fatalf("a run called %q has no report: %v", name, err)
	}
	return page.String()
}

// renameEverything sets all names that come from users and images.
func renameEverything(r *document.RunResult, name string) {
	r.Run.Name, r.Run.Network, r.Run.Namespace, r.Run.Workload, r.Run.Reference = name, name, name, name, name
	r.Environment.PlatformVersion, r.Summary.Unit = name, name
	r.Errors = append(r.Errors, measurement.ErrorCount{Kind: name, Count: 1, Example: name})
	for i := range r.Environment.Images {
		r.Environment.Images[i].Name = name
	}
	for i := range r.Members {
		r.Members[i].Role = name
	}
	for i := range r.Verdict.Reasons {
		r.Verdict.Reasons[i].Message = name
	}
	for i := range r.Verdict.Notes {
		r.Verdict.Notes[i].Message = name
	}
	if len(r.Recorded) > 0 {
		r.Recorded[0].Name, r.Recorded[0].Subject = name, name
	}
	if b := r.Bottleneck; b != nil {
		b.Subject = name
	}
}
