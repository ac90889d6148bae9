// Package errorkind groups errors of nodes for counting.
package errorkind

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
)

// maxBytes is the maximum length of a kind, in bytes.
const maxBytes = 60

// Of returns the kind of an error: the name of a network error, or the first words of another. It omits the parts that
// differ between transactions.
func Of(err error) string {
	var (
		errno     syscall.Errno
		unreached net.Error
	)
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &unreached) && unreached.Timeout():
		return "no response in time"
	case errors.As(err, &errno):
		return errno.Error()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "connection closed"
	}
	return FirstWords(err.Error())
}

// FirstWords returns the words before the first that contains a digit, or up to the first that ends with a
// colon.
func FirstWords(message string) string {
	var kept []string
	for _, word := range strings.Fields(message) {
		if strings.ContainsAny(word, "0123456789") {
			break
		}
		kept = append(kept, strings.TrimRight(word, ":,;"))
		if strings.HasSuffix(word, ":") {
			break
		}
	}
	text := strings.Join(kept, " ")
	return text[:min(len(text), maxBytes)]
}
