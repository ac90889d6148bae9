package experiment

import (
	"math/rand/v2"
	"slices"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// RunGroup is runs that are made one after the other, and the networks that stand meanwhile.
type RunGroup struct {
	// Networks by their index in the design.
	Networks []int
	// Turns in order.
	Turns []Turn
}

// Turn is one repetition of one point.
type Turn struct {
	// Point is its index in the design.
	Point int
	// Repetition counts from 1; 0 stands for a whole search.
	Repetition int
}

// GroupRuns puts the runs of a design in order. The seed decides where the order is shuffled.
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

// shuffleGroups depends on the seed alone: the same experiment with the same seed has the same order.
func shuffleGroups(groups []RunGroup, seed int64) {
	random := rand.New(rand.NewPCG(uint64(seed), 0))
	random.Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
	for _, g := range groups {
		random.Shuffle(len(g.Turns), func(i, j int) { g.Turns[i], g.Turns[j] = g.Turns[j], g.Turns[i] })
	}
}

// interleaveGroups has one group for each block: repetition by repetition all of its points, the variants of one point next to
// each other.
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

// orderPointsOfBlock are the points of a block so that those with the same parameters follow each other.
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
