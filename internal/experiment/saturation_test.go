package experiment

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

func newSearchSpec(from, to int64, latency time.Duration) *v1alpha1.SaturationSearch {
	return &v1alpha1.SaturationSearch{
		From: *resource.NewQuantity(from, resource.DecimalSI), To: *resource.NewQuantity(to, resource.DecimalSI), PrecisionPercent: 10, MaxLoads: 16, Repeats: 3,
		Objectives: []v1alpha1.MetricObjective{{Metric: v1alpha1.MetricLatencyP95, MaxLatency: &v1alpha1.Timeout{Duration: latency}}},
	}
}

func newFineSearchSpec(from, to string, latency time.Duration) *v1alpha1.SaturationSearch {
	spec := newSearchSpec(1, 1, latency)
	spec.From, spec.To = resource.MustParse(from), resource.MustParse(to)
	return spec
}

// queueingSystem is a queueing system with known throughput (per second) and latency (ms) at each load.
type queueingSystem struct {
	name  string
	model v1alpha1.LoadModel
	spec  *v1alpha1.SaturationSearch
	at    func(load float64) (throughput, latency float64)
	// knee is that of its asymptotes; 0 if the search may end before it, so that either outcome is accepted.
	knee int64
}

// closedLoopModel models c servers, each busy for service seconds per operation, and clients that think in
// between: the machine repairman's model, solved by its birth and death process.
func closedLoopModel(c int, service, think float64) func(float64) (float64, float64) {
	return func(clients float64) (float64, float64) {
		p, total, busy := 1.0, 1.0, 0.0
		for i := 1; i <= int(clients); i++ {
			p *= (clients - float64(i) + 1) / think / (float64(min(i, c)) / service)
			total += p
			busy += p * float64(min(i, c))
			if total > 1e200 {
				p, total, busy = p/total, 1, busy/total
			}
		}
		throughput := busy / total / service
		return throughput, 1000 * (clients/throughput - think)
	}
}

// openLoopModel is M/M/c (Erlang C) below its capacity. Beyond it the queue grows for the minute of the
// observation.
func openLoopModel(c int, service float64) func(float64) (float64, float64) {
	return func(rate float64) (float64, float64) {
		capacity := float64(c) / service
		if rate >= capacity {
			return capacity, 1000 * (service + 60*(1-capacity/rate))
		}
		load := rate * service
		term, sum := 1.0, 0.0
		for k := range c {
			sum += term
			term *= load / float64(k+1)
		}
		wait := term / (term + (1-load/float64(c))*sum)
		return rate, 1000 * (service + wait/(capacity-rate))
	}
}

// hundredth is a system whose operations are a hundred times as many.
func hundredth(of func(float64) (float64, float64)) func(float64) (float64, float64) {
	return func(load float64) (float64, float64) {
		throughput, latency := of(100 * load)
		return throughput / 100, latency
	}
}

var queueingSystems = []queueingSystem{
	{"closed, 4 servers, 10 ms, clients think 200 ms", v1alpha1.LoadClosed, newSearchSpec(1, 2000, 100*time.Millisecond), closedLoopModel(4, 0.01, 0.2), 84},
	{"closed, 1 server, 50 ms, clients think 1 s", v1alpha1.LoadClosed, newSearchSpec(1, 500, 500*time.Millisecond), closedLoopModel(1, 0.05, 1), 21},
	{"closed, latency limit reached before the knee", v1alpha1.LoadClosed, newSearchSpec(1, 2000, 13*time.Millisecond), closedLoopModel(4, 0.01, 0.2), 0},
	{"open, 1 server, 5 ms", v1alpha1.LoadOpen, newSearchSpec(10, 5000, 50*time.Millisecond), openLoopModel(1, 0.005), 200},
	{"open, 8 servers, 20 ms", v1alpha1.LoadOpen, newSearchSpec(10, 5000, 100*time.Millisecond), openLoopModel(8, 0.02), 400},
	{"open, 2 servers, 1 ms, to be searched from 1 to a million", v1alpha1.LoadOpen, newSearchSpec(1, 1_000_000, 10*time.Millisecond), openLoopModel(2, 0.001), 2000},
	{"open, 1 server, 5 ms, a hundredth of the rate", v1alpha1.LoadOpen, newFineSearchSpec("100m", "50", 50*time.Millisecond), hundredth(openLoopModel(1, 0.005)), 0},
}

