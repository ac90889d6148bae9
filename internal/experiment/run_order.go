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

// GroupRuns returns the runs of a design in order: all of the first deployment, then those of the second, and so on. The seed
// determines a random order.
func (d *Design) GroupRuns(spec *v1alpha1.BenchmarkExperimentSpec, seed int64) []RunGroup {
	random := rand.New(rand.NewPCG(uint64(seed), 0))
	switch spec.OrderType() {
	case v1alpha1.OrderInterleaved:
		return d.interleaveGroups(nil)
	case v1alpha1.OrderRandomizedPairs:
		return d.interleaveGroups(random)
	}
	var groups []RunGroup
	for deployment := range d.Deployments {
		own := make([]RunGroup, d.DistinctNetworks())
		for i, p := range d.Points {
			own[p.Network].Turns = append(own[p.Network].Turns, d.turnsOf(spec, i, deployment)...)
		}
		for i := range own {
			own[i].Networks = []int{i + deployment*len(own)}
		}
		if spec.Order.Type == v1alpha1.OrderShuffled {
			shuffleGroups(own, random)
		}
		groups = append(groups, own...)
	}
	return groups
}

// turnsOf returns the turns of a point on a deployment, which counts from 0.
func (d *Design) turnsOf(spec *v1alpha1.BenchmarkExperimentSpec, point, deployment int) []Turn {
	if spec.Strategy == v1alpha1.StrategySaturation {
		return []Turn{{Point: point}}
	}
	var turns []Turn
	for r := range d.runsPerDeployment {
		turns = append(turns, Turn{Point: point, Repetition: deployment*d.runsPerDeployment + r + 1})
	}
	return turns
}

// shuffleGroups shuffles groups and turns.
func shuffleGroups(groups []RunGroup, random *rand.Rand) {
	random.Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
	for _, g := range groups {
		random.Shuffle(len(g.Turns), func(i, j int) { g.Turns[i], g.Turns[j] = g.Turns[j], g.Turns[i] })
	}
}

// interleaveGroups returns one group for each block and deployment. A group has all points of the block for each repetition,
// the variants of one point next to each other. With random they are in random order, and in each second
// repetition in the reverse order of the one before, so that a linear drift cancels out.
func (d *Design) interleaveGroups(random *rand.Rand) []RunGroup {
	blocks := d.countBlocks()
	groups := make([]RunGroup, blocks*d.Deployments)
	for block := range blocks {
		pairs := d.pairPointsOfBlock(block)
		for r := range d.Deployments * d.runsPerDeployment {
			g := &groups[r/d.runsPerDeployment*blocks+block]
			if len(g.Networks) == 0 {
				g.Networks = d.networksOf(slices.Concat(pairs...), r+1)
			}
			for _, pair := range pairs {
				reorderPair(pair, r, random)
				for _, p := range pair {
					g.Turns = append(g.Turns, Turn{Point: p, Repetition: r + 1})
				}
			}
		}
	}
	return groups
}

// networksOf returns the networks on which a repetition of the points is measured.
func (d *Design) networksOf(points []int, repetition int) []int {
	var networks []int
	for _, p := range points {
		if n := d.NetworkOf(p, repetition); !slices.Contains(networks, n) {
			networks = append(networks, n)
		}
	}
	return networks
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
