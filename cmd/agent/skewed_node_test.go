package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/benchnet/benchnet/internal/agent/files"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
	"github.com/benchnet/benchnet/internal/run/protocol/clocktest"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// skewVariable makes this test binary run a load worker whose node is ahead by this many seconds.
const skewVariable = "BENCHNET_TEST_SKEW_SECONDS"

// releaseFile stands for the barrier's ConfigMap: the worker starts at the instant in it.
const releaseFile = "release"

// TestSkewedNodeIsJudged runs two workers against the agent of a member on three nodes. A worker's skewed node makes
// the run invalid. A member's skewed node is only noted, because both workers measure the same offset.
func TestSkewedNodeIsJudged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		memberAhead, workerAhead int
		offsets                  [2]float64
		reason, note             bool
	}{
		"second worker's node is 3 s ahead": {workerAhead: 3, offsets: [2]float64{0, -3000}, reason: true},
		"member's node is 3 s ahead":        {memberAhead: 3, offsets: [2]float64{3000, 3000}, note: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			handler := newMetricsHandler("", nil)
			handler.now = skewedClock(c.memberAhead)
			member := httptest.NewServer(newAgentMux(&readinessHandler{}, handler))
			defer member.Close()
			m := measureWithWorkers(t, member.URL+"/metrics", 0, c.workerAhead)
			for i, want := range c.offsets {
				if clock := m.Workers[i].Clock; clock == nil || math.Abs(clock.Before.OffsetMillis-want) > clock.Before.ErrorMillis+1 {
					t.Errorf("the clock of worker %d is %+v, want %v ms", i, clock, want)
				}
			}
			judged := verdict.Judge(m, verdict.RunObservations{ExpectedWorkers: 2, Containers: []measurement.ContainerInfo{
				{Subject: "member-0", Node: "node-0"}, {Subject: "worker-0", Node: "node-1"}, {Subject: "worker-1", Node: "node-2"},
			}}, verdict.DefaultTolerances())
			isSkew := func(r verdict.Reason) bool { return r.Code == verdict.ReasonClockSkewed }
			if slices.ContainsFunc(judged.Reasons, isSkew) != c.reason || slices.ContainsFunc(judged.Notes, isSkew) != c.note {
				t.Errorf("want a reason ClockSkewed: %t, a note: %t; got %+v", c.reason, c.note, judged)
			}
		})
	}
}

// skewedClock returns the clock of a node that is ahead by whole seconds.
func skewedClock(seconds int) func() time.Time {
	return func() time.Time { return clocktest.SetWallClock(time.Now(), seconds) }
}

// measureWithWorkers runs a worker process for each node and merges their results.
func measureWithWorkers(t *testing.T, member string, ahead ...int) *measurement.Measurement {
	t.Helper()
	dir := t.TempDir()
	workload, err := json.Marshal(protocol.WorkloadFile[any]{
		Measure: protocol.MeasureTimes{WarmUpSeconds: 1, WindowSeconds: 1},
		Observe: []protocol.ObservedEndpoint{{Member: "member-0", URL: member}},
	})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "workload.json"), workload, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	workers := make([]*exec.Cmd, len(ahead))
	for i, seconds := range ahead {
		workers[i] = startSkewedWorker(t, filepath.Join(dir, strconv.Itoa(i)), i, len(ahead), seconds)
	}
	// The start is later than the largest skew, since a worker whose clock is ahead starts early.
	start := []byte(time.Now().Add(5 * time.Second).Format(time.RFC3339Nano))
	all := make([]measurement.WorkerResult, len(ahead))
	for _, w := range workers {
		if err := files.WriteAtomic(filepath.Join(w.Dir, releaseFile), start, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for i, w := range workers {
		if code := exitCodeOf(t, w.Wait()); code != 0 {
			t.Fatalf("worker %d: exit code %d", i, code)
		}
		compressed, err := os.ReadFile(filepath.Join(w.Dir, "result"))
		if err != nil {
			t.Fatal(err)
		}
		r, err := measurement.DecodeWorkerResult(compressed)
		if err != nil {
			t.Fatal(err)
		}
		all[i] = *r
	}
	m, err := measurement.Merge(all)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// startSkewedWorker starts a worker with the folder dir and returns when its driver is ready.
func startSkewedWorker(t *testing.T, dir string, index, workers, ahead int) *exec.Cmd {
	t.Helper()
	histogram, err := measurement.NewHistogram().Encode()
	if err != nil {
		t.Fatal(err)
	}
	result, err := json.Marshal(measurement.WorkerResult{Worker: index, StartMillis: 4242, WindowSeconds: 1, Histogram: histogram,
		CompletedPerSecond: []int64{0}, FailedPerSecond: []int64{0}})
	if err == nil {
		err = os.Mkdir(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	driver := "touch ready; until [ -f start ]; do sleep 0.02; done; echo '" + string(result) + `' | sed "s/4242/$(( $(cat start) + 1000 ))/" > result.json`
	c := exec.CommandContext(t.Context(), os.Args[0], "sh", "-euc", driver)
	c.Dir, c.Stderr = dir, os.Stderr
	c.Env = append(os.Environ(), skewVariable+"="+strconv.Itoa(ahead), protocol.DirVariable+"="+dir,
		protocol.WorkerVariable+"="+strconv.Itoa(index), protocol.WorkersVariable+"="+strconv.Itoa(workers),
		protocol.WorkloadVariable+"="+filepath.Join(filepath.Dir(dir), "workload.json"))
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, "the driver", func() bool { _, err := os.Stat(filepath.Join(dir, protocol.ReadyFile)); return err == nil })
	return c
}

// runSkewedWorker runs the worker of this process and returns its exit code.
func runSkewedWorker(seconds string) int {
	ahead, err1 := strconv.Atoi(seconds)
	w, err2 := newWorkerFromEnv()
	if err := errors.Join(err1, err2); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	w.Command, w.Now, w.Reporter = os.Args[1:], skewedClock(ahead), folderReporter(w.Dir)
	w.Barrier = func(ctx context.Context, _ string) (time.Time, error) {
		for ctx.Err() == nil {
			text, err := os.ReadFile(filepath.Join(w.Dir, releaseFile))
			if !errors.Is(err, fs.ErrNotExist) {
				return time.Parse(time.RFC3339Nano, string(text))
			}
			time.Sleep(10 * time.Millisecond)
		}
		return time.Time{}, ctx.Err()
	}
	code, err := w.Run(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return code
}

// folderReporter writes the result of a worker to a file in the folder.
type folderReporter string

func (f folderReporter) WriteProgress(context.Context, string) error { return nil }

func (f folderReporter) WriteResult(_ context.Context, compressed []byte) error {
	return os.WriteFile(filepath.Join(string(f), "result"), compressed, 0o644)
}

func (f folderReporter) WriteFailure(context.Context, string) error { return nil }