// trueSaturation returns the highest load that meets the level without noise.
func (s *queueingSystem) trueSaturation() int64 {
	l := newLoadCriterion(s.spec, s.model)
	low, high := l.from, l.to
	for low < high {
		middle := (low + high + 1) / 2
		if x, latency := s.at(l.scale.value(middle)); l.trialStrain(Trial{Load: middle, Throughput: x, Latency: latency}) <= 1 {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}

// runSearch searches a system with noisy runs: noise is the noise of the latency as a share; that of the
// throughput is a fifth of it, because it counts far more operations. One run in fifty is disturbed and three
// times as slow, and one in fifty is invalid.
func (s *queueingSystem) runSearch(t *testing.T, noise float64, seed uint64) (Search, []Trial) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 21))
	var trials []Trial
	for len(trials) < 200 {
		found := NextLoad(s.spec, s.model, trials)
		if found.Next == 0 {
			return found, trials
		}
		x, latency := s.at(scaleOf(s.spec).value(found.Next))
		trial := Trial{Load: found.Next, Throughput: x * math.Exp(noise/5*random.NormFloat64()), Latency: latency * math.Exp(noise*random.NormFloat64()), Evidence: Measured}
		if noise > 0 && random.IntN(50) == 0 {
			trial.Latency *= 3
		}
		if noise > 0 && random.IntN(50) == 0 {
			trial = Trial{Load: found.Next}
		}
		trials = append(trials, trial)
	}
	t.Fatalf("%s: no end after %d runs", s.name, len(trials))
	return Search{}, nil
}

func countLoads(trials []Trial) int {
	seen := map[int64]bool{}
	for _, t := range trials {
		seen[t.Load] = true
	}
	return len(seen)
}

// TestSearchFindsKnownSaturation checks that the result is precise without noise, and with noise nearly always
// and never far off.
func TestSearchFindsKnownSaturation(t *testing.T) {
	const seeds = 200
	for i := range queueingSystems {
		s := &queueingSystems[i]
		truth := float64(s.trueSaturation())
		for _, noise := range []float64{0, 0.02, 0.05, 0.10} {
			var runs, loads, off, worst, near, kneeOff float64
			most := 0
			for seed := range uint64(seeds) {
				found, trials := s.runSearch(t, noise, seed)
				e := math.Abs(math.Log(float64(max(found.Load, 1)) / truth))
				runs += float64(len(trials)) / seeds
				loads += float64(countLoads(trials)) / seeds
				most = max(most, len(trials))
				off += e / seeds
				worst = max(worst, e)
				if e <= math.Log(1.1)+noise {
					near += 1.0 / seeds
				}
				if s.knee > 0 {
					kneeOff += math.Abs(math.Log(float64(max(found.Knee, 1))/float64(s.knee))) / seeds
				}
			}
			t.Logf("%-58s noise %2.0f %%: truth %4.0f, off by %4.1f %% (worst %4.1f %%), %5.1f %% within precision and noise; %4.1f runs (most %d) at %4.1f loads; knee off by %4.1f %%",
				s.name, 100*noise, truth, 100*off, 100*worst, 100*near, runs, most, loads, 100*kneeOff)
			if near < 0.95 || noise == 0 && near < 1 || runs > 25 {
				t.Errorf("%s, noise %.2f: %.3f near, %.1f runs", s.name, noise, near, runs)
			}
		}
	}
}

