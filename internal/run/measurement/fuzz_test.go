package measurement

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
			if h, err := DecodeHistogram(encoded); err == nil {
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
	again, err := DecodeHistogram(encoded)
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
	if err := again.Merge(h); err != nil || again.Count() != 2*h.Count() || again.MaxMillis() != h.MaxMillis() {
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
		if err := json.Unmarshal(written, &again); err != nil || len(again) != len(s) || !reflect.DeepEqual(s.Measured(), again.Measured()) {
			t.Fatalf("%s became %s: %v", text, written, err)
		}
	})
}
