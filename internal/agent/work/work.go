// Package work is one load worker: it holds the driver at the barrier, carries its files between the pod and the
// API server, watches the members while it measures, and reports. Where the network makes its own load there is no driver,
// and it is the worker that measures.
package work

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/benchnet/benchnet/internal/agent/cgroup"
	"github.com/benchnet/benchnet/internal/agent/files"
	"github.com/benchnet/benchnet/internal/agent/observer"
	"github.com/benchnet/benchnet/internal/agent/process"
	"github.com/benchnet/benchnet/internal/agent/protocol"
	"github.com/benchnet/benchnet/internal/results"
)

const (
	// linger bounds the wait for processes that a driver leaves behind.
	linger = 5 * time.Second
	// progressEvery is how often progress is carried to the API server.
	progressEvery = 5 * time.Second
)

// Reporter tells the operator.
type Reporter interface {
	Progress(ctx context.Context, progress string) error
	Result(ctx context.Context, compressed []byte) error
	Failure(ctx context.Context, line string) error
}

// Worker is one worker of a run.
type Worker struct {
	// Dir is where the driver and the agent exchange files.
	Dir string
	// Index of this worker among all.
	Index, Workers int
	Workload       *protocol.Workload
	// Command of the driver.
	Command []string
	// Plan is a JMeter plan of the user's own, which Command (JMeter) runs; empty for a driver that speaks the protocol.
	Plan string
	// Stream is the URL of the blocks that a member decides; there is neither Command nor Plan then.
	Stream string
	// Patience bounds the wait for the first block of Stream; 15 minutes by default.
	Patience time.Duration
	// Barrier returns the instant under one of its keys, protocol.StartKey or StopKey, once it is there.
	Barrier func(ctx context.Context, key string) (time.Time, error)
	Report  Reporter
	Scrape  observer.Scrape
	// Usage of the worker's own container.
	Usage cgroup.Reader
	// Log is told of what does not end the run.
	Log func(format string, args ...any)
}

// failure is why there is no result, with the exit code of the worker.
type failure struct {
	code int
	line string
}

func (f failure) Error() string { return f.line }

func failed(code int, format string, args ...any) error {
	return failure{max(code, 1), fmt.Sprintf(format, args...)}
}

// Run drives the worker to its end and returns its exit code: 0 if the result is published, else that of the
// driver, or 1. The end of ctx is that of the run.
func (w *Worker) Run(ctx context.Context) int {
	result, err := w.measure(ctx)
	publish := context.WithoutCancel(ctx)
	if err == nil {
		if err = w.publish(publish, result); err == nil {
			return 0
		}
	}
	line := strings.Join(strings.Fields(err.Error()), " ")
	w.Log("%s", line)
	if err := w.Report.Failure(publish, line); err != nil {
		w.Log("report the failure: %v", err)
	}
	var f failure
	if errors.As(err, &f) {
		return f.code
	}
	return 1
}

func (w *Worker) publish(ctx context.Context, result *results.Worker) error {
	compressed, err := results.EncodeWorker(result)
	if err != nil {
		return err
	}
	return w.Report.Result(ctx, compressed)
}

func (w *Worker) measure(ctx context.Context) (*results.Worker, error) {
	if err := w.clear(); err != nil {
		return nil, err
	}
	switch {
	case w.Stream != "":
		return w.runStream(ctx)
	case w.Plan != "":
		return w.runPlan(ctx)
	}
	return w.runDriver(ctx)
}

