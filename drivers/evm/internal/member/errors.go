package member

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/rpc"

	"github.com/benchnet/benchnet/drivers/internal/errorkind"
)

// ErrorKind returns a text that groups errors for counting: the code and the first words of a JSON-RPC error,
// the status of an HTTP error, or the name of a network error. It omits the parts that differ between
// transactions.
func ErrorKind(err error) string {
	var (
		answered rpc.Error
		status   rpc.HTTPError
	)
	switch {
	case errors.As(err, &answered):
		return fmt.Sprintf("%d %s", answered.ErrorCode(), errorkind.FirstWords(answered.Error()))
	case errors.As(err, &status):
		return fmt.Sprintf("HTTP %d", status.StatusCode)
	case errors.Is(err, rpc.ErrMissingBatchResponse):
		return "missing in the batch's response"
	}
	return errorkind.Of(err)
}

// Refusal describes what a rejection means for the nonce of the transaction.
type Refusal string

// The values of Refusal.
const (
	// NonceUnused means that the nonce is still unused, so the same transaction can be resent.
	NonceUnused Refusal = "Refused"
	// AlreadyKnown means that the node already has the transaction.
	AlreadyKnown Refusal = "Known"
	// NonceSpent means that a block used the nonce, for this or another transaction.
	NonceSpent Refusal = "Spent"
)

// ClassifyRefusal classifies a node's rejection of a transaction by its message. The wording differs between
// execution clients.
func ClassifyRefusal(err error) Refusal {
	text := strings.ToLower(err.Error())
	for _, words := range []string{"already known", "alreadyknown", "known transaction", "already imported", "already exists"} {
		if strings.Contains(text, words) {
			return AlreadyKnown
		}
	}
	for _, words := range []string{"nonce too low", "nonce is too low", "oldnonce", "nonce_too_low"} {
		if strings.Contains(text, words) {
			return NonceSpent
		}
	}
	return NonceUnused
}
