// Package worker runs one worker of a load driver by the file protocol of docs/drivers.md.
package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/benchnet/benchnet/internal/agent/files"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
	"github.com/benchnet/benchnet/internal/subcommand"
)

// startPollInterval is how often the driver checks for the start file.
const startPollInterval = 5 * time.Millisecond

// ErrStopped means that the driver was stopped before the end of the run.
var ErrStopped = errors.New("the driver was stopped before the end of the run")

// Worker is one worker of a run.
type Worker struct {
	// Dir is the directory of the protocol's files.
	Dir string
	// Index is the index of this worker among all Workers.
	Index, Workers int
	// WorkloadPath is the path of workload.json.
	WorkloadPath string
}

// Session is a worker that is connected to its nodes and ready to apply the load.
type Session interface {
	// Measure returns the lengths of the run's phases.
	Measure() protocol.MeasureTimes
	// MeasureRun applies the load and returns the result. It fails if ctx ends first.
	MeasureRun(ctx context.Context, window *protocol.Window) (*measurement.WorkerResult, error)
	// ShutDown closes all connections.
	ShutDown()
}

// NewDriveCommand returns the command that runs the worker of the environment variables. The function setUp reads the
// workload and prepares the load. If there is no result, the command writes the failure file.
func NewDriveCommand(setUp func(ctx context.Context, w *Worker) (Session, error)) subcommand.Action {
	return subcommand.WithoutArguments(func(ctx context.Context, _ io.Writer) error {
		w, err := newFromEnvironment(os.Getenv)
		if err == nil {
			err = w.run(ctx, setUp)
		}
		if err == nil {
			return nil
		}
		if lost := w.writeFailure(err); lost != nil {
			slog.Error("failure not written", "err", lost)
		}
		return err
	})
}

// newFromEnvironment returns the worker that the environment variables of the protocol describe. On an error
// it still returns a worker that can write the failure file.
func newFromEnvironment(getenv func(string) string) (*Worker, error) {
	w := &Worker{Dir: getenv(protocol.DirVariable), Index: 0, Workers: 1, WorkloadPath: getenv(protocol.WorkloadVariable)}
	if w.Dir == "" {
		w.Dir = protocol.DefaultDir
	}
	for name, value := range map[string]*int{protocol.WorkerVariable: &w.Index, protocol.WorkersVariable: &w.Workers} {
		if text := getenv(name); text != "" {
			n, err := strconv.Atoi(text)
			if err != nil || n < 0 {
				return w, fmt.Errorf("%s: %q is not a number of workers", name, text)
			}
			*value = n
		}
	}
	if w.Index >= w.Workers {
		return w, fmt.Errorf("%s: %d, but there are %d workers, counted from 0", protocol.WorkerVariable, w.Index, w.Workers)
	}
	if w.WorkloadPath == "" {
		return w, fmt.Errorf("%s is not set; want the path of workload.json", protocol.WorkloadVariable)
	}
	return w, nil
}

// writeFailure writes the one-line reason why there is no result.
func (w *Worker) writeFailure(reason error) error {
	line := strings.Join(strings.Fields(reason.Error()), " ")
	return w.writeFile(protocol.FailureFile, []byte(line+"\n"))
}

// run sets up the worker, waits for the start, measures, and writes the result.
func (w *Worker) run(ctx context.Context, setUp func(context.Context, *Worker) (Session, error)) error {
	session, err := setUp(ctx, w)
	if err != nil {
		return err
	}
	defer session.ShutDown()
	if err := w.writeFile(protocol.ReadyFile, nil); err != nil {
		return err
	}
	start, err := w.awaitStart(ctx)
	if err != nil {
		return err
	}
	result, err := session.MeasureRun(ctx, session.Measure().NewWindow(start))
	if err != nil {
		return err
	}
	result.Worker = w.Index
	return w.writeJSON(protocol.ResultFile, result)
}

// ReportProgress replaces the progress file. A failure is only logged.
func (w *Worker) ReportProgress(p protocol.Progress) {
	if err := w.writeJSON(protocol.ProgressFile, p); err != nil {
		slog.Warn("progress not written", "err", err)
	}
}

func (w *Worker) writeFile(name string, content []byte) error {
	return files.WriteAtomic(filepath.Join(w.Dir, name), content, 0o644)
}

func (w *Worker) writeJSON(name string, document any) error {
	content, err := json.Marshal(document)
	if err != nil {
		return fmt.Errorf("encode %s: %w", name, err)
	}
	return w.writeFile(name, append(content, '\n'))
}

// awaitStart waits for the start file and returns the start time. From then on the driver measures by the monotonic
// clock, so that a step of the wall clock enters no latency.
func (w *Worker) awaitStart(ctx context.Context) (time.Time, error) {
	path := filepath.Join(w.Dir, protocol.StartFile)
	ticker := time.NewTicker(startPollInterval)
	defer ticker.Stop()
	for {
		start, err := readInstant(path)
		if err == nil {
			return protocol.AnchorInstant(start, time.Now()), nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return start, err
		}
		select {
		case <-ctx.Done():
			return time.Time{}, ErrStopped
		case <-ticker.C:
		}
	}
}

// readInstant reads the time in a file of the protocol.
func readInstant(path string) (time.Time, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return time.Time{}, err
	}
	millis, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("%s: %q is not a time in milliseconds", filepath.Base(path), text)
	}
	return time.UnixMilli(millis), nil
}

// ApplyStop ends the window earlier if the stop file exists. An invalid stop is logged and leaves the window
// unchanged.
func (w *Worker) ApplyStop(window *protocol.Window) {
	stop, err := readInstant(filepath.Join(w.Dir, protocol.StopFile))
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err == nil {
		err = window.StopAt(stop)
	}
	if err != nil {
		slog.Warn("window not stopped early", "err", err)
	}
}
