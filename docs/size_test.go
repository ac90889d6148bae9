package docs_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestHouseStaysSmall holds the numbers of docs/architecture.md, "How we keep it small".
func TestHouseStaysSmall(t *testing.T) {
	countLines := func(text string) int { return strings.Count(text, "\n") }
	for name, limit := range map[string]struct {
		patterns []string
		except   []string
		count    func(text string) int
		most     int
	}{
		"lines of Go below internal, without tests": {[]string{"internal/*.go"}, []string{"_test.go"}, countLines, 62100},
		"lines of golden files and test data":       {[]string{"*/testdata/*"}, nil, countLines, 16523},
		"words of documents by hand": {[]string{"README.md", "docs/*.md"}, []string{"docs/api.md", "docs/metrics.md"},
			func(text string) int { return len(strings.Fields(text)) }, 33300},
	} {
		t.Run(name, func(t *testing.T) {
			list := exec.CommandContext(t.Context(), "git", append([]string{"-C", "..", "ls-files", "-z", "--"}, limit.patterns...)...)
			files, err := list.Output()
			if err != nil {
				t.Fatal(err)
			}
			total := 0
			for _, file := range strings.Split(strings.TrimRight(string(files), "\x00"), "\x00") {
				if !endsInAny(file, limit.except) {
					total += limit.count(readFile(t, "../"+file))
				}
			}
			t.Logf("%d of %d", total, limit.most)
			if total == 0 || total > limit.most {
				t.Errorf("%d, at most %d: delete something, or raise the limit with a reason", total, limit.most)
			}
		})
	}
}

func endsInAny(file string, suffixes []string) bool {
	for _, suffix := range suffixes {
		if strings.HasSuffix(file, suffix) {
			return true
		}
	}
	return false
}
