package queue

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// Decide about all networks. Room is nil where it is not looked at.
func Decide(limits Limits, networks []Network, room Room) Outcome {
	l := &ledger{limits: limits, room: room, places: make([]places, len(limits.Pools)+1), blocked: map[int]block{},
		outcome: Outcome{Decisions: map[types.UID]Decision{}}}
	units := l.units(networks)
	for _, u := range units {
		l.hold(u)
	}
	waiting := slices.DeleteFunc(units, func(u *unit) bool { return len(u.waiting) == 0 || u.held() })
	slices.SortFunc(waiting, before)
	for _, u := range waiting {
		l.length += len(u.waiting)
		for _, n := range u.waiting {
			l.places[l.poolOf(n)].length++
		}
	}
	for _, u := range waiting {
		l.decide(u)
	}
	l.sum()
	return l.outcome
}

// ledger of one look.
type ledger struct {
	limits Limits
	room   Room
	// taken places of the cluster, and by whom.
	taken   int
	holders []string
	// places of each pool, and last of what is in none.
	places []places
	// length of all lines together.
	length int
	// blocked lines by pool: who is first has to wait, and so have all behind it.
	blocked map[int]block
	// full is set when the first in line waits for places of the cluster: all lines wait then.
	full    bool
	outcome Outcome
}

// places of a pool.
type places struct {
	taken   int
	holders []string
	// length of the line, and how many of it were looked at.
	length, seen int
	waiting      int
}

// block is what a line waits for.
type block struct {
	// by is who is first in it.
	by string
	// room tells that it waits for room on the nodes, not for a place.
	room bool
}

// unit is what begins together: a group, or one network.
type unit struct {
	// size is how many places it takes.
	size             int
	holding, waiting []*Network
}

func (u *unit) held() bool { return len(u.holding) > 0 }

// first of the unit decides about its place in the line.
func (u *unit) first() *Network { return u.waiting[0] }

// here is how many networks of the unit there are.
func (u *unit) here() int { return len(u.holding) + len(u.waiting) }

// units of all networks, each with its networks in the order of the line.
func (l *ledger) units(networks []Network) []*unit {
	var all []*unit
	groups := map[types.NamespacedName]*unit{}
	for i := range networks {
		n := &networks[i]
		key := types.NamespacedName{Namespace: n.Namespace, Name: n.Group}
		u := groups[key]
		if u == nil || n.Group == "" {
			u = &unit{size: 1}
			all = append(all, u)
		}
		if n.Group != "" {
			groups[key] = u
			u.size = max(u.size, n.GroupSize)
		}
		if n.Holds {
			u.holding = append(u.holding, n)
		} else {
			u.waiting = append(u.waiting, n)
		}
	}
	for _, u := range all {
		u.size = max(u.size, u.here())
		slices.SortFunc(u.waiting, sooner)
	}
	return all
}

// hold the places of a unit that has some. It has all of them as long as one of its networks is there: who comes back to it, or
// comes late, must not wait for a place that the others of the group will never leave.
func (l *ledger) hold(u *unit) {
	if !u.held() {
		return
	}
	for _, n := range u.holding {
		l.take(n, 1)
	}
	for _, n := range u.waiting {
		l.admit(n)
	}
	if missing := u.size - u.here(); missing > 0 {
		l.taken += missing
		l.places[l.poolOf(u.holding[0])].taken += missing
	}
}

func (l *ledger) take(n *Network, count int) {
	l.taken += count
	name := n.Namespace + "/" + n.Name
	if n.Note != "" {
		name += " (" + n.Note + ")"
	}
	l.holders = append(l.holders, name)
	p := &l.places[l.poolOf(n)]
	p.taken += count
	p.holders = append(p.holders, name)
}

func (l *ledger) admit(n *Network) {
	l.take(n, 1)
	d := Decision{Admitted: true, Pool: l.poolName(l.poolOf(n)), Reason: v1alpha1.ReasonAdmitted, Message: "it has a place"}
	if d.Pool != "" {
		d.Message += " in pool " + d.Pool
	}
	l.outcome.Decisions[n.UID] = d
}

