package work

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// A worker reaps all children of its process, so each test runs one in a separate process: this test binary
// with these variables set. Reports are files in the folder that reportsVariable names.
const (
	scenarioVariable = "BENCHNET_TEST_SCENARIO"
	reportsVariable  = "BENCHNET_TEST_REPORTS"
)

func TestMain(m *testing.M) {
	if name := os.Getenv(scenarioVariable); name != "" {
		os.Unsetenv(scenarioVariable)
		os.Exit(runScenario(name))
	}
	os.Exit(m.Run())
}

// startWorker starts a worker whose driver is a shell script, or which observes a stream with script as its
// URL. Both run in the exchange folder.
func startWorker(t *testing.T, name, script string) (worker *exec.Cmd, reported string) {
	t.Helper()
	dir, reported := t.TempDir(), t.TempDir()
	for _, stale := range []string{protocol.StartFile, protocol.StopFile, protocol.FailureFile, protocol.ResultFile} {
		if err := os.WriteFile(filepath.Join(dir, stale), []byte("stale"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "own.jmx"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"sh", "-euc", "cd " + dir + "\n" + script, "driver"}
	if strings.Contains(name, "stream") {
		args = []string{script}
	}
	worker = exec.CommandContext(t.Context(), os.Args[0], args...)
	worker.Dir = dir
	worker.Env = append(os.Environ(), scenarioVariable+"="+name, reportsVariable+"="+reported, protocol.DirVariable+"="+dir)
	worker.Stderr = os.Stderr
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	return worker, reported
}

func runToExit(t *testing.T, name, script string) (code int, reported string) {
	t.Helper()
	worker, reported := startWorker(t, name, script)
	return waitForExit(t, worker), reported
}

// awaitFile waits until the worker's exchange folder has the file, with content different from other.
func awaitFile(t *testing.T, worker *exec.Cmd, name, other string) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if b, err := os.ReadFile(filepath.Join(worker.Dir, name)); err == nil && (other == "" || string(b) != other) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the worker leaves no file %s", name)
		}
	}
}

func waitForExit(t *testing.T, worker *exec.Cmd) int {
	t.Helper()
	var exit *exec.ExitError
	if err := worker.Wait(); errors.As(err, &exit) {
		return exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	return 0
}

func readContent(t *testing.T, parts ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// driverScript waits for the start and writes a result for the window, which begins one second later.
func driverScript(t *testing.T) string {
	t.Helper()
	h := measurement.NewHistogram()
	if err := h.Record(5000); err != nil {
		t.Fatal(err)
	}
	histogram, err := h.Encode()
	if err != nil {
		t.Fatal(err)
	}
	result, err := json.Marshal(measurement.WorkerResult{Worker: 1, StartMillis: 4242, WindowSeconds: 2, Histogram: histogram,
		CompletedPerSecond: []int64{1, 2}, FailedPerSecond: []int64{0, 0}})
	if err != nil {
		t.Fatal(err)
	}
	return `touch ready
		until [ -f start ]; do sleep 0.02; done
		opened=$(( $(cat start) + 1000 ))
		echo '{"phase":"Drain","completed":3}' > progress.json
		while [ "$(date +%s%3N)" -lt $(( opened + 2000 )) ]; do sleep 0.02; done
		echo '` + string(result) + `' | sed "s/4242/$opened/" > result.json`
}

func TestDriverRun(t *testing.T) {
	t.Parallel()
	code, reported := runToExit(t, "driver", driverScript(t))
	if code != 0 {
		t.Fatalf("exit code %d", code)
	}
	w, err := measurement.DecodeWorkerResult([]byte(readContent(t, reported, "result")))
	if err != nil {
		t.Fatal(err)
	}
	if w.Worker != 1 || w.CompletedPerSecond[1] != 2 {
		t.Errorf("the driver's own part: %+v", w)
	}
	assertObserved(t, w)
	// On a busy machine, a value and its timestamp may be apart.
	if cpu := w.Members[0].CPUSeconds; w.Members[0].MissedScrapes == 0 && (cpu.Mean() < 0.25 || cpu.Mean() > 1) {
		t.Errorf("CPU of member-1 %v, want half a core", cpu)
	}
	if of := w.Series[0]; of.Subject != "member-1" || w.Members[0].MissedScrapes == 0 && (of.Values.Mean() < 0.5 || of.Values.Mean() > 2) {
		t.Errorf("series %+v, want a second per second of member-1", w.Series)
	}
	if w.Unit != "flows" {
		t.Errorf("unit %q, want the workload's", w.Unit)
	}
	if w.Load == nil || w.Load.CPUSeconds < 0.5 || w.Load.CPUSeconds > 2 || w.Load.Periods < 100 || w.Load.ThrottledPeriods < 50 {
		t.Errorf("the worker's own load %+v, want one CPU second in 200 periods", w.Load)
	}
	if got := readContent(t, reported, "progress"); !strings.Contains(got, `"completed":3`) {
		t.Errorf("progress %q", got)
	}
	if _, err := os.Stat(filepath.Join(reported, "failure")); err == nil {
		t.Error("a failure is reported as well")
	}
}

// TestDriverRunWithCalibration checks that the worker and its member are calibrated before the driver gets the start.
func TestDriverRunWithCalibration(t *testing.T) {
	t.Parallel()
	code, reported := runToExit(t, "calibrated", driverScript(t))
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, readContent(t, reported, "failure"))
	}
	w, err := measurement.DecodeWorkerResult([]byte(readContent(t, reported, "result")))
	if err != nil {
		t.Fatal(err)
	}
	if c := w.Calibration; len(c) != 2 || c[0].Subject != "worker-1" || c[0].CPU == nil || c[1].Subject != "member-1" || c[1].Error == "" {
		t.Errorf("calibration %+v, want figures of worker-1 and an error of member-1, whose agent does not answer", c)
	}
}

