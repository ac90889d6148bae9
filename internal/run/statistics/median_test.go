package statistics

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

func TestEstimateMedian(t *testing.T) {
	formatNumber := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	descending := func(n int) []float64 {
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(n - i)
		}
		return values
	}
	cut := func(values []float64, which ...int) []float64 {
		for _, i := range which {
			values[i] = -values[i]
		}
		return values
	}
	for name, c := range map[string]struct {
		values []float64 // Those below 0 are cut off.
		want   string
	}{
		"none":                         {nil, ""},
		"one":                          {[]float64{7}, "7"},
		"one cut off":                  {cut([]float64{7}, 0), "not reached"},
		"two":                          {[]float64{7, 4}, "5.5 (4 to 7)"},
		"two, one cut off":             {cut([]float64{7, 4}, 0), "not reached (4 to not reached)"},
		"five are too few for 95 %":    {descending(5), "3 (1 to 5)"},
		"six":                          {descending(6), "3.5 [1, 6]"},
		"eight":                        {descending(8), "4.5 [1, 8]"},
		"nine":                         {descending(9), "5 [2, 8]"},
		"twenty":                       {descending(20), "10.5 [6, 15]"},
		"twenty, the five longest cut": {cut(descending(20), 0, 1, 2, 3, 4), "10.5 [6, 15]"},
		"twenty, the six longest cut":  {cut(descending(20), 0, 1, 2, 3, 4, 5), "10.5 [6, not reached]"},
		"a short one cut off":          {cut(descending(9), 8), "5.5 [2, 9]"},
		"all cut off":                  {cut(descending(6), 0, 1, 2, 3, 4, 5), "not reached [1, not reached]"},
	} {
		t.Run(name, func(t *testing.T) {
			times, isCut := splitCut(c.values)
			e := EstimateMedian(times, isCut, 0.95)
			if got := e.Format(formatNumber); got != c.want || e.N != len(c.values) {
				t.Errorf("%s of %d, want %s", got, e.N, c.want)
			}
		})
	}
}

// TestMedianInterval counts how often the interval of samples from a skewed distribution contains its median.
func TestMedianInterval(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const trials = 4000
	for _, n := range []int{6, 10, 20} {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			hits := 0
			for range trials {
				values := make([]float64, n)
				for i := range values {
					values[i] = random.ExpFloat64()
				}
				if e := EstimateMedian(values, make([]bool, n), 0.95); *e.Low <= math.Ln2 && math.Ln2 <= *e.High {
					hits++
				}
			}
			if share := float64(hits) / trials; share < 0.945 {
				t.Errorf("%.3f of the intervals contain the median", share)
			}
		})
	}
}
