package worker_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/benchnet/benchnet/drivers/internal/openloop"
	"github.com/benchnet/benchnet/drivers/internal/worker"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
	"github.com/benchnet/benchnet/internal/run/protocol/clocktest"
)

// fakeSession records operations that are due at the start of the window and complete at its times.
type fakeSession struct {
	measure  protocol.MeasureTimes
	complete func() []time.Time
	closed   bool
}

func (s *fakeSession) Measure() protocol.MeasureTimes { return s.measure }
func (s *fakeSession) ShutDown()                      { s.closed = true }
func (s *fakeSession) MeasureRun(_ context.Context, window *protocol.Window) (*measurement.WorkerResult, error) {
	recorder := openloop.NewRecorder(window, "transactions")
	for _, at := range s.complete() {
		recorder.RecordCompleted(window.From(), at)
	}
	return recorder.Result(0)
}

// runWorker runs a worker of three with the given index, whose start file exists, and returns its folder.
func runWorker(t *testing.T, index string, setUp func(context.Context, *worker.Worker) (worker.Session, error)) (string, error) {
	t.Helper()
	dir := t.TempDir()
	for name, value := range map[string]string{protocol.DirVariable: dir, protocol.WorkloadVariable: "/w", protocol.WorkerVariable: index, protocol.WorkersVariable: "3"} {
		t.Setenv(name, value)
	}
	if err := os.WriteFile(filepath.Join(dir, protocol.StartFile), []byte(strconv.FormatInt(time.Now().UnixMilli(), 10)), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := worker.NewDriveCommand(setUp)(t.Context(), nil, io.Discard)
	return dir, err
}

// TestWallClockStepEntersNoLatency sets the clock by half an hour, forward and backward, between the start of the run
// and the block.
func TestWallClockStepEntersNoLatency(t *testing.T) {
	began := time.Now()
	session := &fakeSession{measure: protocol.MeasureTimes{WindowSeconds: 3000}, complete: func() []time.Time {
		return []time.Time{clocktest.SetWallClock(time.Now(), 1800), clocktest.SetWallClock(time.Now(), -1800)}
	}}
	dir, err := runWorker(t, "2", func(_ context.Context, w *worker.Worker) (worker.Session, error) {
		if w.Index != 2 || w.Workers != 3 || w.WorkloadPath != "/w" {
			t.Errorf("worker %+v", w)
		}
		return session, nil
	})
	if err != nil || !session.closed {
		t.Fatalf("%v, closed %v", err, session.closed)
	}
	content, err := os.ReadFile(filepath.Join(dir, protocol.ResultFile))
	if err != nil {
		t.Fatal(err)
	}
	result, err := measurement.ParseWorkerResult(content)
	if err != nil || result.Worker != 2 {
		t.Fatalf("%v, worker %+v", err, result)
	}
	merged, err := measurement.Merge([]measurement.WorkerResult{*result})
	if err != nil {
		t.Fatal(err)
	}
	if longest := time.Since(began) + time.Second; merged.Histogram.MaxMillis() > float64(longest.Milliseconds()) || merged.Completed[0] != 2 {
		t.Errorf("a latency of %g ms within %s; %d completed in the first second", merged.Histogram.MaxMillis(), longest, merged.Completed[0])
	}
	if _, err := os.Stat(filepath.Join(dir, protocol.ReadyFile)); err != nil {
		t.Error(err)
	}
}

func TestFailureIsOneLine(t *testing.T) {
	for want, index := range map[string]string{
		"no node": "0", "BENCHNET_WORKER: 3, but there are 3 workers, counted from 0": "3", `BENCHNET_WORKER: "x" is not a number of workers`: "x",
	} {
		t.Run(index, func(t *testing.T) {
			dir, err := runWorker(t, index, func(context.Context, *worker.Worker) (worker.Session, error) { return nil, errors.New("no\n node") })
			content, _ := os.ReadFile(filepath.Join(dir, protocol.FailureFile))
			if err == nil || strings.TrimSuffix(string(content), "\n") != want {
				t.Errorf("error %v, failure %q, want %q", err, content, want)
			}
		})
	}
}
