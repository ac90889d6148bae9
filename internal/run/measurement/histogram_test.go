package measurement

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// TestHistogramOfTheJavaLibrary checks that histograms written by the drivers' Java library decode to the same
// numbers. The files come from testdata/RecordHistogram.java, run once for each version of the library.
func TestHistogramOfTheJavaLibrary(t *testing.T) {
	files, _ := filepath.Glob("testdata/java-*.json")
	if len(files) != 2 {
		t.Fatalf("found %d recordings, want 2", len(files))
	}
	for _, file := range files {
		var want struct {
			Count, Max  int64
			Mean        float64
			Percentiles map[string]int64
			Histogram   string
		}
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(content, &want); err != nil {
			t.Fatal(err)
		}
		h, err := DecodeHistogram(want.Histogram)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if h.Count() != want.Count || h.MaxMillis() != microsToMillis(want.Max) || math.Abs(h.MeanMillis()*1000-want.Mean) > 1e-6*want.Mean {
			t.Errorf("%s: count %d, max %v, mean %v; want %+v", file, h.Count(), h.MaxMillis(), h.MeanMillis(), want)
		}
		for name, value := range want.Percentiles {
			p, _ := strconv.ParseFloat(name, 64)
			if got := h.PercentileMillis(p); got != microsToMillis(value) {
				t.Errorf("%s: p%s is %v ms, want %v", file, name, got, microsToMillis(value))
			}
		}
	}
}

// TestMergedPercentilesAreThoseOfAllSamples checks that every percentile of the merged histogram is that of all
// samples, to three significant digits, whatever the latencies and their distribution over workers.
func TestMergedPercentilesAreThoseOfAllSamples(t *testing.T) {
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 1))
		workers := 1 + random.IntN(5)
		parts := make([]*Histogram, workers)
		for i := range parts {
			parts[i] = NewHistogram()
		}
		samples := make([]int64, 1+random.IntN(3000))
		for i := range samples {
			samples[i] = 1 + int64(math.Exp(random.Float64()*22))
			if err := parts[random.IntN(workers)].Record(samples[i]); err != nil {
				t.Fatal(err)
			}
		}
		slices.Sort(samples)
		merged := mergeEncoded(t, parts)
		for _, p := range []float64{0.1, 1, 25, 50, 75, 90, 95, 99, 99.9, 100} {
			want := float64(min(nearestRank(samples, p), highestMicros)) / 1000
			if got := merged.PercentileMillis(p); math.Abs(got-want) > want/1000 {
				t.Errorf("seed %d: p%v of %d samples is %v ms, want %v", seed, p, len(samples), got, want)
			}
		}
	}
}

// mergeEncoded merges histograms through the encoded form, as the run controller does.
func mergeEncoded(t *testing.T, parts []*Histogram) *Histogram {
	t.Helper()
	merged := NewHistogram()
	for _, part := range parts {
		encoded, err := part.Encode()
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := DecodeHistogram(encoded)
		if err != nil {
			t.Fatal(err)
		}
		if err := merged.Merge(decoded); err != nil {
			t.Fatal(err)
		}
	}
	return merged
}

// nearestRank implements the definition: the smallest sample such that at least p percent of all samples are
// not above it.
func nearestRank(sorted []int64, p float64) int64 {
	for i, sample := range sorted {
		if float64(i+1)*100 >= p*float64(len(sorted))-1e-7 {
			return sample
		}
	}
	return sorted[len(sorted)-1]
}

func TestPercentilesOfFewSamples(t *testing.T) {
	for n, want := range map[int64]map[float64]float64{
		1: {50: 1, 99: 1, 99.9: 1},
		2: {50: 1, 90: 2, 99: 2},
		8: {50: 4, 90: 8, 95: 8}, // a rank of 7.2 is the eighth sample, not the seventh
	} {
		h := NewHistogram()
		for i := range n {
			if err := h.Record((i + 1) * 1000); err != nil {
				t.Fatal(err)
			}
		}
		for p, value := range want {
			if got := h.PercentileMillis(p); math.Abs(got-value) > value/1000 {
				t.Errorf("p%v of 1…%d ms is %v, want %v", p, n, got, value)
			}
		}
	}
}

