package supervise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/benchnet/benchnet/internal/agent/container"
	"github.com/benchnet/benchnet/internal/agent/observe"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

const (
	// cpuSlot is the period in which a thread uses its share of a CPU and sleeps for the rest.
	cpuSlot = 10 * time.Millisecond
	// memoryChunk is how much memory is taken or released between two readings, until the working set is as wanted after settleTime.
	memoryChunk = 4 << 20
	settleTime  = 2 * time.Second
	// afterPressure is the time in which the agent's own use shows that the pressure has ended. The next fault is requested after 1 s.
	afterPressure = 500 * time.Millisecond
)

// pressure takes CPU or memory of the agent's own container.
type pressure struct {
	reader container.Reader
	// cpuLimit is the limit of the container in cores, and cpus is how many the agent uses.
	cpuLimit, cpus float64
	// memoryLimit is the limit of the container in bytes. wantedSet is the working set that leaves the headroom; 0 without pressure on memory.
	memoryLimit, wantedSet int64
	// requested is the reading at the request, readErr the first error of read.
	requested pressureReading
	readErr   error
	// memory is mapped, and the agent holds the first bytes of it, at most mostHeld.
	memory         []byte
	held, mostHeld int
	// leastSet and mostSet are the range of the working sets that were checked.
	leastSet, mostSet uint64
}

// pressureReading is what the container and its agent have used until an instant.
type pressureReading struct {
	container.Usage
	at    time.Time
	agent time.Duration
}

// openPressure returns the pressure of a fault on the container. It fails without the limit that the fault needs, or without memory to take.
func openPressure(asked measurement.PressureFault, open func(root string) (container.Reader, error)) (*pressure, error) {
	reader, err := open("/")
	if err != nil {
		return nil, err
	}
	p := &pressure{reader: reader, leastSet: math.MaxUint64}
	for _, m := range reader.ReadEvidence() {
		switch m.Name {
		case container.CPULimit:
			p.cpuLimit, p.cpus = m.Value, m.Value*float64(asked.CPUPercent)/100
		case container.MemoryLimit:
			p.memoryLimit = int64(m.Value)
		}
	}
	p.requested = p.read()
	if asked.CPUPercent > 0 && p.cpuLimit == 0 {
		return nil, errors.New("the container has no CPU limit")
	}
	if headroom := asked.MemoryHeadroomBytes; headroom > 0 {
		p.wantedSet = p.memoryLimit - headroom
		switch set := p.requested.WorkingSet; {
		case p.memoryLimit == 0:
			return nil, errors.New("the container has no memory limit")
		case int64(set) > p.wantedSet:
			return nil, fmt.Errorf("the working set of %d MiB leaves less than %d MiB of the limit of %d MiB", set>>20, headroom>>20, p.memoryLimit>>20)
		}
	}
	return p, p.readErr
}

// read returns a reading. Its first error is kept in readErr.
func (p *pressure) read() pressureReading {
	used, err := p.reader.Read()
	p.readErr = cmp.Or(p.readErr, err)
	return pressureReading{used, time.Now(), readCPUTime(unix.CLOCK_PROCESS_CPUTIME_ID)}
}

// readCPUTime returns the CPU time of this process or thread.
func readCPUTime(clock int32) time.Duration {
	var used unix.Timespec
	_ = unix.ClockGettime(clock, &used) // The kernel has both clocks.
	return time.Duration(used.Nano())
}

// commandCPUs returns how many CPUs all processes but the agent have used since an earlier reading.
func (r pressureReading) commandCPUs(since pressureReading) float64 {
	return max(0, (r.CPU-r.agent-since.CPU+since.agent).Seconds()/r.at.Sub(since.at).Seconds())
}

// pressContainer puts the container under pressure for the duration.
func (f *fault) pressContainer(ctx context.Context) error {
	p, before := f.pressure, f.pressure.read()
	f.effect.Before = fmt.Sprintf("the command used %.2f of %.2f CPUs; working set %d of %d MiB",
		before.commandCPUs(p.requested), p.cpuLimit, before.WorkingSet>>20, p.memoryLimit>>20)
	began := time.Now()
	endCPU := p.startCPU(ctx)
	f.effect.Injected = f.BracketSince(began)
	during, err := f.holdMemory(ctx, began)
	taken := endCPU()
	f.effect.Healed = f.BracketSince(during.at)
	_ = f.waitUntil(ctx, time.Now().Add(afterPressure)) // The pressure has ended in any case.
	after := p.read()
	if err := cmp.Or(err, p.readErr); err != nil {
		return err
	}
	periods, throttled := during.Periods-before.Periods, during.ThrottledPeriods-before.ThrottledPeriods
	f.effect.During = fmt.Sprintf("%.2f s of CPU time taken, %d of %d CPU periods throttled, the command used %.2f CPUs; "+
		"up to %d MiB taken, working set %d to %d MiB", taken.Seconds(), throttled, periods, during.commandCPUs(before),
		p.mostHeld>>20, p.leastSet>>20, p.mostSet>>20)
	f.effect.After = fmt.Sprintf("the agent used %d ms of CPU time in %d ms; working set %d MiB",
		(after.agent - during.agent).Milliseconds(), after.at.Sub(during.at).Milliseconds(), after.WorkingSet>>20)
	return proveCPU(taken.Seconds(), p.cpus*during.at.Sub(before.at).Seconds(), throttled, periods)
}

