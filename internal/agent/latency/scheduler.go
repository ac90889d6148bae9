package latency

import (
	"math/rand/v2"
	"net/netip"
	"time"

	"github.com/benchnet/benchnet/internal/network/latency"
)

const (
	// maxBufferDelay is how much a limited link may have waiting before it drops, as a router's buffer does.
	maxBufferDelay = 100 * time.Millisecond
	// maxHeldBytes bounds what is held for all peers: half a second at 4 Gbit/s.
	maxHeldBytes = 256 << 20
)

// packetFate of a packet that arrived.
type packetFate int

const (
	// fatePassed on at once: it is of no peer.
	fatePassed packetFate = iota
	// fateHeld until it is due.
	fateHeld
	// fateLost by chance, as the link shall lose packets.
	fateLost
	// fateDropped since a buffer is full.
	fateDropped
)

// heldPacket that the kernel keeps until a verdict names its id.
type heldPacket struct {
	id    uint32
	bytes int
	due   time.Duration
}

// delayLine holds what arrives from one peer, in order.
type delayLine struct {
	impairment latency.Impairment
	// freeAt is when a link of limited bandwidth has carried all that it took.
	freeAt time.Duration
	// packets in the order of arrival, from head on.
	packets []heldPacket
	head    int
}

// packetScheduler decides when which packet goes on. Instants are durations since any fixed one. It is not safe for concurrent use.
type packetScheduler struct {
	delayLines map[netip.Addr]*delayLine
	random     *rand.Rand
	heldBytes  int
}

func newPacketScheduler(seed uint64) *packetScheduler {
	return &packetScheduler{delayLines: map[netip.Addr]*delayLine{}, random: rand.New(rand.NewPCG(seed, seed))}
}

// setPeers replaces the peers. What is held of one that is gone goes on when it is due.
func (h *packetScheduler) setPeers(ways map[netip.Addr]latency.Impairment) {
	for peer, l := range h.delayLines {
		if _, stays := ways[peer]; !stays && l.isEmpty() {
			delete(h.delayLines, peer)
		} else if !stays {
			l.impairment = latency.Impairment{}
		}
	}
	for peer, way := range ways {
		if l, known := h.delayLines[peer]; known {
			l.impairment = way
		} else {
			h.delayLines[peer] = &delayLine{impairment: way}
		}
	}
}

// schedulePacket takes a packet that came from a peer at an instant.
func (h *packetScheduler) schedulePacket(from netip.Addr, id uint32, bytes int, now time.Duration) packetFate {
	l, ok := h.delayLines[from]
	switch {
	case !ok:
		return fatePassed
	case l.impairment.Loss > 0 && h.random.Float64() < l.impairment.Loss:
		return fateLost
	case h.heldBytes+bytes > maxHeldBytes:
		return fateDropped
	}
	due := now
	if rate := l.impairment.BitsPerSecond; rate > 0 {
		if l.freeAt-now > maxBufferDelay {
			return fateDropped
		}
		l.freeAt = max(l.freeAt, now) + time.Duration(float64(bytes)*8/float64(rate)*float64(time.Second))
		due = l.freeAt
	}
	due += l.impairment.Delay + h.randomJitter(l.impairment.Jitter)
	l.pushPacket(heldPacket{id: id, bytes: bytes, due: max(due, l.lastDue())})
	h.heldBytes += bytes
	return fateHeld
}

// randomJitter is evenly spread between -jitter and jitter.
func (h *packetScheduler) randomJitter(jitter time.Duration) time.Duration {
	if jitter == 0 {
		return 0
	}
	return time.Duration((2*h.random.Float64() - 1) * float64(jitter))
}

// releaseDue hands on what is due at an instant, and tells when the next packet will be; false if none is held.
func (h *packetScheduler) releaseDue(now time.Duration, pass func(id uint32)) (next time.Duration, more bool) {
	for _, l := range h.delayLines {
		for !l.isEmpty() && l.packets[l.head].due <= now {
			p := l.popPacket()
			h.heldBytes -= p.bytes
			pass(p.id)
		}
		if !l.isEmpty() && (!more || l.packets[l.head].due < next) {
			next, more = l.packets[l.head].due, true
		}
	}
	return next, more
}

func (l *delayLine) isEmpty() bool { return l.head == len(l.packets) }

// lastDue is when the packet that waits last is due: packets of one peer never overtake each other.
func (l *delayLine) lastDue() time.Duration {
	if l.isEmpty() {
		return 0
	}
	return l.packets[len(l.packets)-1].due
}

func (l *delayLine) pushPacket(p heldPacket) {
	if l.head > 1024 && 2*l.head > len(l.packets) {
		l.packets = l.packets[:copy(l.packets, l.packets[l.head:])]
		l.head = 0
	}
	l.packets = append(l.packets, p)
}

func (l *delayLine) popPacket() heldPacket {
	p := l.packets[l.head]
	if l.head++; l.isEmpty() {
		l.packets, l.head = l.packets[:0], 0
	}
	return p
}
