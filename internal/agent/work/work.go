// Package work runs one load worker: it holds the driver at the barrier, exchanges files between the pod and
// the API server, observes the members and reports the result. If the network generates its own load, there is
// no driver and the worker measures the network's blocks. Of a user's JMeter plan it reads the sample log.
package work

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/benchnet/benchnet/internal/agent/container"
	"github.com/benchnet/benchnet/internal/agent/files"
	"github.com/benchnet/benchnet/internal/agent/observe"
	"github.com/benchnet/benchnet/internal/agent/supervise"
	"github.com/benchnet/benchnet/internal/kube/termination"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

const (
	// lingerTimeout bounds the wait for processes that a driver leaves behind.
	lingerTimeout = 5 * time.Second
	// progressInterval is how often progress is reported to the API server.
	progressInterval = protocol.RecentStep
)

// Reporter publishes the worker's progress and result for the operator.
type Reporter interface {
	WriteProgress(ctx context.Context, progress string) error
	WriteResult(ctx context.Context, compressed []byte) error
	WriteFailure(ctx context.Context, line string) error
}

// Worker is one worker of a run.
type Worker struct {
	// Dir is the folder in which the driver and the agent exchange files.
	Dir string
	// Index is the number of this worker, from 0; Workers is the number of workers.
	Index, Workers int
	Workload       *protocol.WorkloadFile[any]
	// Command is the driver's command line.
	Command []string
	// JMeterPlan is the user's JMeter plan, which Command (JMeter) runs; empty for a driver that speaks the protocol.
	JMeterPlan string
	// CommandsToken is the token of the commands of the network's agents; empty if none is observed.
	CommandsToken string
	// StreamURL is the URL of a member's block stream. Command and JMeterPlan are then empty.
	StreamURL string
	// BlockTimeout bounds the wait for the first block of StreamURL; 15 minutes by default.
	BlockTimeout time.Duration
	// Barrier waits for the instant under protocol.StartKey or protocol.StopKey and returns it.
	Barrier  func(ctx context.Context, key string) (time.Time, error)
	Reporter Reporter
	// Pods ends pods for faults.
	Pods   Pods
	Scrape observe.ScrapeFunc
	// Now returns the time of the node, which is compared with that of a member's node.
	Now func() time.Time
	// OwnUsage reads the usage of the worker's own container.
	OwnUsage container.Reader

	// output is the end of what the driver printed.
	output supervise.Tail
	// calibration is empty until the barrier, and without a calibration.
	calibration []measurement.PodCalibration
	// window is nil until the barrier.
	window atomic.Pointer[protocol.Window]
	// recent holds the reported steps of the load, guarded by recentLock.
	recentLock sync.Mutex
	recent     recentLoad
	// logInvalidTotals limits the log to the first invalid totals of the driver.
	logInvalidTotals sync.Once
}

// runFailure is the reason for a missing result, with the exit code of the worker.
type runFailure struct {
	code int
	line string
}

func (f runFailure) Error() string { return f.line }

func newFailure(code int, format string, args ...any) error {
	return runFailure{max(code, 1), fmt.Sprintf(format, args...)}
}

// Run runs the worker to its end. It returns the exit code 0 if the result is published, else the driver's exit code or 1 with the
// reason in one line. The end of ctx stops the run.
func (w *Worker) Run(ctx context.Context) (int, error) {
	result, err := w.measureRun(ctx)
	publish := context.WithoutCancel(ctx)
	if err == nil {
		if err = w.publishResult(publish, result); err == nil {
			return 0, nil
		}
	}
	failure := runFailure{code: 1}
	errors.As(err, &failure)
	failure.line = strings.Join(strings.Fields(err.Error()), " ")
	if err := w.Reporter.WriteFailure(publish, failure.line); err != nil {
		slog.Error("failure not reported", "err", err)
	}
	return failure.code, failure
}

func (w *Worker) publishResult(ctx context.Context, result *measurement.WorkerResult) error {
	compressed, err := measurement.EncodeWorkerResult(result)
	if err != nil {
		return err
	}
	return w.Reporter.WriteResult(ctx, compressed)
}

func (w *Worker) measureRun(ctx context.Context) (*measurement.WorkerResult, error) {
	if err := w.removeStaleFiles(); err != nil {
		return nil, err
	}
	if err := w.checkFaults(ctx); err != nil {
		return nil, err
	}
	switch {
	case w.StreamURL != "":
		return w.runStream(ctx)
	case w.JMeterPlan != "":
		return w.runJMeter(ctx)
	}
	return w.runDriver(ctx)
}

