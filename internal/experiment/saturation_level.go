package experiment

import (
	"fmt"
	"math"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

const (
	// clearlyMetStrain and clearlyMissedStrain bound the strains between which one run is not enough: the noise
	// of runs, some percent to ten, could change the verdict.
	clearlyMetStrain, clearlyMissedStrain = 0.8, 1.25
	// throughputShortfall is the share of its rate by which an open loop's throughput may fall short of it.
	throughputShortfall = 0.05
	// invalidRunsOfMiss is how many invalid runs, without a valid one, make a load count as missing the level
	// for now: a load that cannot be applied or breaks the system is too high. The ends of the final bracket
	// are tried again.
	invalidRunsOfMiss = 2
)

// loadVerdict is the verdict on a load.
type loadVerdict int

const (
	loadUndecided loadVerdict = iota
	loadMeetsLevel
	loadMissesLevel
)

// loadCriterion decides whether a load meets the service level.
type loadCriterion struct {
	spec  *v1alpha1.SaturationSearch
	model v1alpha1.LoadModel
}

// trialStrain returns the strain of a trial: 1 at the limit of the service level, less within it.
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

// errorStrain returns the strain of an error share. If no errors are allowed, a few of them are a miss but not
// a clear one, since they might be chance.
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

// triedLoad is a load with the outcomes of its trials.
type triedLoad struct {
	load int64
	// met and missed count the valid trials that met or missed the level, clear those of them that did so
	// clearly. invalid counts the invalid trials.
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

// isExhausted reports whether a load has had all the runs that it may have.
func (t *triedLoad) isExhausted(spec *v1alpha1.SaturationSearch) bool {
	repeats := int(spec.Repeats)
	return t.validTrials() >= repeats || t.invalid >= max(invalidRunsOfMiss, repeats)
}

// decideVerdict decides by one trial if it is clear and none contradicts it, otherwise by the majority of the
// allowed repeats. A tie is a miss.
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

// String describes the verdict and the runs that support it.
func (t triedLoad) String() string {
	runs := fmt.Sprintf("%d of %d valid runs", max(t.met, t.missed), t.validTrials())
	switch {
	case t.validTrials() == 0 && t.verdict == loadMissesLevel:
		return fmt.Sprintf("%d counts as missing the level, because its %d runs were invalid", t.load, t.invalid)
	case t.verdict == loadMeetsLevel:
		return fmt.Sprintf("%d meets the level (%s)", t.load, runs)
	case t.verdict == loadMissesLevel:
		return fmt.Sprintf("%d misses the level (%s)", t.load, runs)
	default:
		return fmt.Sprintf("%d of %d valid runs met the level, %d were invalid", t.met, t.validTrials(), t.invalid)
	}
}
