package controllers

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestNotesOfEventsAreShortEnough(t *testing.T) {
	if got := note("short"); got != "short" {
		t.Errorf("a short message stays as it is, but became %q", got)
	}
	long := note(strings.Repeat("ü", maxNote))
	if len(long) > maxNote || !utf8.ValidString(long) || !strings.HasSuffix(long, "...") {
		t.Errorf("a long message is cut to %d bytes at the end of a character, but has %d: %q", maxNote, len(long), long[len(long)-10:])
	}
}
