package experiment

import (
	"fmt"
	"math"
	"slices"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/statistics"
)

// RunFailures compares the shares of runs that failed for causes within the system under test: without a result,
// cancelled, or invalid for a reason that is not exogenous.
type RunFailures struct {
	// Baseline and Candidate are the numbers of failed runs out of BaselineRuns and CandidateRuns.
	Baseline      int `json:"baseline"`
	BaselineRuns  int `json:"baselineRuns"`
	Candidate     int `json:"candidate"`
	CandidateRuns int `json:"candidateRuns"`
	// BaselineExcluded and CandidateExcluded are the numbers of runs that were left out for exogenous causes.
	BaselineExcluded  int `json:"baselineExcluded"`
	CandidateExcluded int `json:"candidateExcluded"`
	// PValue is that of Fisher's exact test that the shares are equal.
	PValue float64 `json:"pValue"`
}

// String returns the shares and the p-value, such as "5 of 10 runs failed against 0 of 10, p = 0.033".
func (f RunFailures) String() string {
	text := fmt.Sprintf("%d of %d runs failed against %d of %d, p = %.2g", f.Candidate, f.CandidateRuns, f.Baseline, f.BaselineRuns, f.PValue)
	if excluded := f.CandidateExcluded + f.BaselineExcluded; excluded > 0 {
		text += fmt.Sprintf("; %d and %d were left out for exogenous causes", f.CandidateExcluded, f.BaselineExcluded)
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

func compareFailures(baseline, candidate pointRuns) RunFailures {
	f := RunFailures{Baseline: baseline.countFailed(), BaselineRuns: len(baseline.counted), BaselineExcluded: baseline.excluded,
		Candidate: candidate.countFailed(), CandidateRuns: len(candidate.counted), CandidateExcluded: candidate.excluded}
	f.PValue = statistics.FisherExactTest(f.Candidate, f.CandidateRuns, f.Baseline, f.BaselineRuns)
	return f
}

// pointRuns are the runs of one point that count in a comparison, in the order of their repetitions.
type pointRuns struct {
	counted []Run
	// excluded is the number of runs that were left out for exogenous causes.
	excluded int
	// runsPerDeployment is that of the experiment.
	runsPerDeployment int
}

// selectCountedRuns returns, for each repetition of a point, the first attempt that no exogenous cause excludes.
// Later attempts do not count, so that repeating a failed run does not hide it.
func selectCountedRuns(r *Result, point string) pointRuns {
	var own []Run
	for _, run := range r.Runs {
		if run.Point == point && (r.FirstRepetition != v1alpha1.FirstRepetitionDiscard || !isFirstOnDeployment(run.Repetition, r.RunsPerDeployment)) {
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
	for _, run := range own {
		n := len(selected.counted)
		switch {
		case n > 0 && selected.counted[n-1].Repetition == run.Repetition:
		case run.Verdict != RunValid && run.Excluded:
			selected.excluded++
		default:
			selected.counted = append(selected.counted, run)
		}
	}
	return selected
}

func (p pointRuns) countFailed() int {
	failed := 0
	for i := range p.counted {
		if p.counted[i].Verdict != RunValid {
			failed++
		}
	}
	return failed
}

// sampleMetric returns the values of a metric by repetition, or by deployment. That of a failed run is infinite, the worst outcome. A
// valid run without the metric has none.
func (p pointRuns) sampleMetric(metric v1alpha1.Metric) metricSamples {
	var s metricSamples
	worst := math.Inf(1)
	if higherIsBetter(metric) {
		worst = math.Inf(-1)
	}
	for _, run := range p.counted {
		v, measured := run.Metrics[string(metric)]
		if run.Verdict != RunValid {
			v, measured = worst, true
		}
		if measured {
			s.add(run.Repetition, v)
		}
	}
	return s.averageDeployments(p.runsPerDeployment)
}

// pairValues returns the values of the repetitions, or deployments, that both sides have.
func pairValues(baseline, candidate pointRuns, metric v1alpha1.Metric) (b, c []float64) {
	own, others := baseline.sampleMetric(metric), candidate.sampleMetric(metric)
	for i, n := range own.numbers {
		if at := slices.Index(others.numbers, n); at >= 0 {
			b, c = append(b, own.values[i]), append(c, others.values[at])
		}
	}
	return b, c
}

// estimateTrend estimates the trend over the runs of two points of one experiment.
func estimateTrend(baseline, candidate pointRuns, metric v1alpha1.Metric) *statistics.Trend {
	order := slices.Concat(baseline.counted, candidate.counted)
	slices.SortStableFunc(order, func(a, b Run) int { return a.Start.Compare(b.Start) })
	var sides [2][]statistics.OrderedRun
	for place, run := range order {
		v, measured := run.Metrics[string(metric)]
		if run.Verdict != RunValid || !measured {
			continue
		}
		side := 0
		if slices.ContainsFunc(candidate.counted, func(r Run) bool { return r.Point == run.Point }) {
			side = 1
		}
		sides[side] = append(sides[side], statistics.OrderedRun{Place: float64(place), Value: v})
	}
	return statistics.EstimateTrend(sides[0], sides[1])
}

// isPairedOrder reports whether the runs of one repetition were measured next to each other.
func isPairedOrder(order string) bool {
	return order == string(v1alpha1.OrderInterleaved) || order == string(v1alpha1.OrderRandomizedPairs)
}
