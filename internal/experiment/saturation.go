package experiment

import (
	"fmt"
	"math"
	"slices"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/statistics"
)

// Trial is one ended run of a saturation search.
type Trial struct {
	// Load is the requested load in steps of the search: a client, or an operation per second if the search begins at a whole rate.
	Load int64
	// Throughput is in operations per second, Latency is the service level's percentile in ms, ErrorShare is
	// from 0 to 1.
	Throughput, Latency, ErrorShare float64
	// Offered is the number of operations that an open loop planned per second of the window. Poisson arrivals
	// differ from Load by chance. 0 means Load.
	Offered float64
	// Evidence says what the run shows about the load.
	Evidence TrialEvidence
	// Problem is why the run shows nothing, or why the system failed, such as CPUStolen.
	Problem string
}

// TrialEvidence is what a run shows about its load.
type TrialEvidence int

const (
	// NoEvidence: the run failed, or is invalid for a cause other than the system. It is repeated.
	NoEvidence TrialEvidence = iota
	// Measured: the numbers count.
	Measured
	// SystemFailed: the run is invalid by faults of the system, whatever its numbers are.
	SystemFailed
	// GeneratorLimited: the load generator was busy with fewer clients than the load requires. Only a run that
	// meets the level counts.
	GeneratorLimited
)

// Search is the state of a saturation search. Its loads are in steps, as those of a Trial.
type Search struct {
	// Next is the next load to run, which may be one that was tried before; 0 when the search is done.
	Next int64
	// Load is the highest load that meets the service level, 0 if none did. Unmet is the lowest that does not,
	// 0 if all did.
	Load, Unmet int64
	// Unjudged is the lowest load above Load without evidence, because the load generator could not offer it or no
	// run was undisturbed; 0 if there is none. Unmet is then 0.
	Unjudged int64
	// Knee is the load above which throughput grows clearly less than the load; 0 if the trials show none.
	Knee int64
	// Message says to people how certain the outcome is, or what comes next.
	Message string
}

// confirmingRuns is how many valid runs confirm each end of the bracket, if the spec allows so many repeats. A
// single run could have been lucky or disturbed.
const confirmingRuns = 2

// NextLoad returns the state of the search. It depends only on the spec, the load model and the trials, which
// may be in any order. The search raises the load by a constant factor until it misses the level, then halves
// the interval on a logarithmic scale. It repeats a load without a clear verdict at once. In the end it
// confirms both ends of the interval; if that overturns one, the search continues.
func NextLoad(spec *v1alpha1.SaturationSearch, model v1alpha1.LoadModel, trials []Trial) Search {
	l := newLoadCriterion(spec, model)
	loads := l.judgeTrials(trials)
	s := Search{Knee: findKnee(loads)}
	for _, load := range loads {
		if load.verdict == loadUndecided {
			s.Next, s.Message = load.load, fmt.Sprintf("trying %s again: %s", load.label, load)
			return s
		}
	}
	met, end := findBracket(loads)
	s.Load, s.Unmet = met.load, end.load
	if end.verdict == loadUnjudged {
		s.Unmet, s.Unjudged = 0, end.load
	}
	if s.Next = l.refineLoad(met.load, end.load); s.Next > 0 && len(loads) < int(spec.MaxLoads) {
		s.Message = fmt.Sprintf("trying %s: %s", l.scale.format(s.Next), l.describeBracket(met, end))
		return s
	}
	stopped := s.Next > 0
	if s.Next = findUnconfirmedLoad(spec, met, end); s.Next > 0 {
		s.Message = fmt.Sprintf("confirming %s: %s", l.scale.format(s.Next), l.describeBracket(met, end))
		return s
	}
	s.Message = l.describeBracket(met, end)
	if stopped {
		s.Message += fmt.Sprintf("; stopped after %d loads, before reaching the precision", len(loads))
	}
	return s
}

// findBracket returns the lowest load that does not meet the level, because it misses it or could not be judged,
// and the highest below it that meets it. Each is zero if none exists.
func findBracket(loads []triedLoad) (met, end triedLoad) {
	for _, load := range loads {
		if load.verdict != loadMeetsLevel {
			return met, load
		}
		met = load
	}
	return met, triedLoad{}
}

