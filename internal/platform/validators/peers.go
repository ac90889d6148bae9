package validators

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

const (
	// defaultDegree and defaultSentries are the defaults of the API, for networks that are large enough.
	defaultDegree   = 4
	defaultSentries = 4
	defaultSeed     = 1
	// dialedSentries is the number of sentries that each other validator dials.
	dialedSentries = 2
)

// Graph lists the ordinals of the validators that each validator dials, without itself and without duplicates.
type Graph [][]int

// BuildGraph returns the graph of a network of count validators. The same arguments give the same graph.
func BuildGraph(p *v1alpha1.Peers, count int) Graph {
	switch p.Type {
	case v1alpha1.PeersRing:
		return NewRing(count, degreeOf(p, count))
	case v1alpha1.PeersRandom:
		return newRandomGraph(count, degreeOf(p, count), ptr.Deref(p.Seed, defaultSeed))
	case v1alpha1.PeersSentries:
		return newSentryGraph(count, sentriesOf(p, count))
	}
	return NewRing(count, count-1)
}

func degreeOf(p *v1alpha1.Peers, count int) int {
	return min(int(ptr.Deref(p.Degree, defaultDegree)), count-1)
}

func sentriesOf(p *v1alpha1.Peers, count int) int {
	return max(1, min(int(ptr.Deref(p.Sentries, defaultSentries)), count-1))
}

// NewRing returns the graph in which each validator dials the next degree ones in order, which are fewer than count.
func NewRing(count, degree int) Graph {
	g := make(Graph, count)
	for i := range g {
		g[i] = make([]int, degree)
		for step := range g[i] {
			g[i][step] = (i + step + 1) % count
		}
	}
	return g
}

// newRandomGraph returns the first connected graph that a generator with the seed draws.
func newRandomGraph(count, degree int, seed int64) Graph {
	random := rand.New(rand.NewPCG(uint64(seed), 0))
	g := make(Graph, count)
	for {
		for i := range g {
			g[i] = drawOthers(random, i, count, degree)
		}
		if g.isConnected() {
			return g
		}
	}
}

// drawOthers returns degree distinct ordinals below count other than the given one.
func drawOthers(random *rand.Rand, ordinal, count, degree int) []int {
	others := make([]int, 0, degree)
	for len(others) < degree {
		if other := random.IntN(count); other != ordinal && !slices.Contains(others, other) {
			others = append(others, other)
		}
	}
	return others
}

// newSentryGraph returns the graph in which the sentries, the first validators, dial each other, and the others dial two sentries
// each. The numbers of validators that dial two sentries differ by at most one.
func newSentryGraph(count, sentries int) Graph {
	g := append(NewRing(sentries, sentries-1), make(Graph, count-sentries)...)
	next := 0
	for i := sentries; i < count; i++ {
		for range min(dialedSentries, sentries) {
			g[i] = append(g[i], next)
			next = (next + 1) % sentries
		}
	}
	return g
}

// isConnected reports whether there is a path of connections between any two validators.
func (g Graph) isConnected() bool {
	group := make([]int, len(g))
	for i := range group {
		group[i] = i
	}
	find := func(i int) int {
		for group[i] != i {
			group[i] = group[group[i]]
			i = group[i]
		}
		return i
	}
	groups := len(g)
	for i, dialed := range g {
		for _, other := range dialed {
			if a, b := find(i), find(other); a != b {
				group[a] = b
				groups--
			}
		}
	}
	return groups <= 1
}

// CountDialers returns the number of validators that dial a validator.
func (g Graph) CountDialers(ordinal int) int {
	count := 0
	for _, dialed := range g {
		if slices.Contains(dialed, ordinal) {
			count++
		}
	}
	return count
}

// MostConnections returns the largest number of connections of a validator.
func (g Graph) MostConnections() int {
	connections := make([]int, len(g))
	for i, dialed := range g {
		for _, other := range dialed {
			// Two that dial each other have one connection.
			if i < other || !slices.Contains(g[other], i) {
				connections[i]++
				connections[other]++
			}
		}
	}
	return slices.Max(append(connections, 0))
}

// ValidatePeers rejects fields of other types of graph, and numbers for which there are too few validators. more are the types that
// the platform supports beside those of BuildGraph.
func ValidatePeers(p *v1alpha1.Peers, count int32, path *field.Path, more ...v1alpha1.PeersType) field.ErrorList {
	types := append([]v1alpha1.PeersType{v1alpha1.PeersFullMesh, v1alpha1.PeersRing, v1alpha1.PeersRandom, v1alpha1.PeersSentries}, more...)
	if !slices.Contains(types, p.Type) {
		return field.ErrorList{field.NotSupported(path.Child("type"), p.Type, types)}
	}
	errs := validatePeerCount(p, p.Degree, count, path.Child("degree"), "Ring or Random", v1alpha1.PeersRing, v1alpha1.PeersRandom)
	errs = append(errs, validatePeerCount(p, p.Sentries, count, path.Child("sentries"), "Sentries", v1alpha1.PeersSentries)...)
	if p.Seed != nil && p.Type != v1alpha1.PeersRandom {
		errs = append(errs, field.Forbidden(path.Child("seed"), fmt.Sprintf("belongs to type Random, but type is %s", p.Type)))
	}
	return errs
}

// validatePeerCount rejects a number of validators that belongs to other types, which owners names, or that leaves no other validator.
func validatePeerCount(p *v1alpha1.Peers, value *int32, count int32, path *field.Path, owners string, types ...v1alpha1.PeersType) field.ErrorList {
	switch {
	case value == nil:
	case !slices.Contains(types, p.Type):
		return field.ErrorList{field.Forbidden(path, fmt.Sprintf("belongs to type %s, but type is %s", owners, p.Type))}
	case *value >= count:
		return field.ErrorList{field.Invalid(path, *value, fmt.Sprintf("must be less than members.count (%d)", count))}
	}
	return nil
}

// PeersSetting describes the graph of a network as a setting. The path is that of the graph in the spec.
func PeersSetting(p *v1alpha1.Peers, count int32, path string) v1alpha1.DerivedSetting {
	s := v1alpha1.DerivedSetting{Name: "peers", Value: string(p.Type), Source: path}
	switch p.Type {
	case v1alpha1.PeersRing:
		s.Value += fmt.Sprintf(" of degree %d", degreeOf(p, int(count)))
	case v1alpha1.PeersRandom:
		s.Value += fmt.Sprintf(" of degree %d, seed %d", degreeOf(p, int(count)), ptr.Deref(p.Seed, defaultSeed))
	case v1alpha1.PeersSentries:
		s.Value += fmt.Sprintf(", %d", sentriesOf(p, int(count)))
	}
	return s
}
