package load

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/benchnet/benchnet/drivers/evm/internal/member"
	"github.com/benchnet/benchnet/drivers/evm/internal/transaction"
	"github.com/benchnet/benchnet/internal/platform/evm"
)

// recordedOutcomes records the outcomes as text.
type recordedOutcomes []string

func (o *recordedOutcomes) RecordCompleted(due, seen time.Time) {
	*o = append(*o, fmt.Sprintf("%d completed after %d s", due.Unix(), seen.Unix()-due.Unix()))
}

func (o *recordedOutcomes) RecordFailed(due, _ time.Time, kind, _ string) {
	*o = append(*o, fmt.Sprintf("%d failed: %s", due.Unix(), kind))
}

func (o *recordedOutcomes) RecordLabel(due, _ time.Time, label string, failed bool) {
	*o = append(*o, fmt.Sprintf("%d is a %s, failed: %t", due.Unix(), label, failed))
}

func (o *recordedOutcomes) assertEqual(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(*o, want) {
		t.Errorf("outcomes %q, want %q", *o, want)
	}
}

func secondsAt(second int64) time.Time { return time.Unix(second, 0) }

func newFlight(n byte) *Flight {
	return &Flight{Transaction: &transaction.Transaction{Hash: common.Hash{n}}}
}

func newTestTracker() (*Tracker, *recordedOutcomes) {
	outcomes := &recordedOutcomes{}
	t := NewTracker()
	t.SetOutcomes(outcomes)
	return t, outcomes
}

// answerFlight passes the response to one flight. It returns whether the flight must be resent.
func answerFlight(t *Tracker, f *Flight, refusal, whole error) (again bool, accepted int) {
	list, accepted := t.handleAnswers([]*Flight{f}, []error{refusal}, whole, secondsAt(100))
	return len(list) == 1, accepted
}

func TestIncludedOperationCompletes(t *testing.T) {
	tr, outcomes := newTestTracker()
	f := newFlight(1)
	tr.MarkSent([]*Flight{f}, secondsAt(10), secondsAt(11))
	if again, accepted := answerFlight(tr, f, nil, nil); again || accepted != 1 {
		t.Errorf("again %v, accepted %d", again, accepted)
	}
	tr.MarkIncluded(&member.Block{Transactions: []common.Hash{{9}, f.Hash}}, secondsAt(15))
	// A block that is seen twice counts once.
	tr.MarkIncluded(&member.Block{Transactions: []common.Hash{f.Hash}}, secondsAt(16))
	outcomes.assertEqual(t, "10 completed after 5 s")
	if waiting, included := tr.Counts(); waiting != 0 || included != 1 {
		t.Errorf("%d waiting, %d included", waiting, included)
	}
}

func TestBlockBeforeAnswer(t *testing.T) {
	tr, outcomes := newTestTracker()
	f := newFlight(1)
	tr.MarkSent([]*Flight{f}, secondsAt(10), secondsAt(11))
	tr.MarkIncluded(&member.Block{Transactions: []common.Hash{f.Hash}}, secondsAt(12))
	if again, accepted := answerFlight(tr, f, nil, errors.New("timeout")); again || accepted != 1 {
		t.Errorf("again %v, accepted %d", again, accepted)
	}
	outcomes.assertEqual(t, "10 completed after 2 s")
}

func TestRefusedTransferServesALaterOperation(t *testing.T) {
	tr, outcomes := newTestTracker()
	f := newFlight(1)
	tr.MarkSent([]*Flight{f}, secondsAt(10), secondsAt(10))
	if again, _ := answerFlight(tr, f, errors.New("txpool is full"), nil); !again {
		t.Error("its nonce is left open")
	}
	tr.MarkSent([]*Flight{f}, secondsAt(20), secondsAt(20))
	answerFlight(tr, f, nil, nil)
	tr.MarkIncluded(&member.Block{Transactions: []common.Hash{f.Hash}}, secondsAt(21))
	outcomes.assertEqual(t, "10 failed: txpool is full", "20 completed after 1 s")
}

