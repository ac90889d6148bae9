package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/benchnet/benchnet/internal/run/statistics"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

const (
	overloadWarmUp   = 60
	overloadCapacity = 100
	// blockSeconds is the distance of blocks. It divides no window, so that edges divide blocks.
	blockSeconds = 4.9
)

// server is a simulated system with a capacity of overloadCapacity operations per second.
type server struct {
	name    string
	poisson bool
	// finish returns when an operation ends that is due at a time, after those of an earlier call.
	finish func(r *rand.Rand) func(due float64) float64
}

var servers = []server{
	{"M/M/1", true, newSingleServer(func(r *rand.Rand) float64 { return r.ExpFloat64() / overloadCapacity })},
	{"even, exponential", false, newSingleServer(func(r *rand.Rand) float64 { return r.ExpFloat64() / overloadCapacity })},
	{"M/D/1", true, newSingleServer(func(*rand.Rand) float64 { return 1. / overloadCapacity })},
	{"even, constant", false, newSingleServer(func(*rand.Rand) float64 { return 1. / overloadCapacity })},
	{"even, blocks of 490 every 4.9 s", false, newBlocks},
}

// newSingleServer returns a server that works off one queue in order of arrival.
func newSingleServer(service func(r *rand.Rand) float64) func(*rand.Rand) func(float64) float64 {
	return func(r *rand.Rand) func(float64) float64 {
		free := 0.0
		return func(due float64) float64 {
			free = math.Max(due, free) + service(r)
			return free
		}
	}
}

// newBlocks returns a system that completes operations in blocks of a limited size.
func newBlocks(r *rand.Rand) func(due float64) float64 {
	block, size := blockSeconds*r.Float64(), 0
	return func(due float64) float64 {
		for due > block || float64(size) >= overloadCapacity*blockSeconds {
			block, size = block+blockSeconds, 0
		}
		size++
		return block
	}
}

// simulateOverload returns how often a run is found overloaded, by its load in percent of the capacity and its window.
func simulateOverload(simulations int) markdownTable {
	t := markdownTable{header: []string{"load, % of capacity", "window, s"}}
	for _, s := range servers {
		t.header = append(t.header, s.name)
	}
	for _, load := range []float64{70, 90, 95, 98, 101, 102, 104, 110} {
		for _, window := range []int{30, 60, 300} {
			row := []string{fmt.Sprint(load), fmt.Sprint(window)}
			for _, s := range servers {
				found := simulate(simulations, func(r *rand.Rand) bool { return s.isFoundOverloaded(r, load*overloadCapacity/100, window) })
				row = append(row, formatShare(found, func(overloaded bool) bool { return overloaded }))
			}
			t.rows = append(t.rows, row)
		}
	}
	return t
}

func (s server) isFoundOverloaded(r *rand.Rand, rate float64, window int) bool {
	growth, limit := s.recordWindow(r, rate, window).BacklogGrowth(1 - verdict.DefaultTolerances().AchievedShare)
	return growth > limit
}

// recordWindow simulates every operation of a run at a rate.
func (s server) recordWindow(r *rand.Rand, rate float64, window int) statistics.OpenLoopWindow {
	w := statistics.OpenLoopWindow{Poisson: s.poisson, Ended: make([]float64, window), LatencySums: make([]float64, window)}
	w.Completed = w.Ended
	arrivals, finish := openArrivals{random: r, period: 1 / rate, poisson: s.poisson, now: r.Float64() / rate}, s.finish(r)
	for {
		due, _ := arrivals.pop()
		if due >= float64(overloadWarmUp+window) {
			return w
		}
		if due >= overloadWarmUp {
			w.Planned++
		}
		end := finish(due)
		if second := int(math.Floor(end)) - overloadWarmUp; second >= 0 && second < window {
			w.Ended[second]++
			w.LatencySums[second] += 1e6 * (end - due)
		}
	}
}
