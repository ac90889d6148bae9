package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
)

// Lengths in seconds of a simulated run, and of the run that shows the truth.
const (
	saturationWarmUp = 30
	saturationWindow = 60
	longRun          = 20000
)

// queue is a simulated system: servers that work off one queue in order of arrival (G/G/k).
type queue struct {
	name    string
	servers int
	// service returns the service time of one operation in seconds.
	service func(r *rand.Rand) float64
	// poisson spaces arrivals exponentially, otherwise evenly. A closed loop has a think time instead.
	poisson bool
	think   float64
	spec    *v1alpha1.SaturationSearch
}

func (q *queue) loadModel() v1alpha1.LoadModel {
	if q.think > 0 {
		return v1alpha1.LoadClosed
	}
	return v1alpha1.LoadOpen
}

func saturationSpec(to int64, p95 time.Duration) *v1alpha1.SaturationSearch {
	return &v1alpha1.SaturationSearch{From: resource.MustParse("1"), To: *resource.NewQuantity(to, resource.DecimalSI),
		PrecisionPercent: 10, MaxLoads: 16, Repeats: 3,
		Objectives: []v1alpha1.MetricObjective{{Metric: v1alpha1.MetricLatencyP95, MaxLatency: &v1alpha1.Timeout{Duration: p95}}}}
}

// drawExponential draws a service time with a mean of 20 ms.
func drawExponential(r *rand.Rand) float64 { return 0.02 * r.ExpFloat64() }

// newLognormalDraw returns a draw of service times with that mean, in seconds, and coefficient of variation.
func newLognormalDraw(mean, variation float64) func(*rand.Rand) float64 {
	variance := math.Log(1 + variation*variation)
	return func(r *rand.Rand) float64 { return mean * math.Exp(math.Sqrt(variance)*r.NormFloat64()-variance/2) }
}

var queues = []queue{
	{"1 server, exponential 20 ms, Poisson", 1, drawExponential, true, 0, saturationSpec(500, 200*time.Millisecond)},
	{"1 server, exponential 20 ms, even", 1, drawExponential, false, 0, saturationSpec(500, 200*time.Millisecond)},
	{"4 servers, lognormal 40 ms (cv 2), Poisson", 4, newLognormalDraw(0.04, 2), true, 0, saturationSpec(1000, 300*time.Millisecond)},
	{"4 servers, lognormal 40 ms (cv 2), even", 4, newLognormalDraw(0.04, 2), false, 0, saturationSpec(1000, 300*time.Millisecond)},
	{"16 servers, lognormal 100 ms (cv 0.5), Poisson", 16, newLognormalDraw(0.1, 0.5), true, 0, saturationSpec(1000, 400*time.Millisecond)},
	{"closed, 4 servers, exponential 20 ms, think 400 ms", 4, drawExponential, false, 0.4, saturationSpec(500, 200*time.Millisecond)},
}

// simulateSaturation searches each system, with one run in fifty three times as slow and one in fifty disturbed.
func simulateSaturation(simulations int) markdownTable {
	t := markdownTable{header: []string{"system", "truth", "runs", "mean error", "95 % within", "worst", "within 15 %", "low, high by over 15 %"}}
	for i := range queues {
		q := &queues[i]
		truth := float64(q.trueSaturation(min(longRun, 500*float64(simulations))))
		runs := 0
		found := simulate(simulations, func(r *rand.Rand) searchOutcome { return q.runSearch(r) })
		errors := make([]float64, len(found))
		mean := 0.0
		for i, f := range found {
			errors[i] = math.Log(math.Max(1, float64(f.load)) / truth)
			mean += math.Abs(errors[i]) / float64(len(found))
			runs += f.runs
		}
		sizes := make([]float64, len(errors))
		for i, e := range errors {
			sizes[i] = math.Abs(e)
		}
		slices.Sort(sizes)
		const near = 0.15
		t.rows = append(t.rows, []string{q.name, fmt.Sprint(truth), fmt.Sprintf("%.1f", float64(runs)/float64(len(found))),
			fmt.Sprintf("%.1f", 100*mean), fmt.Sprintf("%.1f", 100*sizes[len(sizes)*95/100]), fmt.Sprintf("%.0f", 100*sizes[len(sizes)-1]),
			formatShare(errors, func(e float64) bool { return math.Abs(e) <= near }),
			formatShare(errors, func(e float64) bool { return e < -near }) + ", " + formatShare(errors, func(e float64) bool { return e > near })})
	}
	return t
}

// searchOutcome is the result of one search: the load found, 0 if none, and the number of runs.
type searchOutcome struct {
	load int64
	runs int
}

func (q *queue) runSearch(r *rand.Rand) searchOutcome {
	var trials []experiment.Trial
	for {
		found := experiment.NextLoad(q.spec, q.loadModel(), trials)
		if found.Next == 0 {
			return searchOutcome{found.Load, len(trials)}
		}
		trials = append(trials, q.measureLoad(r, found.Next))
	}
}

// measureLoad simulates one run at a load.
func (q *queue) measureLoad(r *rand.Rand, load int64) experiment.Trial {
	const oneIn = 50
	if r.IntN(oneIn) == 0 {
		return experiment.Trial{Load: load, Problem: "CPUStolen"}
	}
	slower := 1.0
	if r.IntN(oneIn) == 0 {
		slower = 3
	}
	run := q.simulateRun(r, load, saturationWindow, slower)
	return experiment.Trial{Load: load, Throughput: run.throughput, Offered: run.offered, Latency: 1000 * run.p95, Evidence: experiment.Measured}
}

// trueSaturation returns the highest load whose p95 keeps to the limit over that many seconds.
func (q *queue) trueSaturation(seconds float64) int64 {
	low, high := q.spec.From.Value(), q.spec.To.Value()
	for low < high {
		middle := (low + high + 1) / 2
		run := q.simulateRun(rand.New(rand.NewPCG(recordedSeed, 0)), middle, seconds, 1)
		kept := q.think > 0 || run.throughput >= 0.95*run.offered
		if kept && run.p95 <= q.spec.ServiceLevel().MaxLatency.Seconds() {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}

// simulatedRun holds the 95th percentile of the latency in seconds of the operations that were due in the window, the
// completions per second, and the operations due per second.
type simulatedRun struct{ p95, throughput, offered float64 }

// simulateRun simulates every operation of a run.
func (q *queue) simulateRun(r *rand.Rand, load int64, window, slower float64) simulatedRun {
	const warmUp = saturationWarmUp
	free := make([]float64, q.servers) // when each server is free
	next := q.newArrivals(r, load)
	var latencies []float64
	completed := 0
	for {
		due, client := next.pop()
		if due >= warmUp+window {
			break
		}
		server := 0
		for s := range free {
			if free[s] < free[server] {
				server = s
			}
		}
		end := math.Max(due, free[server]) + slower*q.service(r)
		free[server] = end
		if end >= warmUp && end < warmUp+window {
			completed++
		}
		if due >= warmUp {
			latencies = append(latencies, end-due)
		}
		next.push(client, end)
	}
	if len(latencies) == 0 {
		return simulatedRun{p95: math.Inf(1)}
	}
	slices.Sort(latencies)
	return simulatedRun{latencies[int(math.Ceil(0.95*float64(len(latencies))))-1], float64(completed) / window, float64(len(latencies)) / window}
}
