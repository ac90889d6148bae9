package experiment

import (
	"fmt"
	"math"
	"slices"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/statistics"
)

// RunFailures compares the shares of runs that failed for causes within the system under test: without a result,
// cancelled, or invalid for a reason that is not exogenous. Discarded first repetitions are among them.
type RunFailures struct {
	// Baseline and Candidate are the numbers of failed runs out of BaselineRuns and CandidateRuns.
	Baseline      int `json:"baseline"`
	BaselineRuns  int `json:"baselineRuns"`
	Candidate     int `json:"candidate"`
	CandidateRuns int `json:"candidateRuns"`
	// BaselineExcluded and CandidateExcluded are the numbers of runs that were left out for exogenous causes.
	BaselineExcluded  int `json:"baselineExcluded"`
	CandidateExcluded int `json:"candidateExcluded"`
	// BaselineMissing and CandidateMissing are the numbers of repetitions all of whose attempts were left out.
	BaselineMissing  int `json:"baselineMissing,omitempty"`
	CandidateMissing int `json:"candidateMissing,omitempty"`
	// ExclusionPValue is that of Fisher's exact test that runs of both sides are left out equally often.
	ExclusionPValue float64 `json:"exclusionPValue"`
	// BaselineDiscarded and CandidateDiscarded are the numbers of first repetitions that have no part in any other number.
	BaselineDiscarded  int `json:"baselineDiscarded,omitempty"`
	CandidateDiscarded int `json:"candidateDiscarded,omitempty"`
	// PValue is that of Fisher's exact test that the shares are equal. AdjustedPValue is corrected for the number of points.
	PValue         float64 `json:"pValue"`
	AdjustedPValue float64 `json:"adjustedPValue"`
}

// String returns the shares and the p-value, such as "5 of 10 runs failed against 0 of 10, p = 0.033".
func (f RunFailures) String() string {
	text := fmt.Sprintf("%d of %d runs failed against %d of %d, p = %.2g", f.Candidate, f.CandidateRuns, f.Baseline, f.BaselineRuns, f.PValue)
	if f.AdjustedPValue > f.PValue {
		text += fmt.Sprintf(" (%.2g of all points)", f.AdjustedPValue)
	}
	if discarded := f.CandidateDiscarded + f.BaselineDiscarded; discarded > 0 {
		text += fmt.Sprintf(", with %d and %d discarded first repetitions", f.CandidateDiscarded, f.BaselineDiscarded)
	}
	if excluded := f.CandidateExcluded + f.BaselineExcluded; excluded > 0 {
		text += fmt.Sprintf("; %d and %d were left out for exogenous causes, p = %.2g", f.CandidateExcluded, f.BaselineExcluded, f.ExclusionPValue)
	}
	return text
}

// isWorse reports whether a larger share of the candidate's runs failed.
func (f RunFailures) isWorse() bool { return f.Candidate*f.BaselineRuns > f.Baseline*f.CandidateRuns }

// preventsPass reports whether the candidate fails too often for any gate to pass: more often than the baseline,
// or in half of its runs.
func (f RunFailures) preventsPass() bool {
	return f.isWorse() || f.Candidate > 0 && 2*f.Candidate >= f.CandidateRuns
}

// countMissingAsFailed returns the shares of failed runs if every missing repetition had failed.
func (f RunFailures) countMissingAsFailed() RunFailures {
	f.Baseline, f.BaselineRuns = f.Baseline+f.BaselineMissing, f.BaselineRuns+f.BaselineMissing
	f.Candidate, f.CandidateRuns = f.Candidate+f.CandidateMissing, f.CandidateRuns+f.CandidateMissing
	return f
}

// undecidedReason returns why failed or left out runs prevent any decision by the other runs; empty if they do not.
func (f RunFailures) undecidedReason(confidence float64) string {
	switch {
	case f.preventsPass():
		return "a gate does not pass if runs fail more often than the baseline's, or in half of all cases"
	case f.ExclusionPValue < 1-confidence:
		return "runs of one side are left out more often, so those that remain are a selection"
	case f.countMissingAsFailed().preventsPass():
		return "a gate does not pass unless it would with the runs left out as failures: repeat them (failures.onInvalid)"
	}
	return ""
}

