package validators_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/cometbft"
	"github.com/benchnet/benchnet/internal/platform/malachite"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
	"github.com/benchnet/benchnet/internal/platform/validators"
)

// TestGraphs checks generated graphs of each type, small ones and one of the largest.
func TestGraphs(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 200 {
		count := 2 + random.IntN(60)
		if i == 0 {
			count = 1000
		}
		part := int32(1 + random.IntN(min(32, count-1)))
		for _, p := range []v1alpha1.Peers{
			{Type: v1alpha1.PeersFullMesh},
			{Type: v1alpha1.PeersRing, Degree: &part},
			{Type: v1alpha1.PeersRandom, Degree: &part, Seed: new(random.Int64())},
			{Type: v1alpha1.PeersSentries, Sentries: &part},
		} {
			t.Run(fmt.Sprintf("%s of %d, %d", p.Type, count, part), func(t *testing.T) { checkGraph(t, p, count, int(part)) })
		}
	}
}

// checkGraph checks a graph whose degree or number of sentries is part.
func checkGraph(t *testing.T, p v1alpha1.Peers, count, part int) {
	g := validators.BuildGraph(&p, count)
	if len(g) != count {
		t.Fatalf("%d validators, want %d", len(g), count)
	}
	if !reflect.DeepEqual(g, validators.BuildGraph(&p, count)) {
		t.Error("a second graph differs")
	}
	connections := make([]map[int]bool, count)
	for i := range connections {
		connections[i] = map[int]bool{}
	}
	for i, dialed := range g {
		if want := wantDialed(p.Type, i, count, part); len(dialed) != want {
			t.Errorf("validator %d dials %v, want %d", i, dialed, want)
		}
		for _, other := range dialed {
			if other == i || other < 0 || other >= count {
				t.Fatalf("validator %d dials %d", i, other)
			}
			connections[i][other], connections[other][i] = true, true
		}
		if slices.Sort(dialed); len(slices.Compact(dialed)) != len(dialed) {
			t.Errorf("validator %d dials one twice: %v", i, dialed)
		}
	}
	most := 0
	for i := range connections {
		most = max(most, len(connections[i]))
	}
	if got := g.MostConnections(); got != most {
		t.Errorf("the most connections are %d, want %d", got, most)
	}
	if n := countReachable(connections); n != count {
		t.Errorf("%d of %d validators are connected with the first", n, count)
	}
	if p.Type == v1alpha1.PeersSentries {
		checkSentries(t, connections[:part], count)
	}
}

// wantDialed returns the number of validators that validator i of a graph dials.
func wantDialed(kind v1alpha1.PeersType, i, count, part int) int {
	switch {
	case kind == v1alpha1.PeersFullMesh:
		return count - 1
	case kind != v1alpha1.PeersSentries:
		return part
	case i < part:
		return part - 1
	}
	return min(2, part)
}

func countReachable(connections []map[int]bool) int {
	reached, next := map[int]bool{0: true}, []int{0}
	for len(next) > 0 {
		i := next[0]
		next = next[1:]
		for other := range connections[i] {
			if !reached[other] {
				reached[other] = true
				next = append(next, other)
			}
		}
	}
	return len(reached)
}

// checkSentries checks that the other validators are spread evenly over the sentries.
func checkSentries(t *testing.T, sentries []map[int]bool, count int) {
	least, most := count, 0
	for _, connected := range sentries {
		least, most = min(least, len(connected)), max(most, len(connected))
	}
	if most-least > 1 {
		t.Errorf("sentries have between %d and %d connections", least, most)
	}
}

// configuredPeer matches a peer in a configuration of Malachite, and in one of CometBFT.
var configuredPeer = regexp.MustCompile(`"(?:/dns4/|\d+@)net-member-(\d+)[-.]`)

