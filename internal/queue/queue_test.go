package queue

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/capacity"
)

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// network a is created in second 0, b in second 1, and so on.
func network(name string, change ...func(*Network)) Network {
	n := Network{UID: types.UID(name), Namespace: "lab", Name: name, Created: epoch.Add(time.Duration(name[0]-'a') * time.Second)}
	for _, c := range change {
		c(&n)
	}
	return n
}

func holding(n *Network)              { n.Holds = true }
func finished(n *Network)             { n.Holds, n.Note = true, "finished" }
func priority(p int32) func(*Network) { return func(n *Network) { n.Priority = p } }
func metal(n *Network)                { n.NodeSelector = map[string]string{"pool": "metal", "disk": "ssd"} }
func group(name string, size int) func(*Network) {
	return func(n *Network) { n.Group, n.GroupSize = name, size }
}

// admitted are the networks that begin, in order of their names.
func admitted(o Outcome) string {
	var names []string
	for uid, d := range o.Decisions {
		if d.Admitted {
			names = append(names, string(uid))
		}
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

func two(networks ...Network) Outcome { return Decide(Limits{MaxNetworks: 2}, networks, nil) }

func TestFirstComeFirstServed(t *testing.T) {
	o := two(network("d"), network("c"), network("b"), network("a"))
	if got := admitted(o); got != "a b" {
		t.Errorf("a and b came first, but %q begin", got)
	}
	d := o.Decisions["d"]
	if d.Position != "2 of 2" || d.Reason != v1alpha1.ReasonQueued || !strings.Contains(d.Message, "position 2 of 2: waits for a free place in the cluster (2 of 2 taken by lab/a, lab/b)") {
		t.Errorf("d should be second of two and know who has the places: %+v", d)
	}
}

func TestWhoHasAPlaceKeepsIt(t *testing.T) {
	o := two(network("a"), network("c", holding), network("d", finished), network("b", priority(1000)))
	if got := admitted(o); got != "" {
		t.Errorf("both places are taken, but %q begin", got)
	}
	if d := o.Decisions["b"]; d.Position != "1 of 2" || !strings.Contains(d.Message, "2 of 2 taken by lab/c, lab/d (finished)") {
		t.Errorf("b has the higher priority and should be first: %+v", d)
	}
	if _, ok := o.Decisions["c"]; ok {
		t.Error("nothing is to be decided about who has a place")
	}
}

func TestPriorityGoesFirst(t *testing.T) {
	if got := admitted(two(network("a", priority(-1)), network("b"), network("c", priority(5)))); got != "b c" {
		t.Errorf("c and b have the higher priorities, but %q begin", got)
	}
}

func TestPools(t *testing.T) {
	limits := Limits{Pools: []Pool{{Name: "metal", NodeSelector: map[string]string{"pool": "metal"}, MaxNetworks: 1}}}
	o := Decide(limits, []Network{network("a", metal), network("b", metal), network("c"), network("d")}, nil)
	if got := admitted(o); got != "a c d" {
		t.Errorf("one of metal and all others should begin, but %q do", got)
	}
	if d := o.Decisions["b"]; d.Pool != "metal" || d.Position != "1 of 1" || !strings.Contains(d.Message, "waits for a free place in pool metal (1 of 1 taken by lab/a)") {
		t.Errorf("b waits in metal: %+v", d)
	}
	want := []Use{{Pool: "metal", Limit: 1, Admitted: 1, Waiting: 1}, {Admitted: 2}}
	if !slices.Equal(o.Uses, want) {
		t.Errorf("uses are %+v, want %+v", o.Uses, want)
	}
}

func TestClusterLimitHoldsInPoolsToo(t *testing.T) {
	limits := Limits{MaxNetworks: 1, Pools: []Pool{{Name: "metal", NodeSelector: map[string]string{"pool": "metal"}, MaxNetworks: 1}}}
	if got := admitted(Decide(limits, []Network{network("a", metal), network("b")}, nil)); got != "a" {
		t.Errorf("the cluster has one place, but %q begin", got)
	}
}

func TestGroupsBeginTogetherOrNotAtAll(t *testing.T) {
	pair := group("ab", 2)
	if got := admitted(two(network("a", pair), network("b", pair), network("c"))); got != "a b" {
		t.Errorf("the pair came first, but %q begin", got)
	}
	o := two(network("a", pair), network("b", pair), network("c"), network("d", holding))
	if got := admitted(o); got != "" {
		t.Errorf("one place is no use to the pair, and c must not overtake it, but %q begin", got)
	}
	if d := o.Decisions["b"]; d.Position != "2 of 3" || !strings.Contains(d.Message, "waits for 2 free places in the cluster, for all of group ab (1 of 2 taken by lab/d)") {
		t.Errorf("b should say that it waits for two places: %+v", d)
	}
	o = two(network("a", pair), network("c"))
	if got := admitted(o); got != "c" {
		t.Errorf("half a pair holds nobody up, but %q begin", got)
	}
	if d := o.Decisions["a"]; d.Reason != v1alpha1.ReasonGroupIncomplete || d.Never {
		t.Errorf("a waits for the other of its pair: %+v", d)
	}
	triple := group("abc", 3)
	o = two(network("a", triple), network("b", triple), network("c", triple), network("d"))
	if got := admitted(o); got != "d" {
		t.Errorf("three never fit into two places and hold nobody up, but %q begin", got)
	}
	if d := o.Decisions["a"]; !d.Never || d.Reason != v1alpha1.ReasonQueueTooSmall || !strings.Contains(d.Message, "needs 3 places at one time, the queue has 2") {
		t.Errorf("a will never be admitted: %+v", d)
	}
}

// A network of a group that was deleted comes back; its place was kept.
func TestAGroupKeepsItsPlaces(t *testing.T) {
	pair := group("ab", 2)
	if got := admitted(two(network("b", pair, holding), network("c"))); got != "" {
		t.Errorf("the place of a is kept, but %q begin", got)
	}
	if got := admitted(two(network("b", pair, holding), network("c"), network("z", pair))); got != "z" {
		t.Errorf("z has the place of its group, but %q begin", got)
	}
}

// TestGroupsOfOneNameInTwoNamespaces are two groups.
func TestGroupsOfOneNameInTwoNamespaces(t *testing.T) {
	other := func(n *Network) { n.Namespace = "other" }
	if o := two(network("a", group("g", 2)), network("b", group("g", 2), other)); admitted(o) != "" {
		t.Errorf("two halves are no group, but %q begin", admitted(o))
	}
}

// TestNoDeadlock lets pairs come in any order, begin when they may, and end when both of a pair stand. All must get through, and
// never may more stand than there are places.
func TestNoDeadlock(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 0))
		const places, pairs = 3, 6
		var all []Network
		for i := range pairs {
			for j := range 2 {
				n := network("a", group(fmt.Sprint("pair", i), 2), priority(int32(random.IntN(3))))
				n.Name = fmt.Sprintf("p%d-%d", i, j)
				n.UID, n.Created = types.UID(n.Name), epoch.Add(time.Duration(random.IntN(20))*time.Second)
				all = append(all, n)
			}
		}
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		arrived := 1
		for round := 0; len(all) > 0; round++ {
			if round > 100 {
				t.Fatalf("seed %d: %d networks never got through: %+v", seed, len(all), all)
			}
			o := Decide(Limits{MaxNetworks: places}, all[:arrived], nil)
			held := map[string]int{}
			count := 0
			for i := range all[:arrived] {
				all[i].Holds = all[i].Holds || o.Decisions[all[i].UID].Admitted
				if all[i].Holds {
					held[all[i].Group]++
					count++
				}
			}
			if count > places {
				t.Fatalf("seed %d: %d networks stand, there are %d places", seed, count, places)
			}
			before := len(all)
			all = slices.DeleteFunc(all, func(n Network) bool { return held[n.Group] == 2 })
			arrived = min(len(all), max(1, arrived-(before-len(all))+random.IntN(4)+1))
		}
	}
}

