package document

import (
	"math"
	"reflect"
	"testing"

	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/measurement/measurementtest"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// TestEncodeCoarsensResults encodes the series of 100 members over 24 hours, as if they had been coarsened
// during the merge.
func TestEncodeCoarsensResults(t *testing.T) {
	const window = 24 * 60 * 60
	w := measurementtest.NewObservingWorker(t, 100, window/64)
	m := measurementtest.MergeWorkers(t, *w)
	m.WindowSeconds, m.SeriesSeconds = window, 64
	for range measurement.MaxBlocks {
		m.Blocks = append(m.Blocks, measurement.Block{Height: int64(len(m.Blocks)), Micros: int64(len(m.Blocks)) * 4_000_000, Bytes: 1 << 20, Proposer: "A1B2C3"})
	}
	r, err := NewRunResult(m, verdict.Interpretation{}, verdict.Verdict{})
	if err != nil {
		t.Fatal(err)
	}
	mean := r.Members[0].CPUSeconds.Mean()
	packed, err := EncodeRunResult(r)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeRunResult(packed)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes, a value for %d s, %d blocks", len(packed), got.SeriesSeconds, len(got.Blocks))
	if got.SeriesSeconds <= 64 || len(got.Members[0].CPUSeconds) != (window+got.SeriesSeconds-1)/got.SeriesSeconds {
		t.Errorf("%d values, each for %d s", len(got.Members[0].CPUSeconds), got.SeriesSeconds)
	}
	if math.Abs(got.Members[0].CPUSeconds.Mean()-mean) > 0.01*mean {
		t.Errorf("the mean was %v and became %v", mean, got.Members[0].CPUSeconds.Mean())
	}
	if int64(len(got.Blocks))+got.BlocksOmitted != measurement.MaxBlocks {
		t.Errorf("%d blocks and %d omitted", len(got.Blocks), got.BlocksOmitted)
	}
}

func TestExpandToSeconds(t *testing.T) {
	r := &RunResult{SeriesSeconds: 2, Times: Times{WindowSeconds: 5}}
	got := r.ExpandToSeconds(measurement.Series{1, 2, 3})
	if len(got) != 5 || !reflect.DeepEqual(got.Measured(), []float64{1, 2, 3}) || got[1] != 1 || got[3] != 2 || got[4] != 3 {
		t.Errorf("got %v", got)
	}
}
