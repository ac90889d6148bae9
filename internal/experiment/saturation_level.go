package experiment

import (
	"fmt"
	"math"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

const (
	// clearlyMetStrain and clearlyMissedStrain are the strains up to and from which one run is enough to tell. Between them the noise of
	// runs, some percent to ten, could turn the verdict.
	clearlyMetStrain, clearlyMissedStrain = 0.8, 1.25
	// throughputShortfall of an open loop's throughput, as a share of its rate, from which the system no longer follows.
	throughputShortfall = 0.05
	// invalidRunsOfMiss is how many invalid runs, without a valid one, make a load count as missing the level for now: a load that cannot
	// be applied, or breaks the system, is not one that it bears. What the search ends on is tried again.
	invalidRunsOfMiss = 2
)

// loadVerdict on a load.
type loadVerdict int

const (
	loadUndecided loadVerdict = iota
	loadMeetsLevel
	loadMissesLevel
)

// loadCriterion is what a load has to meet.
type loadCriterion struct {
	spec  *v1alpha1.SaturationSearch
	model v1alpha1.LoadModel
}

// trialStrain of a trial: 1 at the limit of the service level, below it where it is met with room to spare.
func (l loadCriterion) trialStrain(t Trial) float64 {
	if t.Throughput <= 0 {
		return math.Inf(1)
	}
	strain := max(t.Latency/(1000*l.spec.ServiceLevel.Latency.Seconds()), l.errorStrain(t.ErrorShare))
	if l.model == v1alpha1.LoadOpen {
		strain = max(strain, (1-t.Throughput/float64(t.Load))/throughputShortfall)
	}
	return strain
}

// errorStrain where no error is allowed makes a few of them a miss, but not a clear one: they might be chance.
func (l loadCriterion) errorStrain(share float64) float64 {
	const few, many = 1.1, 0.01
	switch allowed := l.spec.ServiceLevel.MaxErrorPercent.AsApproximateFloat64() / 100; {
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

// triedLoad is a load with what its trials showed.
type triedLoad struct {
	load int64
	// Valid trials that met the level, that missed it, and those of either that did so clearly; invalid trials.
	met, missed, clear, invalid int
	throughput                  float64 // sum over the valid trials
	verdict                     loadVerdict
}

func (t *triedLoad) addTrial(trial Trial, strain float64) {
	if !trial.Valid {
		t.invalid++
		return
	}
	t.throughput += trial.Throughput
	if strain <= 1 {
		t.met++
	} else {
		t.missed++
	}
	if strain <= clearlyMetStrain || strain >= clearlyMissedStrain {
		t.clear++
	}
}

func (t *triedLoad) validTrials() int { return t.met + t.missed }

// isExhausted says that a load has had all the runs that it gets.
func (t *triedLoad) isExhausted(spec *v1alpha1.SaturationSearch) bool {
	repeats := int(spec.Repeats)
	return t.validTrials() >= repeats || t.invalid >= max(invalidRunsOfMiss, repeats)
}

// decideVerdict by one trial if it is clear and none speaks against it; otherwise by the majority of the repeats allowed. As many
// that meet as miss are a miss.
func (l loadCriterion) decideVerdict(t *triedLoad) loadVerdict {
	majority := int(l.spec.Repeats)/2 + 1
	switch {
	case t.met >= majority, t.met > 0 && t.missed == 0 && t.clear > 0:
		return loadMeetsLevel
	case t.missed >= majority, t.missed > 0 && t.met == 0 && t.clear > 0, t.validTrials() == 0 && t.invalid >= invalidRunsOfMiss:
		return loadMissesLevel
	case !t.isExhausted(l.spec):
		return loadUndecided
	case t.met > t.missed:
		return loadMeetsLevel
	default:
		return loadMissesLevel
	}
}

// String says on how much the verdict rests.
func (t triedLoad) String() string {
	runs := fmt.Sprintf("%d of %d valid runs", max(t.met, t.missed), t.validTrials())
	switch {
	case t.validTrials() == 0 && t.verdict == loadMissesLevel:
		return fmt.Sprintf("%d counts as missing the level, its %d runs were invalid", t.load, t.invalid)
	case t.verdict == loadMeetsLevel:
		return fmt.Sprintf("%d meets the level (%s)", t.load, runs)
	case t.verdict == loadMissesLevel:
		return fmt.Sprintf("%d misses the level (%s)", t.load, runs)
	default:
		return fmt.Sprintf("%d of %d valid runs met the level, %d were invalid", t.met, t.validTrials(), t.invalid)
	}
}
