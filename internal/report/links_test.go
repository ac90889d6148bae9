package report

import (
	"strings"
	"testing"
	"time"

	"github.com/benchnet/benchnet/internal/run/document"
)

func TestGrafanaLink(t *testing.T) {
	base, err := ParseGrafanaURL("https://grafana.example.com/sub/")
	if err != nil {
		t.Fatal(err)
	}
	start := time.UnixMilli(1_790_000_000_000)
	r := &document.RunResult{Run: document.RunIdentity{Namespace: "lab", Name: "a&b"}, Times: document.Times{Start: start, End: start.Add(time.Hour)}}
	want := "https://grafana.example.com/sub/d/benchnet-run?from=1789999940000&to=1790003660000&var-namespace=lab&var-run=a%26b"
	if got := GrafanaRunLink(base, r).URL; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	var page strings.Builder
	if err := WriteRunPage(&page, readRecordedRun(t, "testdata/malachite.json.gz"), GrafanaRunLink(base, r)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(page.String(), `href="https://grafana.example.com/sub/d/benchnet-run?from=1789999940000&amp;to=`) {
		t.Error("the page lacks the link")
	}
}

func TestGrafanaLinkKeepsQuery(t *testing.T) {
	base, err := ParseGrafanaURL("https://grafana.example.com/?orgId=2&from=now-1h#top")
	if err != nil {
		t.Fatal(err)
	}
	want := "https://grafana.example.com/d/benchnet-run?from=1789999940000&orgId=2&to="
	start := time.UnixMilli(1_790_000_000_000)
	got := GrafanaRunLink(base, &document.RunResult{Times: document.Times{Start: start, End: start.Add(time.Hour)}}).URL
	if !strings.HasPrefix(got, want) || strings.Contains(got, "#") {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestParseGrafanaURLRejectsOthers(t *testing.T) {
	for _, text := range []string{"grafana.example.com", "javascript:alert(1)", "http://", "/d/x", "ftp://example.com", "http://a b", "https://user:secret@grafana.example.com"} {
		if u, err := ParseGrafanaURL(text); err == nil {
			t.Errorf("%q became %v", text, u)
		}
	}
}
