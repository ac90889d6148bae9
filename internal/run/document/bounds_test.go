package document

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/benchnet/benchnet/internal/run/boundedjson"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// repeatJSONList returns a list of n equal items.
func repeatJSONList(item string, n int) string {
	return "[" + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + "]"
}

// oversizedDocuments are texts below MaxDecodedBytes that would need as much memory as possible once decoded.
func oversizedDocuments() map[string]string {
	nested := strings.Repeat("[", 1000) + strings.Repeat("]", 1000)
	return map[string]string{
		"list of empty members":  `{"members":` + repeatJSONList("{}", 1_300_000) + `}`,
		"other case":             `{"MEMBERS":` + repeatJSONList("{}", 1_300_000) + `}`,
		"escaped name":           `{"\u006dembers":` + repeatJSONList("{}", 1_300_000) + `}`,
		"lists of empty errors":  `{"intervals":` + repeatJSONList(`{"errors":`+repeatJSONList("{}", 1000)+`}`, 1000) + `}`,
		"numbers for errors":     `{"intervals":` + repeatJSONList(`{"errors":`+repeatJSONList("0", 19_000)+`}`, 100) + `}`,
		"same list many times":   `{` + strings.TrimSuffix(strings.Repeat(`"members":`+repeatJSONList("{}", 15_000)+`,`, 80), ",") + `}`,
		"long list of numbers":   `{"completedPerSecond":` + repeatJSONList("0", 2_000_000) + `}`,
		"long string":            `{"unit":"` + strings.Repeat("x", 4_000_000) + `"}`,
		"nesting":                `{"members":` + nested + `}`,
		"object of many fields":  `{"a":` + `{` + strings.Repeat(`"a":0,`, 100_000) + `"a":0}}`,
		"pressure and host":      `{"members":` + repeatJSONList(`{"host":{"pressure":{"cpu":1}},"volume":{},"clock":{}}`, 70_000) + `}`,
		"histogram of any range": fmt.Sprintf(`{"worker":0,"measurementtest.StartMillis":1,"windowSeconds":1,"completedPerSecond":[0],"failedPerSecond":[0],"histogram":%q}`, encodeFullRangeHistogram()),
	}
}

// TestOversizedDocumentsAreRejectedCheaply measures the allocations for them. A list of a million empty objects
// took 579 MiB.
func TestOversizedDocumentsAreRejectedCheaply(t *testing.T) {
	const allowed = 64 << 20
	for name, text := range oversizedDocuments() {
		t.Run(name, func(t *testing.T) {
			if len(text) > boundedjson.MaxDecodedBytes {
				t.Fatalf("the text has %d bytes: the case shows nothing", len(text))
			}
			packed, err := gzipText(text)
			if err != nil {
				t.Fatal(err)
			}
			for kind, decode := range map[string]func([]byte) error{
				"report": func(b []byte) error { _, err := measurement.DecodeWorkerResult(b); return err },
				"result": func(b []byte) error { _, err := DecodeRunResult(b); return err },
			} {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				err = decode(packed)
				runtime.ReadMemStats(&after)
				allocated := after.TotalAlloc - before.TotalAlloc
				t.Logf("%s: %d KiB packed, %d MiB allocated: %v", kind, len(packed)>>10, allocated>>20, err)
				if err == nil || allocated > allowed {
					t.Errorf("%s: %d MiB allocated, at most %d; error %v", kind, allocated>>20, allowed>>20, err)
				}
			}
		})
	}
}

// TestDocumentsAtTheBounds measures the allocations for texts as large as the bounds allow.
func TestDocumentsAtTheBounds(t *testing.T) {
	const allowed = 160 << 20
	for name, text := range map[string]string{
		"members":           `{"members":` + repeatJSONList(`{"host":{"pressure":{"cpu":1}},"volume":{},"clock":{},"garbageCollection":{},"pressure":{}}`, 20_000) + `}`,
		"numbers":           `{"series":` + repeatJSONList(`{"values":`+repeatJSONList("0", 199_000)+`}`, 10) + `}`,
		"errors":            `{"intervals":` + repeatJSONList(`{"errors":`+repeatJSONList("{}", 9900)+`}`, 30) + `}`,
		"errors as numbers": `{"intervals":` + repeatJSONList(`{"errors":`+repeatJSONList("0", 18_000)+`}`, 16) + `}`,
		"fields of a map":   `{"environment":{"settings":{` + newDistinctFields(9000) + `}}}`,
		"experiment runs":   `{"runs":` + repeatJSONList(`{"metrics":{"a":1}}`, 20_000) + `}`,
		"escaped in lists":  `{"errors":` + repeatJSONList(`{"kind":"\u0000"}`, 20_000) + `}`,
	} {
		t.Run(name, func(t *testing.T) {
			if err := boundedjson.DecodeText([]byte(text), new(json.RawMessage)); err != nil {
				t.Fatalf("the case shows nothing: %v", err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, reportErr := measurement.ParseWorkerResult([]byte(text))
			_, resultErr := DecodeRunResult([]byte(text))
			err := errors.Join(reportErr, resultErr)
			runtime.ReadMemStats(&after)
			if allocated := after.TotalAlloc - before.TotalAlloc; allocated > allowed {
				t.Errorf("%d MiB allocated for %d KiB, at most %d MiB; error %v", allocated>>20, len(text)>>10, allowed>>20, err)
			} else {
				t.Logf("%d MiB allocated for %d KiB", allocated>>20, len(text)>>10)
			}
		})
	}
}

func newDistinctFields(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"%d":"",`, i)
	}
	return strings.TrimSuffix(b.String(), ",")
}

// TestPackRejectsUnreadableDocument packs a document with a string that no reader would accept.
func TestPackRejectsUnreadableDocument(t *testing.T) {
	_, err := EncodeRunResult(&RunResult{Verdict: verdict.Verdict{Reasons: []verdict.Reason{{Message: strings.Repeat("x", 64<<10+1)}}}})
	if !errors.Is(err, boundedjson.ErrTooLarge) || !strings.Contains(err.Error(), "a string has") {
		t.Errorf("got %v", err)
	}
}

// encodeFullRangeHistogram returns a histogram of the library's whole range, with counts of 48 MB.
func encodeFullRangeHistogram() string {
	encoded, err := hdrhistogram.New(1, math.MaxInt64/2, 5).Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		panic(err)
	}
	return string(encoded)
}

func gzipText(text string) ([]byte, error) {
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, err := zip.Write([]byte(text))
	err = errors.Join(err, zip.Close())
	return packed.Bytes(), err
}
