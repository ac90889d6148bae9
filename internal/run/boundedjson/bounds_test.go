package boundedjson

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
)

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

// TestUnpackRejectsCompressionBomb packs 64 MiB.
func TestUnpackRejectsCompressionBomb(t *testing.T) {
	packed, err := gzipText(strings.Repeat(" ", 64<<20))
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = Unpack(packed)
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; err == nil || allocated > 32<<20 {
		t.Errorf("%d bytes packed: %d MiB allocated, error %v", len(packed), allocated>>20, err)
	}
}

func gzipText(text string) ([]byte, error) {
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, err := zip.Write([]byte(text))
	err = errors.Join(err, zip.Close())
	return packed.Bytes(), err
}
