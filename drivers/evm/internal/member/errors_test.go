package member

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"

	"github.com/ethereum/go-ethereum/rpc"
)

type codedError struct {
	code int
	text string
}

func (c codedError) Error() string  { return c.text }
func (c codedError) ErrorCode() int { return c.code }

func TestErrorKind(t *testing.T) {
	refused := &net.OpError{Op: "dial", Err: fmt.Errorf("connect: %w", syscall.ECONNREFUSED)}
	for _, c := range []struct {
		err  error
		want string
	}{
		{codedError{-32000, "txpool is full"}, "-32000 txpool is full"},
		{codedError{-32000, "nonce too low: next nonce 5, tx nonce 3"}, "-32000 nonce too low"},
		{codedError{-32003, "insufficient funds for gas * price + value: balance 0, tx cost 420"}, "-32003 insufficient funds for gas * price + value"},
		{codedError{-32000, "account 0x1234 is busy"}, "-32000 account"},
		{fmt.Errorf("send: %w", rpc.HTTPError{StatusCode: 503, Status: "503 Busy"}), "HTTP 503"},
		{fmt.Errorf("Post: %w", refused), "connection refused"},
		{context.DeadlineExceeded, "no response in time"},
		{fmt.Errorf("Post: %w", io.EOF), "connection closed"},
		{rpc.ErrMissingBatchResponse, "missing in the batch's response"},
		{errors.New(strings.Repeat("word ", 40)), strings.Repeat("word ", 12)},
	} {
		if got := ErrorKind(c.err); got != c.want {
			t.Errorf("%v is of kind %q, want %q", c.err, got, c.want)
		}
	}
}

func TestClassifyRefusal(t *testing.T) {
	for text, want := range map[string]Refusal{
		"already known": AlreadyKnown, "AlreadyKnown": AlreadyKnown, "Known transaction": AlreadyKnown,
		"nonce too low: next nonce 5, tx nonce 3": NonceSpent, "Nonce too low": NonceSpent, "OldNonce": NonceSpent,
		"txpool is full": NonceUnused, "insufficient funds": NonceUnused, "nonce too high": NonceUnused,
	} {
		if got := ClassifyRefusal(errors.New(text)); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}
