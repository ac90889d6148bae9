package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"runtime/metrics"
	"testing"
)

// fuzzAllocation bounds the allocations for reading any stored document, in bytes.
const fuzzAllocation = 256 << 20

// FuzzStoredReport reads arbitrary reports, compressed or not. Both ways have the same result, within bounded
// allocations, and an accepted report can be merged.
func FuzzStoredReport(f *testing.F) {
	text, err := json.Marshal(newObservingWorker(f, 1, 2))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(bytes.Replace(text, []byte(`"worker":0`), []byte(`"worker":0,"seriesSeconds":2`), 1))
	f.Add([]byte(`{"members":[{},{}],"MEMBERS":[{}],"histogram":"` + encodeFullRangeHistogram() + `"}`))
	f.Add([]byte(`{"series":[{"values":[null,1e999,-0]}],"intervals":[{"errors":[{}]}]}`))
	f.Add([]byte("\x1f\x8b"))
	f.Fuzz(func(t *testing.T, text []byte) {
		packed, err := gzipText(string(text))
		if err != nil {
			t.Fatal(err)
		}
		before := allocatedBytes()
		w, err := DecodeWorkerResult(packed)
		_, plainErr := DecodeWorkerResult(text)
		if allocated := allocatedBytes() - before; allocated > fuzzAllocation {
			t.Fatalf("%d MiB allocated", allocated>>20)
		}
		if !bytes.HasPrefix(text, GzipMagic) && (err == nil) != (plainErr == nil) {
			t.Fatalf("compressed: %v, plain: %v", err, plainErr)
		}
		if err != nil {
			return
		}
		merger := NewMerger()
		if err := merger.AddWorker(w); err != nil {
			t.Fatalf("accepted, but not merged: %v", err)
		}
		if _, err := EncodeWorkerResult(w); err != nil && !errors.Is(err, ErrTooLarge) {
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

// FuzzBounds compares the counts of objects and depth with encoding/json, because the scanner cannot bound what
// it does not see.
func FuzzBounds(f *testing.F) {
	for _, text := range []string{`{}`, `[[],{"a":[{}]}]`, `{"a":"{[\"\\"}`, `{"a\"[":{"b":{}}}`, `"\\\\"`, `[{},{},"}",{"]":[]}]`, ` [ { } , null ] `} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s := boundsScanner{text: text}
		if s.scanText() != nil || !json.Valid(text) {
			return
		}
		objects, depth, deepest := 0, 0, 0
		for tokens := json.NewDecoder(bytes.NewReader(text)); ; {
			token, err := tokens.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return // The number is too large.
			}
			switch token {
			case json.Delim('{'):
				objects++
				depth++
			case json.Delim('['):
				depth++
			case json.Delim('}'), json.Delim(']'):
				depth--
			}
			deepest = max(deepest, depth)
		}
		if s.objects != objects || deepest > maxDepth || len(s.openContainers) != 0 {
			t.Fatalf("%d objects, the scanner counts %d; %d deep, %d left open", objects, s.objects, deepest, len(s.openContainers))
		}
	})
}
