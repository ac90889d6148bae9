package statistics

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestDetectThroughputChange judges gross changes, which have to be found, and systems without any.
func TestDetectThroughputChange(t *testing.T) {
	for name, test := range map[string]struct {
		seconds     int
		rate        func(r *rand.Rand, second float64) float64
		least, most float64
		unknown     bool
	}{
		"dead after 5 of 60 s": {seconds: 60, rate: func(_ *rand.Rand, s float64) float64 {
			if s < 5 {
				return 1000
			}
			return 0
		}, least: 0.9, most: 1},
		"falls by 80 %":   {seconds: 60, rate: func(r *rand.Rand, s float64) float64 { return 1000 - 800*s/60 + 50*r.NormFloat64() }, least: 0.65, most: 0.9},
		"rises by a half": {seconds: 120, rate: func(r *rand.Rand, s float64) float64 { return poissonCount(r, 100+50*math.Floor(s/60)) }, least: 0.25, most: 0.4},
		"Poisson":         {seconds: 60, rate: func(r *rand.Rand, _ float64) float64 { return poissonCount(r, 50) }},
		"constant":        {seconds: 300, rate: func(*rand.Rand, float64) float64 { return 200 }},
		"JIT within 5 %":  {seconds: 60, rate: func(r *rand.Rand, s float64) float64 { return 1000*(1-0.05*math.Exp(-s/10)) + 20*r.NormFloat64() }, most: 0.06},
		"blocks every 2 s": {seconds: 60, rate: func(_ *rand.Rand, s float64) float64 {
			return 500 * max(0, 1-math.Mod(s, 2))
		}, most: 0.1},
		"one in 10 s": {seconds: 60, rate: func(_ *rand.Rand, s float64) float64 { return max(0, 1-math.Mod(s, 10)) }, unknown: true},
		"short":       {seconds: 29, rate: func(*rand.Rand, float64) float64 { return 100 }, unknown: true},
		"nothing":     {seconds: 60, rate: func(*rand.Rand, float64) float64 { return 0 }, unknown: true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newSeededRand(5)
			series := generateSeries(test.seconds, func(s float64) float64 { return test.rate(r, s) })
			change, judged := DetectThroughputChange(series)
			if judged == test.unknown || change.Relative() < test.least || change.Relative() > test.most {
				t.Errorf("%+v (%.2f), judged %v; want %.2f to %.2f", change, change.Relative(), judged, test.least, test.most)
			}
		})
	}
}

// TestDetectLatencyChange judges the mean latency at 100 completions per second.
func TestDetectLatencyChange(t *testing.T) {
	for name, test := range map[string]struct {
		millis      func(second float64) float64
		least, most float64
	}{
		"from 1 ms to 6 s": {func(s float64) float64 { return 1 + 100*s }, 0.9, 1},
		"steady":           {func(float64) float64 { return 20 }, 0, 0},
		"doubles":          {func(s float64) float64 { return 20 * (1 + math.Floor(s/30)) }, 0.4, 0.6},
	} {
		t.Run(name, func(t *testing.T) {
			r := newSeededRand(7)
			completed := generateSeries(60, func(float64) float64 { return poissonCount(r, 100) })
			sums := make([]float64, 60)
			for i, n := range completed {
				for range int(n) {
					sums[i] += 1000 * test.millis(float64(i)) * r.ExpFloat64()
				}
			}
			change, judged := DetectLatencyChange(completed, sums)
			if !judged || change.Relative() < test.least || change.Relative() > test.most {
				t.Errorf("%+v (%.2f), judged %v; want %.2f to %.2f", change, change.Relative(), judged, test.least, test.most)
			}
		})
	}
}
