package emulate

import (
	"math/rand/v2"
	"net/netip"
	"time"

	"github.com/benchnet/benchnet/internal/network/latency"
)

const (
	// maxBufferDelay is the backlog at which a link of limited bandwidth drops packets, like a router's buffer.
	maxBufferDelay = 100 * time.Millisecond
	// maxHeldBytes bounds the packets held for all peers, in bytes: half a second at 4 Gbit/s.
	maxHeldBytes = 256 << 20
)

// packetFate is the decision on a packet that arrived.
type packetFate int

const (
	// fatePassed packets go on at once, because they are not a peer's.
	fatePassed packetFate = iota
	// fateHeld packets go on when they are due.
	fateHeld
	// fateLost packets are dropped at random, by the loss rate of the link.
	fateLost
	// fateDropped packets exceed a buffer.
	fateDropped
)

// heldPacket is a packet that the kernel keeps until a verdict names its ID.
type heldPacket struct {
	id    uint32
	bytes int
	due   time.Duration
}

// delayLine holds the packets of one peer in the order of arrival.
type delayLine struct {
	impairment latency.Impairment
	// freeAt is when a link of limited bandwidth has transmitted all packets so far.
	freeAt time.Duration
	// packets are in the order of arrival; those before head are released.
	packets []heldPacket
	head    int
}

// packetScheduler decides when each packet goes on. Instants are durations since a fixed one. It is not safe
// for concurrent use.
type packetScheduler struct {
	delayLines map[netip.Addr]*delayLine
	random     *rand.Rand
	heldBytes  int
	// acceptedBytes is the size of all packets that were held so far, and late the number of those that waited for the bandwidth.
	acceptedBytes, late int64
}

func newPacketScheduler(seed uint64) *packetScheduler {
	return &packetScheduler{delayLines: map[netip.Addr]*delayLine{}, random: rand.New(rand.NewPCG(seed, seed))}
}

// setPeers replaces the peers. Held packets of a removed peer are still released when they are due.
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

// schedulePacket decides on a packet of a peer that arrived at now, and holds it if it must be delayed.
func (h *packetScheduler) schedulePacket(peer netip.Addr, id uint32, bytes int, now time.Duration) packetFate {
	l, ok := h.delayLines[peer]
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
		if l.freeAt > now {
			h.late++
		}
		l.freeAt = max(l.freeAt, now) + time.Duration(float64(bytes)*8/float64(rate)*float64(time.Second))
		due = l.freeAt
	}
	due += l.impairment.Delay + h.randomJitter(l.impairment.Jitter)
	l.pushPacket(heldPacket{id: id, bytes: bytes, due: max(due, l.lastDue())})
	h.heldBytes += bytes
	h.acceptedBytes += int64(bytes)
	return fateHeld
}

// randomJitter returns a uniformly distributed value between -jitter and jitter.
func (h *packetScheduler) randomJitter(jitter time.Duration) time.Duration {
	if jitter == 0 {
		return 0
	}
	return time.Duration((2*h.random.Float64() - 1) * float64(jitter))
}

// releaseDue calls pass for the packets that are due at now. It returns when the next packet is due, or false
// if none is held.
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

// lastDue returns when the last packet is due. Packets of one peer never overtake each other.
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
