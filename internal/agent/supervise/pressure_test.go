package supervise

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/benchnet/benchnet/internal/agent/container"
	"github.com/benchnet/benchnet/internal/agent/faults"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

const mib = 1 << 20

// fakeContainer has limits, 0 for none. Its command uses commandSet bytes, and each of its CPU periods is throttled.
type fakeContainer struct {
	cpus, memory float64
	commandSet   atomic.Int64
	// base is what this process had resident before.
	base  int64
	reads uint64
	err   error
}

func newFakeContainer(cpus, memory float64, commandSet int64) *fakeContainer {
	c := &fakeContainer{cpus: cpus, memory: memory, base: residentBytes()}
	c.commandSet.Store(commandSet)
	return c
}

// residentBytes returns how much memory of this process is resident.
func residentBytes() int64 {
	content, _ := os.ReadFile("/proc/self/statm")
	pages, _ := strconv.ParseInt(strings.Fields(string(content))[1], 10, 64) // The kernel writes numbers.
	return pages * int64(os.Getpagesize())
}

func (c *fakeContainer) Read() (container.Usage, error) {
	c.reads += 10
	return container.Usage{Periods: c.reads, ThrottledPeriods: c.reads, WorkingSet: uint64(c.commandSet.Load() + max(0, residentBytes()-c.base))}, c.err
}

func (c *fakeContainer) ReadEvidence() []container.Metric {
	var all []container.Metric
	for name, limit := range map[string]float64{container.CPULimit: c.cpus, container.MemoryLimit: c.memory} {
		if limit > 0 {
			all = append(all, container.Metric{Name: name, Value: limit})
		}
	}
	return all
}

func (c *fakeContainer) open(string) (container.Reader, error) { return c, nil }

// newPressureFault returns a fault of an idle command.
func newPressureFault(t *testing.T, asked measurement.PressureFault, seconds int, c *fakeContainer) *fault {
	t.Helper()
	p, err := openPressure(asked, c.open)
	if err != nil {
		t.Fatal(err)
	}
	return &fault{Request: &faults.Request{Fault: measurement.Fault{DurationSeconds: seconds}, Received: time.Now()},
		command: &Command{stopping: make(chan struct{}), stopSignal: 15, ended: make(chan struct{})}, pressure: p}
}

func TestPressureIsRefused(t *testing.T) {
	cpu, memory := measurement.PressureFault{CPUPercent: 50}, measurement.PressureFault{MemoryHeadroomBytes: 64 * mib}
	for name, c := range map[string]struct {
		asked     measurement.PressureFault
		container *fakeContainer
		want      string
	}{
		"no CPU limit":               {cpu, newFakeContainer(0, 512*mib, 0), "the container has no CPU limit"},
		"no memory limit":            {memory, newFakeContainer(1, 0, 0), "the container has no memory limit"},
		"no room":                    {memory, newFakeContainer(1, 512*mib, 449*mib), "the working set of 4[45]. MiB leaves less than 64 MiB of the limit of 512 MiB"},
		"a limit of the headroom":    {memory, newFakeContainer(1, 64*mib, 1), `the working set of \d MiB leaves less than 64 MiB of the limit of 64 MiB`},
		"unreadable":                 {cpu, &fakeContainer{cpus: 1, err: errors.New("no such file")}, "no such file"},
		"CPU without a memory limit": {cpu, newFakeContainer(1, 0, 0), ""},
		"memory without a CPU limit": {memory, newFakeContainer(0, 512*mib, 400*mib), ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := openPressure(c.asked, c.container.open)
			got := ""
			if err != nil {
				got = err.Error()
			}
			assertMatch(t, "error", c.want, got)
		})
	}
}

func TestProveCPU(t *testing.T) {
	for name, c := range map[string]struct {
		taken              float64
		throttled, periods uint64
		want               string
	}{
		"enough":             {8, 0, 100, ""},
		"enough, no periods": {8, 0, 0, ""},
		"at the limit":       {3, 50, 100, ""},
		"too little":         {7.9, 49, 100, "7.90 s of CPU time taken instead of 10.00 s, and only 49 of 100 CPU periods throttled"},
		"unknown periods":    {3, 0, 0, "3.00 s of CPU time taken instead of 10.00 s, and only 0 of 0 CPU periods throttled"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			if err := proveCPU(c.taken, 10, c.throttled, c.periods); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("error %q, want %q", got, c.want)
			}
		})
	}
}

