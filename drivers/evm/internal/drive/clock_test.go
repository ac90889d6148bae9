package drive

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/benchnet/benchnet/drivers/evm/internal/load"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
	"github.com/benchnet/benchnet/internal/run/protocol/clocktest"
)

// TestWallClockStepEntersNoLatency sets the clock by half an hour, forward and backward, between the start of the run
// and the block.
func TestWallClockStepEntersNoLatency(t *testing.T) {
	d := &Driver{Dir: t.TempDir()}
	began := time.Now()
	if err := os.WriteFile(filepath.Join(d.Dir, protocol.StartFile), []byte(strconv.FormatInt(began.UnixMilli(), 10)), 0o644); err != nil {
		t.Fatal(err)
	}
	start, err := d.awaitStart(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	window := protocol.MeasureTimes{WindowSeconds: 3000}.NewWindow(start)
	recorder := load.NewRecorder(window)
	for _, seconds := range []int{1800, -1800} {
		recorder.RecordCompleted(window.From(), clocktest.SetWallClock(time.Now(), seconds))
	}
	result, err := recorder.Result(0)
	if err != nil {
		t.Fatal(err)
	}
	merged, err := measurement.Merge([]measurement.WorkerResult{*result})
	if err != nil {
		t.Fatal(err)
	}
	if longest := time.Since(began) + time.Second; merged.Histogram.MaxMillis() > float64(longest.Milliseconds()) || merged.Completed[0] == 0 {
		t.Errorf("a latency of %g ms within %s; %d completed in the first second", merged.Histogram.MaxMillis(), longest, merged.Completed[0])
	}
}
