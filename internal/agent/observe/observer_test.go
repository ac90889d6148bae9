package observe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/benchnet/benchnet/internal/agent/container"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

var baseTime = time.Unix(1_790_000_000, 0)

// usageSample returns a reading at an offset in seconds, with the given usage and ten CPU periods per second.
func usageSample(seconds float64, cpu time.Duration, throttled uint64, memory uint64) scrapeSample {
	return scrapeSample{takenAt: baseTime.Add(time.Duration(seconds * float64(time.Second))),
		usage: &container.Usage{CPU: cpu, Periods: uint64(seconds * 10), ThrottledPeriods: throttled, WorkingSet: memory}}
}

// equalSeries reports whether two series are equal, treating missing values as equal.
func equalSeries(a, b measurement.Series) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] && !(math.IsNaN(a[i]) && math.IsNaN(b[i])) {
			return false
		}
	}
	return true
}

func TestSummarizeMember(t *testing.T) {
	none := measurement.Missing
	for name, c := range map[string]struct {
		readings []scrapeSample
		want     measurement.MemberUsage
	}{
		"whole": {
			[]scrapeSample{usageSample(0, 5*time.Second, 3, 7), usageSample(1, 5500*time.Millisecond, 4, 8), usageSample(2, 7*time.Second, 9, 6)},
			measurement.MemberUsage{CPUSeconds: measurement.Series{0.5, 1.5}, MemoryBytes: measurement.Series{8, 6}, Periods: 20, ThrottledPeriods: 6},
		},
		"uneven scrapes are brought to a second": {
			[]scrapeSample{usageSample(0, 0, 0, 1), usageSample(1.25, time.Second, 0, 1), usageSample(2, 2*time.Second, 0, 1)},
			measurement.MemberUsage{CPUSeconds: measurement.Series{0.8, 1.3333}, MemoryBytes: measurement.Series{1, 1}, Periods: 20},
		},
		"a missed one costs two seconds of CPU, one of memory, and no periods": {
			[]scrapeSample{usageSample(0, 0, 0, 1), {}, usageSample(2, 2*time.Second, 5, 1), usageSample(3, 3*time.Second, 6, 1)},
			measurement.MemberUsage{CPUSeconds: measurement.Series{none, none, 1}, MemoryBytes: measurement.Series{none, 1, 1}, Periods: 30, ThrottledPeriods: 6, MissedScrapes: 1},
		},
		"restarted": {
			[]scrapeSample{usageSample(0, 9*time.Second, 0, 1), usageSample(1, time.Second, 0, 1), usageSample(2, 2*time.Second, 0, 1)},
			measurement.MemberUsage{CPUSeconds: measurement.Series{none, 1}, MemoryBytes: measurement.Series{1, 1}, Periods: 10, Resets: 1},
		},
		"never reached": {
			make([]scrapeSample, 3),
			measurement.MemberUsage{CPUSeconds: measurement.Series{none, none}, MemoryBytes: measurement.Series{none, none}, MissedScrapes: 3},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := summarizeMember(protocol.ObservedEndpoint{}, c.readings)
			if !equalSeries(got.CPUSeconds, c.want.CPUSeconds) || !equalSeries(got.MemoryBytes, c.want.MemoryBytes) {
				t.Errorf("CPU %v, memory %v\nwant %v, %v", got.CPUSeconds, got.MemoryBytes, c.want.CPUSeconds, c.want.MemoryBytes)
			}
			got.CPUSeconds, got.MemoryBytes, c.want.CPUSeconds, c.want.MemoryBytes = nil, nil, nil, nil
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}

// newWindow returns a window of the given length in seconds that begins now.
func newWindow(seconds int) *protocol.Window {
	return protocol.MeasureTimes{WindowSeconds: seconds, IntervalSeconds: 1}.NewWindow(time.Now())
}

// TestObserveEndsWithTheWindow checks that a shortened window has samples up to its end.
func TestObserveEndsWithTheWindow(t *testing.T) {
	window := newWindow(60)
	answers := func(context.Context, string, []string) (map[string]float64, error) { return idleMetrics() }
	time.AfterFunc(300*time.Millisecond, func() {
		if err := window.StopAt(window.From().Add(2 * time.Second)); err != nil {
			t.Error(err)
		}
	})
	began := time.Now()
	got := Observe(t.Context(), []protocol.ObservedEndpoint{{}}, window, answers).Members
	if got[0].MissedScrapes > 2 || len(got[0].CPUSeconds) != 2 || time.Since(began) > 50*time.Second {
		t.Errorf("%d missed, series of %d, after %s; want both seconds", got[0].MissedScrapes, len(got[0].CPUSeconds), time.Since(began))
	}
}

func TestSelectShareCoversAll(t *testing.T) {
	members := []protocol.ObservedEndpoint{{Member: "a"}, {Member: "b"}, {Member: "c"}, {Member: "d"}, {Member: "e"}}
	seen := map[string]int{}
	for worker := range 3 {
		for _, m := range SelectShare(members, worker, 3) {
			seen[m.Member]++
		}
	}
	if want := map[string]int{"a": 1, "b": 1, "c": 1, "d": 1, "e": 1}; !reflect.DeepEqual(seen, want) {
		t.Errorf("got %v", seen)
	}
}

// TestObserveOverHTTP observes a real endpoint for two seconds; the second of its three scrapes fails.
func TestObserveOverHTTP(t *testing.T) {
	var scrapes atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n := scrapes.Add(1)
		if n == 2 {
			http.Error(w, "busy", http.StatusServiceUnavailable)
			return
		}
		_ = container.WriteMetrics(w, container.Usage{CPU: time.Duration(n) * time.Second, Periods: uint64(10 * n), WorkingSet: 42}.Metrics()...)
	}))
	defer server.Close()
	members := []protocol.ObservedEndpoint{{Member: "up", URL: server.URL}, {Member: "down", URL: "http://127.0.0.1:1/"}}
	got := Observe(t.Context(), members, newWindow(2), ScrapeHTTP).Members
	if up := got[0]; up.MissedScrapes != 1 || up.Periods != 20 || up.MemoryBytes[1] != 42 || !math.IsNaN(up.MemoryBytes[0]) {
		t.Errorf("up: %+v", up)
	}
	if down := got[1]; down.MissedScrapes != 3 {
		t.Errorf("down: %+v", down)
	}
}

