package experiment

import (
	"math/rand/v2"
	"slices"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// RunGroup is a sequence of runs and the networks that exist while they run.
type RunGroup struct {
	// Networks holds indexes into the design's networks.
	Networks []int
	// Turns are the turns in order.
	Turns []Turn
}

// Turn is one repetition of one point.
type Turn struct {
	// Point is an index into the design's points.
	Point int
	// Repetition counts from 1; 0 means a whole search.
	Repetition int
}

// GroupRuns returns the runs of a design in order. The seed determines a random order.
func (d *Design) GroupRuns(spec *v1alpha1.BenchmarkExperimentSpec, seed int64) []RunGroup {
	repetitions := int(max(1, spec.Repetitions))
	if spec.Strategy == v1alpha1.StrategySaturation {
		repetitions = 0
	}
	switch spec.OrderType() {
	case v1alpha1.OrderInterleaved:
		return d.interleaveGroups(repetitions, nil)
	case v1alpha1.OrderRandomizedPairs:
		return d.interleaveGroups(repetitions, rand.New(rand.NewPCG(uint64(seed), 0)))
	}
	groups := make([]RunGroup, len(d.Networks))
	for i, p := range d.Points {
		g := &groups[p.Network]
		g.Networks = []int{p.Network}
		g.Turns = append(g.Turns, repeatTurns(i, repetitions)...)
	}
	if spec.Order.Type == v1alpha1.OrderShuffled {
		shuffleGroups(groups, seed)
	}
	return groups
}

func repeatTurns(point, repetitions int) []Turn {
	if repetitions == 0 {
		return []Turn{{Point: point}}
	}
	var turns []Turn
	for r := range repetitions {
		turns = append(turns, Turn{Point: point, Repetition: r + 1})
	}
	return turns
}

// shuffleGroups shuffles groups and turns. The order depends only on the seed.
func shuffleGroups(groups []RunGroup, seed int64) {
	random := rand.New(rand.NewPCG(uint64(seed), 0))
	random.Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
	for _, g := range groups {
		random.Shuffle(len(g.Turns), func(i, j int) { g.Turns[i], g.Turns[j] = g.Turns[j], g.Turns[i] })
	}
}

// interleaveGroups returns one group for each block. A group has all points of the block for each repetition,
// the variants of one point next to each other. With random they are in random order, and in each second
// repetition in the reverse order of the one before, so that a linear drift cancels out.
func (d *Design) interleaveGroups(repetitions int, random *rand.Rand) []RunGroup {
	var groups []RunGroup
	for block := range d.countBlocks() {
		g := RunGroup{}
		pairs := d.pairPointsOfBlock(block)
		for _, p := range slices.Concat(pairs...) {
			if n := d.Points[p].Network; !slices.Contains(g.Networks, n) {
				g.Networks = append(g.Networks, n)
			}
		}
		for r := range repetitions {
			for _, pair := range pairs {
				reorderPair(pair, r, random)
				for _, p := range pair {
					g.Turns = append(g.Turns, Turn{Point: p, Repetition: r + 1})
				}
			}
		}
		groups = append(groups, g)
	}
	return groups
}

func (d *Design) countBlocks() int {
	n := 0
	for i := range d.Points {
		n = max(n, d.Points[i].block+1)
	}
	return n
}

// reorderPair shuffles the variants of a point for an even repetition, and reverses their order for an odd one.
func reorderPair(pair []int, repetition int, random *rand.Rand) {
	switch {
	case random == nil:
	case repetition%2 == 1:
		slices.Reverse(pair)
	default:
		random.Shuffle(len(pair), func(i, j int) { pair[i], pair[j] = pair[j], pair[i] })
	}
}

// pairPointsOfBlock returns the points of a block, those with the same parameters together.
func (d *Design) pairPointsOfBlock(block int) [][]int {
	var pairs [][]int
	place := map[string]int{}
	for i := range d.Points {
		p := &d.Points[i]
		if p.block != block {
			continue
		}
		key := formatPointLabel("", p.Parameters)
		at, known := place[key]
		if !known {
			at = len(pairs)
			place[key], pairs = at, append(pairs, nil)
		}
		pairs[at] = append(pairs[at], i)
	}
	return pairs
}