func TestRoom(t *testing.T) {
	var asked []string
	full := func(networks []*Network) capacity.Finding {
		for _, n := range networks {
			asked = append(asked, n.Name)
		}
		return capacity.Finding{Later: true, Message: "needs 12 cores"}
	}
	o := Decide(Limits{}, []Network{network("a"), network("b"), network("c")}, full)
	if admitted(o) != "" || !o.NoRoom || !slices.Equal(asked, []string{"a"}) {
		t.Errorf("a alone should be looked at, and none begin: %q begin, looked at %v", admitted(o), asked)
	}
	if a, b := o.Decisions["a"], o.Decisions["b"]; a.Message != "position 1 of 3: waits for room: needs 12 cores" || b.Message != "position 2 of 3: waits for room behind lab/a" {
		t.Errorf("messages are %q and %q", a.Message, b.Message)
	}
	never := func(networks []*Network) capacity.Finding {
		return capacity.Finding{Fits: networks[0].Name != "a", Message: "would not fit even if nothing else ran there"}
	}
	o = Decide(Limits{}, []Network{network("a"), network("b")}, never)
	if admitted(o) != "b" || !o.Decisions["a"].Never {
		t.Errorf("what never fits holds nobody up: %+v", o.Decisions)
	}
}

// TestALongLineIsNotToldAnew counts whose message changes when the first of a thousand begins.
func TestALongLineIsNotToldAnew(t *testing.T) {
	var all []Network
	for i := range 1000 {
		n := network("a")
		n.Name = fmt.Sprintf("n%04d", i)
		n.UID, n.Created = types.UID(n.Name), epoch.Add(time.Duration(i)*time.Second)
		all = append(all, n)
	}
	all[0].Holds = true
	before := Decide(Limits{MaxNetworks: 1}, all, nil)
	if d := before.Decisions["n0500"]; d.Position != "about 500" || strings.Contains(d.Message, "taken by") {
		t.Errorf("far behind the position is told about: %+v", d)
	}
	all[1].Holds = true
	after := Decide(Limits{MaxNetworks: 1}, all[1:], nil)
	changed := 0
	for uid, d := range after.Decisions {
		if d != before.Decisions[uid] {
			changed++
		}
	}
	if changed < 10 || changed > 40 {
		t.Errorf("%d of 998 messages change", changed)
	}
}