// TestHangingMember checks that a hanging member is missed without delaying its next scrape or other members.
func TestHangingMember(t *testing.T) {
	hang := func(ctx context.Context, url string, _ []string) (map[string]float64, error) {
		if url == "hangs" {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return idleMetrics()
	}
	began := time.Now()
	got := Observe(t.Context(), []protocol.ObservedEndpoint{{URL: "hangs"}, {URL: "answers"}}, newWindow(1), hang).Members
	if got[0].MissedScrapes != 2 || got[1].MissedScrapes > 1 {
		t.Errorf("missed %d and %d, want 2 and none, or one on a busy machine", got[0].MissedScrapes, got[1].MissedScrapes)
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("took %v", took)
	}
}

// idleMetrics returns the agent's metrics of an idle container.
func idleMetrics() (map[string]float64, error) {
	values := map[string]float64{}
	for _, m := range (container.Usage{WorkingSet: 1}).Metrics() {
		values[m.Name] = m.Value
	}
	return values, nil
}

func TestObserveEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	answers := func(context.Context, string, []string) (map[string]float64, error) {
		cancel()
		return idleMetrics()
	}
	got := Observe(ctx, []protocol.ObservedEndpoint{{}}, newWindow(60), answers).Members
	if got[0].MissedScrapes != 60 || len(got[0].CPUSeconds) != 60 {
		t.Errorf("missed %d of 61, series of %d", got[0].MissedScrapes, len(got[0].CPUSeconds))
	}
	if !errors.Is(ctx.Err(), context.Canceled) {
		t.Error("returned before its context ended")
	}
}

// timedSample returns a reading at an offset in seconds, with the duration of its exchange and its metrics.
func timedSample(seconds float64, took time.Duration, values map[string]float64) scrapeSample {
	return scrapeSample{takenAt: baseTime.Add(time.Duration(seconds * float64(time.Second))), duration: took, values: values}
}

func TestEvidence(t *testing.T) {
	clock := func(seconds float64) float64 { return float64(baseTime.Unix()) + seconds }
	got := computeEvidence([]scrapeSample{
		timedSample(0, 8*time.Millisecond, map[string]float64{container.CPULimit: 0.3, container.MemoryLimit: 1 << 30, container.OOMKills: 1, container.GCSeconds: 10, container.GCCollections: 100,
			container.HostCPUs: 2, container.HostCPUBusy: 100, container.HostCPUIdle: 50, container.HostCPUIOWait: 5, container.HostCPUSteal: 1, container.HostCPUPressure: 7,
			container.VolumeSize: 1000, container.VolumeAvailable: 400, container.HostClock: clock(0.5)}),
		{},
		timedSample(1, time.Millisecond, map[string]float64{container.VolumeSize: 1000, container.VolumeAvailable: 20, container.HostClock: clock(1.02)}),
		timedSample(2, 3*time.Millisecond, map[string]float64{container.CPULimit: 0.3, container.MemoryLimit: 1 << 30, container.OOMKills: 3, container.GCSeconds: 10.5, container.GCCollections: 104,
			container.HostCPUs: 2, container.HostCPUBusy: 103, container.HostCPUIdle: 50.6, container.HostCPUIOWait: 5.2, container.HostCPUSteal: 1.2, container.HostCPUPressure: 8,
			container.VolumeSize: 1000, container.VolumeAvailable: 300, container.HostClock: clock(2.4)}),
	})
	want := measurement.Evidence{
		CPULimit: 0.3, MemoryLimitBytes: 1 << 30, OOMKills: 2,
		GarbageCollection: &measurement.GarbageCollection{Share: 0.25, Collections: 4},
		Volume:            &measurement.VolumeUsage{SizeBytes: 1000, LeastAvailableBytes: 20},
		Host: &measurement.Host{CPUs: 2, BusyShare: 0.75, StealShare: 0.05, IOWaitShare: 0.05, IdleShare: 0.15,
			Pressure: &measurement.Pressure{CPU: new(0.5)}},
		Clock: &measurement.Clock{OffsetMillis: 20, ErrorMillis: 0.5},
	}
	if !reflect.DeepEqual(got, want) {
		gotText, _ := json.Marshal(got)
		wantText, _ := json.Marshal(want)
		t.Errorf("got  %s\nwant %s", gotText, wantText)
	}
}

