package supervise

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

// FuzzLines splits arbitrary output in two pieces: it is passed on unchanged, and each line is seen once and whole.
func FuzzLines(f *testing.F) {
	f.Add([]byte("12:00:00.1 RPS: 12.5\n"), 3)
	f.Add([]byte("\n\nRPS: 1E400\nRPS: ...\n"), 7)
	f.Add(bytes.Repeat([]byte("x"), maxLineBytes+2), maxLineBytes)
	f.Fuzz(func(t *testing.T, output []byte, at int) {
		at = min(max(at, 0), len(output))
		var seen []string
		keep := LineWatcher(func(line []byte) bool { seen = append(seen, string(line)); return true })
		rate := WatchMatches(regexp.MustCompile(`^(?P<time>[0-9:.]+) RPS: ([0-9.]+(?:E[0-9]+)?)`), func([][]byte) {})
		s := &lineSplitter{watchers: []LineWatcher{keep, rate}}
		var passed bytes.Buffer
		s.copyOutput(&passed, bytes.NewReader(output[:at]))
		s.copyOutput(&passed, bytes.NewReader(output[at:]))
		if !bytes.Equal(passed.Bytes(), output) {
			t.Fatalf("%d bytes came out of %d", passed.Len(), len(output))
		}
		lines := strings.Split(string(output), "\n")
		for i, line := range lines[:len(lines)-1] {
			if seen[i] != line[:min(len(line), maxLineBytes)] {
				t.Fatalf("line %d of %q was seen as %q", i, line, seen[i])
			}
		}
	})
}
