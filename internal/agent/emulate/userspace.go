package emulate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/nftables"
	"github.com/google/nftables/expr"
	"golang.org/x/sys/unix"

	"github.com/benchnet/benchnet/internal/network/latency"
)

// userSpaceBackend holds received packets in a netfilter queue.
type userSpaceBackend struct {
	queue     *netfilterQueue
	rules     *netfilterRules
	scheduler *packetScheduler
	// wakeFD is an eventfd that wakes the loop for new impairments and at the end.
	wakeFD int
	// newImpairments are impairments that the loop has not applied yet. mutex guards them.
	mutex          sync.Mutex
	newImpairments map[netip.Addr]latency.Impairment
	counters       packetCounters
	startedAt      time.Time
	// wakeDelay is the usual delay of the thread's wake-ups.
	wakeDelay time.Duration
}

const (
	// maxWakeDelay caps a measured wake-up delay. A longer one waited for a core and does not predict the next.
	maxWakeDelay = 200 * time.Microsecond
	// maxPacketAge is the longest plausible age of a packet when it is read. A higher age means that the clock was set.
	maxPacketAge = 50 * time.Millisecond
)

// packetCounters counts packets by fate.
type packetCounters struct {
	held, lost, dropped atomic.Int64
}

func newUserSpaceBackend(p segmentSize, seed uint64) (*userSpaceBackend, error) {
	wake, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("create an event descriptor: %w", err)
	}
	queue, err := openNetfilterQueue(p)
	if err != nil {
		_ = unix.Close(wake)
		return nil, err
	}
	rules, err := addQueueRules()
	if err != nil {
		_ = unix.Close(wake)
		queue.closeSocket()
		return nil, err
	}
	return &userSpaceBackend{queue: queue, rules: rules, scheduler: newPacketScheduler(seed), wakeFD: wake, startedAt: time.Now()}, nil
}

// addQueueRules sends the packets from peers to the queue, or lets them pass while nothing reads it. The rule is on the receiver: a sender's
// TCP would count held packets as its own full queue and slow down.
func addQueueRules() (*netfilterRules, error) {
	return addNetfilterRules(latencyTable, expr.Queue{Num: queueNumber, Flag: expr.QueueFlagBypass}, func(toQueue expr.Any) []peerRule {
		return []peerRule{{chain: "arrivals", hook: nftables.ChainHookPrerouting, priority: nftables.ChainPriorityMangle, actions: []expr.Any{toQueue}}}
	})
}

func (*userSpaceBackend) mechanismName() latency.Mechanism { return latency.UserSpace }

// setPeers replaces the peers. It passes new peers to the loop before the kernel queues their packets.
func (u *userSpaceBackend) setPeers(ways map[netip.Addr]latency.Impairment) error {
	u.mutex.Lock()
	u.newImpairments = maps.Clone(ways)
	u.mutex.Unlock()
	if _, err := unix.Write(u.wakeFD, []byte{1, 0, 0, 0, 0, 0, 0, 0}); err != nil {
		return fmt.Errorf("signal changed peers: %w", err)
	}
	return u.rules.setPeers(slices.Collect(maps.Keys(ways)))
}

func (u *userSpaceBackend) packetCounts() *packetCounters { return &u.counters }

// runUntilCancelled processes packets until ctx ends. It locks its thread, whose timers are exact to the
// microsecond; the Go runtime waits in whole milliseconds when it is otherwise idle.
func (u *userSpaceBackend) runUntilCancelled(ctx context.Context) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer u.queue.closeSocket() // Closing drops the held packets and lets new ones pass.
	if err := unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("request precise timers: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _, _ = unix.Write(u.wakeFD, []byte{1, 0, 0, 0, 0, 0, 0, 0}) })
	defer stop()
	for ctx.Err() == nil {
		if err := u.processOnce(); err != nil {
			return err
		}
	}
	return nil
}

// processOnce releases due packets, waits for packets or for the next due time, and schedules the packets that arrived.
func (u *userSpaceBackend) processOnce() error {
	var failed error
	judge := func(id, verdict uint32) { failed = errors.Join(failed, u.queue.addVerdict(id, verdict)) }
	next, more := u.scheduler.releaseDue(time.Since(u.startedAt), func(id uint32) { judge(id, verdictAccept) })
	if err := errors.Join(failed, u.queue.flushVerdicts()); err != nil {
		return err
	}
	if err := u.waitUntilDue(next, more); err != nil {
		return err
	}
	u.applyNewPeers()
	err := u.queue.readPackets(func(a queuedPacket) {
		switch u.scheduler.schedulePacket(a.source, a.id, a.bytes, u.arrivalTime(a)) {
		case fateHeld:
			u.counters.held.Add(1)
		case fatePassed:
			judge(a.id, verdictAccept)
		case fateLost:
			u.counters.lost.Add(1)
			judge(a.id, verdictDrop)
		case fateDropped:
			u.counters.dropped.Add(1)
			judge(a.id, verdictDrop)
		}
	})
	return errors.Join(err, failed, u.queue.flushVerdicts())
}

// waitUntilDue waits for packets, and at most until next if more is true. It wakes up earlier by the usual
// wake-up delay; if that is too early, the caller's loop continues until the packet is due.
func (u *userSpaceBackend) waitUntilDue(next time.Duration, more bool) error {
	if !more {
		return u.queue.waitReadable(-1, u.wakeFD)
	}
	timeout := max(0, next-u.wakeDelay-time.Since(u.startedAt))
	target := time.Since(u.startedAt) + timeout
	if err := u.queue.waitReadable(timeout, u.wakeFD); err != nil {
		return err
	}
	if over := time.Since(u.startedAt) - target; timeout > 0 && over >= 0 {
		u.wakeDelay += (min(over, maxWakeDelay) - u.wakeDelay) / 16
	}
	return nil
}

// arrivalTime returns when a packet arrived, by the kernel's timestamp if it is plausible.
func (u *userSpaceBackend) arrivalTime(a queuedPacket) time.Duration {
	now := time.Now()
	ago := time.Duration(now.UnixMicro()-a.arrivedMicros) * time.Microsecond
	if ago < 0 || ago > maxPacketAge {
		ago = 0
	}
	return now.Sub(u.startedAt) - ago
}

// applyNewPeers passes the impairments that setPeers stored last to the scheduler.
func (u *userSpaceBackend) applyNewPeers() {
	var event [8]byte
	if n, _ := unix.Read(u.wakeFD, event[:]); n == 0 {
		return
	}
	u.mutex.Lock()
	ways := u.newImpairments
	u.newImpairments = nil
	u.mutex.Unlock()
	if ways != nil {
		u.scheduler.setPeers(ways)
	}
}
