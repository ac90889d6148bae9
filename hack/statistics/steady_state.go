package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/benchnet/benchnet/internal/run/statistics"
)

// steadyPolicy is the default policy with a longest window of ten minutes.
var steadyPolicy = statistics.SteadyStatePolicy{HalfWidth: 0.05, Confidence: 0.95, MinWindow: 120, MaxWarmUp: 60, MaxWindow: 600}

// steadyFamily is a kind of series. The throughput in a second is level × rate × (1 + noise), the mean latency 10 ms
// × latency. truth is the second from which both stay within 5 % of their final level, at least the shortest
// warm-up.
type steadyFamily struct {
	name               string
	level              float64
	noise, correlation float64
	truth              int
	rate, latency      func(second float64) float64
}

func constantLevel(float64) float64 { return 1 }

func newStep(at, before float64) func(float64) float64 {
	return func(s float64) float64 {
		if s < at {
			return before
		}
		return 1
	}
}

var steadyFamilies = []steadyFamily{
	{name: "steady, noise 10 %", level: 1000, noise: 0.1, truth: 10, rate: constantLevel, latency: constantLevel},
	{name: "ramp of 30 s, noise 5 %", level: 1000, noise: 0.05, truth: 28, rate: func(s float64) float64 { return min(1, s/30) }, latency: constantLevel},
	{name: "JIT, time constant 10 s, noise 5 %", level: 1000, noise: 0.05, truth: 30,
		rate: func(s float64) float64 { return 1 - math.Exp(-s/10) }, latency: func(s float64) float64 { return 1 / (1 - math.Exp(-(s+1)/10)) }},
	{name: "step of -20 % at 20 s, noise 5 %", level: 1000, noise: 0.05, truth: 20, rate: newStep(20, 1.25), latency: constantLevel},
	{name: "step of +40 % at 40 s, noise 5 %", level: 1000, noise: 0.05, truth: 40, rate: newStep(40, 1/1.4), latency: constantLevel},
	{name: "oscillation of 10 %, 20 s, noise 5 %", level: 1000, noise: 0.05, truth: 10,
		rate: func(s float64) float64 { return 1 + 0.1*math.Sin(2*math.Pi*s/20) }, latency: constantLevel},
	{name: "correlated noise 10 %, lag-1 0.5", level: 1000, noise: 0.1, correlation: 0.5, truth: 10, rate: constantLevel, latency: constantLevel},
	{name: "latency × 30 falls, time constant 6 s, open loop", level: 1000, noise: 0.03, truth: 38, rate: constantLevel,
		latency: func(s float64) float64 { return 1 + 29*math.Exp(-s/6) }},
	{name: "20 operations per second, Poisson", level: 20, truth: 10, rate: constantLevel, latency: constantLevel},
}

// simulate generates a series. Low levels are Poisson counts; the latency is exponential.
func (f steadyFamily) simulate(r *rand.Rand) statistics.RecordedSeries {
	seconds := steadyPolicy.MaxWarmUp + steadyPolicy.MaxWindow
	series := statistics.RecordedSeries{Completed: make([]float64, seconds), LatencySums: make([]float64, seconds)}
	noise := autoregressiveNoise(r, f.correlation, f.noise)
	for i := range seconds {
		mean := max(0, f.level*f.rate(float64(i))*(1+noise()))
		if series.Completed[i] = math.Round(mean); f.noise == 0 {
			series.Completed[i] = poissonCount(r, mean)
		}
		if n := series.Completed[i]; n > 0 {
			series.LatencySums[i] = 1e4 * n * f.latency(float64(i)) * max(0.1, 1+r.NormFloat64()/math.Sqrt(n))
		}
	}
	return series
}

// simulateSteadyFamilies measures where the warm-up is found to end.
func simulateSteadyFamilies(simulations int) markdownTable {
	t := markdownTable{header: []string{"series", "true end", "found steady", "within 5 s", "mean within 5 %", "truth in the interval"}}
	for _, f := range steadyFamilies {
		found := simulate(simulations, func(r *rand.Rand) statistics.SteadyStateResult {
			return statistics.DetectSteadyState(f.simulate(r), steadyPolicy)
		})
		t.rows = append(t.rows, []string{f.name, fmt.Sprintf("%d s", f.truth),
			formatShare(found, func(s statistics.SteadyStateResult) bool { return s.Steady }),
			formatShare(found, func(s statistics.SteadyStateResult) bool { return s.Steady && max(s.From-f.truth, f.truth-s.From) <= 5 }),
			formatShare(found, func(s statistics.SteadyStateResult) bool { return s.Steady && math.Abs(s.Mean/f.level-1) <= 0.05 }),
			formatShare(found, func(s statistics.SteadyStateResult) bool {
				return s.Steady && math.Abs(s.Mean-f.level) <= s.HalfWidth*s.Mean
			})})
	}
	return t
}

// simulateTrends measures how often series with a trend are found steady.
func simulateTrends(simulations int) markdownTable {
	t := markdownTable{header: []string{"trend, % per minute", "noise 5 %", "noise 10 %", "noise 10 %, lag-1 0.5", "noise 10 %, lag-1 0.8"}}
	for _, percent := range []float64{0, 1, 2, 5, 10, 20, 50} {
		row := []string{fmt.Sprintf("%+.0f", percent)}
		trend := func(s float64) float64 { return 1 + percent/100*s/60 }
		for _, f := range []steadyFamily{{noise: 0.05}, {noise: 0.1}, {noise: 0.1, correlation: 0.5}, {noise: 0.1, correlation: 0.8}} {
			f.level, f.rate, f.latency = 1000, trend, constantLevel
			found := simulate(simulations, func(r *rand.Rand) bool { return statistics.DetectSteadyState(f.simulate(r), steadyPolicy).Steady })
			row = append(row, formatShare(found, func(steady bool) bool { return steady }))
		}
		t.rows = append(t.rows, row)
	}
	return t
}

// simulateLatencyTrends measures how often series whose latency has a trend are found steady, by the completions per second.
func simulateLatencyTrends(simulations int) markdownTable {
	levels := []float64{20, 100, 1000}
	t := markdownTable{header: []string{"trend of the latency, % per minute"}}
	for _, level := range levels {
		t.header = append(t.header, fmt.Sprintf("%.0f per second", level))
	}
	for _, percent := range []float64{0, 2, 5, 10, 20, 50} {
		row := []string{fmt.Sprintf("%+.0f", percent)}
		for _, level := range levels {
			f := steadyFamily{level: level, noise: 1 / math.Sqrt(level), rate: constantLevel, latency: func(s float64) float64 { return 1 + percent/100*s/60 }}
			found := simulate(simulations, func(r *rand.Rand) bool { return statistics.DetectSteadyState(f.simulate(r), steadyPolicy).Steady })
			row = append(row, formatShare(found, func(steady bool) bool { return steady }))
		}
		t.rows = append(t.rows, row)
	}
	return t
}
