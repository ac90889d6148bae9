package results

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestResultRoundTrip(t *testing.T) {
	w := newWorkerResult(t, 0, 10, 20)
	w.Members = []MemberUsage{{Member: "m", CPUSeconds: Series{0.25, 0.5}, MemoryBytes: Series{1 << 30, 1 << 31}}}
	w.Data = DataFile{SHA256: strings.Repeat("0f", 32), Rows: 3}
	m := mergeWorkers(t, w)
	r, err := NewRunResult(m, Interpretation{}, m.Judge(RunObservations{ExpectedWorkers: 1}, DefaultTolerances()))
	if err != nil {
		t.Fatal(err)
	}
	r.Run = RunIdentity{Namespace: "n", Name: "run"}
	r.Times.Start, r.Times.End = m.Start.Add(-30*time.Second), m.Start.Add(time.Minute)
	r.Workload = json.RawMessage(`{"measure":{"windowSeconds":2}}`)
	r.Environment.Images = []ImageInfo{{Role: "corda", Digest: "sha256:1"}}
	packed, err := EncodeRunResult(r)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeRunResult(packed)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, r) || got.Data != w.Data {
		t.Errorf("got  %+v\nwant %+v", got, r)
	}
	h, err := got.DecodeHistogram()
	if err != nil || h.Count() != 2 {
		t.Errorf("histogram of %v values, %v", h, err)
	}
}

func TestWorkerRoundTripKeepsGaps(t *testing.T) {
	w := newWorkerResult(t, 0, 10, 20, 30)
	w.Members = []MemberUsage{{Member: "m", CPUSeconds: Series{1, Missing, 3}, MemoryBytes: Series{Missing, 5, 6}, MissedScrapes: 1}}
	packed, err := EncodeWorkerResult(&w)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeWorkerResult(packed)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal(got.Members)
	if want := `"cpuSeconds":[1,null,3],"memoryBytes":[null,5,6]`; !strings.Contains(string(text), want) {
		t.Errorf("no %s in %s", want, text)
	}
	if mean, most := got.Members[0].CPUSeconds.Mean(), got.Members[0].MemoryBytes.Max(); mean != 2 || most != 6 {
		t.Errorf("mean %v of what is known, max %v; want 2 and 6", mean, most)
	}
}

// TestParseWorkerResultOfJavaDriver parses a result exactly as a Java driver writes it.
func TestParseWorkerResultOfJavaDriver(t *testing.T) {
	text := `{"worker":1,"startMillis":1790000000000,"windowSeconds":2,"histogram":"HISTOGRAM",
		"completedPerSecond":[4,5],"failedPerSecond":[0,1],"errors":[{"kind":"net.corda.core.flows.FlowException","count":1,"example":"no"}],
		"schedule":{"planned":10,"late":1,"maxLagMicros":120000},"ledger":{"checked":true,"expected":9,"recorded":9,"reason":""}}`
	text = strings.Replace(text, "HISTOGRAM", newWorkerResult(t, 1, 5).Histogram, 1)
	w, err := ParseWorkerResult([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if w.Worker != 1 || w.Errors[0].Count != 1 || w.Schedule.MaxLagMicros != 120000 || !w.Ledger.Checked || w.CompletedPerSecond[1] != 5 {
		t.Errorf("got %+v", w)
	}
	if _, err := ParseWorkerResult([]byte(text[:50])); err == nil {
		t.Error("half a result was taken")
	}
}

// TestEncodedSizeOfWorkerResults checks that ten members over twenty minutes, the largest expected experiment,
// fit with one value per second, and that a larger one is coarsened.
func TestEncodedSizeOfWorkerResults(t *testing.T) {
	packed, err := EncodeWorkerResult(newObservingWorker(t, 10, 1200))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("10 members over 1200 s: %d bytes", len(packed))
	w := newObservingWorker(t, 100, 1800)
	if packed, err = EncodeWorkerResult(w); err != nil || w.SeriesSeconds != 4 {
		t.Errorf("100 members over 1800 s: %d bytes with a value for %d s, %v", len(packed), w.SeriesSeconds, err)
	}
	if _, err := DecodeWorkerResult(packed); err != nil {
		t.Errorf("what was coarsened is not read: %v", err)
	}
	w.Unit = strings.Repeat("x", MaxDecodedBytes)
	if _, err := EncodeWorkerResult(w); !errors.Is(err, ErrTooLarge) {
		t.Errorf("nothing makes a unit of 4 MiB smaller, but: %v", err)
	}
}

// newObservingWorker returns a result with the given number of members and series that compress badly.
func newObservingWorker(t testing.TB, members, seconds int) *WorkerResult {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 1))
	w := newWorkerResult(t, 0, make([]int64, seconds)...)
	for i := range members {
		m := MemberUsage{Member: fmt.Sprintf("member-%d", i)}
		for _, name := range []string{SeriesNetworkReceive, SeriesNetworkTransmit} {
			s := NamedSeries{Subject: m.Member, Name: name, Unit: "B/s"}
			for range seconds {
				s.Values = append(s.Values, float64(random.IntN(10_000_000)))
			}
			w.Series = append(w.Series, s)
		}
		for range seconds {
			m.CPUSeconds = append(m.CPUSeconds, float64(random.IntN(20000))/10000)
			m.MemoryBytes = append(m.MemoryBytes, float64(1<<30+4096*random.IntN(100000)))
		}
		w.Members = append(w.Members, m)
	}
	return &w
}

func TestDecodeRejectsInvalidDocuments(t *testing.T) {
	zip := func(text string) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write([]byte(text))
		_ = z.Close()
		return b.Bytes()
	}
	const head = `{"apiVersion":"benchnet.dev/v1alpha1","kind":"RunResult","schemaVersion":1,`
	for want, input := range map[string][]byte{
		"unpack:":       []byte("\x1f\x8bplain"),
		"parse:":        zip("{"),
		"invalid":       []byte("plain"),
		"schema 2":      zip(`{"apiVersion":"benchnet.dev/v1alpha1","kind":"RunResult","schemaVersion":2}`),
		"failed":        zip(head + `"series":{"completedPerSecond":[1,2],"failedPerSecond":[0]}}`),
		"negative":      zip(head + `"times":{"windowSeconds":-1}}`),
		`is "v1" "Pod"`: zip(`{"apiVersion":"v1","kind":"Pod"}`),
		"more than":     zip(strings.Repeat(" ", MaxDecodedBytes+1)),
	} {
		if _, err := DecodeRunResult(input); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