func TestCheckWorkingSet(t *testing.T) {
	for name, c := range map[string]struct {
		limit, wanted int64
		set           uint64
		want          string
	}{
		"as wanted":          {1000, 900, 900, ""},
		"5 % more":           {1000, 900, 950, ""},
		"5 % less":           {1000, 900, 850, ""},
		"too much":           {1000, 900, 951, "the working set was 951 MiB instead of 900 MiB at second 7"},
		"too little":         {1000, 900, 849, "the working set was 849 MiB instead of 900 MiB at second 7"},
		"16 MiB":             {100, 30, 46, ""},
		"more than 16 MiB":   {100, 30, 47, "the working set was 47 MiB instead of 30 MiB at second 7"},
		"no fault of memory": {1000, 0, 5, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p, got := pressure{memoryLimit: c.limit * mib, wantedSet: c.wanted * mib}, ""
			if err := p.checkWorkingSet(pressureReading{Usage: container.Usage{WorkingSet: c.set * mib}}, 7*time.Second); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("error %q, want %q", got, c.want)
			}
		})
	}
}

// TestPressCPU checks that the agent answers while threads use all of the limit, also if it had a single processor before.
func TestPressCPU(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	f := newPressureFault(t, measurement.PressureFault{CPUPercent: 75}, 1, newFakeContainer(2, 0, 0))
	done := make(chan error)
	go func() { done <- f.pressContainer(t.Context()) }()
	answers := 0
	for ended := false; !ended; time.Sleep(10 * time.Millisecond) {
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
			ended = true
		default:
			response, err := server.Client().Get(server.URL)
			if err != nil {
				t.Fatal(err)
			}
			response.Body.Close()
			answers++
		}
	}
	if answers < 5 || runtime.GOMAXPROCS(0) != 1 {
		t.Errorf("%d answers, %d processors", answers, runtime.GOMAXPROCS(0))
	}
	assertMatch(t, "before", `the command used 0\.00 of 2\.00 CPUs; working set \d+ of 0 MiB`, f.effect.Before)
	assertMatch(t, "during", `(0\.[1-9]\d|1\.\d\d) s of CPU time taken, (\d+) of \d+ CPU periods throttled, the command used 0\.00 CPUs; up to 0 MiB taken, .*`, f.effect.During)
	assertMatch(t, "after", `the agent used \d+ ms of CPU time in [5-9]\d\d ms; working set \d+ MiB`, f.effect.After)
	if lasted := f.effect.Healed.FromSeconds - f.effect.Injected.FromSeconds; lasted < 1 || lasted > 1.5 {
		t.Errorf("lasted %v s", lasted)
	}
}

// TestHoldMemory takes real memory of this process in a container of 200 MiB, whose command changes its own use after half a second.
func TestHoldMemory(t *testing.T) {
	for name, c := range map[string]struct {
		commandSet int64
		during     string
		problem    string
		leastHeld  int
	}{
		"an idle command":                   {40 * mib, `.* up to (8|9)\d MiB taken, working set 1[23]\d to 1[23]\d MiB`, "", 80 * mib},
		"a command that grows":              {100 * mib, `.* up to (8|9)\d MiB taken, working set 1[23]\d to 1[34]\d MiB`, "", 16 * mib},
		"a command that outgrows the agent": {170 * mib, "", "the working set was 1[78]. MiB instead of 136 MiB at second 2", 0},
		"a command that frees":              {8 * mib, `.* up to 1[12]\d MiB taken, working set 1[23]\d to 1[23]\d MiB`, "", 112 * mib},
	} {
		t.Run(name, func(t *testing.T) {
			fake := newFakeContainer(0, 200*mib, 40*mib)
			f := newPressureFault(t, measurement.PressureFault{MemoryHeadroomBytes: 64 * mib}, 3, fake)
			change := time.AfterFunc(500*time.Millisecond, func() { fake.commandSet.Store(c.commandSet) })
			defer change.Stop()
			problem := ""
			if err := f.pressContainer(t.Context()); err != nil {
				problem = err.Error()
			}
			assertMatch(t, "problem", c.problem, problem)
			assertMatch(t, "during", c.during, f.effect.During)
			if held := f.pressure.held; held < c.leastHeld || held > c.leastHeld+24*mib {
				t.Errorf("held %d MiB at the end", held/mib)
			}
			if left := residentBytes() - fake.base; left > 16*mib {
				t.Errorf("%d MiB are left", left/mib)
			}
		})
	}
}

