package inclusion

import (
	"cmp"
	"slices"
	"time"

	"github.com/benchnet/benchnet/drivers/evm/internal/account"
)

// Overdue lists, by sender and account and in the order of nonces, what the node took before an instant and no block holds. Left out are
// accounts that wait for something else: for a lower nonce that is unanswered, or was refused and is to be sent again.
func (t *Tracker) Overdue(before time.Time) map[int][][]*Flight {
	t.mu.Lock()
	defer t.mu.Unlock()
	byAccount := map[*account.Account][]*Flight{}
	for a, first := range t.firsts() {
		if first.overdue(before) {
			byAccount[a] = nil
		}
	}
	if len(byAccount) == 0 {
		return nil
	}
	for _, f := range t.flights {
		if flights, stuck := byAccount[f.Account]; stuck && f.overdue(before) {
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

// firsts is the flight of each account that has the lowest nonce.
func (t *Tracker) firsts() map[*account.Account]*Flight {
	firsts := map[*account.Account]*Flight{}
	for _, f := range t.flights {
		if known := firsts[f.Account]; known == nil || f.Nonce < known.Nonce {
			firsts[f.Account] = f
		}
	}
	return firsts
}

func (f *Flight) overdue(before time.Time) bool {
	return f.state == waiting && f.answered && f.sent.Before(before)
}

// Resent says that flights are submitted once more for the operations they already serve.
func (t *Tracker) Resent(flights []*Flight, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, f := range flights {
		f.sent = now
		f.attempts++
	}
}
