package emulate

import (
	"math"
	"net/netip"
	"testing"
	"time"

	"github.com/benchnet/benchnet/internal/network/latency"
)

var (
	nearPeer = netip.MustParseAddr("10.0.0.1")
	farPeer  = netip.MustParseAddr("10.0.0.2")
)

func newSchedulerWithPeers(ways map[netip.Addr]latency.Impairment) *packetScheduler {
	h := newPacketScheduler(1)
	h.setPeers(ways)
	return h
}

// releaseDueIDs returns the IDs of the packets released at now, in order.
func releaseDueIDs(h *packetScheduler, now time.Duration) []uint32 {
	var ids []uint32
	h.releaseDue(now, func(id uint32) { ids = append(ids, id) })
	return ids
}

func TestDelayPerPeer(t *testing.T) {
	h := newSchedulerWithPeers(map[netip.Addr]latency.Impairment{nearPeer: {Delay: time.Millisecond}, farPeer: {Delay: 70 * time.Millisecond}})
	if f := h.schedulePacket(netip.MustParseAddr("10.0.0.3"), 1, 100, 0); f != fatePassed {
		t.Errorf("the packet of one that is no peer is %v", f)
	}
	h.schedulePacket(farPeer, 2, 100, 0)
	h.schedulePacket(nearPeer, 3, 100, 10*time.Millisecond)
	if next, more := h.releaseDue(0, nil); !more || next != 11*time.Millisecond {
		t.Errorf("next after %v, %v", next, more)
	}
	if ids := releaseDueIDs(h, 11*time.Millisecond); len(ids) != 1 || ids[0] != 3 {
		t.Errorf("after 11 ms %v went on", ids)
	}
	if ids := releaseDueIDs(h, 70*time.Millisecond-1); ids != nil {
		t.Errorf("%v went on too early", ids)
	}
	if ids := releaseDueIDs(h, 70*time.Millisecond); len(ids) != 1 || ids[0] != 2 {
		t.Errorf("after 70 ms %v went on", ids)
	}
	if _, more := h.releaseDue(70*time.Millisecond, nil); more || h.heldBytes != 0 {
		t.Errorf("%d bytes are still held", h.heldBytes)
	}
}

func TestJitterKeepsTheOrderAndItsBounds(t *testing.T) {
	h := newSchedulerWithPeers(map[netip.Addr]latency.Impairment{farPeer: {Delay: 20 * time.Millisecond, Jitter: 5 * time.Millisecond}})
	var least, most time.Duration = time.Hour, 0
	for i := range uint32(5000) {
		now := time.Duration(i) * 20 * time.Millisecond
		h.schedulePacket(farPeer, i, 100, now)
		due := h.delayLines[farPeer].lastDue() - now
		least, most = min(least, due), max(most, due)
	}
	if least < 15*time.Millisecond || most > 25*time.Millisecond || most-least < 9*time.Millisecond {
		t.Errorf("delays between %v and %v", least, most)
	}
	before := -1
	for _, id := range releaseDueIDs(h, time.Hour) {
		if int(id) < before {
			t.Fatalf("%d overtakes %d", before, id)
		}
		before = int(id)
	}
	if before != 4999 {
		t.Errorf("the last is %d", before)
	}
}

func TestLossRate(t *testing.T) {
	const packets, loss = 100_000, 0.02
	h := newSchedulerWithPeers(map[netip.Addr]latency.Impairment{farPeer: {Loss: loss}})
	gone := 0
	for i := range uint32(packets) {
		if h.schedulePacket(farPeer, i, 100, 0) == fateLost {
			gone++
		}
	}
	// Four standard deviations.
	if diff := math.Abs(float64(gone) - packets*loss); diff > 4*math.Sqrt(packets*loss*(1-loss)) {
		t.Errorf("%d of %d packets are lost", gone, packets)
	}
}

func TestBandwidthDelaysAndDropsPackets(t *testing.T) {
	// 12 Mbit/s: a packet of 1500 bytes takes 1 ms.
	h := newSchedulerWithPeers(map[netip.Addr]latency.Impairment{farPeer: {Delay: 10 * time.Millisecond, BitsPerSecond: 12_000_000}})
	fates := map[packetFate]int{}
	for i := range uint32(500) {
		fates[h.schedulePacket(farPeer, i, 1500, 0)]++
	}
	if fates[fateHeld] != 101 || fates[fateDropped] != 399 {
		t.Errorf("%v: a buffer of 100 ms holds 101 packets of 1 ms, one of them being sent", fates)
	}
	if h.late != 100 || h.acceptedBytes != 101*1500 {
		t.Errorf("%d packets are late, %d bytes accepted", h.late, h.acceptedBytes)
	}
	for i := range 101 {
		at := time.Duration(i+1)*time.Millisecond + 10*time.Millisecond
		if early := releaseDueIDs(h, at-1); early != nil {
			t.Fatalf("%v went on before %v", early, at)
		}
		if now := releaseDueIDs(h, at); len(now) != 1 {
			t.Fatalf("at %v %v went on", at, now)
		}
	}
}

func TestHeldBytesAreBounded(t *testing.T) {
	h := newSchedulerWithPeers(map[netip.Addr]latency.Impairment{farPeer: {Delay: time.Second}})
	id := uint32(0)
	for h.schedulePacket(farPeer, id, 65_000, 0) == fateHeld {
		id++
	}
	if h.heldBytes > maxHeldBytes || h.heldBytes < maxHeldBytes-65_000 {
		t.Errorf("%d bytes are held", h.heldBytes)
	}
	if n := len(releaseDueIDs(h, time.Second)); n != int(id) {
		t.Errorf("%d of %d went on", n, id)
	}
}

func TestPacketsOfRemovedPeerAreReleased(t *testing.T) {
	h := newSchedulerWithPeers(map[netip.Addr]latency.Impairment{farPeer: {Delay: time.Second}})
	h.schedulePacket(farPeer, 1, 100, 0)
	h.setPeers(nil)
	if ids := releaseDueIDs(h, time.Second); len(ids) != 1 {
		t.Errorf("%v went on", ids)
	}
	h.setPeers(nil)
	if h.schedulePacket(farPeer, 2, 100, time.Second) != fatePassed {
		t.Error("still a peer")
	}
}