// assertObserved checks that the result covers member-1 for each second of the window. Scrapes may be missing,
// because any may be late on a busy machine.
func assertObserved(t *testing.T, w *measurement.WorkerResult) {
	t.Helper()
	if len(w.Members) != 1 || w.Members[0].Member != "member-1" || len(w.Members[0].CPUSeconds) != w.WindowSeconds ||
		w.Members[0].MissedScrapes > w.WindowSeconds || len(w.Series) != 1 {
		t.Fatalf("members %+v, series %+v, want samples of member-1 over %d s", w.Members, w.Series, w.WindowSeconds)
	}
	if c := w.Clock; c == nil || c.Reference != "member-0" || !isMinuteAhead(c.Before) || !isMinuteAhead(c.After) {
		t.Errorf("clock %+v, want member-0 a minute ahead before and after the window", c)
	}
}

// isMinuteAhead reports whether the reference was a minute ahead, within the error and the clock's rounding.
func isMinuteAhead(o *measurement.ClockOffset) bool {
	return o != nil && math.Abs(o.OffsetMillis-60_000) <= o.ErrorMillis+1
}

// stoppedDriverScript measures until the stop and reports the maximum window. After the stop only one request
// completes, which had already started.
func stoppedDriverScript(t *testing.T) string {
	t.Helper()
	tally := measurement.NewRequestRecorder(40, 2)
	for _, at := range []time.Duration{time.Second, 3 * time.Second, 4500 * time.Millisecond} {
		tally.RecordCompleted(at, 1)
		tally.RecordLatency(at, time.Millisecond)
	}
	w := measurement.WorkerResult{Worker: 1, StartMillis: 4242}
	if err := tally.FillResult(&w); err != nil {
		t.Fatal(err)
	}
	result, err := json.Marshal(w)
	if err != nil {
		t.Fatal(err)
	}
	return `touch ready
		until [ -f start ]; do sleep 0.02; done
		until [ -f stop ]; do sleep 0.02; done
		[ $(( $(cat stop) - $(cat start) )) = 4000 ]
		while [ "$(date +%s%3N)" -lt $(cat stop) ]; do sleep 0.02; done
		echo '` + string(result) + `' | sed "s/4242/$(cat start)/" > result.json`
}

