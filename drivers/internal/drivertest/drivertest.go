// Package drivertest runs a load driver in tests as the agent does, and checks its result.
package drivertest

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// Process is one worker of a driver, controlled by a test instead of the agent.
type Process struct {
	// Dir is the folder of the protocol's files.
	Dir     string
	t       *testing.T
	command *exec.Cmd
	output  bytes.Buffer
	ended   chan struct{}
}

// Start starts the worker with the given index and workload file by running program, with the protocol's files in a
// folder.
func Start(t *testing.T, program, dir string, index, workers int, orders map[string]any) *Process {
	t.Helper()
	p := &Process{t: t, Dir: dir, ended: make(chan struct{})}
	text, err := json.Marshal(orders)
	if err != nil {
		t.Fatal(err)
	}
	p.WriteFile("workload.json", text)
	p.command = exec.Command(program, "drive")
	p.command.Env = append(os.Environ(), protocol.DirVariable+"="+dir, protocol.WorkloadVariable+"="+filepath.Join(dir, "workload.json"),
		protocol.WorkerVariable+"="+strconv.Itoa(index), protocol.WorkersVariable+"="+strconv.Itoa(workers))
	p.command.Stdout, p.command.Stderr = &p.output, &p.output
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.command.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() {
		_ = p.command.Process.Kill()
		<-p.ended
		if t.Failed() {
			t.Logf("the driver said:\n%s", p.output.String())
		}
	})
	return p
}

// WriteFile writes a file of the protocol.
func (p *Process) WriteFile(name string, content []byte) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.Dir, name), content, 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// AwaitReady waits until the driver is set up.
func (p *Process) AwaitReady() *Process {
	p.t.Helper()
	deadline := time.Now().Add(10 * time.Minute)
	for {
		if _, err := os.Stat(filepath.Join(p.Dir, protocol.ReadyFile)); err == nil {
			return p
		}
		select {
		case <-p.ended:
			p.t.Fatalf("the driver ended before it was ready:\n%s", p.output.String())
		case <-time.After(10 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			p.t.Fatal("the driver does not become ready")
		}
	}
}

// ReleaseAt writes the start file, as the agent does.
func (p *Process) ReleaseAt(at time.Time) {
	p.t.Helper()
	p.WriteFile("start.new", []byte(strconv.FormatInt(at.UnixMilli(), 10)+"\n"))
	if err := os.Rename(filepath.Join(p.Dir, "start.new"), filepath.Join(p.Dir, protocol.StartFile)); err != nil {
		p.t.Fatal(err)
	}
}

// AwaitResult waits until the driver exits, and reads and checks its result as the agent does.
func (p *Process) AwaitResult() *measurement.WorkerResult {
	p.t.Helper()
	<-p.ended
	if code := p.command.ProcessState.ExitCode(); code != 0 {
		p.t.Fatalf("the driver exited with %d:\n%s", code, p.output.String())
	}
	content, err := os.ReadFile(filepath.Join(p.Dir, protocol.ResultFile))
	if err != nil {
		p.t.Fatal(err)
	}
	result, err := measurement.ParseWorkerResult(content)
	if err != nil {
		p.t.Fatal(err)
	}
	return result
}

// AwaitFailure waits until the driver exits without a result, and returns the line in the failure file.
func (p *Process) AwaitFailure() string {
	p.t.Helper()
	<-p.ended
	if code := p.command.ProcessState.ExitCode(); code != 1 {
		p.t.Errorf("the driver exited with %d, want 1", code)
	}
	line, err := os.ReadFile(filepath.Join(p.Dir, protocol.FailureFile))
	if err != nil {
		p.t.Fatal(err)
	}
	if strings.Count(string(line), "\n") != 1 {
		p.t.Errorf("the failure is not one line: %q", line)
	}
	return strings.TrimSpace(string(line))
}

// Output returns what the driver has written. Call it after the driver has ended.
func (p *Process) Output() string { return p.output.String() }

// Terminate sends the driver the signal of a container that is stopped.
func (p *Process) Terminate() {
	p.t.Helper()
	if err := p.command.Process.Signal(syscall.SIGTERM); err != nil {
		p.t.Fatal(err)
	}
}

// AssertSums checks that each operation of the window completed or failed exactly once.
func AssertSums(t *testing.T, r *measurement.WorkerResult, planned int64) {
	t.Helper()
	if r.Schedule.Planned != planned {
		t.Errorf("planned %d, want %d", r.Schedule.Planned, planned)
	}
	var failed int64
	for _, e := range r.Errors {
		failed += e.Count
	}
	if got := LatencyHistogram(t, r).Count() + failed; got != planned {
		t.Errorf("%d latencies and errors for %d operations; errors %+v", got, planned, r.Errors)
	}
	if r.Unit != "transactions" {
		t.Errorf("unit %q", r.Unit)
	}
}

// LatencyHistogram returns the latencies of a result.
func LatencyHistogram(t *testing.T, r *measurement.WorkerResult) *measurement.Histogram {
	t.Helper()
	m, err := measurement.Merge([]measurement.WorkerResult{*r})
	if err != nil {
		t.Fatal(err)
	}
	return m.Histogram
}

// ErrorCounts returns the number of errors of each kind.
func ErrorCounts(r *measurement.WorkerResult) map[string]int64 {
	counts := map[string]int64{}
	for _, e := range r.Errors {
		counts[e.Kind] = e.Count
	}
	return counts
}

// StalledService is the scenario of a service that stops to answer, which all drivers share.
type StalledService struct {
	Load, Measure map[string]any
	// Answered is the number of operations that are answered.
	Answered int64
	Expected struct{ Planned, Completed, Unfinished, ClientsBusy int64 }
}

// ReadStalledService reads the scenario from the folder of the drivers.
func ReadStalledService(t *testing.T, drivers string) StalledService {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(drivers, "testdata", "stalled-service.json"))
	if err != nil {
		t.Fatal(err)
	}
	var s StalledService
	if err := json.Unmarshal(content, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// AssertResult checks the result of the scenario.
func (s StalledService) AssertResult(t *testing.T, r *measurement.WorkerResult) {
	t.Helper()
	want := s.Expected
	AssertSums(t, r, want.Planned)
	if n := LatencyHistogram(t, r).Count(); n != want.Completed || ErrorCounts(r)[measurement.Unfinished] != want.Unfinished {
		t.Errorf("%d completed, errors %+v; want %+v", n, r.Errors, want)
	}
	// On a busy machine some of the answered requests wait as well.
	if busy := r.Schedule.ClientsBusy; busy < want.ClientsBusy || busy > want.Planned-5 {
		t.Errorf("%d requests waited for a client, want %d", busy, want.ClientsBusy)
	}
}