func TestUnansweredTransferMayHaveArrived(t *testing.T) {
	tr, outcomes := newTestTracker()
	f := newFlight(1)
	tr.MarkSent([]*Flight{f}, secondsAt(10), secondsAt(10))
	if again, _ := answerFlight(tr, f, nil, errors.New("connection reset")); !again {
		t.Error("nobody knows whether its nonce is used")
	}
	tr.MarkSent([]*Flight{f}, secondsAt(20), secondsAt(20))
	// The node or a block already has the transfer. In both cases it completes when the block is seen.
	for _, text := range []string{"already known", "nonce too low"} {
		if again, accepted := answerFlight(tr, f, errors.New(text), nil); again || accepted != 1 {
			t.Errorf("%s: again %v, accepted %d", text, again, accepted)
		}
	}
	late := newFlight(2)
	tr.MarkSent([]*Flight{late}, secondsAt(21), secondsAt(21))
	answerFlight(tr, late, nil, errors.New("connection reset"))
	tr.MarkIncluded(&member.Block{Transactions: []common.Hash{f.Hash, late.Hash}}, secondsAt(22))
	outcomes.assertEqual(t, "10 failed: connection reset", "21 failed: connection reset", "20 completed after 2 s")
	if n := tr.CountLate(); n != 1 {
		t.Errorf("%d late, want the one that was not sent again", n)
	}
}

func TestIncludedTransferIsNotResent(t *testing.T) {
	tr, outcomes := newTestTracker()
	f := newFlight(1)
	tr.MarkSent([]*Flight{f}, secondsAt(10), secondsAt(10))
	answerFlight(tr, f, nil, errors.New("connection reset"))
	tr.MarkIncluded(&member.Block{Transactions: []common.Hash{f.Hash}}, secondsAt(12))
	if left := tr.FilterNotIncluded([]*Flight{f}); len(left) != 0 {
		t.Error("it would be sent again")
	}
	outcomes.assertEqual(t, "10 failed: connection reset")
	if waiting, included := tr.Counts(); waiting != 0 || included != 1 {
		t.Errorf("%d waiting, %d included", waiting, included)
	}
}

func TestSpentNonceIsGivenUp(t *testing.T) {
	tr, outcomes := newTestTracker()
	f := newFlight(1)
	tr.MarkSent([]*Flight{f}, secondsAt(10), secondsAt(10))
	if again, accepted := answerFlight(tr, f, errors.New("nonce too low: next nonce 5, tx nonce 3"), nil); again || accepted != 0 {
		t.Errorf("again %v, accepted %d", again, accepted)
	}
	outcomes.assertEqual(t, "10 failed: nonce too low")
}

func TestWaitingFlightsAreUnfinished(t *testing.T) {
	tr, outcomes := newTestTracker()
	trial, waits, refused := newFlight(1), newFlight(2), newFlight(3)
	tr.MarkSent([]*Flight{trial}, time.Time{}, secondsAt(1))
	tr.MarkSent([]*Flight{waits, refused}, secondsAt(10), secondsAt(10))
	tr.handleAnswers([]*Flight{waits, refused}, []error{nil, errors.New("full")}, nil, secondsAt(11))
	tr.FailWaiting("Unfinished", secondsAt(20))
	outcomes.assertEqual(t, "10 failed: full", "10 failed: Unfinished")
}

