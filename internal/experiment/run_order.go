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

// GroupRuns returns the runs of a design in order. The seed determines a shuffled order.
func (d *Design) GroupRuns(spec *v1alpha1.BenchmarkExperimentSpec, seed int64) []RunGroup {
	repetitions := int(max(1, spec.Repetitions))
	if spec.Strategy == v1alpha1.StrategySaturation {
		repetitions = 0
	}
	if spec.Order.Type == v1alpha1.OrderInterleaved {
		return d.interleaveGroups(repetitions)
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
// the variants of one point next to each other.
func (d *Design) interleaveGroups(repetitions int) []RunGroup {
	var groups []RunGroup
	for block := range d.countBlocks() {
		g := RunGroup{}
		points := d.orderPointsOfBlock(block)
		for _, p := range points {
			if n := d.Points[p].Network; !slices.Contains(g.Networks, n) {
				g.Networks = append(g.Networks, n)
			}
		}
		for r := range repetitions {
			for _, p := range points {
				g.Turns = append(g.Turns, Turn{Point: p, Repetition: r + 1})
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

// orderPointsOfBlock returns the points of a block, ordered so that those with the same parameters are
// adjacent.
func (d *Design) orderPointsOfBlock(block int) []int {
	var order []string
	byParameters := map[string][]int{}
	for i := range d.Points {
		p := &d.Points[i]
		if p.block != block {
			continue
		}
		key := formatPointLabel("", p.Parameters)
		if byParameters[key] == nil {
			order = append(order, key)
		}
		byParameters[key] = append(byParameters[key], i)
	}
	var points []int
	for _, key := range order {
		points = append(points, byParameters[key]...)
	}
	return points
}
