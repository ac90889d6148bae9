package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// throughputLimits and latencyLimits are limits of the relative change to choose from.
var (
	throughputLimits = []float64{0.1, 0.15, 0.2, 0.3, 0.5}
	latencyLimits    = []float64{0.2, 0.33, 0.5, 0.67, 0.8}
)

// newLateStep returns a level that changes by a factor at half of the window.
func newLateStep(factor float64) func(float64) float64 {
	return func(s float64) float64 {
		if s < 30 {
			return 1
		}
		return factor
	}
}

// newRamp returns a level that reaches a factor at the end of the window.
func newRamp(factor float64) func(float64) float64 {
	return func(s float64) float64 { return 1 + (factor-1)*s/60 }
}

// simulateThroughputLimits returns how often the change of the throughput in a window exceeds each limit.
func simulateThroughputLimits(simulations int) markdownTable {
	steady := slices.IndexFunc(stabilitySystems, func(s stabilitySystem) bool { return s.name == "a stall of 3 s" })
	systems := slices.Clone(stabilitySystems[:steady+1])
	for _, percent := range []float64{20, 30, 40, 60} {
		for _, change := range []struct {
			when  string
			level func(float64) float64
		}{{"at half", newLateStep(1 - percent/100)}, {"over the window", newRamp(1 - percent/100)}} {
			systems = append(systems, stabilitySystem{fmt.Sprintf("-%.0f %% %s", percent, change.when), func(r *rand.Rand) func(float64) float64 {
				return func(s float64) float64 { return poissonCount(r, 100*change.level(s)) }
			}})
		}
	}
	t := newLimitTable("throughput", throughputLimits)
	for _, system := range systems {
		windows := simulate(simulations, func(r *rand.Rand) float64 { return judgeWindow(r, system.next(r), constantLevel).throughput })
		t.rows = append(t.rows, append([]string{system.name}, shareAbove(windows, throughputLimits)...))
	}
	return t
}

// latencySystem generates completions at a rate with an exponential latency whose mean, as a multiple of 10 ms, changes.
type latencySystem struct {
	name    string
	rate    float64
	latency func(r *rand.Rand) func(second float64) float64
}

// simulateLatencyLimits returns how often the change of the mean latency in a window exceeds each limit.
func simulateLatencyLimits(simulations int) markdownTable {
	fixed := func(level func(float64) float64) func(r *rand.Rand) func(float64) float64 {
		return func(*rand.Rand) func(float64) float64 { return level }
	}
	correlated := func(correlation float64) func(r *rand.Rand) func(float64) float64 {
		return func(r *rand.Rand) func(float64) float64 {
			noise := autoregressiveNoise(r, correlation, 0.2)
			return func(float64) float64 {
				logarithm := noise()
				return math.Exp(logarithm)
			}
		}
	}
	systems := []latencySystem{
		{"steady, 100 per second", 100, fixed(constantLevel)}, {"steady, 10 per second", 10, fixed(constantLevel)}, {"steady, 1 per second", 1, fixed(constantLevel)},
		{"correlated noise 20 %, lag-1 0.5", 100, correlated(0.5)}, {"correlated noise 20 %, lag-1 0.8", 100, correlated(0.8)},
		{"JIT warm-up of 20 %", 100, fixed(func(s float64) float64 { return 1 + 0.2*math.Exp(-s/10) })},
		{"a pause: × 20 for 2 s", 100, fixed(func(s float64) float64 {
			if s >= 20 && s < 22 {
				return 20
			}
			return 1
		})},
	}
	for _, factor := range []float64{1.5, 2, 3, 6} {
		systems = append(systems, latencySystem{fmt.Sprintf("× %.3g at half", factor), 100, fixed(newLateStep(factor))},
			latencySystem{fmt.Sprintf("× %.3g over the window", factor), 100, fixed(newRamp(factor))})
	}
	t := newLimitTable("latency", latencyLimits)
	for _, system := range systems {
		windows := simulate(simulations, func(r *rand.Rand) float64 {
			return judgeWindow(r, func(float64) float64 { return poissonCount(r, system.rate) }, system.latency(r)).latency
		})
		t.rows = append(t.rows, append([]string{system.name}, shareAbove(windows, latencyLimits)...))
	}
	return t
}

func newLimitTable(what string, limits []float64) markdownTable {
	t := markdownTable{header: []string{what}}
	for _, limit := range limits {
		t.header = append(t.header, fmt.Sprintf("above %.0f %%", 100*limit))
	}
	return t
}

// shareAbove returns the formatted share of changes above each limit.
func shareAbove(changes, limits []float64) []string {
	var shares []string
	for _, limit := range limits {
		shares = append(shares, formatShare(changes, func(change float64) bool { return change > limit }))
	}
	return shares
}