func newTrials(loads ...any) []Trial {
	var trials []Trial
	for i := 0; i < len(loads); i += 2 {
		load := int64(loads[i].(int))
		trial := Trial{Load: load, Throughput: float64(load), Evidence: Measured}
		switch what := loads[i+1].(type) {
		case int: // latency in ms
			trial.Latency = float64(what)
		case float64: // error share
			trial.ErrorShare = what
		case TrialEvidence:
			trial.Evidence, trial.Problem = what, map[TrialEvidence]string{NoEvidence: "CPUStolen", GeneratorLimited: "all 10 clients were busy"}[what]
		}
		trials = append(trials, trial)
	}
	return trials
}

// TestNextLoadStepByStep uses a limit of 100 ms and the given errors; the load ranges from 1 to 100.
func TestNextLoadStepByStep(t *testing.T) {
	for name, test := range map[string]struct {
		model  v1alpha1.LoadModel
		errors string
		trials []Trial
		want   Search
	}{
		"first":              {trials: nil, want: Search{Next: 1, Message: "trying 1: no load was tried yet"}},
		"doubles":            {trials: newTrials(1, 10), want: Search{Next: 2, Load: 1, Message: "trying 2: 1 meets the level (1 of 1 valid runs)"}},
		"not beyond the end": {trials: newTrials(64, 10), want: Search{Next: 100, Load: 64, Message: "trying 100: 64 meets the level (1 of 1 valid runs)"}},
		"halves by ratio": {trials: newTrials(16, 10, 64, 500), want: Search{Next: 32, Load: 16, Unmet: 64,
			Message: "trying 32: 16 meets the level (1 of 1 valid runs); 64 misses the level (1 of 1 valid runs)"}},
		"again near the limit":        {trials: newTrials(16, 10, 64, 95), want: Search{Next: 64, Message: "trying 64 again: 1 of 1 valid runs met the level, 0 were disturbed"}},
		"two of three":                {trials: newTrials(32, 10, 64, 95, 64, 105, 64, 101), want: Search{Next: 45, Load: 32, Unmet: 64, Message: "trying 45: 32 meets the level (1 of 1 valid runs); 64 misses the level (2 of 3 valid runs)"}},
		"contradicted":                {trials: newTrials(64, 10, 64, 500), want: Search{Next: 64, Message: "trying 64 again: 1 of 2 valid runs met the level, 0 were disturbed"}},
		"confirms the lower":          {trials: newTrials(60, 10, 64, 500), want: Search{Next: 60, Load: 60, Unmet: 64, Message: "confirming 60: 60 meets the level (1 of 1 valid runs); 64 misses the level (1 of 1 valid runs)"}},
		"confirms the upper":          {trials: newTrials(60, 10, 60, 10, 64, 500), want: Search{Next: 64, Load: 60, Unmet: 64, Message: "confirming 64: 60 meets the level (2 of 2 valid runs); 64 misses the level (1 of 1 valid runs)"}},
		"done":                        {trials: newTrials(60, 10, 60, 10, 64, 500, 64, 500), want: Search{Load: 60, Unmet: 64, Message: "60 meets the level (2 of 2 valid runs); 64 misses the level (2 of 2 valid runs)"}},
		"all miss":                    {trials: newTrials(1, 500, 1, 500), want: Search{Unmet: 1, Message: "the lowest load misses the level: 1 misses the level (2 of 2 valid runs)"}},
		"all meet":                    {trials: newTrials(64, 1, 100, 10, 100, 10), want: Search{Load: 100, Message: "the highest load meets the level: 100 meets the level (2 of 2 valid runs)"}},
		"disturbed, once more":        {trials: newTrials(1, NoEvidence), want: Search{Next: 1, Message: "trying 1 again: 0 of 0 valid runs met the level, 1 were disturbed"}},
		"disturbed is no miss":        {trials: newTrials(16, 10, 64, NoEvidence, 64, NoEvidence), want: Search{Next: 64, Message: "trying 64 again: 0 of 0 valid runs met the level, 2 were disturbed"}},
		"disturbed to the end":        {trials: newTrials(16, 10, 64, NoEvidence, 64, NoEvidence, 64, NoEvidence), want: Search{Next: 32, Load: 16, Unjudged: 64, Message: "trying 32: 16 meets the level (1 of 1 valid runs); 64 could not be measured, because its 3 runs were disturbed (CPUStolen)"}},
		"nothing but disturbed":       {trials: newTrials(1, NoEvidence, 1, NoEvidence, 1, NoEvidence), want: Search{Unjudged: 1, Message: "the lowest load could not be judged: 1 could not be measured, because its 3 runs were disturbed (CPUStolen)"}},
		"the system broke":            {trials: newTrials(60, 10, 60, 10, 64, SystemFailed, 64, SystemFailed), want: Search{Load: 60, Unmet: 64, Message: "60 meets the level (2 of 2 valid runs); 64 misses the level (2 of 2 valid runs)"}},
		"too few clients":             {trials: append(newTrials(60, 10, 60, 10), Trial{Load: 64, Throughput: 10, Latency: 500, Evidence: GeneratorLimited, Problem: "all 10 clients were busy"}), want: Search{Load: 60, Unjudged: 64, Message: "generator-limited above 60: 60 meets the level (2 of 2 valid runs); 64 could not be offered: all 10 clients were busy"}},
		"few clients that suffice":    {trials: newTrials(64, GeneratorLimited), want: Search{Next: 100, Load: 64, Message: "trying 100: 64 meets the level (1 of 1 valid runs)"}},
		"many errors":                 {trials: newTrials(60, 10, 60, 10, 64, 0.5, 64, 0.5), want: Search{Load: 60, Unmet: 64, Message: "60 meets the level (2 of 2 valid runs); 64 misses the level (2 of 2 valid runs)"}},
		"few errors may be by chance": {trials: newTrials(64, 0.001), want: Search{Next: 64, Message: "trying 64 again: 0 of 1 valid runs met the level, 0 were disturbed"}},
		"errors allowed":              {errors: "1", trials: newTrials(64, 0.005), want: Search{Next: 100, Load: 64, Message: "trying 100: 64 meets the level (1 of 1 valid runs)"}},
		"open, does not follow":       {model: v1alpha1.LoadOpen, trials: []Trial{{Load: 1, Throughput: 0.9, Latency: 1, Evidence: Measured}}, want: Search{Next: 1, Unmet: 1, Message: "confirming 1: the lowest load misses the level: 1 misses the level (1 of 1 valid runs)"}},
		"open, fewer drawn":           {model: v1alpha1.LoadOpen, trials: []Trial{{Load: 1, Throughput: 0.9, Offered: 0.91, Latency: 1, Evidence: Measured}}, want: Search{Next: 2, Load: 1, Message: "trying 2: 1 meets the level (1 of 1 valid runs)"}},
		"open, more drawn":            {model: v1alpha1.LoadOpen, trials: []Trial{{Load: 1, Throughput: 1, Offered: 1.2, Latency: 1, Evidence: Measured}}, want: Search{Next: 1, Unmet: 1, Message: "confirming 1: the lowest load misses the level: 1 misses the level (1 of 1 valid runs)"}},
		"closed, slow is no miss":     {trials: []Trial{{Load: 1, Throughput: 0.1, Latency: 1, Evidence: Measured}}, want: Search{Next: 2, Load: 1, Message: "trying 2: 1 meets the level (1 of 1 valid runs)"}},
		"nothing succeeded":           {trials: []Trial{{Load: 1, Evidence: Measured}}, want: Search{Next: 1, Unmet: 1, Message: "confirming 1: the lowest load misses the level: 1 misses the level (1 of 1 valid runs)"}},
	} {
		spec := newSearchSpec(1, 100, 100*time.Millisecond)
		if test.errors != "" {
			spec.Objectives = append(spec.Objectives, v1alpha1.MetricObjective{Metric: v1alpha1.MetricErrorShare, MaxErrorPercent: new(resource.MustParse(test.errors))})
		}
		if got := NextLoad(spec, cmp.Or(test.model, v1alpha1.LoadClosed), test.trials); got != test.want {
			t.Errorf("%s:\n got %+v\nwant %+v", name, got, test.want)
		}
	}
}