// TestPressureEnds checks that the pressure ends before its time if the caller disconnects, or the container is stopped.
func TestPressureEnds(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(f *fault, cancel func())
		want string
	}{
		"the caller disconnects":   {func(_ *fault, cancel func()) { cancel() }, "the caller disconnected"},
		"the container is stopped": {func(f *fault, _ func()) { close(f.command.stopping) }, "the agent received SIGTERM"},
		"the command ends":         {func(f *fault, _ func()) { close(f.command.ended) }, "the command has ended"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			processors, fake := runtime.GOMAXPROCS(0), newFakeContainer(0.5, 128*mib, 8*mib)
			f := newPressureFault(t, measurement.PressureFault{CPUPercent: 20, MemoryHeadroomBytes: 64 * mib}, 60, fake)
			time.AfterFunc(300*time.Millisecond, func() { c.end(f, cancel) })
			began := time.Now()
			if err := f.pressContainer(ctx); err == nil || err.Error() != c.want {
				t.Errorf("error %v, want %s", err, c.want)
			}
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("took %v", took)
			}
			if left := residentBytes() - fake.base; left > 16*mib || runtime.GOMAXPROCS(0) != processors {
				t.Errorf("%d MiB are left, %d processors", left/mib, runtime.GOMAXPROCS(0))
			}
		})
	}
}

// newControlGroups creates a control group of each controller with half a core and 256 MiB, and returns their folders.
func newControlGroups(t *testing.T) []string {
	t.Helper()
	limits := map[string]map[string]string{"cpu": {"cpu.cfs_quota_us": "50000"}, "cpuacct": nil, "memory": {"memory.limit_in_bytes": strconv.Itoa(256 * mib)}}
	if _, err := os.Stat("/sys/fs/cgroup/cgroup.controllers"); err == nil { // Version 2.
		limits = map[string]map[string]string{"": {"cpu.max": "50000 100000", "memory.max": strconv.Itoa(256 * mib)}}
	}
	memberships, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		t.Skip(err)
	}
	var folders []string
	for line := range strings.Lines(string(memberships)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		for controller := range strings.SplitSeq(fields[1], ",") {
			files, found := limits[controller]
			if !found {
				continue
			}
			if controller == "" {
				fields[2] = "" // A group of version 2 has either processes or groups with controllers, except the root.
			}
			folder := filepath.Join("/sys/fs/cgroup", controller, fields[2], fmt.Sprintf("benchnet-test-%d", os.Getpid()))
			if err := os.Mkdir(folder, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
				t.Skip(err)
			}
			t.Cleanup(func() { removeControlGroup(t, folder) })
			for file, limit := range files {
				writeFile(t, filepath.Join(folder, file), limit)
			}
			folders = append(folders, folder)
		}
	}
	if len(folders) < len(limits) {
		t.Skip("there are no control groups here")
	}
	return folders
}

// removeControlGroup waits until no process is left, as the kernel demands.
func removeControlGroup(t *testing.T, folder string) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		err := os.Remove(folder)
		if err == nil || errors.Is(err, os.ErrNotExist) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

func writeFile(t *testing.T, file, content string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestPressureOfContainer checks and injects both kinds of pressure in control groups of the kernel.
func TestPressureOfContainer(t *testing.T) {
	groups := newControlGroups(t)
	s := startFaultySupervisor(t, "sh", "-c", busyScript)
	for _, group := range groups {
		for _, pid := range []int{s.Process.Pid, s.pid, s.child} {
			writeFile(t, filepath.Join(group, "cgroup.procs"), strconv.Itoa(pid))
		}
	}
	both := measurement.Fault{Type: measurement.FaultPressure, DurationSeconds: 3,
		Pressure: measurement.PressureFault{CPUPercent: 100, MemoryHeadroomBytes: 64 * mib}}
	tooMuch := both
	tooMuch.Pressure.MemoryHeadroomBytes = 256 * mib
	send := func(method string, f measurement.Fault) measurement.FaultEffect {
		effect, err := faults.Send(t.Context(), method, s.url, "", f, time.Second, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %+v", method, effect)
		return effect
	}
	assertMatch(t, "problem", "the working set of .* leaves less than 256 MiB of the limit of 256 MiB", send(http.MethodGet, tooMuch).Problem)
	assertMatch(t, "problem", "", send(http.MethodGet, both).Problem)
	effect := send(http.MethodPost, both)
	assertMatch(t, "problem", "", effect.Problem)
	assertMatch(t, "before", `the command used 0\.\d\d of 0\.50 CPUs; working set \d+ of 256 MiB`, effect.Before)
	assertMatch(t, "during", `[01]\.\d\d s of CPU time taken, \d+ of \d+ CPU periods throttled, the command used 0\.\d\d CPUs; up to 1\d\d MiB taken, working set 1[789]\d to 1[789]\d MiB`,
		effect.During)
	assertMatch(t, "after", `the agent used \d+ ms of CPU time in [5-9]\d\d ms; working set \d\d? MiB`, effect.After)
}
