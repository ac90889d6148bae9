package process

import (
	"bytes"
	"io"
	"regexp"
)

// maxLine bounds how much of a line a LineWatch looks at, in bytes.
const maxLine = 64 << 10

// LineWatch calls Matched once, at the first line that Pattern matches.
type LineWatch struct {
	Pattern *regexp.Regexp
	Matched func()
}

// pass copies in to out, byte for byte and without delay, looking at the lines until one matches.
// It reads to the end even where out fails, so that the writer at the other end is never blocked.
func (w *LineWatch) pass(out io.Writer, in io.Reader) {
	chunk := make([]byte, 32<<10)
	var line []byte
	for {
		n, err := in.Read(chunk)
		_, _ = out.Write(chunk[:n])
		var matched bool
		if line, matched = w.look(line, chunk[:n]); matched {
			w.Matched()
			break
		}
		if err != nil {
			return
		}
	}
	if _, err := io.Copy(out, in); err != nil {
		_, _ = io.Copy(io.Discard, in)
	}
}

// look tries the lines that chunk completes; line is what is known of the unfinished one.
func (w *LineWatch) look(line, chunk []byte) (rest []byte, matched bool) {
	for len(chunk) > 0 {
		part, after, complete := bytes.Cut(chunk, []byte("\n"))
		room := min(len(part), maxLine-len(line))
		line = append(line, part[:room]...)
		if !complete {
			return line, false
		}
		if w.Pattern.Match(line) {
			return nil, true
		}
		line, chunk = line[:0], after
	}
	return line, false
}