func compareFailures(baseline, candidate pointRuns) RunFailures {
	f := RunFailures{Baseline: baseline.countFailed(), BaselineRuns: baseline.countRuns(), BaselineExcluded: baseline.excluded,
		BaselineMissing: baseline.missing, CandidateMissing: candidate.missing,
		BaselineDiscarded: len(baseline.discarded), CandidateDiscarded: len(candidate.discarded),
		Candidate: candidate.countFailed(), CandidateRuns: candidate.countRuns(), CandidateExcluded: candidate.excluded}
	f.PValue = statistics.FisherExactTest(f.Candidate, f.CandidateRuns, f.Baseline, f.BaselineRuns)
	f.AdjustedPValue = f.PValue
	f.ExclusionPValue = statistics.FisherExactTest(f.CandidateExcluded, f.CandidateExcluded+f.CandidateRuns,
		f.BaselineExcluded, f.BaselineExcluded+f.BaselineRuns)
	return f
}

// adjustFailures corrects the tests of failed runs for the number of points (Holm). The metrics of a point, of which each has a copy of
// its test, follow one another; of(i) and point(i) return the test and the point of outcome i. Points without runs on both sides are no
// claims.
func adjustFailures(n int, of func(i int) *RunFailures, point func(i int) string) {
	var pValues []float64
	claims := make([]int, n)
	for i := range n {
		f := of(i)
		claims[i] = -1
		switch {
		case f.BaselineRuns == 0 || f.CandidateRuns == 0:
		case i > 0 && point(i) == point(i-1):
			claims[i] = claims[i-1]
		default:
			claims[i] = len(pValues)
			pValues = append(pValues, f.PValue)
		}
	}
	adjusted := statistics.AdjustForClaims(pValues)
	for i, claim := range claims {
		if claim >= 0 {
			of(i).AdjustedPValue = adjusted[claim]
		}
	}
}

// pointRuns are the runs of one point that count in a comparison, in the order of their repetitions.
type pointRuns struct {
	counted []Run
	// discarded are the first repetitions whose values are left out. Their failures count.
	discarded []Run
	// excluded is the number of runs that were left out for exogenous causes, and missing that of repetitions without another run.
	excluded, missing int
	// runsPerDeployment is that of the experiment.
	runsPerDeployment int
}

// selectCountedRuns returns, for each repetition of a point, the first attempt that no exogenous cause excludes.
// Later attempts do not count, so that repeating a failed run does not hide it. First repetitions are discarded if
// the experiment says so.
func selectCountedRuns(r *Result, point string) pointRuns {
	var own []Run
	for _, run := range r.Runs {
		if run.Point == point {
			own = append(own, run)
		}
	}
	slices.SortStableFunc(own, func(a, b Run) int {
		if a.Repetition != b.Repetition {
			return a.Repetition - b.Repetition
		}
		return a.Attempt - b.Attempt
	})
	selected := pointRuns{runsPerDeployment: r.RunsPerDeployment}
	excluded := map[int]bool{}
	settled := -1 // the last repetition with a run that is not left out
	for _, run := range own {
		switch {
		case run.Repetition == settled:
		case run.Verdict != RunValid && run.Excluded:
			selected.excluded++
			excluded[run.Repetition] = true
		case r.FirstRepetition == v1alpha1.FirstRepetitionDiscard && isFirstOnDeployment(run.Repetition, r.RunsPerDeployment):
			selected.discarded, settled = append(selected.discarded, run), run.Repetition
			delete(excluded, settled)
		default:
			selected.counted, settled = append(selected.counted, run), run.Repetition
			delete(excluded, settled)
		}
	}
	selected.missing = len(excluded)
	return selected
}

func (p pointRuns) countRuns() int { return len(p.counted) + len(p.discarded) }