// TestEvidenceOmitsUnknown checks that missing metrics and restarted counters give no evidence rather than a wrong one.
func TestEvidenceOmitsUnknown(t *testing.T) {
	for name, readings := range map[string][]scrapeSample{
		"nothing answered": make([]scrapeSample, 3),
		"one answer":       {timedSample(0, 0, map[string]float64{container.CPULimit: 1}), {}},
		"nothing reported": {timedSample(0, 0, nil), timedSample(1, 0, nil)},
		"counters restart": {timedSample(0, 0, map[string]float64{container.GCSeconds: 9, container.GCCollections: 9}), timedSample(1, 0, map[string]float64{container.GCSeconds: 1, container.GCCollections: 1})},
		"reported at end":  {timedSample(0, 0, nil), timedSample(1, 0, map[string]float64{container.GCSeconds: 1, container.GCCollections: 1, container.OOMKills: 1})},
	} {
		if got := computeEvidence(readings); got != (measurement.Evidence{}) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestSampleInterval samples an expensive endpoint less often: seconds in between are missing, and a rate
// covers the whole interval.
func TestSampleInterval(t *testing.T) {
	none := measurement.Missing
	o := protocol.ObservedEndpoint{Member: "member-0", EverySeconds: 2}
	readings := []scrapeSample{metricSample(0, 10), metricSample(2, 30), metricSample(4, 70)}
	got := buildSeries(o, protocol.ObservedSeries{Metric: "m", Kind: protocol.SeriesCounter}, readings, 5)
	if want := (measurement.Series{none, 10, none, 20, none}); !equalSeries(got.Values, want) {
		t.Errorf("got %v, want %v", got.Values, want)
	}
	scraped, began := 0, time.Now()
	seen := Observe(t.Context(), []protocol.ObservedEndpoint{{Member: "a", EverySeconds: 2, Series: []protocol.ObservedSeries{{Metric: "m", Kind: protocol.SeriesGauge}}}}, newWindow(3),
		func(context.Context, string, []string) (map[string]float64, error) {
			scraped++
			return map[string]float64{"m": 1}, nil
		})
	if scraped != 2 || time.Since(began) < 2*time.Second || len(seen.Members) != 0 || !equalSeries(seen.Series[0].Values, measurement.Series{none, 1, none}) {
		t.Errorf("asked %d times within %v, saw %+v", scraped, time.Since(began), seen)
	}
}

// TestRecordedSeries checks that the agent's network series are whole bytes, and absent without metrics.
func TestRecordedSeries(t *testing.T) {
	got := buildAgentSeries(protocol.ObservedEndpoint{Member: "a"}, []scrapeSample{
		timedSample(0, 0, map[string]float64{container.NetworkReceived: 0}), timedSample(1.5, 0, map[string]float64{container.NetworkReceived: 1000})}, 1)
	if len(got) != 1 || got[0].Name != "networkReceive" || got[0].Subject != "a" || !equalSeries(got[0].Values, measurement.Series{667}) {
		t.Errorf("got %+v", got)
	}
}

// metricSample returns a reading at an offset in seconds with one metric.
func metricSample(seconds, value float64) scrapeSample {
	return scrapeSample{takenAt: baseTime.Add(time.Duration(seconds * float64(time.Second))), values: map[string]float64{"m": value}}
}

func TestSeries(t *testing.T) {
	none := measurement.Missing
	for name, c := range map[string]struct {
		kind     protocol.SeriesKind
		readings []scrapeSample
		want     measurement.Series
	}{
		"gauge":                   {protocol.SeriesGauge, []scrapeSample{metricSample(0, 1), metricSample(1, 7.5), metricSample(2, 0)}, measurement.Series{7.5, 0}},
		"a gauge that was missed": {protocol.SeriesGauge, []scrapeSample{metricSample(0, 1), {}, metricSample(2, 3)}, measurement.Series{none, 3}},
		"a gauge that is no number": {protocol.SeriesGauge, []scrapeSample{metricSample(0, 1), metricSample(1, math.NaN()), metricSample(2, math.Inf(1))},
			measurement.Series{none, none}},
		"a metric that is not there": {protocol.SeriesGauge, []scrapeSample{usageSample(0, 0, 0, 1), usageSample(1, 0, 0, 1)}, measurement.Series{none}},
		"counter over the true time": {protocol.SeriesCounter, []scrapeSample{metricSample(0, 100), metricSample(1.25, 200), metricSample(2, 260)}, measurement.Series{80, 80}},
		"a counter that was missed": {protocol.SeriesCounter, []scrapeSample{metricSample(0, 1), {}, metricSample(2, 3), metricSample(3, 5)},
			measurement.Series{none, none, 2}},
		"a counter that restarted at 0": {protocol.SeriesCounter, []scrapeSample{metricSample(0, 9), metricSample(1, 2), metricSample(2, 4)}, measurement.Series{none, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			got := buildSeries(protocol.ObservedEndpoint{Member: "member-0"}, protocol.ObservedSeries{Name: "n", Unit: "u", Metric: "m", Kind: c.kind}, c.readings, len(c.readings)-1)
			if got.Subject != "member-0" || got.Name != "n" || got.Unit != "u" || !equalSeries(got.Values, c.want) {
				t.Errorf("got %+v, want %v", got, c.want)
			}
		})
	}
}

// TestSeriesOverHTTP observes an agent's endpoint, with usage and series, and a program's own, with series only.
func TestSeriesOverHTTP(t *testing.T) {
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		counted := container.Metric{Name: "operations_total", Kind: container.Counter, Value: 5 * time.Since(baseTime).Seconds()}
		_ = container.WriteMetrics(w, append(container.Usage{WorkingSet: 42}.Metrics(), counted)...)
	}))
	defer agent.Close()
	program := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("pending{pool=\"a\"} 3\npending{pool=\"b\"} 4\n"))
	}))
	defer program.Close()
	got := Observe(t.Context(), []protocol.ObservedEndpoint{
		{Member: "a", URL: agent.URL, Series: []protocol.ObservedSeries{{Name: "rate", Metric: "operations_total", Kind: protocol.SeriesCounter}}},
		{Member: "a", URL: program.URL, Series: []protocol.ObservedSeries{{Name: "pending", Metric: "pending", Kind: protocol.SeriesGauge}}},
		{Member: "b", URL: "http://127.0.0.1:1/", Series: []protocol.ObservedSeries{{Name: "pending", Metric: "pending", Kind: protocol.SeriesGauge}}},
	}, newWindow(1), ScrapeHTTP)
	if len(got.Members) != 2 || got.Members[0].MemoryBytes[0] != 42 || got.Members[1].Member != "b" || got.Members[1].MissedScrapes != 2 {
		t.Errorf("members %+v, want a, measured once, and b, missed", got.Members)
	}
	if len(got.Series) != 3 {
		t.Fatalf("series %+v", got.Series)
	}
	// The endpoint counts when it answers, but the sample has the time of the middle of the exchange.
	if rate := got.Series[0].Values[0]; rate < 2 || rate > 20 {
		t.Errorf("a rate of %v, want about 5", rate)
	}
	if pending := got.Series[1]; pending.Subject != "a" || pending.Values[0] != 7 {
		t.Errorf("pending %+v, want 7", pending)
	}
	if !math.IsNaN(got.Series[2].Values[0]) {
		t.Errorf("of an endpoint that is not there: %v", got.Series[2].Values)
	}
}

// TestMemoryOfSamples compares the memory of samples with the operator's estimate when it accepts a workload.
func TestMemoryOfSamples(t *testing.T) {
	const samples = 10_000
	var text strings.Builder
	names := container.Metrics.Names()
	for i, name := range names {
		fmt.Fprintf(&text, "%s %d\n", name, i)
	}
	readings := make([]scrapeSample, samples)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range readings {
		readings[i] = scrapeOnce(t.Context(), time.Now().Add(time.Minute), "", names, time.Now, func(context.Context, string, []string) (map[string]float64, error) {
			return container.ReadMetrics(strings.NewReader(text.String()), names...)
		})
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	each := (after.HeapAlloc - before.HeapAlloc) / samples
	t.Logf("a sample of %d metrics takes %d bytes", len(readings[samples-1].values), each)
	if each > protocol.SampleBytes {
		t.Errorf("a sample takes %d bytes, the operator reckons with %d", each, protocol.SampleBytes)
	}
}
