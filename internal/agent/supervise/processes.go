package supervise

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// passInterval is the time between two passes over all descendants.
	passInterval = 2 * time.Millisecond
	// signalTimeout bounds the time in which all threads must stop, or continue, after the signal.
	signalTimeout = time.Second
	// killTimeout bounds the time in which all processes must end after SIGKILL. A system call that waits for a disk may delay it.
	killTimeout = 30 * time.Second
	// clockTick is the unit of CPU times in /proc: USER_HZ is 100 on all supported platforms.
	clockTick = 10 * time.Millisecond
	// maxPausedTime is the CPU time that a stopped process may seem to use between two readings, which are rounded.
	maxPausedTime = 2 * clockTick
)

// process is a process or thread as its stat file in /proc describes it.
type process struct {
	pid, parent         int
	state               string
	cpuTicks, startTick int
}

// String identifies the process beyond the reuse of its number.
func (p process) String() string {
	return fmt.Sprintf("pid %d, started at tick %d", p.pid, p.startTick)
}

// readStat reads the process with that number. It returns false if there is none.
func readStat(pid int) (process, bool) { return readStatFile(fmt.Sprintf("/proc/%d/stat", pid)) }

func readStatFile(file string) (process, bool) {
	content, err := os.ReadFile(file)
	text := string(content)
	// The name, in parentheses, may contain spaces and parentheses.
	fields := strings.Fields(text[strings.LastIndex(text, ")")+1:])
	if err != nil || len(fields) < 20 {
		return process{}, false
	}
	number := func(s string) int { n, _ := strconv.Atoi(s); return n } // The kernel writes numbers.
	pid, _, _ := strings.Cut(text, " ")
	return process{pid: number(pid), state: fields[0], parent: number(fields[1]),
		cpuTicks: number(fields[11]) + number(fields[12]), startTick: number(fields[19])}, true
}

// readStats reads the processes or threads below a folder, without those that end meanwhile.
func readStats(folder string) []process {
	entries, _ := os.ReadDir(folder) // Entries that were read before an error are of use.
	var all []process
	for _, e := range entries {
		if e.Name()[0] < '0' || e.Name()[0] > '9' {
			continue
		}
		if p, ok := readStatFile(folder + "/" + e.Name() + "/stat"); ok {
			all = append(all, p)
		}
	}
	return all
}

// listDescendants returns all descendants of this process. Orphans are among them, because this process is their reaper.
func listDescendants() []process {
	children := map[int][]process{}
	for _, p := range readStats("/proc") {
		children[p.parent] = append(children[p.parent], p)
	}
	found := children[os.Getpid()]
	for i := 0; i < len(found); i++ {
		found = append(found, children[found[i].pid]...)
	}
	return found
}

// signalDescendants sends a signal to all descendants. It fails if one may not be signaled.
func signalDescendants(s syscall.Signal) error {
	var failed error
	for _, p := range listDescendants() {
		if err := syscall.Kill(p.pid, s); err != nil && !errors.Is(err, syscall.ESRCH) {
			failed = fmt.Errorf("signal process %d: %w", p.pid, err)
		}
	}
	return failed
}

// snapshot describes all descendants of this process at one time, without those that have ended.
type snapshot struct {
	// cpuTicks is the CPU time by process.
	cpuTicks map[int]int
	threads  int
	// stopped counts the threads that a signal has stopped. The blocked ones are in a system call that signals do not interrupt, so
	// they run no instruction of the program before they stop too.
	stopped, blocked int
	// active is a process with a thread that is neither stopped nor blocked, or 0.
	active int
}

func takeSnapshot() snapshot {
	s := snapshot{cpuTicks: map[int]int{}}
	for _, p := range listDescendants() {
		for _, thread := range readStats(fmt.Sprintf("/proc/%d/task", p.pid)) {
			switch thread.state {
			case "Z", "X":
				continue
			case "T":
				s.stopped++
			case "D":
				s.blocked++
			default:
				s.active = p.pid
			}
			s.threads++
			s.cpuTicks[p.pid] = p.cpuTicks
		}
	}
	return s
}

// describeThreads returns how many threads and processes there are.
func (s snapshot) describeThreads() string {
	return fmt.Sprintf("%d threads in %d processes", s.threads, len(s.cpuTicks))
}

// describeStopped returns how many threads are stopped.
func (s snapshot) describeStopped() string {
	return fmt.Sprintf("%d of %d threads stopped", s.stopped, s.threads)
}

// checkPaused fails if a process has run since base. It returns the CPU time of all processes since then.
func (s snapshot) checkPaused(base snapshot) (time.Duration, error) {
	if s.active != 0 {
		return 0, fmt.Errorf("process %d was not stopped", s.active)
	}
	var all time.Duration
	for pid, ticks := range s.cpuTicks {
		used := time.Duration(ticks-base.cpuTicks[pid]) * clockTick
		if used > maxPausedTime {
			return 0, fmt.Errorf("process %d was not stopped and used %v of CPU time", pid, used)
		}
		all += used
	}
	return all, nil
}

// signalUntil sends a signal to all descendants until their state is as wanted. It repeats the signal, because a process may fork
// while it is being stopped.
func signalUntil(wanted func(snapshot) bool, sent syscall.Signal) (snapshot, error) {
	for deadline := time.Now().Add(signalTimeout); ; {
		failed := signalDescendants(sent)
		time.Sleep(passInterval)
		s := takeSnapshot()
		if wanted(s) {
			return s, nil
		}
		if time.Now().After(deadline) {
			return s, cmp.Or(failed, fmt.Errorf("%s %v after %s", s.describeStopped(), signalTimeout, unix.SignalName(sent)))
		}
	}
}

// killDescendants kills all descendants until childless is closed, which proves that none is left: this process is the reaper of
// orphans. It repeats the signal, because a process may fork before it ends.
func killDescendants(childless <-chan struct{}) error {
	for deadline := time.Now().Add(killTimeout); time.Now().Before(deadline); {
		_ = signalDescendants(syscall.SIGKILL) // The deadline shows a failure.
		select {
		case <-childless:
			return nil
		case <-time.After(passInterval):
		}
	}
	return fmt.Errorf("%d processes survived SIGKILL for %v", len(listDescendants()), killTimeout)
}