// refineLoad returns the next load that narrows the bracket, or 0 if it is narrow enough.
func (l loadCriterion) refineLoad(met, missed int64) int64 {
	switch {
	case met == 0 && missed == 0:
		return l.from
	case missed == 0 && met >= l.to, met == 0:
		return 0
	case missed == 0:
		return min(l.to, max(met+1, int64(math.Round(float64(met)*l.growthFactor()))))
	case missed-met <= 1, float64(missed) <= float64(met)*precisionFactor(l.spec):
		return 0
	default:
		middle := int64(math.Round(math.Sqrt(float64(met) * float64(missed))))
		return min(max(middle, met+1), missed-1)
	}
}

func precisionFactor(spec *v1alpha1.SaturationSearch) float64 {
	return 1 + float64(spec.PrecisionPercent)/100
}

// growthFactor returns the factor by which the load is raised: 2, or the power of 2 with which the allowed
// number of loads suffices.
func (l loadCriterion) growthFactor() float64 {
	span := math.Log(float64(l.to) / float64(l.from))
	for factor := 2.0; ; factor *= 2 {
		up := 1 + math.Ceil(span/math.Log(factor))
		between := math.Ceil(math.Log2(max(1, math.Log(factor)/math.Log(precisionFactor(l.spec)))))
		if up+between <= float64(l.spec.MaxLoads) || math.Log(factor) >= span {
			return factor
		}
	}
}

// findUnconfirmedLoad returns an end of the bracket that has too few runs, or 0.
func findUnconfirmedLoad(spec *v1alpha1.SaturationSearch, ends ...triedLoad) int64 {
	for _, end := range ends {
		if end.load > 0 && end.verdict != loadUnjudged && end.countTrials() < min(confirmingRuns, int(spec.Repeats)) && !end.isExhausted(spec) {
			return end.load
		}
	}
	return 0
}

func (l loadCriterion) describeBracket(met, end triedLoad) string {
	switch {
	case met.load == 0 && end.load == 0:
		return "no load was tried yet"
	case met.load == 0 && end.verdict == loadUnjudged:
		return fmt.Sprintf("the lowest load could not be judged: %s", end)
	case met.load == 0:
		return fmt.Sprintf("the lowest load misses the level: %s", end)
	case end.load == 0 && met.load >= l.to:
		return fmt.Sprintf("the highest load meets the level: %s", met)
	case end.load == 0:
		return met.String()
	case end.limited > 0 && end.verdict == loadUnjudged:
		return fmt.Sprintf("generator-limited above %s: %s; %s", met.label, met, end)
	default:
		return fmt.Sprintf("%s; %s", met, end)
	}
}

// judgeTrials returns each load that was tried with its verdict, in ascending order.
func (l loadCriterion) judgeTrials(trials []Trial) []triedLoad {
	var loads []triedLoad
	for _, t := range trials {
		at, found := slices.BinarySearchFunc(loads, t.Load, func(a triedLoad, load int64) int { return int(a.load - load) })
		if !found {
			loads = slices.Insert(loads, at, triedLoad{load: t.Load, label: l.scale.format(t.Load)})
		}
		loads[at].addTrial(t, l.trialStrain(t))
	}
	for i := range loads {
		loads[i].verdict = l.decideVerdict(&loads[i])
	}
	return loads
}

const (
	// maxKneeShare is the largest load of a knee as a share of the highest load. A knee above it could not be
	// distinguished from noise.
	maxKneeShare = 0.9
	// minKneeLoads is the number of loads that are necessary to find a knee.
	minKneeLoads = 3
)

// findKnee returns the knee of the curve of throughput over load, or 0. In the asymptotic view of queueing
// networks (Denning and Buzen 1978) the curve consists of two lines, throughput in proportion to the load and a
// constant, which meet at the knee. Both are fitted by least squares of the logarithms, so that noise in
// percent has the same weight everywhere.
func findKnee(loads []triedLoad) int64 {
	var x, y []float64
	for _, l := range loads {
		if l.measured > 0 && l.throughput > 0 {
			x = append(x, math.Log(float64(l.load)))
			y = append(y, math.Log(l.throughput/float64(l.measured)))
		}
	}
	if len(x) < minKneeLoads {
		return 0
	}
	best, least := 0.0, math.Inf(1)
	for split := 1; split < len(x); split++ {
		// log y = log x + rise up to the split, log y = top from there.
		rise := statistics.Mean(y[:split]) - statistics.Mean(x[:split])
		top := statistics.Mean(y[split:])
		misfit := 0.0
		for i := range x {
			residual := y[i] - min(x[i]+rise, top)
			misfit += residual * residual
		}
		if misfit < least {
			best, least = top-rise, misfit
		}
	}
	if best > x[len(x)-1]+math.Log(maxKneeShare) {
		return 0
	}
	return int64(math.Round(math.Exp(best)))
}