// clear removes what an earlier container of the pod left.
func (w *Worker) clear() error {
	for _, name := range []string{protocol.ReadyFile, protocol.StartFile, protocol.StopFile, protocol.ProgressFile, protocol.ResultFile,
		protocol.FailureFile, protocol.SamplesFile} {
		if err := os.Remove(w.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (w *Worker) path(name string) string { return filepath.Join(w.Dir, name) }

// runDriver runs a driver that speaks the file protocol.
func (w *Worker) runDriver(ctx context.Context) (*results.Worker, error) {
	driver, err := process.Start(w.Command, process.Options{Stdin: process.StdinNull, Linger: linger})
	if err != nil {
		return nil, failed(process.ExitCode(err), "%v", err)
	}
	alive, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		<-driver.Ended()
		cancel()
	}()
	window, err := w.release(alive)
	if err != nil {
		if alive.Err() == nil {
			driver.Signal(syscall.SIGTERM)
			driver.Wait()
			return nil, err
		}
		return nil, w.ended(ctx, driver.Wait())
	}
	watched, stopWatching := context.WithCancel(ctx)
	defer stopWatching()
	watching := w.watch(watched, window)
	go w.carryProgress(alive)
	if code := driver.Wait(); code != 0 || ctx.Err() != nil {
		return nil, w.ended(ctx, code)
	}
	w.copyProgress(context.WithoutCancel(ctx), "")
	return w.complete(window, <-watching)
}

// release waits for the barrier and hands the instant to the driver, and that of the stop, if one comes while ctx lasts.
func (w *Worker) release(ctx context.Context) (*protocol.Window, error) {
	start, err := w.Barrier(ctx, protocol.StartKey)
	if err != nil {
		return nil, err
	}
	window := w.Workload.Measure.Window(start)
	if late := time.Since(window.From()); late > 0 {
		return nil, fmt.Errorf("the start at %s was seen %s after the window had begun", start.Format(time.RFC3339Nano), late.Round(time.Millisecond))
	}
	if window.IntervalSeconds() > 0 {
		go w.heedStop(ctx, window)
	}
	return window, w.writeInstant(protocol.StartFile, start)
}

// heedStop brings the end of the window forward when the operator says so. Without that the window ends as ordered, and so it does
// when what comes makes no sense.
func (w *Worker) heedStop(ctx context.Context, window *protocol.Window) {
	stop, err := w.Barrier(ctx, protocol.StopKey)
	if ctx.Err() != nil {
		return
	}
	if err == nil {
		err = window.Stop(stop)
	}
	if err == nil {
		err = w.writeInstant(protocol.StopFile, stop)
	}
	if err != nil {
		w.Log("the window ends as ordered: %v", err)
	}
}

func (w *Worker) writeInstant(name string, at time.Time) error {
	return files.Write(w.path(name), fmt.Appendf(nil, "%d\n", at.UnixMilli()), 0o644)
}

// ended explains an end without a result.
func (w *Worker) ended(ctx context.Context, code int) error {
	line, err := os.ReadFile(w.path(protocol.FailureFile))
	switch {
	case ctx.Err() != nil:
		return failed(code, "the worker was stopped before the run was over")
	case err == nil:
		return failed(code, "%s", line)
	case code > 128:
		return failed(code, "the driver was killed by signal %d (%s)", code-128, syscall.Signal(code-128))
	}
	return failed(code, "the driver exited with %d and left no result", code)
}

// complete takes the driver's result and adds what the agent saw.
func (w *Worker) complete(window *protocol.Window, seen observation) (*results.Worker, error) {
	content, err := os.ReadFile(w.path(protocol.ResultFile))
	if err != nil {
		return nil, fmt.Errorf("the driver exited with 0: %w", err)
	}
	result, err := results.ParseWorker(content)
	if err != nil {
		return nil, err
	}
	if result.Worker != w.Index || result.WindowSeconds != window.Longest() || result.IntervalSeconds != window.IntervalSeconds() {
		return nil, fmt.Errorf("the driver's result is of worker %d over %d s in intervals of %d s, want worker %d over %d s in intervals of %d s",
			result.Worker, result.WindowSeconds, result.IntervalSeconds, w.Index, window.Longest(), window.IntervalSeconds())
	}
	return w.add(window, seen, result)
}
