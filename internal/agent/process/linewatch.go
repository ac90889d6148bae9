package process

import (
	"bytes"
	"io"
	"regexp"
	"slices"
)

// maxLine bounds how much of a line a Watcher is shown, in bytes.
const maxLine = 64 << 10

// Watcher is shown the lines of an output, each once it is complete and without its end, and tells whether it wants to see more.
// What it is shown is only valid during the call.
type Watcher func(line []byte) (more bool)

// Once calls matched at the first line that pattern matches.
func Once(pattern *regexp.Regexp, matched func()) Watcher {
	return func(line []byte) bool {
		if !pattern.Match(line) {
			return true
		}
		matched()
		return false
	}
}

// Each calls captured with the groups of pattern, the whole match first, in every line that matches.
func Each(pattern *regexp.Regexp, captured func(groups [][]byte)) Watcher {
	return func(line []byte) bool {
		if groups := pattern.FindSubmatch(line); groups != nil {
			captured(groups)
		}
		return true
	}
}

// splitter shows lines to its watchers, as long as there are any.
type splitter struct {
	watchers []Watcher
	// line is what is known of the unfinished one.
	line []byte
}

// pass copies in to out, byte for byte and without delay, showing the lines on the way.
// It reads to the end even where out fails, so that the writer at the other end is never blocked.
func (s *splitter) pass(out io.Writer, in io.Reader) {
	chunk := make([]byte, 32<<10)
	for len(s.watchers) > 0 {
		n, err := in.Read(chunk)
		_, _ = out.Write(chunk[:n])
		s.show(chunk[:n])
		if err != nil {
			return
		}
	}
	if _, err := io.Copy(out, in); err != nil {
		_, _ = io.Copy(io.Discard, in)
	}
}

// show shows the lines that chunk completes.
func (s *splitter) show(chunk []byte) {
	for len(chunk) > 0 {
		part, after, complete := bytes.Cut(chunk, []byte("\n"))
		room := min(len(part), maxLine-len(s.line))
		s.line = append(s.line, part[:room]...)
		if !complete {
			return
		}
		s.watchers = slices.DeleteFunc(s.watchers, func(w Watcher) bool { return !w(s.line) })
		s.line, chunk = s.line[:0], after
	}
}
