// Package drive runs one worker. It implements the file protocol of docs/drivers.md and connects the parts of
// the driver.
package drive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/benchnet/benchnet/internal/agent/files"
	"github.com/benchnet/benchnet/internal/platform/evm"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// startPollInterval is how often the driver checks for the start file.
const startPollInterval = 5 * time.Millisecond

// Driver is one worker of a run.
type Driver struct {
	// Dir is the directory of the protocol's files.
	Dir string
	// Index is the index of this worker among all Workers.
	Index, Workers int
	Workload       *evm.Workload
}

// NewFromEnvironment returns the worker that the environment variables of the protocol describe. On an error
// it still returns a driver that can write the failure file.
func NewFromEnvironment(getenv func(string) string) (*Driver, error) {
	w := &Driver{Dir: getenv(protocol.DirVariable), Index: 0, Workers: 1}
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
	path := getenv(protocol.WorkloadVariable)
	if path == "" {
		return w, fmt.Errorf("%s is not set; want the path of workload.json", protocol.WorkloadVariable)
	}
	var err error
	w.Workload, err = evm.ReadWorkload(path)
	return w, err
}

// WriteFailure writes the one-line reason why there is no result.
func (w *Driver) WriteFailure(reason error) error {
	line := strings.Join(strings.Fields(reason.Error()), " ")
	return files.WriteAtomic(filepath.Join(w.Dir, protocol.FailureFile), []byte(line+"\n"), 0o644)
}

// Run sets up the worker, waits for the start, measures, and writes the result.
func (w *Driver) Run(ctx context.Context) error {
	crew, err := w.setUp(ctx)
	if err != nil {
		return err
	}
	defer crew.shutDown()
	if err := w.writeFile(protocol.ReadyFile, nil); err != nil {
		return err
	}
	start, err := w.awaitStart(ctx)
	if err != nil {
		return err
	}
	result, err := crew.measureRun(ctx, w.Workload.Measure.NewWindow(start), func(p protocol.Progress) {
		if err := w.writeJSON(protocol.ProgressFile, p); err != nil {
			slog.Warn("progress not written", "err", err)
		}
	})
	if err != nil {
		return err
	}
	result.Worker = w.Index
	return w.writeJSON(protocol.ResultFile, result)
}

func (w *Driver) writeFile(name string, content []byte) error {
	return files.WriteAtomic(filepath.Join(w.Dir, name), content, 0o644)
}

func (w *Driver) writeJSON(name string, document any) error {
	content, err := json.Marshal(document)
	if err != nil {
		return fmt.Errorf("encode %s: %w", name, err)
	}
	return w.writeFile(name, append(content, '\n'))
}

// awaitStart waits for the start file and returns the start time. From then on the driver measures by the monotonic
// clock, so that a step of the wall clock enters no latency.
func (w *Driver) awaitStart(ctx context.Context) (time.Time, error) {
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
			return time.Time{}, errStopped
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

// applyStop ends the window earlier if the stop file exists. An invalid stop is logged and leaves the window
// unchanged.
func (w *Driver) applyStop(window *protocol.Window) {
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