// decide about a unit, those before it having been decided about.
func (l *ledger) decide(u *unit) {
	wanted := map[int]int{}
	for _, n := range u.waiting {
		wanted[l.poolOf(n)]++
	}
	switch {
	case u.here() < u.size:
		l.refuse(u, Decision{Reason: v1alpha1.ReasonGroupIncomplete,
			Message: fmt.Sprintf("%d of the %d networks of group %s are there: they begin together", u.here(), u.size, u.first().Group)})
	case l.tooLarge(wanted, u.size) != "":
		l.refuse(u, Decision{Never: true, Reason: v1alpha1.ReasonQueueTooSmall, Message: l.tooLarge(wanted, u.size)})
	case l.full || l.stopped(wanted):
		l.wait(u)
	case l.limits.MaxNetworks > 0 && l.taken+u.size > l.limits.MaxNetworks:
		l.full = true
		l.wait(u)
	case l.poolsFull(wanted):
		l.stop(u, wanted, false)
		l.wait(u)
	default:
		l.fit(u, wanted)
	}
}

// fit admits a unit for which there are places, if there is room.
func (l *ledger) fit(u *unit, wanted map[int]int) {
	if l.room != nil {
		finding := l.room(u.waiting)
		if !finding.Fits {
			l.outcome.NoRoom = true
			message := "waits for room: " + finding.Message
			if finding.Later {
				l.stop(u, wanted, true)
				l.queue(u, message)
				return
			}
			l.refuse(u, Decision{Never: true, Reason: v1alpha1.ReasonClusterTooSmall, Message: finding.Message})
			return
		}
	}
	for _, n := range u.waiting {
		l.places[l.poolOf(n)].length--
		l.length--
		l.admit(n)
	}
}

func (l *ledger) stopped(wanted map[int]int) bool {
	for pool := range wanted {
		if _, ok := l.blocked[pool]; ok {
			return true
		}
	}
	return false
}

func (l *ledger) poolsFull(wanted map[int]int) bool {
	for pool, count := range wanted {
		if limit := l.limit(pool); limit > 0 && l.places[pool].taken+count > limit {
			return true
		}
	}
	return false
}

// stop the lines in which the unit is: nobody overtakes it.
func (l *ledger) stop(u *unit, wanted map[int]int, room bool) {
	for pool := range wanted {
		l.blocked[pool] = block{by: u.first().Namespace + "/" + u.first().Name, room: room}
	}
}

// refuse who waits for something else than its turn. It holds nobody up, and is in no line.
func (l *ledger) refuse(u *unit, d Decision) {
	for _, n := range u.waiting {
		pool := l.poolOf(n)
		d.Pool = l.poolName(pool)
		l.places[pool].length--
		l.places[pool].waiting++
		l.length--
		l.outcome.Decisions[n.UID] = d
	}
}

// limit of a pool; 0: none.
func (l *ledger) limit(pool int) int {
	if pool == len(l.limits.Pools) {
		return 0
	}
	return l.limits.Pools[pool].MaxNetworks
}

// poolOf a network, by its index; the last stands for none.
func (l *ledger) poolOf(n *Network) int {
	i := slices.IndexFunc(l.limits.Pools, func(p Pool) bool { return contains(n.NodeSelector, p.NodeSelector) })
	if i < 0 {
		return len(l.limits.Pools)
	}
	return i
}

func (l *ledger) poolName(pool int) string {
	if pool == len(l.limits.Pools) {
		return ""
	}
	return l.limits.Pools[pool].Name
}

func contains(all, wanted map[string]string) bool {
	for key, value := range wanted {
		if has, ok := all[key]; !ok || has != value {
			return false
		}
	}
	return true
}

func (l *ledger) sum() {
	for i := range l.places {
		l.outcome.Uses = append(l.outcome.Uses, Use{Pool: l.poolName(i), Limit: l.limit(i), Admitted: l.places[i].taken, Waiting: l.places[i].waiting})
	}
}

// before orders units as their first networks.
func before(a, b *unit) int { return sooner(a.first(), b.first()) }

func sooner(a, b *Network) int {
	return cmp.Or(cmp.Compare(b.Priority, a.Priority), a.Created.Compare(b.Created), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Namespace, b.Namespace))
}