// TestConfigsOfLargeNetworks checks that the configurations of a large network with a sparse graph list few peers, and that all
// validators are connected by what they list.
func TestConfigsOfLargeNetworks(t *testing.T) {
	admission := platformtest.NewNetworkAdmission(t)
	for _, p := range []struct {
		platform.Platform
		field, members string
		count          int
	}{
		{malachite.New(), "malachite", "", 1000},
		{malachite.NewEVM(), "malachiteEVM", ", cores: 2, memory: 4Gi", 50},
		{cometbft.New(), "cometBFT", "", 200},
	} {
		for kind, degree := range map[v1alpha1.PeersType]int{v1alpha1.PeersRing: 4, v1alpha1.PeersRandom: 8} {
			t.Run(fmt.Sprint(p.field, " ", kind), func(t *testing.T) {
				network := admission.AdmitNetwork(t, fmt.Appendf(nil, `
apiVersion: benchnet.dev/v1alpha1
kind: BenchmarkNetwork
metadata: {name: net}
spec:
  platform: {type: %s, %s: {peers: {type: %s, degree: %d}}}
  members: {count: %d%s}
`, p.Type(), p.field, kind, degree, p.count, p.members))
				objects, err := p.BuildMembers(platformtest.NewInput(p, network), p.Topology(network))
				if err != nil {
					t.Fatal(err)
				}
				var connections []map[int]bool
				for range p.count {
					connections = append(connections, map[int]bool{})
				}
				for _, o := range objects {
					if c, ok := o.(*corev1.ConfigMap); ok {
						addConfiguredPeers(t, connections, c, degree)
					}
				}
				if n := countReachable(connections); n != p.count {
					t.Errorf("%d of %d validators are connected with the first", n, p.count)
				}
			})
		}
	}
}

// addConfiguredPeers adds the connections of a validator to the peers in its configuration, which must be as many as the degree.
func addConfiguredPeers(t *testing.T, connections []map[int]bool, c *corev1.ConfigMap, degree int) {
	t.Helper()
	own := parseOrdinal(t, strings.TrimPrefix(c.Labels[v1alpha1.LabelMember], "member-"))
	peers := configuredPeer.FindAllStringSubmatch(c.Data["config.toml"], -1)
	if len(peers) != degree {
		t.Fatalf("validator %d lists %d peers, want %d", own, len(peers), degree)
	}
	for _, peer := range peers {
		other := parseOrdinal(t, peer[1])
		connections[own][other], connections[other][own] = true, true
	}
}

func parseOrdinal(t *testing.T, text string) int {
	t.Helper()
	ordinal, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return ordinal
}

// TestRandomGraphIsPinned checks that a release builds the graphs of an earlier one.
func TestRandomGraphIsPinned(t *testing.T) {
	want := validators.Graph{{3, 4}, {0, 4}, {3, 4}, {1, 0}, {2, 0}, {0, 1}}
	if got := validators.BuildGraph(&v1alpha1.Peers{Type: v1alpha1.PeersRandom, Degree: new(int32(2))}, 6); !reflect.DeepEqual(got, want) {
		t.Errorf("the graph is %#v, want %#v", got, want)
	}
	if got := validators.BuildGraph(&v1alpha1.Peers{Type: v1alpha1.PeersRandom, Degree: new(int32(2)), Seed: new(int64(2))}, 6); reflect.DeepEqual(got, want) {
		t.Error("another seed has the same graph")
	}
}

// TestPeersDefaults checks the defaults in networks with room for them and in the smallest ones.
func TestPeersDefaults(t *testing.T) {
	for kind, want := range map[v1alpha1.PeersType]map[int32]string{
		v1alpha1.PeersFullMesh:  {1: "FullMesh", 10: "FullMesh"},
		v1alpha1.PeersRing:      {1: "Ring of degree 0", 4: "Ring of degree 3", 10: "Ring of degree 4"},
		v1alpha1.PeersRandom:    {1: "Random of degree 0, seed 1", 2: "Random of degree 1, seed 1", 10: "Random of degree 4, seed 1"},
		v1alpha1.PeersSentries:  {1: "Sentries, 1", 4: "Sentries, 3", 10: "Sentries, 4"},
		v1alpha1.PeersDiscovery: {10: "Discovery"},
	} {
		for count, text := range want {
			t.Run(text, func(t *testing.T) {
				p := v1alpha1.Peers{Type: kind}
				if s := validators.PeersSetting(&p, count, "spec.peers"); s.Value != text || s.Source != "spec.peers" {
					t.Errorf("%d validators have %+v", count, s)
				}
				if errs := validators.ValidatePeers(&p, count, nil, v1alpha1.PeersDiscovery); len(errs) > 0 {
					t.Errorf("%d validators are refused: %v", count, errs)
				}
				if g := validators.BuildGraph(&p, int(count)); len(g) != int(count) {
					t.Errorf("the graph of %d is %v", count, g)
				}
			})
		}
	}
}
