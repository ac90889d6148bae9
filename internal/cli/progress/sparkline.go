package progress

import (
	"strings"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/format"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// sparkLevels are the characters of a sparkline, from the lowest to the highest value.
var sparkLevels = []rune("▁▂▃▄▅▆▇█")

// maxSparkSteps is the number of steps in a sparkline, so that two fit on a line.
const maxSparkSteps = 20

// drawSparkline returns a character for each value, on a linear scale from 0 to the highest value. A negative value is
// unknown and becomes a space.
func drawSparkline(values []float64) string {
	var highest float64
	for _, v := range values {
		highest = max(highest, v)
	}
	var line strings.Builder
	for _, v := range values {
		switch {
		case v < 0:
			line.WriteByte(' ')
		case highest == 0:
			line.WriteRune(sparkLevels[0])
		default:
			line.WriteRune(sparkLevels[min(len(sparkLevels)-1, int(v/highest*float64(len(sparkLevels))))])
		}
	}
	return line.String()
}

// recentCharts returns sparklines of the throughput and of the 95th percentile of the latency, the latter with its
// latest value. Both are empty without steps, the latter also if no latency is known.
func recentCharts(steps []v1alpha1.RecentLoad) (throughput, p95 string) {
	var rates, latencies []float64
	latest := ""
	for i, step := range steps {
		length := float64(protocol.RecentStep.Seconds())
		if i > 0 {
			length = float64(max(1, step.Seconds-steps[i-1].Seconds))
		}
		rates = append(rates, float64(step.Completed)/length)
		latency := -1.0
		if step.P95Microseconds != nil {
			latency = float64(*step.P95Microseconds) / 1000
			latest = format.Number(latency) + " ms"
		}
		latencies = append(latencies, latency)
	}
	from := max(0, len(steps)-maxSparkSteps)
	if latest != "" {
		p95 = appendChart("p95 "+latest, drawSparkline(latencies[from:]))
	}
	return drawSparkline(rates[from:]), p95
}

// appendChart returns a text with a sparkline, if there is one.
func appendChart(text, chart string) string {
	return strings.TrimLeft(strings.TrimRight(text+" "+chart, " "), " ")
}
