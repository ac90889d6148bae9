package main

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
)

// recordedSeed is the seed of all simulations. Simulation i of every row uses stream i, so that rows differ only
// by what they vary.
const recordedSeed = 14

// simulate returns the results of n independent simulations in order, computed on all processors.
func simulate[T any](n int, run func(r *rand.Rand) T) []T {
	results := make([]T, n)
	var workers sync.WaitGroup
	for worker := range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := worker; i < n; i += runtime.GOMAXPROCS(0) {
				results[i] = run(rand.New(rand.NewPCG(recordedSeed, uint64(i))))
			}
		})
	}
	workers.Wait()
	return results
}

// formatShare formats the share of results with a property in percent, such as "4.8".
func formatShare[T any](results []T, has func(T) bool) string {
	count := 0
	for _, r := range results {
		if has(r) {
			count++
		}
	}
	return fmt.Sprintf("%.1f", 100*float64(count)/float64(len(results)))
}
