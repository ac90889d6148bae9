package statistics

import "math"

// Sum returns the sum of the counts.
func Sum(counts []int64) int64 {
	var total int64
	for _, n := range counts {
		total += n
	}
	return total
}

// Ratio returns the share of the whole that the part has, or 0 if the whole is 0.
func Ratio(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// Mean returns the mean of the values, or NaN without values.
func Mean(values []float64) float64 {
	total := 0.0
	for _, v := range values {
		total += v
	}
	return total / float64(len(values))
}

// Floats converts counts to floating-point numbers.
func Floats(counts []int64) []float64 {
	values := make([]float64, len(counts))
	for i, n := range counts {
		values[i] = float64(n)
	}
	return values
}

// RoundMillis rounds seconds to milliseconds.
func RoundMillis(seconds float64) float64 { return math.Round(seconds*1000) / 1000 }

// LongestGap returns the length and the start of the longest sequence of zeros.
func LongestGap(perSecond []int64) (seconds, start int) {
	length := 0
	for i, n := range perSecond {
		if n > 0 {
			length = 0
			continue
		}
		if length++; length > seconds {
			seconds, start = length, i-length+1
		}
	}
	return seconds, start
}
