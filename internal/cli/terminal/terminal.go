// Package terminal keeps text of others, such as names, messages and logs, from controlling the user's terminal.
package terminal

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Writer escapes what could control or deceive a terminal: control characters other than line feed and tab, invisible format
// characters such as those that change the direction of text, and invalid UTF-8. Characters are
// escaped as \u001b, so that JSON keeps its meaning.
type Writer struct {
	raw io.Writer
	// partial is the beginning of a character at the end of the last write.
	partial []byte
}

// NewWriter returns a Writer that writes to raw.
func NewWriter(raw io.Writer) *Writer { return &Writer{raw: raw} }

// Raw returns the writer below a Writer, for archives and for output that controls the terminal itself; other writers are
// returned unchanged.
func Raw(w io.Writer) io.Writer {
	if escaping, ok := w.(*Writer); ok {
		return escaping.raw
	}
	return w
}

// Write writes p escaped. It keeps an incomplete character at the end of p for the next write.
func (w *Writer) Write(p []byte) (int, error) {
	text := slices.Concat(w.partial, p)
	end := completeLength(text)
	w.partial = text[end:]
	if _, err := w.raw.Write([]byte(escapeText(string(text[:end]), "\n\t"))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// completeLength returns the length of text without an incomplete character at its end.
func completeLength(text []byte) int {
	for i := len(text) - 1; i >= max(0, len(text)-utf8.UTFMax); i-- {
		if utf8.RuneStart(text[i]) {
			if utf8.FullRune(text[i:]) {
				break
			}
			return i
		}
	}
	return len(text)
}

// EscapeLine returns text escaped as by a Writer, and on one line.
func EscapeLine(text string) string { return escapeText(text, "") }

// escapeText escapes all characters that isUnsafe reports, except some.
func escapeText(text, except string) string {
	var out strings.Builder
	for size := 0; text != ""; text = text[size:] {
		var r rune
		switch r, size = utf8.DecodeRuneInString(text); {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&out, `\x%02x`, text[0])
		case !isUnsafe(r) || strings.ContainsRune(except, r):
			out.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&out, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.String()
}

// isUnsafe reports whether a character is a control or format character, or separates lines or paragraphs.
func isUnsafe(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }
