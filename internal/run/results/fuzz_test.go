package results

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"reflect"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// FuzzWorker decodes arbitrary worker reports. An accepted report can be merged, sliced, judged and stored.
func FuzzWorker(f *testing.F) {
	for _, w := range []WorkerResult{newWorkerResult(f, 0, 10, 20), *newObservingWorker(f, 2, 3)} {
		text, err := json.Marshal(w)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
		f.Add(bytes.Replace(text, []byte(`"windowSeconds":`), []byte(`"intervalSeconds":1,"windowSeconds":`), 1))
		f.Add(bytes.Replace(text, []byte(`"worker":0`), []byte(`"load":{"cpuSeconds":1e308,"cpuLimit":1e-308,"periods":-1}`), 1))
		f.Add(bytes.Replace(text, []byte(`[1,1`), []byte(`[9223372036854775807,9223372036854775807`), 1))
		f.Add(bytes.Replace(text, []byte(`"cpuSeconds":[`), []byte(`"cpuSeconds":[1e308,1e308,`), 1))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		w, err := ParseWorkerResult(text)
		if err != nil {
			return
		}
		m, err := Merge([]WorkerResult{*w})
		if err != nil {
			t.Fatalf("taken in, but not merged: %v", err)
		}
		r, err := NewRunResult(m, Interpretation{}, m.Judge(RunObservations{ExpectedWorkers: 2}, DefaultTolerances()))
		if err != nil {
			t.Fatalf("measured, but without a result: %v", err)
		}
		r.Bottleneck = m.FindBottleneck(nil, nil)
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
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		packed, err := PackDocument(json.RawMessage(text), "text")
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

// FuzzHistogram decodes arbitrary histograms, as text and as the compressed content, since mutated text is
// hardly ever a valid histogram. A histogram is counted correctly or rejected. Percentiles increase, and adding
// it to itself doubles the count.
func FuzzHistogram(f *testing.F) {
	text := newWorkerResult(f, 0, 1, 2, 3).Histogram
	f.Add(text, decompressHistogram(f, text))
	f.Add("HISTFAAAABx4nJNpmSzMwMDAxQABTBDKZv7/////AwBAZgUR", decompressHistogram(f, newWorkerResult(f, 0, 1, 3600e6).Histogram))
	f.Add("", []byte{})
	f.Fuzz(func(t *testing.T, text string, content []byte) {
		for _, encoded := range []string{text, compressHistogram(t, content)} {
			if h, err := decodeHistogram(encoded); err == nil {
				assertHistogramRoundTrip(t, h)
			}
		}
	})
}

func assertHistogramRoundTrip(t *testing.T, h *Histogram) {
	t.Helper()
	encoded, err := h.Encode()
	if err != nil {
		t.Fatalf("taken in, but not written: %v", err)
	}
	again, err := decodeHistogram(encoded)
	if err != nil || again.Count() != h.Count() || again.PercentileMillis(50) != h.PercentileMillis(50) {
		t.Fatalf("it changed on the way: %v", err)
	}
	last := 0.0
	for _, percent := range []float64{1, 50, 90, 99, 99.9, 100} {
		if at := h.PercentileMillis(percent); at < last || at > h.MaxMillis() {
			t.Fatalf("p%v is %v ms, after %v, of at most %v", percent, at, last, h.MaxMillis())
		} else {
			last = at
		}
	}
	if h.Count() > math.MaxInt64/2 {
		return
	}
	if err := again.Add(h); err != nil || again.Count() != 2*h.Count() || again.MaxMillis() != h.MaxMillis() {
		t.Fatalf("twice %d are %d: %v", h.Count(), again.Count(), err)
	}
}

// encodedHeaderBytes is the size of the header before the compressed part of an encoded histogram.
const encodedHeaderBytes = 8

// decompressHistogram returns the decompressed content of an encoded histogram. compressHistogram is its
// inverse.
func decompressHistogram(f *testing.F, text string) []byte {
	f.Helper()
	encoded, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		f.Fatal(err)
	}
	unpacked, err := zlib.NewReader(bytes.NewReader(encoded[encodedHeaderBytes:]))
	if err != nil {
		f.Fatal(err)
	}
	content, err := io.ReadAll(unpacked)
	if err != nil {
		f.Fatal(err)
	}
	return content
}

func compressHistogram(t *testing.T, content []byte) string {
	t.Helper()
	var compressed bytes.Buffer
	w := zlib.NewWriter(&compressed)
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	header := binary.BigEndian.AppendUint32(nil, uint32(hdrhistogram.V2CompressedEncodingCookieBase)|0x10)
	header = binary.BigEndian.AppendUint32(header, uint32(compressed.Len()))
	return base64.StdEncoding.EncodeToString(append(header, compressed.Bytes()...))
}

// FuzzSeries decodes series with one value per second, some of them missing.
func FuzzSeries(f *testing.F) {
	for _, text := range []string{"[]", "null", "[1,null,2.5]", "[1e308,1e308]", "[-0]"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var s, again Series
		if json.Unmarshal(text, &s) != nil {
			return
		}
		written, err := json.Marshal(s)
		if err != nil {
			t.Fatalf("read, but not written: %v", err)
		}
		if err := json.Unmarshal(written, &again); err != nil || len(again) != len(s) || !reflect.DeepEqual(s.measuredValues(), again.measuredValues()) {
			t.Fatalf("%s became %s: %v", text, written, err)
		}
	})
}