// removeStaleFiles removes the protocol files of an earlier container of the pod.
func (w *Worker) removeStaleFiles() error {
	for _, name := range []string{protocol.ReadyFile, protocol.StartFile, protocol.StopFile, protocol.ProgressFile, protocol.ResultFile,
		protocol.FailureFile, protocol.SamplesFile, protocol.StopPlanFile} {
		if err := os.Remove(w.filePath(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (w *Worker) filePath(name string) string { return filepath.Join(w.Dir, name) }

// runDriver runs a driver that implements the file protocol and returns its result.
func (w *Worker) runDriver(ctx context.Context) (*measurement.WorkerResult, error) {
	driver, err := supervise.Start(w.Command, supervise.Options{Stdin: supervise.StdinNull, Linger: lingerTimeout, Tail: &w.output})
	if err != nil {
		return nil, newFailure(supervise.ExitCode(err), "%v", err)
	}
	alive, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		<-driver.Ended()
		cancel()
	}()
	window, err := w.passBarrier(alive)
	if err != nil {
		if alive.Err() == nil {
			driver.Signal(syscall.SIGTERM)
			driver.Wait()
			return nil, err
		}
		return nil, w.exitError(ctx, driver.Wait())
	}
	watched, stopWatching := context.WithCancel(ctx)
	defer stopWatching()
	watching := w.startObserving(watched, window)
	go w.forwardProgress(alive)
	if code := driver.Wait(); code != 0 || ctx.Err() != nil {
		return nil, w.exitError(ctx, code)
	}
	w.reportProgress(context.WithoutCancel(ctx), "")
	return w.completeResult(window, <-watching)
}

// passBarrier waits for the start, calibrates the pods and passes the start to the driver. If the window may stop
// early, it also passes on a stop that arrives before ctx ends. It fails if the window has already begun.
func (w *Worker) passBarrier(ctx context.Context) (*protocol.Window, error) {
	start, err := w.Barrier(ctx, protocol.StartKey)
	if err != nil {
		return nil, err
	}
	window := w.Workload.Measure.NewWindow(protocol.AnchorInstant(start, w.Now()))
	w.window.Store(window)
	if late := time.Since(window.From()); late > 0 {
		return nil, fmt.Errorf("the start at %s was received %s after the beginning of the window", start.Format(time.RFC3339Nano), late.Round(time.Millisecond))
	}
	w.calibratePods(ctx, window.LoadStart())
	if window.StopsEarly() {
		go w.applyStop(ctx, window)
	}
	return window, w.writeInstant(protocol.StartFile, start)
}

// applyStop shortens the window when the operator publishes a stop. Without a valid stop the window keeps its length.
func (w *Worker) applyStop(ctx context.Context, window *protocol.Window) {
	stop, err := w.Barrier(ctx, protocol.StopKey)
	if ctx.Err() != nil {
		return
	}
	if err == nil {
		err = window.StopAt(stop)
	}
	if err == nil {
		err = w.writeInstant(protocol.StopFile, stop)
	}
	if err != nil {
		slog.Warn("window not stopped early", "err", err)
	}
}

func (w *Worker) writeInstant(name string, at time.Time) error {
	return files.WriteAtomic(w.filePath(name), fmt.Appendf(nil, "%d\n", at.UnixMilli()), 0o644)
}

// exitError returns the reason for an end without a result.
func (w *Worker) exitError(ctx context.Context, code int) error {
	line, err := os.ReadFile(w.filePath(protocol.FailureFile))
	switch {
	case ctx.Err() != nil:
		return newFailure(code, "the worker was stopped before the end of the run")
	case err == nil:
		return newFailure(code, "%s", line)
	case code > 128:
		return newFailure(code, "the driver was killed by signal %d (%s)%s", code-128, syscall.Signal(code-128), w.exitCause(code))
	}
	return newFailure(code, "the driver exited with code %d and wrote no result%s", code, w.exitCause(code))
}

// exitCause returns what the driver's output or the kernel says about its end, as the end of a message, or "".
func (w *Worker) exitCause(code int) string {
	cause := supervise.DescribeExit(code, w.output.String(), w.OwnUsage.ReadEvidence(), "")
	switch {
	case cause == "":
		return ""
	case strings.HasPrefix(cause, termination.OOMKilled), termination.IsHeapExhausted(cause):
		cause += "; raise workers.memory of the workload"
	}
	return ": " + cause
}

// completeResult reads the driver's result and adds the agent's observation. It fails if the result is of
// another worker or window.
func (w *Worker) completeResult(window *protocol.Window, seen workerObservation) (*measurement.WorkerResult, error) {
	content, err := os.ReadFile(w.filePath(protocol.ResultFile))
	if err != nil {
		return nil, fmt.Errorf("the driver exited with code 0: %w", err)
	}
	result, err := measurement.ParseWorkerResult(content)
	if err != nil {
		return nil, err
	}
	if result.Worker != w.Index || result.WindowSeconds != window.MaxSeconds() || result.IntervalSeconds != window.IntervalSeconds() {
		return nil, fmt.Errorf("the driver's result is for worker %d over %d s in intervals of %d s, want worker %d over %d s in intervals of %d s",
			result.Worker, result.WindowSeconds, result.IntervalSeconds, w.Index, window.MaxSeconds(), window.IntervalSeconds())
	}
	return w.addObservation(window, seen, result)
}