func (p pointRuns) countFailed() int {
	failed := 0
	for _, run := range slices.Concat(p.counted, p.discarded) {
		if run.Verdict != RunValid {
			failed++
		}
	}
	return failed
}

// sampleMetric returns the values of a metric by repetition, or by deployment. That of a failed run is infinite, the worst outcome. A
// valid run without the metric has none.
func (p pointRuns) sampleMetric(metric comparedMetric) metricSamples {
	var s metricSamples
	worst := math.Inf(1)
	if metric.IsHigherBetter() {
		worst = math.Inf(-1)
	}
	for _, run := range p.counted {
		v, measured := run.valueOf(metric)
		t := run.findFaultTime(metric)
		censored := t != nil && t.Censored
		if run.Verdict != RunValid {
			v, measured, censored = worst, true, false
		}
		if measured {
			s.addSample(run.Repetition, v, censored)
		}
	}
	return s.averageDeployments(p.runsPerDeployment)
}

// pairValues returns the values of the repetitions, or deployments, that both sides have.
func pairValues(baseline, candidate pointRuns, metric comparedMetric) (b, c []float64) {
	own, others := baseline.sampleMetric(metric), candidate.sampleMetric(metric)
	for i, n := range own.numbers {
		if at := slices.Index(others.numbers, n); at >= 0 {
			b, c = append(b, own.values[i]), append(c, others.values[at])
		}
	}
	return b, c
}

// orderRuns returns the valid runs of two points of one experiment, each with its place in the order of all of them, or the means of
// their deployments.
func orderRuns(baseline, candidate pointRuns, metric comparedMetric) [2][]statistics.OrderedRun {
	if baseline.runsPerDeployment > 0 {
		return [2][]statistics.OrderedRun{baseline.orderDeployments(metric), candidate.orderDeployments(metric)}
	}
	order := slices.Concat(baseline.counted, candidate.counted)
	slices.SortStableFunc(order, func(a, b Run) int { return a.Start.Compare(b.Start) })
	var sides [2][]statistics.OrderedRun
	for place, run := range order {
		v, measured := run.valueOf(metric)
		if run.Verdict != RunValid || !measured {
			continue
		}
		side := 0
		if slices.ContainsFunc(candidate.counted, func(r Run) bool { return r.Point == run.Point }) {
			side = 1
		}
		sides[side] = append(sides[side], statistics.OrderedRun{Place: float64(place), Value: v})
	}
	return sides
}

// orderDeployments returns the means of the deployments without a failed run.
func (p pointRuns) orderDeployments(metric comparedMetric) []statistics.OrderedRun {
	var means []statistics.OrderedRun
	s := p.sampleMetric(metric)
	for i, value := range s.values {
		if !math.IsInf(value, 0) {
			means = append(means, statistics.OrderedRun{Place: float64(s.numbers[i]), Value: value})
		}
	}
	return means
}

// isPairedOrder reports whether the runs of one repetition were measured next to each other.
func isPairedOrder(order string) bool {
	return order == string(v1alpha1.OrderInterleaved) || order == string(v1alpha1.OrderRandomizedPairs)
}

// describeBlankMetric returns why a metric cannot be compared if some valid run of a side has no value, because it
// has too few latencies for the percentile, or a throughput that is too noisy for a score of faults: the other runs are a selection.
func (p pointRuns) describeBlankMetric(metric comparedMetric, side string) string {
	valid, blank := 0, 0
	for _, run := range p.counted {
		if run.Verdict != RunValid {
			continue
		}
		valid++
		if _, measured := run.valueOf(metric); !measured {
			blank++
		}
	}
	if blank == 0 {
		return ""
	}
	cause := "which have too few latencies: measure longer"
	switch {
	case metric.IsOfFault():
		cause = "whose faults have no score of it: see faults in their results"
	case metric.IsOfFaultyRun():
		cause = "whose results say why: see availability and ledger"
	case metric.segment != "":
		cause = "which have too few latencies in the segment, or lack it"
	}
	return fmt.Sprintf("%s is blank in %d of %d valid runs of %s, %s", metric.formatLabel(), blank, valid, side, cause)
}
