package status

import (
	"cmp"
	"math"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/format"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// roundToMilli returns x in thousandths, or nil if x is not finite.
func roundToMilli(x float64) *int64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return new(roundToInt64(1000 * x))
}

func roundToMicroseconds(milliseconds float64) int64 { return roundToInt64(1000 * milliseconds) }

// roundToInt64 rounds x to the nearest integer, or to the nearest that an int64 can hold. NaN becomes 0.
func roundToInt64(x float64) int64 {
	const limit = 1 << 62
	if math.IsNaN(x) {
		return 0
	}
	return int64(math.Round(max(-limit, min(limit, x))))
}

// formatThroughput formats a throughput with its unit, such as "40.1 flows/s". The unit may be empty.
func formatThroughput(perSecond float64, unit string) string {
	return format.Number(perSecond) + " " + formatRateUnit(unit)
}

func formatRateUnit(unit string) string { return cmp.Or(unit, "operations") + "/s" }

func formatMilliseconds(x float64) string { return format.Number(x) + " ms" }

// summarizeLatency converts a summary in milliseconds.
func summarizeLatency(l measurement.Latency) *v1alpha1.LatencySummary {
	known := func(percentile *float64) *int64 {
		if percentile == nil {
			return nil
		}
		return new(roundToMicroseconds(*percentile))
	}
	return &v1alpha1.LatencySummary{Mean: roundToMicroseconds(l.Mean), P50: known(l.P50), P90: known(l.P90), P95: known(l.P95),
		P99: known(l.P99), P999: known(l.P999), Max: roundToMicroseconds(l.Max)}
}
