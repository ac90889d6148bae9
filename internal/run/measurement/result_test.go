package measurement

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/internal/run/boundedjson"
)

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
	w.Unit = strings.Repeat("x", boundedjson.MaxDecodedBytes)
	if _, err := EncodeWorkerResult(w); !errors.Is(err, boundedjson.ErrTooLarge) {
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
