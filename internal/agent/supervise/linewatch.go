package supervise

import (
	"bytes"
	"io"
	"regexp"
	"slices"
)

// maxLineBytes bounds the part of a line, in bytes, that a LineWatcher receives.
const maxLineBytes = 64 << 10

// LineWatcher receives each complete line of an output without its line ending, and returns whether it needs
// more lines. The slice is valid only during the call.
type LineWatcher func(line []byte) (more bool)

// WatchFirstMatch returns a watcher that calls matched at the first line that matches pattern.
func WatchFirstMatch(pattern *regexp.Regexp, matched func()) LineWatcher {
	return func(line []byte) bool {
		if !pattern.Match(line) {
			return true
		}
		matched()
		return false
	}
}

// WatchMatches returns a watcher that calls captured for every matching line, with the whole match and then the
// groups of pattern.
func WatchMatches(pattern *regexp.Regexp, captured func(groups [][]byte)) LineWatcher {
	return func(line []byte) bool {
		if groups := pattern.FindSubmatch(line); groups != nil {
			captured(groups)
		}
		return true
	}
}

// lineSplitter splits an output into lines for its watchers and drops watchers that need no more lines.
type lineSplitter struct {
	watchers []LineWatcher
	// partialLine is the start of the incomplete line.
	partialLine []byte
	// tail receives all output, or is nil.
	tail *Tail
}

// copyOutput copies in to out unchanged and without delay, and passes complete lines to the watchers. It reads
// in to the end even if out fails, so that the process writing to in never blocks.
func (s *lineSplitter) copyOutput(out io.Writer, in io.Reader) {
	chunk := make([]byte, 32<<10)
	for len(s.watchers) > 0 || s.tail != nil {
		n, err := in.Read(chunk)
		_, _ = out.Write(chunk[:n])
		if s.tail != nil {
			_, _ = s.tail.Write(chunk[:n])
		}
		if len(s.watchers) > 0 {
			s.showLines(chunk[:n])
		}
		if err != nil {
			return
		}
	}
	if _, err := io.Copy(out, in); err != nil {
		_, _ = io.Copy(io.Discard, in)
	}
}

// showLines passes the lines that chunk completes to the watchers.
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
