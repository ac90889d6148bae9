// Package limits keeps messages and quantities within bounds that the API server and the operator can handle.
// It is pure.
package limits

import (
	"errors"
	"fmt"
	"strings"

	utilerrors "k8s.io/apimachinery/pkg/util/errors"
)

// Limits in bytes. A character has at least one byte, so a text within such a limit is also within a limit of as many characters.
const (
	// MaxCondition is the limit of metav1.Condition on its message.
	MaxCondition = 32768
	// MaxNote is the limit of the API server on the note of an event.
	MaxNote = 1024
	// MaxItem bounds an item of a list, and each status field that holds a sentence.
	MaxItem = 1024

	// maxItems is how many items JoinItems shows.
	maxItems = 10
	// maxSuffix is the space that Truncate reserves for its suffix.
	maxSuffix = 48
)

// Truncate shortens a text to at most limit bytes, which must be at least 64. It cuts between characters and
// appends how many bytes it left out.
func Truncate(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	kept := strings.ToValidUTF8(text[:limit-maxSuffix], "")
	return fmt.Sprintf("%s… and %d more bytes", kept, len(text)-len(kept))
}

// JoinItems joins the first ten items, each within MaxItem, and appends how many were left out.
func JoinItems(items []string, separator string) string {
	shown := make([]string, 0, maxItems+1)
	for _, item := range items[:min(len(items), maxItems)] {
		shown = append(shown, Truncate(item, MaxItem))
	}
	if more := len(items) - len(shown); more > 0 {
		shown = append(shown, fmt.Sprintf("… and %d more", more))
	}
	return strings.Join(shown, separator)
}

// FromError returns the text of an error. It joins the errors of an aggregate, as validation returns it, as
// JoinItems does.
func FromError(err error) string {
	var all utilerrors.Aggregate
	if !errors.As(err, &all) || len(all.Errors()) < 2 || all.Error() != err.Error() {
		return err.Error()
	}
	lines := make([]string, 0, len(all.Errors()))
	for _, one := range all.Errors() {
		lines = append(lines, one.Error())
	}
	return JoinItems(lines, "; ")
}
