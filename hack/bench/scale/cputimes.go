package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/procfs"
)

// cpuTimes holds the CPU time of each process of the measurement, by program: this one and its children. It depends
// less on what else the machine does than the elapsed time.
type cpuTimes map[string]time.Duration

func readCPUTimes() (cpuTimes, error) {
	processes, err := procfs.AllProcs()
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	times := cpuTimes{}
	for _, p := range processes {
		stat, err := p.Stat()
		if err == nil && (stat.PID == os.Getpid() || stat.PPID == os.Getpid()) { // An error means that the process has ended.
			times[stat.Comm] += time.Duration(stat.CPUTime() * float64(time.Second))
		}
	}
	return times, nil
}

// subtractEarlier returns the CPU times between an earlier reading and this one.
func (t cpuTimes) subtractEarlier(before cpuTimes) cpuTimes {
	left := cpuTimes{}
	for program, time := range t {
		left[program] = time - before[program]
	}
	return left
}

// String returns the total and the time of each program in alphabetical order.
func (t cpuTimes) String() string {
	var total time.Duration
	var parts []string
	for _, program := range slices.Sorted(maps.Keys(t)) {
		total += t[program]
		parts = append(parts, program+" "+formatSeconds(t[program]))
	}
	return formatSeconds(total) + ": " + strings.Join(parts, ", ")
}
