package inclusion

import (
	"cmp"
	"slices"
	"time"

	"github.com/benchnet/benchnet/drivers/evm/internal/account"
)

// ListOverdue lists, by sender and account and in the order of nonces, what the node took before an instant and no block holds. Left out are
// accounts that wait for something else: for a lower nonce that is unanswered, or was refused and is to be sent again.
func (t *Tracker) ListOverdue(before time.Time) map[int][][]*Flight {
	t.mu.Lock()
	defer t.mu.Unlock()
	byAccount := map[*account.Account][]*Flight{}
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

// lowestNonceFlights is the flight of each account that has the lowest nonce.
func (t *Tracker) lowestNonceFlights() map[*account.Account]*Flight {
	firsts := map[*account.Account]*Flight{}
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

// MarkResent says that flights are submitted once more for the operations they already serve.
func (t *Tracker) MarkResent(flights []*Flight, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, f := range flights {
		f.sentAt = now
		f.attempts++
	}
}