// proveCPU fails unless 80 % of the asked seconds of CPU time were taken, or half of the CPU periods were throttled: then the container was
// at its limit, and the command had to share it.
func proveCPU(taken, asked float64, throttled, periods uint64) error {
	if taken >= 0.8*asked || periods > 0 && 2*throttled >= periods {
		return nil
	}
	return fmt.Errorf("%.2f s of CPU time taken instead of %.2f s, and only %d of %d CPU periods throttled", taken, asked, throttled, periods)
}

// startCPU begins to use CPU. end ends it, as does the context, and returns the CPU time that was taken.
func (p *pressure) startCPU(ctx context.Context) (end func() time.Duration) {
	ctx, stop := context.WithCancel(ctx)
	var all sync.WaitGroup
	var taken atomic.Int64
	threads, processors := int(math.Ceil(p.cpus)), runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(processors + threads) // The agent must serve meanwhile.
	for range threads {
		all.Go(func() { taken.Add(int64(useCPU(ctx, p.cpus/float64(threads)))) })
	}
	return func() time.Duration {
		stop()
		all.Wait()
		runtime.GOMAXPROCS(processors)
		return time.Duration(taken.Load())
	}
}

// useCPU uses a share of a CPU until the context ends, and makes up for time in which it did not get it. It returns the CPU time.
func useCPU(ctx context.Context, share float64) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began, base := time.Now(), readCPUTime(unix.CLOCK_THREAD_CPUTIME_ID)
	for slot := cpuSlot; ctx.Err() == nil; slot += cpuSlot {
		for due := base + time.Duration(share*float64(slot)); readCPUTime(unix.CLOCK_THREAD_CPUTIME_ID) < due && ctx.Err() == nil; {
		}
		_ = observe.SleepUntil(ctx, began.Add(slot))
	}
	return readCPUTime(unix.CLOCK_THREAD_CPUTIME_ID) - base
}

// holdMemory holds the working set as wanted for the duration, and returns the last reading.
func (f *fault) holdMemory(ctx context.Context, began time.Time) (last pressureReading, err error) {
	p := f.pressure
	if p.wantedSet > 0 {
		p.memory, err = unix.Mmap(-1, 0, int(p.memoryLimit), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
		if err != nil {
			return p.read(), fmt.Errorf("map memory: %w", err)
		}
		defer func() { _ = unix.Munmap(p.memory) }() // It is mapped.
	}
	for at := checkInterval; err == nil && at <= f.Duration(); at += checkInterval {
		err = f.adjustMemory(ctx, began.Add(f.Duration()))
		err = cmp.Or(err, f.waitUntil(ctx, began.Add(at)))
		last = p.read()
		if err = cmp.Or(err, p.readErr); err == nil && at >= min(settleTime, f.Duration()) {
			err = p.checkWorkingSet(last, at)
		}
	}
	return last, err
}

// adjustMemory takes or releases memory until the working set is as wanted. The command may allocate or free some meanwhile.
func (f *fault) adjustMemory(ctx context.Context, end time.Time) error {
	for p := f.pressure; time.Now().Before(end); p.mostHeld = max(p.mostHeld, p.held) {
		if err := f.waitUntil(ctx, time.Now()); err != nil {
			return err
		}
		used, err := p.reader.Read()
		switch missing := p.wantedSet - int64(used.WorkingSet); {
		case err != nil:
			return err
		case missing >= memoryChunk && p.held+memoryChunk <= len(p.memory):
			for i := 0; i < memoryChunk; i += 4096 { // No page is smaller.
				p.memory[p.held+i] = 1 // The first write to a page allocates it.
			}
			p.held += memoryChunk
		case missing < 0 && p.held > 0:
			p.held -= memoryChunk
			_ = unix.Madvise(p.memory[p.held:p.held+memoryChunk], unix.MADV_DONTNEED) // It is mapped.
		default:
			return nil
		}
	}
	return nil
}

// checkWorkingSet fails if, at a time of a fault of memory, the working set is farther from the wanted one than 5 % of the limit and 16 MiB.
func (p *pressure) checkWorkingSet(r pressureReading, at time.Duration) error {
	p.leastSet, p.mostSet = min(p.leastSet, r.WorkingSet), max(p.mostSet, r.WorkingSet)
	off := int64(r.WorkingSet) - p.wantedSet
	if p.wantedSet > 0 && max(off, -off) > max(p.memoryLimit/20, 16<<20) {
		return fmt.Errorf("the working set was %d MiB instead of %d MiB at second %.0f", r.WorkingSet>>20, p.wantedSet>>20, at.Seconds())
	}
	return nil
}
