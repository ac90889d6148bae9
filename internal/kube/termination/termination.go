// Package termination finds in the last output of a program the line that says why it failed. Operator and agent
// share it. It is pure.
package termination

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/benchnet/benchnet/internal/kube/limits"
)

// MaxLine is the size in bytes of the longest line that Clean and LastErrorLine return.
const MaxLine = 512

// OOMKilled begins the message of a program that the kernel killed because its container reached the memory limit. It is also
// the reason that Kubernetes gives if this ended the container.
const OOMKilled = "OOMKilled"

var (
	escapeSequence = regexp.MustCompile(`\x1b\[[0-9;?]*[ -/]*[@-~]`)
	errorLine      = regexp.MustCompile(`(?i)\b(errors?|exception|fatal|severe|panic|panicked|fail(s|ed|ure)|abort(ed|ing)|denied|refused|` +
		`cannot|can't|could not|unable to|not found|timed out|unreachable|no such|no space left|out of memory|terminating due)\b|\w(Exception|Error)\b`)
	// heapLine matches the messages of a JVM whose memory is exhausted. Stack traces of other threads often follow.
	heapLine = regexp.MustCompile(`java\.lang\.OutOfMemoryError`)
	// stackFrame matches the lines of a stack trace, which may contain the name of a method such as handleError.
	stackFrame = regexp.MustCompile(`^\s*(at [\w.$/<>]+\(|\.\.\. \d+ more|\d+: 0x|goroutine \d+)`)
)

// secrets are patterns of secret values, with the replacement of each match.
var secrets = []struct {
	pattern     *regexp.Regexp
	replacement string
}{
	{regexp.MustCompile(`(?i)([\w.-]*(?:passw(?:or)?d|passphrase|pwd|secret|token|api[-_ ]?key|private[-_ ]?key|access[-_ ]?key|credentials?|mnemonic))` +
		`(["']?\s*[=:]\s*)("[^"]*"?|'[^']*'?|[^\s&;,]+)`), "$1$2***"},
	{regexp.MustCompile(`(?i)\b(bearer|basic)\s+[\w.~+/=-]{8,}`), "$1 ***"},
	{regexp.MustCompile(`([a-zA-Z][\w+.-]*://[^\s/:@]*):[^\s/]*@`), "$1:***@"},
	{regexp.MustCompile(`(?i)(jdbc:oracle:\w+:[^\s/@]*)/[^\s@]*@`), "$1/***@"},
	{regexp.MustCompile(`(?i)(\bidentified by\s+)(?:"[^"]*"|'[^']*'|\S+)`), "$1***"},
	{regexp.MustCompile(`\b(?:eyJ[\w-]{8,}\.[\w-]+\.[\w-]*|0x[0-9a-fA-F]{64})\b`), "***"},
}

// LastErrorLine returns the last line of an output that reports an error, or its last line if none does. A line
// about an exhausted Java heap has precedence. The line is cleaned as by Clean.
func LastErrorLine(output string) string {
	var last, lastError, heap string
	for line := range strings.Lines(output) {
		switch line = escapeSequence.ReplaceAllString(line, ""); {
		case strings.TrimSpace(line) == "", stackFrame.MatchString(line):
		case heapLine.MatchString(line):
			heap = line
		case errorLine.MatchString(line):
			lastError = line
		default:
			last = line
		}
	}
	for _, line := range []string{heap, lastError, last} {
		if line = Clean(line); line != "" {
			return line
		}
	}
	return ""
}

// IsHeapExhausted reports whether a line says that the memory of a JVM is exhausted.
func IsHeapExhausted(line string) bool { return heapLine.MatchString(line) }

// IsErrorLine reports whether a line reports an error.
func IsErrorLine(line string) bool {
	return errorLine.MatchString(line) && !stackFrame.MatchString(line)
}

// Clean returns a text as one printable line of at most MaxLine bytes, without passwords and other secrets.
func Clean(text string) string {
	text = escapeSequence.ReplaceAllString(text, "")
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
	text = strings.Join(strings.Fields(text), " ")
	for _, s := range secrets {
		text = s.pattern.ReplaceAllString(text, s.replacement)
	}
	return limits.Truncate(text, MaxLine)
}
