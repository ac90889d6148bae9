package statistics

import "math"

// EstimateMean estimates the mean of independent runs, with Student's interval.
func EstimateMean(samples []float64, confidence float64) Estimate {
	n, mean := len(samples), meanOrZero(samples)
	e := Estimate{N: n, Mean: mean, Low: mean, High: mean}
	if n < 2 {
		return e
	}
	e.StdDev = math.Sqrt(sumSquaredDeviations(samples) / float64(n-1))
	half := tQuantile((1+confidence)/2, float64(n-1)) * e.StdDev / math.Sqrt(float64(n))
	e.Low, e.High = mean-half, mean+half
	return e
}
