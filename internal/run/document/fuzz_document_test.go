package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"runtime/metrics"
	"testing"

	"github.com/benchnet/benchnet/internal/run/boundedjson"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/measurement/measurementtest"
)

// fuzzAllocation bounds the allocations for reading any stored document, in bytes.
const fuzzAllocation = 256 << 20

// FuzzStoredReport reads arbitrary reports, compressed or not. Both ways have the same result, within bounded
// allocations, and an accepted report can be merged.
func FuzzStoredReport(f *testing.F) {
	text, err := json.Marshal(measurementtest.NewObservingWorker(f, 1, 2))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(bytes.Replace(text, []byte(`"worker":0`), []byte(`"worker":0,"seriesSeconds":2`), 1))
	f.Add([]byte(`{"members":[{},{}],"MEMBERS":[{}],"histogram":"` + encodeFullRangeHistogram() + `"}`))
	f.Add([]byte(`{"series":[{"values":[null,1e999,-0]}],"intervals":[{"errors":[{}]}]}`))
	w := measurementtest.NewObservingWorker(f, 1, 2)
	w.Operations = []measurement.OperationCounts{{Name: "Mint", Completed: 2, Histogram: w.Histogram}}
	if text, err = json.Marshal(w); err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte("\x1f\x8b"))
	f.Fuzz(func(t *testing.T, text []byte) {
		packed, err := gzipText(string(text))
		if err != nil {
			t.Fatal(err)
		}
		before := allocatedBytes()
		w, err := measurement.DecodeWorkerResult(packed)
		_, plainErr := measurement.DecodeWorkerResult(text)
		if allocated := allocatedBytes() - before; allocated > fuzzAllocation {
			t.Fatalf("%d MiB allocated", allocated>>20)
		}
		if !bytes.HasPrefix(text, boundedjson.GzipMagic) && (err == nil) != (plainErr == nil) {
			t.Fatalf("compressed: %v, plain: %v", err, plainErr)
		}
		if err != nil {
			return
		}
		merger := measurement.NewMerger()
		if err := merger.AddWorker(w); err != nil {
			t.Fatalf("accepted, but not merged: %v", err)
		}
		if _, err := measurement.EncodeWorkerResult(w); err != nil && !errors.Is(err, boundedjson.ErrTooLarge) {
			t.Fatalf("accepted, but not written: %v", err)
		}
	})
}

// allocatedBytes returns the total of all allocations so far. Unlike runtime.ReadMemStats it does not stop the
// world.
func allocatedBytes() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