func TestListOverdue(t *testing.T) {
	tr, _ := newTestTracker()
	owners := []*transaction.Account{{Index: 0}, {Index: 1}, {Index: 2}, {Index: 3}}
	tracked := map[string]*Flight{}
	add := func(name string, n byte, owner, sender int, nonce uint64, sent int64, refusal error, answered bool) {
		f := newFlight(n)
		f.Account, f.Sender, f.Nonce = owners[owner], sender, nonce
		tracked[name] = f
		tr.MarkSent([]*Flight{f}, secondsAt(sent), secondsAt(sent))
		if answered {
			tr.handleAnswers([]*Flight{f}, []error{refusal}, nil, secondsAt(sent))
		}
	}
	add("second", 2, 0, 0, 6, 10, nil, true)
	add("first", 1, 0, 0, 5, 10, nil, true)
	add("young", 3, 0, 0, 7, 20, nil, true)
	add("of another sender", 4, 1, 1, 5, 10, nil, true)
	add("behind an unanswered", 5, 2, 0, 6, 10, nil, true)
	add("unanswered", 6, 2, 0, 5, 10, nil, false)
	add("behind a refused", 7, 3, 0, 6, 10, nil, true)
	add("refused", 8, 3, 0, 5, 10, errors.New("full"), true)
	overdue := tr.ListOverdue(secondsAt(15))
	if len(overdue) != 2 || len(overdue[0]) != 1 || !slices.Equal(overdue[0][0], []*Flight{tracked["first"], tracked["second"]}) ||
		len(overdue[1]) != 1 || !slices.Equal(overdue[1][0], []*Flight{tracked["of another sender"]}) {
		t.Errorf("overdue %v", overdue)
	}
	tr.markResent(overdue[0][0], secondsAt(30))
	if overdue := tr.ListOverdue(secondsAt(25)); len(overdue[0]) != 0 || len(overdue[1]) != 1 {
		t.Errorf("overdue after it was sent again: %v", overdue)
	}
}

// TestMixOfKinds has a reverted transaction, which is an error of its kind and has no effect but its gas, beside others that have.
func TestMixOfKinds(t *testing.T) {
	tr, outcomes := newTestTracker()
	var b member.Block
	for i, c := range []struct {
		entry  evm.MixEntry
		status hexutil.Uint64
	}{
		{evm.MixEntry{Kind: evm.KindTransfer}, 1},
		{evm.MixEntry{Kind: evm.KindCall}, 0},
		{evm.MixEntry{Kind: evm.KindTokenTransfer, Recipients: evm.RecipientsSame}, 1},
		{evm.MixEntry{Kind: evm.KindTokenTransfer, Recipients: evm.RecipientsAccounts}, 1},
		{evm.MixEntry{Kind: evm.KindTokenTransfer, Recipients: evm.RecipientsFresh}, 1},
		{evm.MixEntry{Kind: evm.KindTokenTransfer, Recipients: evm.RecipientsFresh}, 0},
		{evm.MixEntry{Kind: evm.KindMint}, 1},
		{evm.MixEntry{Kind: evm.KindDeploy}, 1},
	} {
		f := newFlight(byte(i))
		f.Entry, f.Created = &c.entry, common.Address{byte(i)}
		tr.MarkSent([]*Flight{f}, secondsAt(10), secondsAt(10))
		b.Transactions = append(b.Transactions, f.Hash)
		b.Receipts = append(b.Receipts, member.Receipt{Status: c.status, GasUsed: 1000})
	}
	if in := tr.MarkIncluded(&b, secondsAt(12)); in != (Inclusion{Flights: 8, Payments: 1, Gas: 8000}) {
		t.Errorf("%+v", in)
	}
	want := Effects{Minted: 1, Sent: 2, SentToSame: 1, Fresh: []common.Address{{4}}, Contracts: []common.Address{{7}}}
	if got := tr.Effects(); !reflect.DeepEqual(got, want) {
		t.Errorf("effects %+v, want %+v", got, want)
	}
	if got := *outcomes; len(got) != 16 || got[0] != "10 completed after 2 s" || got[1] != "10 is a Transfer, failed: false" ||
		got[2] != "10 failed: Reverted" || got[3] != "10 is a Call, failed: true" {
		t.Errorf("outcomes %q", got)
	}
}
