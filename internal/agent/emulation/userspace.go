package emulation

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

	"golang.org/x/sys/unix"

	"github.com/benchnet/benchnet/internal/emulation"
)

// userSpace holds packets in a netfilter queue of the receiver.
type userSpace struct {
	queue  *queue
	rules  *rules
	holder *holder
	// wake is written to when there are other ways.
	wake int
	// ways are new ones, until the loop takes them over.
	mutex    sync.Mutex
	ways     map[netip.Addr]emulation.Way
	counters counters
	began    time.Time
	// late is how long after its instant this thread usually wakes up.
	late time.Duration
}

const (
	// latest is the longest that a wake-up is taken to be late: one that waited for a core says nothing of the next.
	latest = 200 * time.Microsecond
	// oldest is the longest that a packet is taken to have waited for this process; more is a clock that was set.
	oldest = 50 * time.Millisecond
)

// counters of packets by what became of them.
type counters struct {
	held, lost, dropped atomic.Int64
}

func newUserSpace(p pieces, seed uint64) (*userSpace, error) {
	wake, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("make an event: %w", err)
	}
	queue, err := openQueue(p)
	if err != nil {
		return nil, err
	}
	rules, err := addRules()
	if err != nil {
		queue.close()
		return nil, err
	}
	return &userSpace{queue: queue, rules: rules, holder: newHolder(seed), wake: wake, began: time.Now()}, nil
}

func (*userSpace) name() emulation.Mechanism { return emulation.UserSpace }

// set replaces the peers. The holder knows a new one before the kernel queues its packets.
func (u *userSpace) set(ways map[netip.Addr]emulation.Way) error {
	u.mutex.Lock()
	u.ways = maps.Clone(ways)
	u.mutex.Unlock()
	if _, err := unix.Write(u.wake, []byte{1, 0, 0, 0, 0, 0, 0, 0}); err != nil {
		return fmt.Errorf("tell of other peers: %w", err)
	}
	return u.rules.set(slices.Collect(maps.Keys(ways)))
}

func (u *userSpace) counts() *counters { return &u.counters }

// run passes packets on until the context ends. It keeps a thread of its own, whose timers are exact to the microsecond: Go's
// wait in whole milliseconds when nothing else runs.
func (u *userSpace) run(ctx context.Context) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer u.queue.close() // What is held then goes, and what arrives passes.
	if err := unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("ask for exact timers: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _, _ = unix.Write(u.wake, []byte{1, 0, 0, 0, 0, 0, 0, 0}) })
	defer stop()
	for ctx.Err() == nil {
		if err := u.turn(); err != nil {
			return err
		}
	}
	return nil
}

// turn lets go what is due, waits for packets or until the next one is due, and takes in what came.
func (u *userSpace) turn() error {
	var failed error
	judge := func(id, verdict uint32) { failed = errors.Join(failed, u.queue.judge(id, verdict)) }
	next, more := u.holder.release(time.Since(u.began), func(id uint32) { judge(id, verdictAccept) })
	if err := errors.Join(failed, u.queue.flush()); err != nil {
		return err
	}
	if err := u.wait(next, more); err != nil {
		return err
	}
	u.takeOver()
	err := u.queue.read(func(a arrival) {
		switch u.holder.arrive(a.from, a.id, a.bytes, u.arrived(a)) {
		case held:
			u.counters.held.Add(1)
		case passed:
			judge(a.id, verdictAccept)
		case lost:
			u.counters.lost.Add(1)
			judge(a.id, verdictDrop)
		case dropped:
			u.counters.dropped.Add(1)
			judge(a.id, verdictDrop)
		}
	})
	return errors.Join(err, failed, u.queue.flush())
}

// wait for packets, or until the next one held is due if there is one. It asks to be woken as much earlier as it is usually
// woken late, and spends in vain what it wakes too early.
func (u *userSpace) wait(next time.Duration, more bool) error {
	if !more {
		return u.queue.wait(-1, u.wake)
	}
	asked := max(0, next-u.late-time.Since(u.began))
	target := time.Since(u.began) + asked
	if err := u.queue.wait(asked, u.wake); err != nil {
		return err
	}
	if over := time.Since(u.began) - target; asked > 0 && over >= 0 {
		u.late += (min(over, latest) - u.late) / 16
	}
	return nil
}

// arrived is when a packet did, by the kernel's clock where it noted it.
func (u *userSpace) arrived(a arrival) time.Duration {
	now := time.Now()
	ago := time.Duration(now.UnixMicro()-a.micros) * time.Microsecond
	if ago < 0 || ago > oldest {
		ago = 0
	}
	return now.Sub(u.began) - ago
}

// takeOver gives the holder the ways that were set last.
func (u *userSpace) takeOver() {
	var event [8]byte
	if n, _ := unix.Read(u.wake, event[:]); n == 0 {
		return
	}
	u.mutex.Lock()
	ways := u.ways
	u.ways = nil
	u.mutex.Unlock()
	if ways != nil {
		u.holder.set(ways)
	}
}
