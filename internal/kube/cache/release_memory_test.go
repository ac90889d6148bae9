package cache

import (
	"slices"
	"testing"
)

// TestMemoryIsReleasedWhenIdle simulates the allocations of several periods and checks after which ones memory
// is released.
func TestMemoryIsReleasedWhenIdle(t *testing.T) {
	cases := []struct {
		name string
		each []uint64
		want []int
	}{
		{"busy all the time", []uint64{500, 500, 500, 500}, nil},
		{"once after work", []uint64{500, 1, 1, 1}, []int{1}},
		{"after each time of work", []uint64{500, 1, 500, 500, 1, 1}, []int{1, 4}},
		{"never for little work", []uint64{50, 1, 1}, nil},
		{"when little became much", []uint64{10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10}, []int{9}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var total uint64
			var period int
			var given []int
			k := MemoryReleaser{IdleBytes: 10, MinAllocatedBytes: 100, readAllocated: func() uint64 { return total }, freeMemory: func() { given = append(given, period) }}
			look := k.newPeriodicCheck()
			for i, n := range c.each {
				period, total = i, total+n
				look()
			}
			if !slices.Equal(given, c.want) {
				t.Errorf("memory was given back in periods %v, want %v", given, c.want)
			}
		})
	}
}

func TestAllocatedGrows(t *testing.T) {
	before := totalAllocatedBytes()
	block := make([]byte, 1<<20)
	if now := totalAllocatedBytes(); now < before+uint64(len(block)) {
		t.Errorf("1 MiB was allocated, but the total went from %d to %d", before, now)
	}
}
