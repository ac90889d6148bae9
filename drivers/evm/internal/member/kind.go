package member

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/ethereum/go-ethereum/rpc"
)

// maxKind is the longest text of a kind, in bytes.
const maxKind = 60

// Kind groups errors for counting: the code and the first words of a JSON-RPC error, the status of an HTTP error, the name of a
// network error. What differs from one transaction to the next is left out.
func Kind(err error) string {
	var (
		answered  rpc.Error
		status    rpc.HTTPError
		errno     syscall.Errno
		unreached net.Error
	)
	switch {
	case errors.As(err, &answered):
		return fmt.Sprintf("%d %s", answered.ErrorCode(), firstWords(answered.Error()))
	case errors.As(err, &status):
		return fmt.Sprintf("HTTP %d", status.StatusCode)
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &unreached) && unreached.Timeout():
		return "no answer in time"
	case errors.As(err, &errno):
		return errno.Error()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "connection closed"
	case errors.Is(err, rpc.ErrMissingBatchResponse):
		return "left out of the batch's answer"
	}
	return firstWords(err.Error())
}

// firstWords are those before the first one that has a digit or ends with a colon.
func firstWords(message string) string {
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
	return text[:min(len(text), maxKind)]
}

// Refusal says what an error means for the nonce of the transaction.
type Refusal string

// The refusals.
const (
	// Refused means that the nonce is still to be used: the same transaction can be sent again.
	Refused Refusal = "Refused"
	// Known means that the node has the transaction.
	Known Refusal = "Known"
	// Spent means that a block has used the nonce, for this transaction or another.
	Spent Refusal = "Spent"
)

// Classify reads a node's refusal of a transaction; execution clients differ in their words.
func Classify(err error) Refusal {
	text := strings.ToLower(err.Error())
	for _, words := range []string{"already known", "alreadyknown", "known transaction", "already imported", "already exists"} {
		if strings.Contains(text, words) {
			return Known
		}
	}
	for _, words := range []string{"nonce too low", "nonce is too low", "oldnonce", "nonce_too_low"} {
		if strings.Contains(text, words) {
			return Spent
		}
	}
	return Refused
}