// TestSearchAlwaysEnds checks that the search ends for arbitrary runs, within its loads and repeats, and on a
// bracket that is consistent with its message.
func TestSearchAlwaysEnds(t *testing.T) {
	for seed := range uint64(500) {
		random := rand.New(rand.NewPCG(seed, 4))
		spec := newSearchSpec(1+random.Int64N(50), 51+random.Int64N(100_000), time.Second)
		spec.MaxLoads, spec.Repeats, spec.PrecisionPercent = 2+random.Int32N(20), 1+random.Int32N(6), 1+random.Int32N(50)
		var trials []Trial
		most := int(spec.MaxLoads) * 2 * max(minAttempts, int(spec.Repeats))
		for {
			found := NextLoad(spec, v1alpha1.LoadClosed, trials)
			if found.Next == 0 {
				if found.Load != 0 && found.Unmet != 0 && found.Load >= found.Unmet {
					t.Errorf("seed %d: %+v", seed, found)
				}
				break
			}
			if found.Next < spec.From.Value() || found.Next > spec.To.Value() || len(trials) >= most {
				t.Fatalf("seed %d: %+v after %d trials of %+v", seed, found, len(trials), spec)
			}
			trials = append(trials, Trial{Load: found.Next, Throughput: 1, Latency: 2000 * random.Float64(), Evidence: TrialEvidence(random.IntN(4))})
		}
		if countLoads(trials) > int(spec.MaxLoads) {
			t.Errorf("seed %d: %d loads, at most %d are allowed", seed, countLoads(trials), spec.MaxLoads)
		}
	}
}

