package main

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestSimulatedQueueMatchesTheory checks the simulation against M/M/1, whose sojourn time is exponential: its p95 is
// ln 20 / (service rate - rate).
func TestSimulatedQueueMatchesTheory(t *testing.T) {
	q := queue{servers: 1, service: drawExponential, poisson: true}
	for _, rate := range []int64{10, 25, 40} {
		run := q.simulateRun(rand.New(rand.NewPCG(1, 2)), rate, 20000, 1)
		got, throughput := run.p95, run.throughput
		if want := math.Log(20) / (50 - float64(rate)); math.Abs(got-want) > 0.05*want || math.Abs(throughput-float64(rate)) > 0.05*float64(rate) {
			t.Errorf("at %d/s: p95 %.4f s and %.2f/s, want %.4f s", rate, got, throughput, want)
		}
	}
}

// TestSimulatedClosedLoopMatchesTheory checks a single server with one client: its cycle is think time and service.
func TestSimulatedClosedLoopMatchesTheory(t *testing.T) {
	q := queue{servers: 1, service: drawExponential, think: 0.08}
	run := q.simulateRun(rand.New(rand.NewPCG(1, 2)), 1, 20000, 1)
	got, throughput := run.p95, run.throughput
	if want := 0.02 * math.Log(20); math.Abs(got-want) > 0.05*want || math.Abs(throughput-10) > 0.5 {
		t.Errorf("p95 %.4f s and %.2f/s, want %.4f s and 10/s", got, throughput, want)
	}
}
