package experiment

import (
	"cmp"
	"fmt"
	"math"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

const (
	// clearlyMetStrain and clearlyMissedStrain bound the strains between which one run is not enough: the noise
	// of runs, some percent to ten, could change the verdict.
	clearlyMetStrain, clearlyMissedStrain = 0.8, 1.25
	// throughputShortfall is the share of what an open loop planned by which its throughput may fall short of it.
	throughputShortfall = 0.05
	// minAttempts is how many runs without evidence a load may have, even if fewer repeats are allowed.
	minAttempts = 2
)

// loadVerdict is the verdict on a load.
type loadVerdict int

const (
	loadUndecided loadVerdict = iota
	loadMeetsLevel
	loadMissesLevel
	// loadUnjudged is a load without evidence after all its runs. It limits the search, but says nothing about the
	// system.
	loadUnjudged
)

// loadCriterion decides whether a load meets the service level.
type loadCriterion struct {
	spec  *v1alpha1.SaturationSearch
	model v1alpha1.LoadModel
	scale loadScale
	// from and to are the lowest and the highest load.
	from, to int64
}

func newLoadCriterion(spec *v1alpha1.SaturationSearch, model v1alpha1.LoadModel) loadCriterion {
	scale := scaleOf(spec)
	return loadCriterion{spec: spec, model: model, scale: scale, from: scale.steps(&spec.From), to: scale.steps(&spec.To)}
}

// trialStrain returns the strain of a trial: 1 at the limit of the service level, less within it.
func (l loadCriterion) trialStrain(t Trial) float64 {
	if t.Throughput <= 0 || t.Evidence == SystemFailed {
		return math.Inf(1)
	}
	strain := max(t.Latency/(1000*l.spec.ServiceLevel().MaxLatency.Seconds()), l.errorStrain(t.ErrorShare))
	if l.model == v1alpha1.LoadOpen {
		strain = max(strain, (1-t.Throughput/cmp.Or(t.Offered, l.scale.value(t.Load)))/throughputShortfall)
	}
	return strain
}

// errorStrain returns the strain of an error share. If no errors are allowed, a few of them are a miss but not
// a clear one, since they might be chance.
func (l loadCriterion) errorStrain(share float64) float64 {
	const few, many = 1.1, 0.01
	switch allowed := l.spec.ServiceLevel().MaxErrorShare; {
	case allowed > 0:
		return share / allowed
	case share >= many:
		return math.Inf(1)
	case share > 0:
		return few
	default:
		return 0
	}
}

// triedLoad is a load with the outcomes of its trials.
type triedLoad struct {
	load int64
	// label is the load for people.
	label string
	// met and missed count the trials with evidence that met or missed the level, clear those of them that did so
	// clearly. invalid counts the trials without evidence, limited those of a busy load generator.
	met, missed, clear, invalid, limited int
	// problem is that of the last trial without evidence.
	problem string
	// throughput is the sum over the measured trials, and measured their number.
	throughput float64
	measured   int
	verdict    loadVerdict
}

func (t *triedLoad) addTrial(trial Trial, strain float64) {
	switch {
	case trial.Evidence == NoEvidence:
		t.invalid, t.problem = t.invalid+1, trial.Problem
		return
	case trial.Evidence == GeneratorLimited && strain > 1:
		t.limited, t.problem = t.limited+1, trial.Problem
		return
	}
	if trial.Evidence != SystemFailed {
		t.throughput, t.measured = t.throughput+trial.Throughput, t.measured+1
	}
	if strain <= 1 {
		t.met++
	} else {
		t.missed++
	}
	if strain <= clearlyMetStrain || strain >= clearlyMissedStrain {
		t.clear++
	}
}

// countTrials returns the number of trials with evidence.
func (t *triedLoad) countTrials() int { return t.met + t.missed }

// isExhausted reports whether a load has had all the runs that it may have.
func (t *triedLoad) isExhausted(spec *v1alpha1.SaturationSearch) bool {
	repeats := int(spec.Repeats)
	return t.countTrials() >= repeats || t.invalid+t.limited >= max(minAttempts, repeats)
}

// decideVerdict decides by one trial if it is clear and none contradicts it, otherwise by the majority of the
// allowed repeats. A tie is a miss.
func (l loadCriterion) decideVerdict(t *triedLoad) loadVerdict {
	majority := int(l.spec.Repeats)/2 + 1
	switch {
	case t.met >= majority, t.met > 0 && t.missed == 0 && t.clear > 0:
		return loadMeetsLevel
	case t.missed >= majority, t.missed > 0 && t.met == 0 && t.clear > 0:
		return loadMissesLevel
	case t.limited > 0 && t.missed == 0 && t.met == 0, t.countTrials() == 0 && t.isExhausted(l.spec):
		return loadUnjudged
	case !t.isExhausted(l.spec):
		return loadUndecided
	case t.met > t.missed:
		return loadMeetsLevel
	default:
		return loadMissesLevel
	}
}

// String describes the verdict and the runs that support it.
func (t triedLoad) String() string {
	runs := fmt.Sprintf("%d of %d valid runs", max(t.met, t.missed), t.countTrials())
	switch {
	case t.verdict == loadUnjudged && t.limited > 0:
		return fmt.Sprintf("%s could not be offered: %s", t.label, t.problem)
	case t.verdict == loadUnjudged:
		return fmt.Sprintf("%s could not be measured, because its %d runs were disturbed (%s)", t.label, t.invalid, t.problem)
	case t.verdict == loadMeetsLevel:
		return fmt.Sprintf("%s meets the level (%s)", t.label, runs)
	case t.verdict == loadMissesLevel:
		return fmt.Sprintf("%s misses the level (%s)", t.label, runs)
	default:
		return fmt.Sprintf("%d of %d valid runs met the level, %d were disturbed", t.met, t.countTrials(), t.invalid)
	}
}
