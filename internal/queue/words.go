package queue

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// exact positions are told, and who has the places. Behind that a position is told about, so that a long line is not written anew
// from end to end whenever one network of it begins.
const exact = 10

// namesShown of who has the places.
const namesShown = 3

// wait puts a unit in line and says what its line waits for.
func (l *ledger) wait(u *unit) {
	pool := l.poolOf(u.first())
	b, stopped := l.blocked[pool]
	for _, p := range l.poolsOf(u) {
		if other, ok := l.blocked[p]; ok && !stopped {
			b, stopped, pool = other, true, p
		}
	}
	switch {
	case stopped && b.room:
		l.queue(u, "waits for room behind "+b.by)
	case stopped:
		l.queue(u, l.forPlaces(u, "in pool "+l.poolName(pool), l.places[pool].taken, l.limit(pool), l.places[pool].holders))
	default:
		l.queue(u, l.forPlaces(u, "in the cluster", l.taken, l.limits.MaxNetworks, l.holders))
	}
}

func (l *ledger) poolsOf(u *unit) []int {
	var pools []int
	for _, n := range u.waiting {
		if p := l.poolOf(n); !slices.Contains(pools, p) {
			pools = append(pools, p)
		}
	}
	return pools
}

// forPlaces says for how many places a unit waits, and the first in line who has them.
func (l *ledger) forPlaces(u *unit, where string, taken, limit int, holders []string) string {
	text := "waits for a free place " + where
	if u.size > 1 {
		text = fmt.Sprintf("waits for %d free places %s, for all of group %s", u.size, where, u.first().Group)
	}
	if l.places[l.poolOf(u.first())].seen >= exact {
		return text
	}
	return fmt.Sprintf("%s (%d of %d taken by %s)", text, taken, limit, some(holders))
}

// queue the networks of a unit, each at its position.
func (l *ledger) queue(u *unit, message string) {
	for _, n := range u.waiting {
		pool := l.poolOf(n)
		p := &l.places[pool]
		p.seen++
		p.waiting++
		d := Decision{Pool: l.poolName(pool), Reason: v1alpha1.ReasonQueued, Position: position(p.seen, p.length)}
		d.Message = "position " + d.Position + ": " + message
		l.outcome.Decisions[n.UID] = d
	}
}

// position in a line of a length.
func position(at, of int) string {
	if at <= exact {
		return fmt.Sprintf("%d of %s", at, about(of))
	}
	return about(at)
}

// about is a number that changes seldom: up to ten exactly, then rounded up to tens, to hundreds, and so on.
func about(n int) string {
	if n <= exact {
		return fmt.Sprint(n)
	}
	step := exact
	for step*exact < n {
		step *= exact
	}
	return fmt.Sprintf("about %d", (n+step-1)/step*step)
}

// tooLarge says which limit a unit exceeds by itself; empty: none.
func (l *ledger) tooLarge(wanted map[int]int, size int) string {
	if limit := l.limits.MaxNetworks; limit > 0 && size > limit {
		return fmt.Sprintf("needs %d places at one time, the queue has %d (queue.maxNetworks of the operator's chart)", size, limit)
	}
	for _, pool := range slices.Sorted(maps.Keys(wanted)) {
		if limit := l.limit(pool); limit > 0 && wanted[pool] > limit {
			return fmt.Sprintf("needs %d places at one time in pool %s, which has %d (queue.pools of the operator's chart)", wanted[pool], l.poolName(pool), limit)
		}
	}
	return ""
}

// some of the names, in order.
func some(names []string) string {
	if len(names) == 0 {
		return "nobody"
	}
	sorted := slices.Sorted(slices.Values(names))
	shown := sorted[:min(len(sorted), namesShown)]
	text := strings.Join(shown, ", ")
	if more := len(sorted) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