func TestEmptyHistogram(t *testing.T) {
	h := NewHistogram()
	if h.Count() != 0 || h.MeanMillis() != 0 || h.MaxMillis() != 0 || h.PercentileMillis(99) != 0 {
		t.Errorf("count %d, mean %v, max %v, p99 %v; want zeros", h.Count(), h.MeanMillis(), h.MaxMillis(), h.PercentileMillis(99))
	}
}

func TestLatenciesOutOfRangeCountAsTheNearest(t *testing.T) {
	h := NewHistogram()
	for _, micros := range []int64{-5, 0, 2 * highestMicros} {
		if err := h.Record(micros); err != nil {
			t.Fatal(err)
		}
	}
	if got := h.PercentileMillis(50); h.Count() != 3 || got != 0.001 {
		t.Errorf("count %d, median %v", h.Count(), got)
	}
}

func TestDecodeHistogramRejectsInvalidInput(t *testing.T) {
	other, err := hdrhistogram.New(1, 60_000, 2).Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		t.Fatal(err)
	}
	for input, want := range map[string]string{"": "unexpected EOF", "%": "illegal base64", "AAAAAAAAAAAAAAAA": "decode histogram", string(other): "range 1 to 60000 with 2 digits"} {
		if _, err := DecodeHistogram(input); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", input, err, want)
		}
	}
}

// TestMergedPercentilesOfAMillionSamples merges a large run: six workers with different load and speed, over a
// million requests, with typical latency distributions. Every percentile of the merged histogram is that of an
// exact sort, within 0.1 %.
func TestMergedPercentilesOfAMillionSamples(t *testing.T) {
	const workers, samples = 6, 1_200_000
	largest := 0.0
	for name, millis := range map[string]func(r *rand.Rand, worker int) float64{
		"lognormal, workers alike":     func(r *rand.Rand, _ int) float64 { return 20 * math.Exp(0.8*r.NormFloat64()) },
		"one worker ten times as slow": func(r *rand.Rand, w int) float64 { return (1 + 9*float64(w/5)) * 5 * r.ExpFloat64() },
		"two humps, hit and miss": func(r *rand.Rand, _ int) float64 {
			return []float64{0.3, 0.3, 0.3, 80}[r.IntN(4)] * (1 + 0.1*r.Float64())
		},
		"heavy tail (Pareto, 1.2)":      func(r *rand.Rand, _ int) float64 { return 2 * math.Pow(1-r.Float64(), -1/1.2) },
		"microseconds":                  func(r *rand.Rand, _ int) float64 { return 0.001 * (1 + 3000*r.Float64()) },
		"a stall of 30 s for 0.2 %":     func(r *rand.Rand, _ int) float64 { return 10 + r.ExpFloat64() + 30_000*math.Floor(r.Float64()+0.002) },
		"all the same, as from a timer": func(*rand.Rand, int) float64 { return 1234.567 },
	} {
		random := rand.New(rand.NewPCG(42, uint64(len(name))))
		parts := make([]*Histogram, workers)
		for i := range parts {
			parts[i] = NewHistogram()
		}
		sorted := make([]int64, samples)
		for i := range sorted {
			worker := min(random.IntN(workers+2), workers-1) // the last one has three times the requests
			sorted[i] = min(max(1, int64(1000*millis(random, worker))), highestMicros)
			if err := parts[worker].Record(sorted[i]); err != nil {
				t.Fatal(err)
			}
		}
		slices.Sort(sorted)
		merged, worst := mergeEncoded(t, parts), 0.0
		if merged.Count() != samples {
			t.Errorf("%s: %d samples, want %d", name, merged.Count(), samples)
		}
		for _, p := range []float64{50, 75, 90, 95, 99, 99.9} {
			want := float64(nearestRank(sorted, p)) / 1000
			worst = max(worst, math.Abs(merged.PercentileMillis(p)-want)/want)
		}
		t.Logf("%-30s largest error of p50…p99.9: %.4f %%", name, 100*worst)
		if worst > 0.001 {
			t.Errorf("%s: a percentile is off by %.4f %%", name, 100*worst)
		}
		largest = max(largest, worst)
	}
	t.Logf("largest error of all: %.4f %%", 100*largest)
}

// encodeFullRangeHistogram returns a histogram of the library's whole range, with counts of 48 MB.
func encodeFullRangeHistogram() string {
	encoded, err := hdrhistogram.New(1, math.MaxInt64/2, 5).Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		panic(err)
	}
	return string(encoded)
}
