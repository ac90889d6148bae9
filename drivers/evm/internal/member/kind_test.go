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

type coded struct {
	code int
	text string
}

func (c coded) Error() string  { return c.text }
func (c coded) ErrorCode() int { return c.code }

func TestKindsLeaveOutWhatDiffers(t *testing.T) {
	refused := &net.OpError{Op: "dial", Err: fmt.Errorf("connect: %w", syscall.ECONNREFUSED)}
	for _, c := range []struct {
		err  error
		want string
	}{
		{coded{-32000, "txpool is full"}, "-32000 txpool is full"},
		{coded{-32000, "nonce too low: next nonce 5, tx nonce 3"}, "-32000 nonce too low"},
		{coded{-32003, "insufficient funds for gas * price + value: balance 0, tx cost 420"}, "-32003 insufficient funds for gas * price + value"},
		{coded{-32000, "account 0x1234 is busy"}, "-32000 account"},
		{fmt.Errorf("send: %w", rpc.HTTPError{StatusCode: 503, Status: "503 Busy"}), "HTTP 503"},
		{fmt.Errorf("Post: %w", refused), "connection refused"},
		{context.DeadlineExceeded, "no answer in time"},
		{fmt.Errorf("Post: %w", io.EOF), "connection closed"},
		{rpc.ErrMissingBatchResponse, "left out of the batch's answer"},
		{errors.New(strings.Repeat("word ", 40)), strings.Repeat("word ", 12)},
	} {
		if got := Kind(c.err); got != c.want {
			t.Errorf("%v is of kind %q, want %q", c.err, got, c.want)
		}
	}
}

func TestClassify(t *testing.T) {
	for text, want := range map[string]Refusal{
		"already known": Known, "AlreadyKnown": Known, "Known transaction": Known,
		"nonce too low: next nonce 5, tx nonce 3": Spent, "Nonce too low": Spent, "OldNonce": Spent,
		"txpool is full": Refused, "insufficient funds": Refused, "nonce too high": Refused,
	} {
		if got := Classify(errors.New(text)); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}
