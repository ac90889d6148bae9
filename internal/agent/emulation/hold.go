package emulation

import (
	"math/rand/v2"
	"net/netip"
	"time"

	"github.com/benchnet/benchnet/internal/emulation"
)

const (
	// fullBuffer is how much a limited link may have waiting before it drops, as a router's buffer does.
	fullBuffer = 100 * time.Millisecond
	// heldBytes bounds what is held for all peers: half a second at 4 Gbit/s.
	heldBytes = 256 << 20
)

// fate of a packet that arrived.
type fate int

const (
	// passed on at once: it is of no peer.
	passed fate = iota
	// held until it is due.
	held
	// lost by chance, as the link shall lose packets.
	lost
	// dropped since a buffer is full.
	dropped
)

// packet that the kernel keeps until a verdict names its id.
type packet struct {
	id    uint32
	bytes int
	due   time.Duration
}

// link holds what arrives from one peer, in order.
type link struct {
	way emulation.Way
	// free is when a link of limited bandwidth has carried all that it took.
	free time.Duration
	// waiting in the order of arrival, from head on.
	waiting []packet
	head    int
}

// holder decides when which packet goes on. Instants are durations since any fixed one. It is not safe for concurrent use.
type holder struct {
	links  map[netip.Addr]*link
	chance *rand.Rand
	bytes  int
}

func newHolder(seed uint64) *holder {
	return &holder{links: map[netip.Addr]*link{}, chance: rand.New(rand.NewPCG(seed, seed))}
}

// set replaces the peers. What is held of one that is gone goes on when it is due.
func (h *holder) set(ways map[netip.Addr]emulation.Way) {
	for peer, l := range h.links {
		if _, stays := ways[peer]; !stays && l.empty() {
			delete(h.links, peer)
		} else if !stays {
			l.way = emulation.Way{}
		}
	}
	for peer, way := range ways {
		if l, known := h.links[peer]; known {
			l.way = way
		} else {
			h.links[peer] = &link{way: way}
		}
	}
}

// arrive takes a packet that came from a peer at an instant.
func (h *holder) arrive(from netip.Addr, id uint32, bytes int, now time.Duration) fate {
	l, ok := h.links[from]
	switch {
	case !ok:
		return passed
	case l.way.Loss > 0 && h.chance.Float64() < l.way.Loss:
		return lost
	case h.bytes+bytes > heldBytes:
		return dropped
	}
	due := now
	if rate := l.way.BitsPerSecond; rate > 0 {
		if l.free-now > fullBuffer {
			return dropped
		}
		l.free = max(l.free, now) + time.Duration(float64(bytes)*8/float64(rate)*float64(time.Second))
		due = l.free
	}
	due += l.way.Delay + h.deviation(l.way.Jitter)
	l.push(packet{id: id, bytes: bytes, due: max(due, l.last())})
	h.bytes += bytes
	return held
}

// deviation is evenly spread between -jitter and jitter.
func (h *holder) deviation(jitter time.Duration) time.Duration {
	if jitter == 0 {
		return 0
	}
	return time.Duration((2*h.chance.Float64() - 1) * float64(jitter))
}

// release hands on what is due at an instant, and tells when the next packet will be; false if none is held.
func (h *holder) release(now time.Duration, pass func(id uint32)) (next time.Duration, more bool) {
	for _, l := range h.links {
		for !l.empty() && l.waiting[l.head].due <= now {
			p := l.pop()
			h.bytes -= p.bytes
			pass(p.id)
		}
		if !l.empty() && (!more || l.waiting[l.head].due < next) {
			next, more = l.waiting[l.head].due, true
		}
	}
	return next, more
}

func (l *link) empty() bool { return l.head == len(l.waiting) }

// last is when the packet that waits last is due: packets of one peer never overtake each other.
func (l *link) last() time.Duration {
	if l.empty() {
		return 0
	}
	return l.waiting[len(l.waiting)-1].due
}

func (l *link) push(p packet) {
	if l.head > 1024 && 2*l.head > len(l.waiting) {
		l.waiting = l.waiting[:copy(l.waiting, l.waiting[l.head:])]
		l.head = 0
	}
	l.waiting = append(l.waiting, p)
}

func (l *link) pop() packet {
	p := l.waiting[l.head]
	if l.head++; l.empty() {
		l.waiting, l.head = l.waiting[:0], 0
	}
	return p
}
