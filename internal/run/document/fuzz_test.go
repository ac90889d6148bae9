package document

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/benchnet/benchnet/internal/run/boundedjson"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/measurement/measurementtest"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// FuzzWorker decodes arbitrary worker reports. An accepted report can be merged, sliced, judged and stored.
func FuzzWorker(f *testing.F) {
	for _, w := range []measurement.WorkerResult{measurementtest.NewWorkerResult(f, 0, 10, 20), *measurementtest.NewObservingWorker(f, 2, 3)} {
		text, err := json.Marshal(w)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
		f.Add(bytes.Replace(text, []byte(`"windowSeconds":`), []byte(`"intervalSeconds":1,"windowSeconds":`), 1))
		f.Add(bytes.Replace(text, []byte(`"worker":0`), []byte(`"load":{"cpuSeconds":1e308,"cpuLimit":1e-308,"periods":-1}`), 1))
		f.Add(bytes.Replace(text, []byte(`"worker":0`), []byte(`"worker":0,"faults":[{"injected":{"fromSeconds":1}},{"healed":{}}]`), 1))
		f.Add(bytes.Replace(text, []byte(`[1,1`), []byte(`[9223372036854775807,9223372036854775807`), 1))
		f.Add(bytes.Replace(text, []byte(`"cpuSeconds":[`), []byte(`"cpuSeconds":[1e308,1e308,`), 1))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		w, err := measurement.ParseWorkerResult(text)
		if err != nil {
			return
		}
		m, err := measurement.Merge([]measurement.WorkerResult{*w})
		if err != nil {
			t.Fatalf("taken in, but not merged: %v", err)
		}
		r, err := NewRunResult(m, verdict.Interpretation{}, verdict.Judge(m, verdict.RunObservations{ExpectedWorkers: 2}, verdict.DefaultTolerances()))
		if err != nil {
			t.Fatalf("measured, but without a result: %v", err)
		}
		r.AddFaults(m, nil)
		r.Bottleneck = verdict.FindBottleneck(m, nil, nil)
		if _, err := json.Marshal(r); err != nil {
			t.Fatalf("a result that cannot be stored: %v", err)
		}
		if each := w.IntervalSeconds; each > 0 {
			if _, err := w.SliceWindow(0, each); err != nil {
				t.Fatalf("taken in, but not cut: %v", err)
			}
		}
	})
}

// FuzzResult decodes arbitrary stored results. An accepted result is unchanged after writing and reading it
// again.
func FuzzResult(f *testing.F) {
	for _, text := range []string{
		"", "{}", `{"apiVersion":"benchnet.dev/v1alpha1","kind":"RunResult","schemaVersion":1}`,
		`{"apiVersion":"benchnet.dev/v1alpha1","kind":"RunResult","schemaVersion":1,"workload":{"a":[1]},"histogram":"","members":[{"cpuSeconds":[null,1]}]}`,
		`{"apiVersion":"benchnet.dev/v1alpha1","kind":"RunResult","schemaVersion":1,"faults":[{"targets":[{"member":"a","injected":{"fromSeconds":1}}],"score":{"impactSeconds":1}}]}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		packed, err := boundedjson.Pack(json.RawMessage(text), "text")
		if err != nil {
			return
		}
		r, err := DecodeRunResult(packed)
		if err != nil {
			return
		}
		if h, err := r.DecodeHistogram(); err == nil {
			_ = h.PercentileMillis(99.9)
		}
		again, err := EncodeRunResult(r)
		if err != nil {
			t.Fatalf("read, but not written: %v", err)
		}
		second, err := DecodeRunResult(again)
		if err != nil {
			t.Fatalf("written, but not read: %v", err)
		}
		first, last := marshalJSON(t, r), marshalJSON(t, second)
		if !bytes.Equal(first, last) {
			t.Fatalf("it changed on the way:\n%s\n%s", first, last)
		}
	})
}

func marshalJSON(t *testing.T, value any) []byte {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
