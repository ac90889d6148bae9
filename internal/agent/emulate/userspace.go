package emulate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
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

// packetQueue is where packets of peers enter a netfilter queue.
type packetQueue struct {
	table  string
	number uint16
	// rule lacks its action.
	rule peerRule
}

// regionQueue is the queue of the emulation of regions. Its rule is on the receiver: a sender's TCP would count held packets as its own
// full queue and slow down.
var regionQueue = packetQueue{table: latencyTable, number: queueNumber,
	rule: peerRule{chain: "arrivals", hook: nftables.ChainHookPrerouting, priority: nftables.ChainPriorityMangle}}

// userSpaceBackend holds packets in a netfilter queue.
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

func newUserSpaceBackend(at packetQueue, p segmentSize, seed uint64) (*userSpaceBackend, error) {
	wake, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("create an event descriptor: %w", err)
	}
	queue, err := openNetfilterQueue(at, p)
	if err != nil {
		_ = unix.Close(wake)
		return nil, err
	}
	rules, err := addQueueRules(at)
	if err != nil {
		_ = unix.Close(wake)
		queue.closeSocket()
		return nil, err
	}
	u := &userSpaceBackend{queue: queue, rules: rules, scheduler: newPacketScheduler(seed), wakeFD: wake, startedAt: time.Now()}
	runtime.AddCleanup(u, func(fd int) { _ = unix.Close(fd) }, wake) // Its users end at different times.
	return u, nil
}

// addQueueRules sends the packets of peers to the queue, or lets them pass while nothing reads it.
func addQueueRules(at packetQueue) (*netfilterRules, error) {
	return addNetfilterRules(at.table, expr.Queue{Num: at.number, Flag: expr.QueueFlagBypass}, func(toQueue expr.Any) []peerRule {
		rule := at.rule
		rule.actions = []expr.Any{toQueue}
		return []peerRule{rule}
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

// runUntilCancelled processes packets until ctx ends, and then releases the held ones. It locks its thread, whose timers are exact to the
// microsecond; the Go runtime waits in whole milliseconds when it is otherwise idle.
func (u *userSpaceBackend) runUntilCancelled(ctx context.Context) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer u.queue.closeSocket() // Closing lets new packets pass, and drops those that are held after an error.
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
	_, _, err := u.releaseDue(math.MaxInt64)
	return err
}

// releaseDue lets the packets pass that are due at now. It returns when the next packet is due, or false if none is held.
func (u *userSpaceBackend) releaseDue(now time.Duration) (next time.Duration, more bool, err error) {
	next, more = u.scheduler.releaseDue(now, func(id uint32) { err = errors.Join(err, u.queue.addVerdict(id, verdictAccept)) })
	return next, more, errors.Join(err, u.queue.flushVerdicts())
}

// processOnce releases due packets, waits for packets or for the next due time, and schedules the packets that arrived.
func (u *userSpaceBackend) processOnce() error {
	next, more, err := u.releaseDue(time.Since(u.startedAt))
	if err != nil {
		return err
	}
	if err := u.waitUntilDue(next, more); err != nil {
		return err
	}
	u.applyNewPeers()
	var failed error
	judge := func(id, verdict uint32) { failed = errors.Join(failed, u.queue.addVerdict(id, verdict)) }
	err = u.queue.readPackets(func(a queuedPacket) {
		switch u.scheduler.schedulePacket(a.peer, a.id, a.bytes, u.arrivalTime(a)) {
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
	if ago < 0 || ago > maxPacketAge || u.queue.number != queueNumber { // Packets wait in the queue of regions before others.
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
