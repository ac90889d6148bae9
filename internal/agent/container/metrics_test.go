package container

import (
	"bytes"
	"maps"
	"math"
	"strings"
	"sync"
	"testing"
)

// sampleExposition is output of Prometheus clients and of the Rust client of OpenMetrics.
const sampleExposition = `# HELP other_metric x
# TYPE other_metric counter
other_metric 7
# TYPE requests counter
requests_total{method="get",path="/{id}"} 40 1790000000000
requests_total{method="put",note="a \"}\" in quotes"} 2.5e0
  pool 12
block_seconds_sum{moniker="a"} 1.25
block_seconds_count{moniker="a"} 10
block_seconds_bucket{le="0.1"} 9 # {trace="x"} 0.09
height_max NaN
pool_size 99
# EOF
`

func TestRead(t *testing.T) {
	got, err := ReadMetrics(strings.NewReader(sampleExposition), "requests_total", "pool", "block_seconds_sum", "block_seconds_count", "block_seconds_bucket", "absent")
	want := map[string]float64{"requests_total": 42.5, "pool": 12, "block_seconds_sum": 1.25, "block_seconds_count": 10, "block_seconds_bucket": 9}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err := ReadMetrics(strings.NewReader(sampleExposition), "height_max"); err != nil || !math.IsNaN(got["height_max"]) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestReadByLabels(t *testing.T) {
	const connections = `pool{state="Active",node="a"} 3
pool{node="b",state="Active"} 4
pool{node="a", state="Idle"} 5
pool{oldstate="Active"} 100
`
	got, err := ReadMetrics(strings.NewReader(connections), "pool", `pool{state="Active"}`, `pool{state="Idle",node="a"}`, `pool{state="Pending"}`, `absent{a="b"}`)
	want := map[string]float64{"pool": 112, `pool{state="Active"}`: 7, `pool{state="Idle",node="a"}`: 5, `pool{state="Pending"}`: 0}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"x many\n":                            "metric x: strconv.ParseFloat",
		"x{a=\"}\" 1\n":                       "metric x: labels",
		"x \n":                                "metric x: no value",
		"x{a=\"" + strings.Repeat("y", 2<<20): "read metrics: ",
	} {
		if _, err := ReadMetrics(strings.NewReader(text), "x"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20s: error %v, want %q", text, err, want)
		}
		if got, err := ReadMetrics(strings.NewReader(text), "y"); len(text) < maxLineBytes && (err != nil || len(got) > 0) {
			t.Errorf("%.20s: another metric's line matters: %v, %v", text, got, err)
		}
	}
}

func TestWriteReadRoundTrip(t *testing.T) {
	tally := &SharedCounter{Name: "seen_total", Help: "What was seen."}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				tally.Add(0.5)
			}
		})
	}
	all.Wait()
	var text bytes.Buffer
	if err := WriteMetrics(&text, tally.Metric(), Metric{Name: "level", Kind: Gauge, Help: "x", Value: 1e15}); err != nil {
		t.Fatal(err)
	}
	if want := "# HELP seen_total What was seen.\n# TYPE seen_total counter\nseen_total 400\n"; !strings.HasPrefix(text.String(), want) {
		t.Errorf("got %s", text.String())
	}
	got, err := ReadMetrics(&text, "seen_total", "level")
	if err != nil || got["seen_total"] != 400 || got["level"] != 1e15 {
		t.Errorf("got %v, %v", got, err)
	}
}
