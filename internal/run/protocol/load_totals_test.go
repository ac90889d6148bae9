package protocol

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/benchnet/benchnet/internal/run/measurement"
)

// TestLatencyBucketsEqualThoseOfTheDrivers checks the file by which the Java drivers check theirs.
func TestLatencyBucketsEqualThoseOfTheDrivers(t *testing.T) {
	content, err := os.ReadFile("../../../drivers/testdata/latency-buckets.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Micros []int64 }
	if err := json.Unmarshal(content, &file); err != nil || !slices.Equal(file.Micros, LatencyBucketMicros[:]) {
		t.Errorf("the drivers have the buckets %v, %v; want %v", file.Micros, err, LatencyBucketMicros)
	}
}

func TestLoadTotalsCountLatencies(t *testing.T) {
	totals := NewLoadTotals()
	for _, latency := range []time.Duration{-time.Second, time.Millisecond, time.Millisecond + time.Microsecond, time.Minute, time.Hour} {
		totals.AddCompleted(latency)
	}
	want := make([]int64, 21)
	want[0], want[1], want[19], want[20] = 2, 1, 1, 1
	if !slices.Equal(totals.LatencyCounts, want) || totals.Completed() != 5 || totals.LatencySumMicros != 3660002001 {
		t.Errorf("got %+v, want the counts %v", totals, want)
	}
}

func TestLoadTotalsBoundKinds(t *testing.T) {
	totals := NewLoadTotals()
	for i := range MaxErrorKinds + 5 {
		totals.AddFailed(fmt.Sprint("kind", i), 2)
	}
	totals.AddFailed("kind0", 1)
	if len(totals.Errors) != MaxErrorKinds+1 || totals.Errors[measurement.OtherErrors] != 10 || totals.Errors["kind0"] != 3 {
		t.Errorf("errors %v", totals.Errors)
	}
	if err := totals.Validate(); err != nil {
		t.Error(err)
	}
}

func TestLoadTotalsQuantile(t *testing.T) {
	for name, c := range map[string]struct {
		latencies []time.Duration
		want      int64
	}{
		"none":       {nil, 0},
		"one bucket": {slices.Repeat([]time.Duration{4 * time.Millisecond}, 100), 3200 + 2280},
		"two buckets": {slices.Concat(slices.Repeat([]time.Duration{time.Millisecond}, 90),
			slices.Repeat([]time.Duration{2 * time.Second}, 10)), 2_500_000},
		"above all": {[]time.Duration{time.Hour}, 60_000_000},
	} {
		t.Run(name, func(t *testing.T) {
			totals := NewLoadTotals()
			for _, latency := range c.latencies {
				totals.AddCompleted(latency)
			}
			if got := totals.QuantileMicros(0.95); got != c.want {
				t.Errorf("p95 is %d, want %d", got, c.want)
			}
		})
	}
}

func TestLoadTotalsValidate(t *testing.T) {
	for want, change := range map[string]func(*LoadTotals){
		"totals.latencyCounts: has 1 counts, want 21":  func(t *LoadTotals) { t.LatencyCounts = t.LatencyCounts[:1] },
		"totals.latencyCounts: -1 is negative":         func(t *LoadTotals) { t.LatencyCounts[3] = -1 },
		"totals.latencySumMicros: -2 is negative":      func(t *LoadTotals) { t.LatencySumMicros = -2 },
		`totals.errors: -3 of kind "no"`:               func(t *LoadTotals) { t.Errors["no"] = -3 },
		"and a kind of at most 200 characters":         func(t *LoadTotals) { t.Errors[strings.Repeat("x", 201)] = 1 },
		"totals.errors: has 22 kinds, want at most 20": func(t *LoadTotals) { fillKinds(t, 22) },
	} {
		totals := NewLoadTotals()
		change(totals)
		if err := totals.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func fillKinds(t *LoadTotals, n int) {
	for i := range n {
		t.Errors[fmt.Sprint(i)] = 1
	}
}
