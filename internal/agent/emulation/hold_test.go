package emulation

import (
	"math"
	"net/netip"
	"testing"
	"time"

	"github.com/benchnet/benchnet/internal/emulation"
)

var (
	near = netip.MustParseAddr("10.0.0.1")
	far  = netip.MustParseAddr("10.0.0.2")
)

func holderOf(ways map[netip.Addr]emulation.Way) *holder {
	h := newHolder(1)
	h.set(ways)
	return h
}

// released are the ids that go on by an instant, in order.
func released(h *holder, now time.Duration) []uint32 {
	var ids []uint32
	h.release(now, func(id uint32) { ids = append(ids, id) })
	return ids
}

func TestEachPeerHasItsDelay(t *testing.T) {
	h := holderOf(map[netip.Addr]emulation.Way{near: {Delay: time.Millisecond}, far: {Delay: 70 * time.Millisecond}})
	if f := h.arrive(netip.MustParseAddr("10.0.0.3"), 1, 100, 0); f != passed {
		t.Errorf("the packet of one that is no peer is %v", f)
	}
	h.arrive(far, 2, 100, 0)
	h.arrive(near, 3, 100, 10*time.Millisecond)
	if next, more := h.release(0, nil); !more || next != 11*time.Millisecond {
		t.Errorf("next after %v, %v", next, more)
	}
	if ids := released(h, 11*time.Millisecond); len(ids) != 1 || ids[0] != 3 {
		t.Errorf("after 11 ms %v went on", ids)
	}
	if ids := released(h, 70*time.Millisecond-1); ids != nil {
		t.Errorf("%v went on too early", ids)
	}
	if ids := released(h, 70*time.Millisecond); len(ids) != 1 || ids[0] != 2 {
		t.Errorf("after 70 ms %v went on", ids)
	}
	if _, more := h.release(70*time.Millisecond, nil); more || h.bytes != 0 {
		t.Errorf("%d bytes are still held", h.bytes)
	}
}

func TestJitterKeepsTheOrderAndItsBounds(t *testing.T) {
	h := holderOf(map[netip.Addr]emulation.Way{far: {Delay: 20 * time.Millisecond, Jitter: 5 * time.Millisecond}})
	var least, most time.Duration = time.Hour, 0
	for i := range uint32(5000) {
		now := time.Duration(i) * 20 * time.Millisecond
		h.arrive(far, i, 100, now)
		due := h.links[far].last() - now
		least, most = min(least, due), max(most, due)
	}
	if least < 15*time.Millisecond || most > 25*time.Millisecond || most-least < 9*time.Millisecond {
		t.Errorf("delays between %v and %v", least, most)
	}
	before := -1
	for _, id := range released(h, time.Hour) {
		if int(id) < before {
			t.Fatalf("%d overtakes %d", before, id)
		}
		before = int(id)
	}
	if before != 4999 {
		t.Errorf("the last is %d", before)
	}
}

func TestLossIsAsAsked(t *testing.T) {
	const packets, loss = 100_000, 0.02
	h := holderOf(map[netip.Addr]emulation.Way{far: {Loss: loss}})
	gone := 0
	for i := range uint32(packets) {
		if h.arrive(far, i, 100, 0) == lost {
			gone++
		}
	}
	// Four standard deviations.
	if diff := math.Abs(float64(gone) - packets*loss); diff > 4*math.Sqrt(packets*loss*(1-loss)) {
		t.Errorf("%d of %d packets are lost", gone, packets)
	}
}

func TestBandwidthSpacesPacketsAndDropsWhatDoesNotFit(t *testing.T) {
	// 12 Mbit/s: a packet of 1500 bytes takes 1 ms.
	h := holderOf(map[netip.Addr]emulation.Way{far: {Delay: 10 * time.Millisecond, BitsPerSecond: 12_000_000}})
	fates := map[fate]int{}
	for i := range uint32(500) {
		fates[h.arrive(far, i, 1500, 0)]++
	}
	if fates[held] != 101 || fates[dropped] != 399 {
		t.Errorf("%v: a buffer of 100 ms holds 101 packets of 1 ms, one of them being sent", fates)
	}
	for i := range 101 {
		at := time.Duration(i+1)*time.Millisecond + 10*time.Millisecond
		if early := released(h, at-1); early != nil {
			t.Fatalf("%v went on before %v", early, at)
		}
		if now := released(h, at); len(now) != 1 {
			t.Fatalf("at %v %v went on", at, now)
		}
	}
}

func TestMemoryIsBounded(t *testing.T) {
	h := holderOf(map[netip.Addr]emulation.Way{far: {Delay: time.Second}})
	id := uint32(0)
	for h.arrive(far, id, 65_000, 0) == held {
		id++
	}
	if h.bytes > heldBytes || h.bytes < heldBytes-65_000 {
		t.Errorf("%d bytes are held", h.bytes)
	}
	if n := len(released(h, time.Second)); n != int(id) {
		t.Errorf("%d of %d went on", n, id)
	}
}

func TestWhatIsHeldForAPeerThatWentGoesOn(t *testing.T) {
	h := holderOf(map[netip.Addr]emulation.Way{far: {Delay: time.Second}})
	h.arrive(far, 1, 100, 0)
	h.set(nil)
	if ids := released(h, time.Second); len(ids) != 1 {
		t.Errorf("%v went on", ids)
	}
	h.set(nil)
	if h.arrive(far, 2, 100, time.Second) != passed {
		t.Error("still a peer")
	}
}
