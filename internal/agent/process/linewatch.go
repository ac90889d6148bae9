package process

import (
	"bytes"
	"io"
	"regexp"
	"slices"
)

// maxLineBytes bounds how much of a line a Watcher is shown, in bytes.
const maxLineBytes = 64 << 10

// LineWatcher is shown the lines of an output, each once it is complete and without its end, and tells whether it wants to see more.
// What it is shown is only valid during the call.
type LineWatcher func(line []byte) (more bool)

// WatchFirstMatch calls matched at the first line that pattern matches.
func WatchFirstMatch(pattern *regexp.Regexp, matched func()) LineWatcher {
	return func(line []byte) bool {
		if !pattern.Match(line) {
			return true
		}
		matched()
		return false
	}
}

// WatchMatches calls captured with the groups of pattern, the whole match first, in every line that matches.
func WatchMatches(pattern *regexp.Regexp, captured func(groups [][]byte)) LineWatcher {
	return func(line []byte) bool {
		if groups := pattern.FindSubmatch(line); groups != nil {
			captured(groups)
		}
		return true
	}
}

// lineSplitter shows lines to its watchers, as long as there are any.
type lineSplitter struct {
	watchers []LineWatcher
	// partialLine is what is known of the unfinished one.
	partialLine []byte
}

// copyOutput copies in to out, byte for byte and without delay, showing the lines on the way.
// It reads to the end even where out fails, so that the writer at the other end is never blocked.
func (s *lineSplitter) copyOutput(out io.Writer, in io.Reader) {
	chunk := make([]byte, 32<<10)
	for len(s.watchers) > 0 {
		n, err := in.Read(chunk)
		_, _ = out.Write(chunk[:n])
		s.showLines(chunk[:n])
		if err != nil {
			return
		}
	}
	if _, err := io.Copy(out, in); err != nil {
		_, _ = io.Copy(io.Discard, in)
	}
}

// showLines shows the lines that chunk completes.
func (s *lineSplitter) showLines(chunk []byte) {
	for len(chunk) > 0 {
		part, after, complete := bytes.Cut(chunk, []byte("\n"))
		room := min(len(part), maxLineBytes-len(s.partialLine))
		s.partialLine = append(s.partialLine, part[:room]...)
		if !complete {
			return
		}
		s.watchers = slices.DeleteFunc(s.watchers, func(w LineWatcher) bool { return !w(s.partialLine) })
		s.partialLine, chunk = s.partialLine[:0], after
	}
}
