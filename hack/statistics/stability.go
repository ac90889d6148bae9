package main

import (
	"math"
	"math/rand/v2"

	"github.com/benchnet/benchnet/internal/run/statistics"
)

// stabilitySystem generates the completions per second of a window. The expected rate is 100/s, unless the name says
// otherwise.
type stabilitySystem struct {
	name string
	next func(r *rand.Rand) func(second float64) float64
}

var stabilitySystems = []stabilitySystem{
	{"steady, Poisson", func(r *rand.Rand) func(float64) float64 {
		return func(float64) float64 { return poissonCount(r, 100) }
	}},
	{"steady, 1 per second", func(r *rand.Rand) func(float64) float64 {
		return func(float64) float64 { return poissonCount(r, 1) }
	}},
	{"correlated noise 10 %, lag-1 0.5", func(r *rand.Rand) func(float64) float64 { return aroundLevel(r, 0.5) }},
	{"correlated noise 10 %, lag-1 0.8", func(r *rand.Rand) func(float64) float64 { return aroundLevel(r, 0.8) }},
	{"a block of 500 every 5 s", func(r *rand.Rand) func(float64) float64 {
		return func(s float64) float64 {
			if math.Mod(s, 5) == 4 {
				return poissonCount(r, 500)
			}
			return 0
		}
	}},
	{"blocks at random, every 2 s on average", func(r *rand.Rand) func(float64) float64 {
		return func(float64) float64 { return 200 * poissonCount(r, 0.5) }
	}},
	{"JIT warm-up of 5 %", func(r *rand.Rand) func(float64) float64 {
		return func(s float64) float64 { return poissonCount(r, 100*(1-0.05*math.Exp(-s/10))) }
	}},
	{"a stall of 3 s", func(r *rand.Rand) func(float64) float64 {
		return func(s float64) float64 {
			if s >= 20 && s < 23 {
				return 0
			}
			return poissonCount(r, 100)
		}
	}},
	{"+20 % at half", func(r *rand.Rand) func(float64) float64 {
		return func(s float64) float64 { return poissonCount(r, 100+20*math.Floor(min(1, s/30))) }
	}},
	{"-20 % over the window", func(r *rand.Rand) func(float64) float64 {
		return func(s float64) float64 { return poissonCount(r, 100-20*min(s, 60)/60) }
	}},
	{"-80 % over the window", func(r *rand.Rand) func(float64) float64 {
		return func(s float64) float64 { return poissonCount(r, 100-80*min(s, 60)/60) }
	}},
	{"dead after 5 s", func(r *rand.Rand) func(float64) float64 {
		return func(s float64) float64 {
			if s < 5 {
				return poissonCount(r, 1000)
			}
			return 0
		}
	}},
}

// aroundLevel returns a rate of 100/s with autoregressive noise of 10 %.
func aroundLevel(r *rand.Rand, correlation float64) func(float64) float64 {
	noise := autoregressiveNoise(r, correlation, 10)
	return func(float64) float64 { return max(0, math.Round(100+noise())) }
}

// simulateStability judges windows of 60 s of fixed times: how often a change is a note, and how often a reason. The
// latency has an exponential distribution, the same over the whole window.
func simulateStability(simulations int) markdownTable {
	t := markdownTable{header: []string{"window of 60 s", "throughput: note or reason", "reason", "latency: note or reason"}}
	for _, system := range stabilitySystems {
		windows := simulate(simulations, func(r *rand.Rand) stabilityChanges { return judgeWindow(r, system.next(r), constantLevel) })
		t.rows = append(t.rows, []string{system.name,
			formatShare(windows, func(c stabilityChanges) bool { return c.throughput > 0.1 }),
			formatShare(windows, func(c stabilityChanges) bool { return c.throughput > 0.5 }),
			formatShare(windows, func(c stabilityChanges) bool { return c.latency > 0.2 })})
	}
	return t
}

// stabilityChanges are the relative changes that were found in a window.
type stabilityChanges struct{ throughput, latency float64 }

// judgeWindow simulates a window of 60 s. latency returns the mean latency of a second, as a multiple of 10 ms.
func judgeWindow(r *rand.Rand, next, latency func(second float64) float64) stabilityChanges {
	completed, sums := make([]float64, 60), make([]float64, 60)
	for i := range completed {
		completed[i] = next(float64(i))
		if n := completed[i]; n > 0 {
			// The mean of n exponential latencies has a deviation of 1/sqrt(n).
			sums[i] = 1e4 * n * latency(float64(i)) * max(0.1, 1+r.NormFloat64()/math.Sqrt(n))
		}
	}
	throughput, _ := statistics.DetectThroughputChange(completed)
	change, _ := statistics.DetectLatencyChange(completed, sums)
	return stabilityChanges{throughput.Relative(), change.Relative()}
}

// poissonCount returns a random number of arrivals in a second.
func poissonCount(r *rand.Rand, mean float64) float64 {
	n := 0.0
	for at := r.ExpFloat64(); at < mean; at += r.ExpFloat64() {
		n++
	}
	return n
}

// autoregressiveNoise returns first-order autoregressive noise with this deviation.
func autoregressiveNoise(r *rand.Rand, correlation, deviation float64) func() float64 {
	x := deviation * r.NormFloat64()
	return func() float64 {
		x = correlation*x + deviation*math.Sqrt(1-correlation*correlation)*r.NormFloat64()
		return x
	}
}
