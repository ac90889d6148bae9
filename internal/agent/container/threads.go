package container

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// BusiestThreadShare is the metric of the busiest thread, which limits a program that cannot use a second core.
const BusiestThreadShare = "benchnet_container_busiest_thread_cores"

// threadMetrics lists all metrics that a ThreadSampler can return.
var threadMetrics = Catalogue{
	{Name: BusiestThreadShare, Kind: Gauge, Help: "Share of one core that the busiest thread of the container used over the last interval of 5 s."},
}

// threadInterval bounds the cost: reading the 300 threads of a JVM takes some milliseconds of CPU.
const threadInterval = 5 * time.Second

// ThreadSampler reads the CPU time of all threads below Root, at most once per interval. It is safe for concurrent use.
type ThreadSampler struct {
	// Root is "/" except in tests.
	Root string

	lock   sync.Mutex
	readAt time.Time
	// used holds the CPU time of each thread at readAt, by file.
	used map[string]time.Duration
	// busiest is the share of one core of the busiest thread over the last interval, if known.
	busiest float64
	known   bool
}

// Read returns the metric of the last complete interval, or nil before its end.
func (s *ThreadSampler) Read(now time.Time) []Metric {
	s.lock.Lock()
	defer s.lock.Unlock()
	if passed := now.Sub(s.readAt); s.used == nil || passed >= threadInterval {
		s.updateBusiest(now, passed)
	}
	if !s.known {
		return nil
	}
	return []Metric{threadMetrics.WithValue(BusiestThreadShare, s.busiest)}
}

func (s *ThreadSampler) updateBusiest(now time.Time, passed time.Duration) {
	used := readThreads(s.Root)
	if s.used != nil {
		var most time.Duration
		for file, after := range used {
			most = max(most, after-s.used[file]) // Negative if another thread has got the number.
		}
		s.busiest, s.known = most.Seconds()/passed.Seconds(), len(used) > 0
	}
	s.readAt, s.used = now, used
}

// readThreads returns the CPU time of each thread by its file. It skips threads that end meanwhile. Of the files with
// that time, schedstat costs the kernel the least.
func readThreads(root string) map[string]time.Duration {
	all := map[string]time.Duration{}
	buffer := make([]byte, 128)
	proc := filepath.Join(root, "proc")
	for _, pid := range readNames(proc) {
		if pid[0] < '0' || pid[0] > '9' {
			continue
		}
		tasks := proc + "/" + pid + "/task"
		for _, tid := range readNames(tasks) {
			file := tasks + "/" + tid + "/schedstat"
			if used, ok := readRunTime(file, buffer); ok {
				all[file] = used
			}
		}
	}
	return all
}

// readNames returns the names in a folder, or none if it cannot be read.
func readNames(folder string) []string {
	f, err := os.Open(folder)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(-1) // Names that were read before an error are of use.
	return names
}

// readRunTime returns the first number of a schedstat file: the time on a CPU in nanoseconds. It reads without the
// runtime's poller, which would double the cost.
func readRunTime(file string, buffer []byte) (time.Duration, bool) {
	fd, err := unix.Open(file, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, false
	}
	n, err := unix.Read(fd, buffer)
	_ = unix.Close(fd) // Nothing was written.
	if err != nil || n <= 0 {
		return 0, false
	}
	first, _, _ := strings.Cut(string(buffer[:n]), " ")
	nanos, err := strconv.ParseInt(first, 10, 64)
	return time.Duration(nanos), err == nil
}
