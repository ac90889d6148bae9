package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/benchnet/benchnet/drivers/evm/internal/testchain"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

const testSeed = "the seed of the driver's end-to-end tests"

// driverPath is the path of the driver binary, which is built once.
var driverPath string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "evm-driver")
	if err != nil {
		panic(err)
	}
	driverPath = filepath.Join(dir, "evm")
	if out, err := exec.Command("go", "build", "-o", driverPath, ".").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the driver: %v\n%s", err, out)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// driverProcess is one worker of the driver, controlled by a test instead of the agent.
type driverProcess struct {
	t       *testing.T
	dir     string
	command *exec.Cmd
	output  bytes.Buffer
	ended   chan struct{}
}

// startDriver starts the worker with the given index and workload file. It adds the seed file unless the
// orders name one.
func startDriver(t *testing.T, index, workers int, orders map[string]any) *driverProcess {
	t.Helper()
	r := &driverProcess{t: t, dir: t.TempDir(), ended: make(chan struct{})}
	seed := filepath.Join(r.dir, "seed")
	r.writeFile("seed", []byte(testSeed+"\n"))
	operation := orders["operation"].(map[string]any)
	if operation["seedFile"] == nil {
		operation["seedFile"] = seed
	}
	text, err := json.Marshal(orders)
	if err != nil {
		t.Fatal(err)
	}
	r.writeFile("workload.json", text)
	r.command = exec.Command(driverPath, "drive")
	r.command.Env = append(os.Environ(), "BENCHNET_DIR="+r.dir, "BENCHNET_WORKLOAD="+filepath.Join(r.dir, "workload.json"),
		"BENCHNET_WORKER="+strconv.Itoa(index), "BENCHNET_WORKERS="+strconv.Itoa(workers))
	r.command.Stdout, r.command.Stderr = &r.output, &r.output
	if err := r.command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = r.command.Wait()
		close(r.ended)
	}()
	t.Cleanup(func() {
		_ = r.command.Process.Kill()
		<-r.ended
		if t.Failed() {
			t.Logf("the driver said:\n%s", r.output.String())
		}
	})
	return r
}

func (r *driverProcess) writeFile(name string, content []byte) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, name), content, 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// awaitReady waits until the driver is set up.
func (r *driverProcess) awaitReady() *driverProcess {
	r.t.Helper()
	deadline := time.Now().Add(10 * time.Minute)
	for {
		if _, err := os.Stat(filepath.Join(r.dir, protocol.ReadyFile)); err == nil {
			return r
		}
		select {
		case <-r.ended:
			r.t.Fatalf("the driver ended before it was ready:\n%s", r.output.String())
		case <-time.After(10 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			r.t.Fatal("the driver does not become ready")
		}
	}
}

// releaseAt writes the start file, as the agent does.
func (r *driverProcess) releaseAt(at time.Time) {
	r.writeFile("start.new", []byte(strconv.FormatInt(at.UnixMilli(), 10)+"\n"))
	if err := os.Rename(filepath.Join(r.dir, "start.new"), filepath.Join(r.dir, protocol.StartFile)); err != nil {
		r.t.Fatal(err)
	}
}

// awaitResult waits until the driver exits, and reads and checks its result as the agent does.
func (r *driverProcess) awaitResult() *measurement.WorkerResult {
	r.t.Helper()
	<-r.ended
	if code := r.command.ProcessState.ExitCode(); code != 0 {
		r.t.Fatalf("the driver exited with %d:\n%s", code, r.output.String())
	}
	content, err := os.ReadFile(filepath.Join(r.dir, protocol.ResultFile))
	if err != nil {
		r.t.Fatal(err)
	}
	result, err := measurement.ParseWorkerResult(content)
	if err != nil {
		r.t.Fatal(err)
	}
	return result
}

// awaitFailure waits until the driver exits without a result, and returns the line in the failure file.
func (r *driverProcess) awaitFailure() string {
	r.t.Helper()
	<-r.ended
	if code := r.command.ProcessState.ExitCode(); code != 1 {
		r.t.Errorf("the driver exited with %d, want 1", code)
	}
	line, err := os.ReadFile(filepath.Join(r.dir, protocol.FailureFile))
	if err != nil {
		r.t.Fatal(err)
	}
	if strings.Count(string(line), "\n") != 1 {
		r.t.Errorf("the failure is not one line: %q", line)
	}
	return strings.TrimSpace(string(line))
}

// newOrders returns the workload file for the targets. The rate is the total over all of them.
func newOrders(rate float64, warmUp, window, drain int, operation map[string]any, addresses ...string) map[string]any {
	var targets []map[string]string
	for i, address := range addresses {
		targets = append(targets, map[string]string{"name": fmt.Sprintf("member-%d", i), "address": address})
	}
	all := map[string]any{"chainId": testchain.ChainID, "accounts": 100}
	for name, value := range operation {
		all[name] = value
	}
	return map[string]any{"targets": targets, "operation": all, "reference": "test",
		"load":    map[string]any{"model": "Open", "clients": 16, "ratePerSecond": rate},
		"measure": map[string]any{"warmUpSeconds": warmUp, "windowSeconds": window, "drainSeconds": drain}}
}

func startGeth(t *testing.T, flags ...string) *testchain.Geth {
	return testchain.StartGeth(t, testchain.GethOptions{Seed: []byte(testSeed), Accounts: 100, Flags: flags})
}

// assertSums checks that each operation of the window completed or failed exactly once.
func assertSums(t *testing.T, r *measurement.WorkerResult, planned int64) {
	t.Helper()
	if r.Schedule.Planned != planned {
		t.Errorf("planned %d, want %d", r.Schedule.Planned, planned)
	}
	var failed int64
	for _, e := range r.Errors {
		failed += e.Count
	}
	if got := latencyHistogram(t, r).Count() + failed; got != planned {
		t.Errorf("%d latencies and errors for %d operations; errors %+v", got, planned, r.Errors)
	}
	if r.Unit != "transactions" {
		t.Errorf("unit %q", r.Unit)
	}
}

func latencyHistogram(t *testing.T, r *measurement.WorkerResult) *measurement.Histogram {
	t.Helper()
	m, err := measurement.Merge([]measurement.WorkerResult{*r})
	if err != nil {
		t.Fatal(err)
	}
	return m.Histogram
}