func TestPositionsAreRounded(t *testing.T) {
	for n, want := range map[int]string{1: "1", 10: "10", 11: "about 20", 20: "about 20", 21: "about 30", 100: "about 100", 101: "about 200", 1000: "about 1000", 1001: "about 2000"} {
		if got := about(n); got != want {
			t.Errorf("%d is told as %q, want %q", n, got, want)
		}
	}
}

func TestParsePools(t *testing.T) {
	pools, err := ParsePools(`[{"name": "metal", "nodeSelector": {"pool": "metal"}, "maxNetworks": 2}]`)
	if err != nil || len(pools) != 1 || pools[0].MaxNetworks != 2 || pools[0].NodeSelector["pool"] != "metal" {
		t.Errorf("pools are %+v (%v)", pools, err)
	}
	for text, want := range map[string]string{
		`{}`:                               "must be a list",
		`[{"name": "m", "maxNetwork": 2}]`: "maxNetwork",
		`[{"name": "M_1", "nodeSelector": {"a": "b"}, "maxNetworks": 1}]`: `queue.pools[0].name "M_1"`,
		`[{"name": "m", "maxNetworks": 1}]`:                               "queue.pools[0].nodeSelector",
		`[{"name": "m", "nodeSelector": {"a": "b"}}]`:                     "queue.pools[0].maxNetworks 0",
		`[{"name": "m", "nodeSelector": {"a": "b"}, "maxNetworks": 1}, {"name": "m", "nodeSelector": {"a": "c"}, "maxNetworks": 1}]`: "queue.pools[1].name",
	} {
		if _, err := ParsePools(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error should name %s, but is %v", text, want, err)
		}
	}
}

func BenchmarkDecide(b *testing.B) {
	for _, size := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			var all []Network
			for i := range size {
				n := network("a")
				n.Name = fmt.Sprintf("n%05d", i)
				n.UID, n.Created = types.UID(n.Name), epoch.Add(time.Duration(i*7919%size)*time.Second)
				all = append(all, n)
			}
			for b.Loop() {
				Decide(Limits{MaxNetworks: 4}, all, nil)
			}
		})
	}
}
