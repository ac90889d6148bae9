package inclusion

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/benchnet/benchnet/drivers/evm/internal/account"
	"github.com/benchnet/benchnet/drivers/evm/internal/transfer"
)

// outcomes writes down what it is told.
type outcomes []string

func (o *outcomes) Completed(due, seen time.Time) {
	*o = append(*o, fmt.Sprintf("%d completed after %d s", due.Unix(), seen.Unix()-due.Unix()))
}

func (o *outcomes) Failed(due, _ time.Time, kind, _ string) {
	*o = append(*o, fmt.Sprintf("%d failed: %s", due.Unix(), kind))
}

func (o *outcomes) check(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(*o, want) {
		t.Errorf("outcomes %q, want %q", *o, want)
	}
}

func at(second int64) time.Time { return time.Unix(second, 0) }

func flight(n byte) *Flight {
	return &Flight{Transfer: &transfer.Transfer{Hash: common.Hash{n}}}
}

func tracker() (*Tracker, *outcomes) {
	told := &outcomes{}
	t := NewTracker()
	t.Tell(told)
	return t, told
}

// answer gives one flight's answer and whether it is to be sent again.
func answer(t *Tracker, f *Flight, refusal, whole error) (again bool, accepted int) {
	list, accepted := t.Answered([]*Flight{f}, []error{refusal}, whole, at(100))
	return len(list) == 1, accepted
}

func TestIncludedOperationIsComplete(t *testing.T) {
	tr, told := tracker()
	f := flight(1)
	tr.Sent([]*Flight{f}, at(10), at(11))
	if again, accepted := answer(tr, f, nil, nil); again || accepted != 1 {
		t.Errorf("again %v, accepted %d", again, accepted)
	}
	tr.Included([]common.Hash{{9}, f.Hash}, at(15))
	// A block seen twice counts once.
	tr.Included([]common.Hash{f.Hash}, at(16))
	told.check(t, "10 completed after 5 s")
	if waiting, included := tr.Counts(); waiting != 0 || included != 1 {
		t.Errorf("%d waiting, %d included", waiting, included)
	}
}

func TestBlockMayBeFasterThanTheAnswer(t *testing.T) {
	tr, told := tracker()
	f := flight(1)
	tr.Sent([]*Flight{f}, at(10), at(11))
	tr.Included([]common.Hash{f.Hash}, at(12))
	if again, accepted := answer(tr, f, nil, errors.New("timeout")); again || accepted != 1 {
		t.Errorf("again %v, accepted %d", again, accepted)
	}
	told.check(t, "10 completed after 2 s")
}

func TestRefusedTransferServesALaterOperation(t *testing.T) {
	tr, told := tracker()
	f := flight(1)
	tr.Sent([]*Flight{f}, at(10), at(10))
	if again, _ := answer(tr, f, errors.New("txpool is full"), nil); !again {
		t.Error("its nonce is left open")
	}
	tr.Sent([]*Flight{f}, at(20), at(20))
	answer(tr, f, nil, nil)
	tr.Included([]common.Hash{f.Hash}, at(21))
	told.check(t, "10 failed: txpool is full", "20 completed after 1 s")
}

func TestUnansweredTransferMayHaveArrived(t *testing.T) {
	tr, told := tracker()
	f := flight(1)
	tr.Sent([]*Flight{f}, at(10), at(10))
	if again, _ := answer(tr, f, nil, errors.New("connection reset")); !again {
		t.Error("nobody knows whether its nonce is used")
	}
	tr.Sent([]*Flight{f}, at(20), at(20))
	// The node has it, or a block holds it already: both come true when the block is seen.
	for _, text := range []string{"already known", "nonce too low"} {
		if again, accepted := answer(tr, f, errors.New(text), nil); again || accepted != 1 {
			t.Errorf("%s: again %v, accepted %d", text, again, accepted)
		}
	}
	tr.Included([]common.Hash{f.Hash}, at(22))
	told.check(t, "10 failed: connection reset", "20 completed after 2 s")
}

func TestRefusedTransferInABlockIsNotSentAgain(t *testing.T) {
	tr, told := tracker()
	f := flight(1)
	tr.Sent([]*Flight{f}, at(10), at(10))
	answer(tr, f, nil, errors.New("connection reset"))
	tr.Included([]common.Hash{f.Hash}, at(12))
	if left := tr.Waiting([]*Flight{f}); len(left) != 0 {
		t.Error("it would be sent again")
	}
	told.check(t, "10 failed: connection reset")
	if waiting, included := tr.Counts(); waiting != 0 || included != 1 {
		t.Errorf("%d waiting, %d included", waiting, included)
	}
}

func TestSpentNonceIsGivenUp(t *testing.T) {
	tr, told := tracker()
	f := flight(1)
	tr.Sent([]*Flight{f}, at(10), at(10))
	if again, accepted := answer(tr, f, errors.New("nonce too low: next nonce 5, tx nonce 3"), nil); again || accepted != 0 {
		t.Errorf("again %v, accepted %d", again, accepted)
	}
	told.check(t, "10 failed: nonce too low")
}

func TestWhatWaitsAtTheEndIsUnfinished(t *testing.T) {
	tr, told := tracker()
	trial, waits, refused := flight(1), flight(2), flight(3)
	tr.Sent([]*Flight{trial}, time.Time{}, at(1))
	tr.Sent([]*Flight{waits, refused}, at(10), at(10))
	tr.Answered([]*Flight{waits, refused}, []error{nil, errors.New("full")}, nil, at(11))
	tr.Close("Unfinished", at(20))
	told.check(t, "10 failed: full", "10 failed: Unfinished")
}

func TestOverdueIsWhatTheNodeTookAndBlocksLeaveOut(t *testing.T) {
	tr, _ := tracker()
	owners := []*account.Account{{Index: 0}, {Index: 1}, {Index: 2}, {Index: 3}}
	made := map[string]*Flight{}
	add := func(name string, n byte, owner, sender int, nonce uint64, sent int64, refusal error, answered bool) {
		f := flight(n)
		f.Account, f.Sender, f.Nonce = owners[owner], sender, nonce
		made[name] = f
		tr.Sent([]*Flight{f}, at(sent), at(sent))
		if answered {
			tr.Answered([]*Flight{f}, []error{refusal}, nil, at(sent))
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
	overdue := tr.Overdue(at(15))
	if len(overdue) != 2 || len(overdue[0]) != 1 || !slices.Equal(overdue[0][0], []*Flight{made["first"], made["second"]}) ||
		len(overdue[1]) != 1 || !slices.Equal(overdue[1][0], []*Flight{made["of another sender"]}) {
		t.Errorf("overdue %v", overdue)
	}
	tr.Resent(overdue[0][0], at(30))
	if overdue := tr.Overdue(at(25)); len(overdue[0]) != 0 || len(overdue[1]) != 1 {
		t.Errorf("overdue after it was sent again: %v", overdue)
	}
}
