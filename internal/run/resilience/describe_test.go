package resilience

import (
	"math"
	"slices"
	"testing"

	"github.com/benchnet/benchnet/internal/format"
)

func TestDescribe(t *testing.T) {
	formatNumber := func(v float64) string {
		if math.IsNaN(v) {
			return "?"
		}
		return format.Decimal(v)
	}
	for name, c := range map[string]struct {
		score Score
		want  []string
	}{
		"recovered": {
			Score{BaselinePerSecond: 8, OutageSeconds: 6, BinSeconds: 2, Effect: Effect{ImpactSeconds: new(0.98), RecoverySeconds: new(12.98)}, DegradationSeconds: 9.5,
				Latency: LatencyScore{Percentile: 99, IntervalSeconds: 5, Effect: Effect{RecoverySeconds: new(8.0)}}},
			[]string{"6", "0.98", "12.98", "9.5", "2", "8", "8 (p99)"},
		},
		"censored": {
			Score{BaselinePerSecond: 8, OutageSeconds: 90, BinSeconds: 1, Effect: Effect{ImpactSeconds: new(1.0), CensoredSeconds: 90}, DegradationSeconds: 89,
				Latency: LatencyScore{Percentile: 95, IntervalSeconds: 5, Effect: Effect{CensoredSeconds: 90}}},
			[]string{"90", "1", "> 90", "89", "1", "8", "> 90 (p95)"},
		},
		"no impact":    {Score{BaselinePerSecond: 8, BinSeconds: 1, Effect: Effect{RecoverySeconds: new(0.0)}}, []string{"0", "none", "0", "0", "1", "8", "?"}},
		"not compared": {Score{BaselinePerSecond: 8, OutageSeconds: 6, Problem: "it varies"}, []string{"6", "?", "?", "?", "?", "8", "?"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := c.score.Describe(formatNumber)
			if !slices.Equal(got, c.want) || len(got) != len(ScoreColumns) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