// TestNextLoadDoesNotDependOnTheOrderOfTrials checks that the next load is the same for any order of the
// trials, since the operator may restart between any two runs.
func TestNextLoadDoesNotDependOnTheOrderOfTrials(t *testing.T) {
	s := &queueingSystems[0]
	_, trials := s.runSearch(t, 0.1, 3)
	for n := range trials {
		seen := slices.Clone(trials[:n])
		want := NextLoad(s.spec, s.model, seen)
		slices.Reverse(seen)
		if got := NextLoad(s.spec, s.model, seen); got != want || got.Next != trials[n].Load {
			t.Errorf("after %d: %+v, want %+v and %d", n, got, want, trials[n].Load)
		}
	}
}

func TestFindKnee(t *testing.T) {
	for name, test := range map[string]struct {
		throughputs map[int64]float64
		want        int64
	}{
		"too few points":      {map[int64]float64{1: 1, 100: 1}, 0},
		"a straight line":     {map[int64]float64{1: 10, 2: 20.4, 4: 39, 8: 81, 16: 158}, 0},
		"a corner":            {map[int64]float64{1: 10, 2: 20, 4: 40, 8: 50, 16: 50, 32: 50}, 5},
		"falls beyond it":     {map[int64]float64{1: 10, 2: 20, 4: 40, 8: 52, 16: 50, 32: 48}, 5},
		"flat from the start": {map[int64]float64{1: 10, 2: 10, 4: 10, 8: 10}, 1},
	} {
		var loads []triedLoad
		for load, x := range test.throughputs {
			loads = append(loads, triedLoad{load: load, met: 2, measured: 2, throughput: 2 * x})
		}
		slices.SortFunc(loads, func(a, b triedLoad) int { return int(a.load - b.load) })
		if got := findKnee(loads); got != test.want {
			t.Errorf("%s: knee at %d, want %d", name, got, test.want)
		}
	}
}
