package limits

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

func TestTruncate(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		suffix string
	}{
		"short":                {strings.Repeat("a", MaxNote), "a"},
		"long":                 {strings.Repeat("a", MaxNote+1), "aaa… and 49 more bytes"},
		"characters of 2":      {strings.Repeat("ü", MaxNote), "ü… and 1072 more bytes"},
		"characters of 4":      {"abc" + strings.Repeat("🙂", MaxNote), "🙂… and 3124 more bytes"},
		"no UTF-8 at the edge": {strings.Repeat("\xff", 2*MaxNote), " more bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			got := Truncate(c.text, MaxNote)
			if len(got) > MaxNote || !strings.HasSuffix(got, c.suffix) || !utf8.ValidString(got) {
				t.Errorf("%d bytes became %d, ending in %q, want at most %d, ending in %q",
					len(c.text), len(got), got[max(0, len(got)-30):], MaxNote, c.suffix)
			}
		})
	}
}

func TestJoinItems(t *testing.T) {
	var items []string
	for i := range 50 {
		items = append(items, fmt.Sprintf("worker %d: %s", i, strings.Repeat("x", 2*MaxItem)))
	}
	if got := JoinItems(items[:2], "; "); strings.Count(got, "worker") != 2 || strings.Contains(got, "and 48 more") {
		t.Errorf("want both items, but got %.100s", got)
	}
	got := JoinItems(items, "; ")
	if len(got) > 11*MaxItem || !strings.HasSuffix(got, "; … and 40 more") || strings.Count(got, "worker") != 10 {
		t.Errorf("want ten of 50 items and the number of the others, got %d bytes: …%s", len(got), got[len(got)-50:])
	}
}

func TestFromError(t *testing.T) {
	var problems field.ErrorList
	for i := range 100 {
		problems = append(problems, field.Invalid(field.NewPath("spec", "names").Index(i), i, "is no name"))
	}
	refusal := problems.ToAggregate()
	for name, c := range map[string]struct {
		err    error
		suffix string
	}{
		"one":      {errors.New("just this"), "just this"},
		"100":      {refusal, "; … and 90 more"},
		"the path": {fmt.Errorf("network x: %w", refusal), "is no name]"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := FromError(c.err); !strings.HasSuffix(got, c.suffix) {
				t.Errorf("got %.80s…%s, want the end %q", got, got[max(0, len(got)-20):], c.suffix)
			}
		})
	}
}
