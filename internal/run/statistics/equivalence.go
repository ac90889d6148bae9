package statistics

import (
	"math"

	"github.com/aclements/go-moremath/stats"
)

// Equivalence says whether two samples have the same mean within a margin, by two one-sided tests (TOST).
type Equivalence struct {
	// Baselines and Candidates are the numbers of runs.
	Baselines  int `json:"baselines"`
	Candidates int `json:"candidates"`
	// BaselineMean and CandidateMean are geometric means in the metric's own unit.
	BaselineMean  float64 `json:"baselineMean"`
	CandidateMean float64 `json:"candidateMean"`
	// Difference is the ratio of the geometric means, less one. Its interval is Student's at a confidence of one minus
	// twice the significance level.
	Difference float64 `json:"difference"`
	Uncertainty
	// SmallestMargin is the smallest margin within which the samples are equivalent; nil with too few runs.
	SmallestMargin *float64 `json:"smallestMargin,omitempty"`
	// PValue is the larger one of the two tests: small if the difference lies within the margin.
	PValue float64 `json:"pValue"`
	// BeyondPValue is that of the opposite claim: small if the difference lies beyond the margin.
	BeyondPValue float64 `json:"beyondPValue"`
}

// HasTooFewRuns reports whether a side has fewer runs than MinRunsForInterval. PValue and BeyondPValue are then 1.
func (e Equivalence) HasTooFewRuns() bool { return min(e.Baselines, e.Candidates) < MinRunsForInterval }

// IsEquivalent reports whether the difference lies within the margin.
func (e Equivalence) IsEquivalent(confidence float64) bool { return e.PValue < 1-confidence }

// IsBeyond reports whether the difference lies beyond the margin, as one of so many claims (Bonferroni).
func (e Equivalence) IsBeyond(confidence float64, claims int) bool {
	return e.BeyondPValue*float64(max(1, claims)) < 1-confidence
}

// AssessEquivalence tests the equivalence of two samples of values above 0. The margin is a share: with 0.1 the ratio of the
// geometric means lies between 1/1.1 and 1.1, so that exchanging the samples changes nothing. The tests are Welch's, of the
// logarithms.
func AssessEquivalence(baseline, candidate []float64, margin, confidence float64) Equivalence {
	e := Equivalence{Baselines: len(baseline), Candidates: len(candidate), PValue: 1, BeyondPValue: 1}
	if len(baseline) == 0 || len(candidate) == 0 {
		return e
	}
	b, c := Relative.transformValues(baseline), Relative.transformValues(candidate)
	e.BaselineMean, e.CandidateMean = Relative.meanOf(b), Relative.meanOf(c)
	s := estimateSpread(b, c)
	e.Difference, e.Uncertainty = math.Expm1(s.mean), s.estimateUncertainty(2*confidence-1, math.Expm1)
	if e.HasTooFewRuns() {
		return e
	}
	half := tQuantile(confidence, s.degrees) * s.standardError
	e.SmallestMargin = new(math.Expm1(math.Abs(s.mean) + half))
	// Probabilities of a difference as low, and as high, if the truth is one of the bounds.
	bound := math.Log1p(margin)
	belowUpper, aboveLower := s.probabilityBelow(s.mean-bound), s.probabilityBelow(-s.mean-bound)
	e.PValue = max(belowUpper, aboveLower)
	e.BeyondPValue = min(1, 2*min(1-belowUpper, 1-aboveLower))
	return e
}

// probabilityBelow returns the probability that a mean with this standard error and an expectation of 0 is below a value.
func (s spread) probabilityBelow(value float64) float64 {
	if s.standardError == 0 {
		switch {
		case value < 0:
			return 0
		case value > 0:
			return 1
		}
		return 0.5
	}
	return stats.TDist{V: s.degrees}.CDF(value / s.standardError)
}
