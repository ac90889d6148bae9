package work

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/benchnet/benchnet/internal/agent/container"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// folderReporter is a Reporter that writes files.
type folderReporter string

func (f folderReporter) WriteProgress(_ context.Context, progress string) error {
	return os.WriteFile(filepath.Join(string(f), "progress"), []byte(progress), 0o644)
}

func (f folderReporter) WriteResult(_ context.Context, compressed []byte) error {
	return os.WriteFile(filepath.Join(string(f), "result"), compressed, 0o644)
}

func (f folderReporter) WriteFailure(_ context.Context, line string) error {
	return os.WriteFile(filepath.Join(string(f), "failure"), []byte(line), 0o644)
}

// busyContainer is a container that uses half a core and is throttled in every other period.
type busyContainer struct{ began time.Time }

func (b busyContainer) ReadEvidence() []container.Metric { return nil }

func (b busyContainer) Read() (container.Usage, error) {
	lived := time.Since(b.began)
	return container.Usage{CPU: lived / 2, Periods: uint64(lived.Milliseconds() / 10), ThrottledPeriods: uint64(lived.Milliseconds() / 20), WorkingSet: 1 << 20}, nil
}

// scrapedMetrics returns the metrics that the container's agent would serve.
func (b busyContainer) scrapedMetrics() (map[string]float64, error) {
	used, err := b.Read()
	values := map[string]float64{"lived": time.Since(b.began).Seconds(), container.HostClock: float64(time.Now().Add(time.Minute).UnixNano()) / 1e9}
	for _, m := range used.Metrics() {
		values[m.Name] = m.Value
	}
	return values, err
}

// runScenario runs worker 1 of 2 with a warm-up of one second, a window of two and a drain of one. A stopped
// scenario has a window of forty seconds instead, which the stop shortens to four.
func runScenario(name string) int {
	dir := os.Getenv(protocol.DirVariable)
	usage := busyContainer{time.Now()}
	w := &Worker{
		Dir: dir, Index: 1, Workers: 2,
		Workload: &protocol.WorkloadFile[any]{
			Measure: protocol.MeasureTimes{WarmUpSeconds: 1, WindowSeconds: 2, DrainSeconds: 1},
			Unit:    "flows",
			Observe: []protocol.ObservedEndpoint{{Member: "member-0"}, {Member: "member-1", CommandsURL: "http://127.0.0.1:1", Series: []protocol.ObservedSeries{
				{Name: "life", Unit: "s/s", Metric: "lived", Kind: protocol.SeriesCounter}}}},
		},
		Command:  os.Args[1:],
		Reporter: folderReporter(os.Getenv(reportsVariable)),
		Scrape:   func(context.Context, string, []string) (map[string]float64, error) { return usage.scrapedMetrics() },
		Now:      time.Now,
		OwnUsage: usage,
	}
	delay := 1500 * time.Millisecond // Long enough for a worker on a busy machine.
	kind, stopped := strings.CutSuffix(name, " stopped")
	if stopped {
		w.Workload.Measure = protocol.MeasureTimes{WindowSeconds: 40, DrainSeconds: 1, IntervalSeconds: 2, StopsEarly: true}
	}
	switch kind {
	case "stream":
		w.StreamURL, w.Command = os.Args[1], nil
	case "impatient stream":
		w.StreamURL, w.Command, w.BlockTimeout = os.Args[1], nil, time.Second
	case "plan":
		w.JMeterPlan = filepath.Join(dir, "own.jmx")
	case "calibrated":
		w.Workload.Measure.CalibrationSeconds = 1
		delay = 3500 * time.Millisecond
	case "late":
		delay = -2 * time.Second
	case "never":
		delay = time.Hour
	}
	var started time.Time
	w.Barrier = func(ctx context.Context, key string) (instant time.Time, err error) {
		if key == protocol.StartKey {
			started, err = awaitReadyFile(ctx, dir, name, delay)
			return started, err
		}
		time.Sleep(time.Until(started.Add(1500 * time.Millisecond)))
		return started.Add(4 * time.Second), nil
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	code, err := w.Run(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return code
}

// awaitReadyFile releases the worker once it is ready, like the operator.
func awaitReadyFile(ctx context.Context, dir, name string, delay time.Duration) (time.Time, error) {
	for {
		if _, err := os.Stat(filepath.Join(dir, protocol.ReadyFile)); err == nil && name != "never" {
			return time.Now().Add(delay), nil
		}
		select {
		case <-ctx.Done():
			return time.Time{}, ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
		if name == "bad barrier" {
			return time.Time{}, errors.New("the barrier holds nonsense")
		}
	}
}
