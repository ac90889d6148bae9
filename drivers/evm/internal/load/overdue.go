package load

import (
	"cmp"
	"slices"
	"time"

	"github.com/benchnet/benchnet/drivers/evm/internal/transaction"
)

// ListOverdue returns the flights that the node accepted, that were sent before the given time, and that no
// block includes. They are grouped by sender and account, in nonce order. Accounts are omitted if a flight
// with a lower nonce is unanswered, or was rejected and is to be resent.
func (t *Tracker) ListOverdue(before time.Time) map[int][][]*Flight {
	t.mu.Lock()
	defer t.mu.Unlock()
	byAccount := map[*transaction.Account][]*Flight{}
	for a, first := range t.lowestNonceFlights() {
		if first.isOverdue(before) {
			byAccount[a] = nil
		}
	}
	if len(byAccount) == 0 {
		return nil
	}
	for _, f := range t.flights {
		if flights, stuck := byAccount[f.Account]; stuck && f.isOverdue(before) {
			byAccount[f.Account] = append(flights, f)
		}
	}
	bySender := map[int][][]*Flight{}
	for _, flights := range byAccount {
		slices.SortFunc(flights, func(a, b *Flight) int { return cmp.Compare(a.Nonce, b.Nonce) })
		bySender[flights[0].Sender] = append(bySender[flights[0].Sender], flights)
	}
	return bySender
}

// lowestNonceFlights returns the flight with the lowest nonce of each account.
func (t *Tracker) lowestNonceFlights() map[*transaction.Account]*Flight {
	firsts := map[*transaction.Account]*Flight{}
	for _, f := range t.flights {
		if known := firsts[f.Account]; known == nil || f.Nonce < known.Nonce {
			firsts[f.Account] = f
		}
	}
	return firsts
}

func (f *Flight) isOverdue(before time.Time) bool {
	return f.state == stateWaiting && f.accepted && f.sentAt.Before(before)
}

// markResent records that flights are resubmitted for the operations that they already serve.
func (t *Tracker) markResent(flights []*Flight, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, f := range flights {
		f.sentAt = now
		f.attempts++
	}
}