// assertStoppedEarly checks that a result covers the four seconds before the stop.
func assertStoppedEarly(t *testing.T, code int, reported string) *measurement.WorkerResult {
	t.Helper()
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, readContent(t, reported, "failure"))
	}
	w, err := measurement.DecodeWorkerResult([]byte(readContent(t, reported, "result")))
	if err != nil {
		t.Fatal(err)
	}
	assertObserved(t, w)
	if w.WindowSeconds != 4 || len(w.Intervals) != 2 || len(w.Series[0].Values) != 4 {
		t.Errorf("%d s in %d intervals, series %+v; want 4 s in 2", w.WindowSeconds, len(w.Intervals), w.Series)
	}
	if w.Load == nil || w.Load.Seconds != 4 || w.Load.CPUSeconds < 1 || w.Load.CPUSeconds > 4 {
		t.Errorf("the worker's own load %+v, want 2 CPU seconds in 4 s", w.Load)
	}
	return w
}

func TestDriverWindowStopsEarly(t *testing.T) {
	t.Parallel()
	code, reported := runToExit(t, "driver stopped", stoppedDriverScript(t))
	w := assertStoppedEarly(t, code, reported)
	m, err := measurement.Merge([]measurement.WorkerResult{*w})
	if err != nil || m.Histogram.Count() != 2 || m.Summarize().Completed != 2 {
		t.Errorf("%v, %+v; want the two requests before the stop", err, w)
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		scenario, script string
		code             int
		line             string
	}{
		"reported by driver":        {"driver", "printf 'operation.flow:\\n no such class\\n' > failure; exit 3", 3, "operation.flow: no such class"},
		"after the start":           {"driver", "touch ready; until [ -f start ]; do sleep 0.02; done; exit 4", 4, "the driver exited with code 4 and wrote no result"},
		"killed":                    {"driver", "kill -KILL $$", 137, "the driver was killed by signal 9 (killed)"},
		"no result":                 {"driver", "touch ready; until [ -f start ]; do sleep 0.02; done", 1, "result.json: no such file"},
		"not a result":              {"driver", "touch ready; until [ -f start ]; do sleep 0.02; done; echo '{}' > result.json", 1, "windowSeconds: 0 is not positive"},
		"of another worker":         {"driver", strings.Replace(driverScript(t), `"worker":1`, `"worker":0`, 1), 1, "result is for worker 0 over 2 s in intervals of 0 s, want worker 1 over 2 s"},
		"a barrier that is wrong":   {"bad barrier", "exec sleep 20", 1, "the barrier holds nonsense"},
		"a start that is past":      {"late", "touch ready; exec sleep 20", 1, "after the beginning of the window"},
		"a plan that fails":         {"plan", "exit 2", 2, "exited with code 2"},
		"a plan that is short":      {"plan", "exit 0", 1, "before the end of the window: let it run longer"},
		"a plan with an error":      {"plan", "echo 'ERROR o.a.j.t.JMeterThread: File users.csv must exist and be readable' >&2; exit 0", 1, "before the end of the window: ERROR o.a.j.t.JMeterThread: File users.csv must exist"},
		"an exit with an error":     {"driver", "echo 'ERROR: no plan' >&2; exit 5", 5, "wrote no result: ERROR: no plan"},
		"a plan with no sample log": {"plan", "sleep 3.2", 1, "the plan's sample log"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, reported := runToExit(t, c.scenario, c.script)
			if got := readContent(t, reported, "failure"); code != c.code || !strings.Contains(got, c.line) || strings.Contains(got, "\n") {
				t.Errorf("exit code %d, failure %q; want %d and %q", code, got, c.code, c.line)
			}
		})
	}
}

// TestWorkerTerminated checks that a terminated worker stops its driver, reports and ends, both waiting and measuring.
func TestWorkerTerminated(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"never":  "trap 'touch stopped; exit 0' TERM; touch ready; while :; do sleep 0.02; done",
		"driver": "trap 'touch stopped; exit 0' TERM; touch ready; while :; do sleep 0.02; done",
	} {
		t.Run(name, func(t *testing.T) {
			worker, reported := startWorker(t, name, script)
			awaitFile(t, worker, protocol.ReadyFile, "")
			if name == "driver" {
				awaitFile(t, worker, protocol.StartFile, "stale")
			}
			if err := worker.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if code := waitForExit(t, worker); code != 1 {
				t.Errorf("exit code %d", code)
			}
			if got := readContent(t, reported, "failure"); !strings.Contains(got, "stopped before the end of the run") {
				t.Errorf("failure %q", got)
			}
		})
	}
}
