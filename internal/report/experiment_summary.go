package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/format"
)

// summarizeExperiment describes in words what was measured, and the outcome.
func summarizeExperiment(e *experiment.Result) []string {
	answer := []string{describeRuns(e)}
	if best := findBestPoint(e); best != nil {
		answer = append(answer, describeBestPoint(e, *best))
	}
	answer = append(answer, describeOverload(e)...)
	for _, s := range e.Saturation {
		answer = append(answer, describeSaturation(e, s))
	}
	return append(answer, describeComparisons(e)...)
}

func describeRuns(e *experiment.Result) string {
	counts := countVerdicts(e)
	text := fmt.Sprintf("%s at %s", format.Count(len(e.Runs), "run"), format.Count(len(e.Points), "point"))
	var varied []string
	for _, name := range parameterNames(e) {
		if values := distinctValues(e, name); len(values) > 1 {
			varied = append(varied, fmt.Sprintf("%s (%s)", name, abbreviateList(values)))
		}
	}
	if len(e.Variants) > 1 {
		varied = append(varied, "the variants "+abbreviateList(e.Variants))
	}
	if len(varied) > 0 {
		text += ", over " + strings.Join(varied, " and ")
	}
	text += "."
	if counts[experiment.RunValid] < len(e.Runs) {
		text += fmt.Sprintf(
			" %d valid, %d invalid, %d failed.",
			counts[experiment.RunValid],
			counts[experiment.RunInvalid],
			len(e.Runs)-counts[experiment.RunValid]-counts[experiment.RunInvalid],
		)
	}
	return text
}

func countVerdicts(e *experiment.Result) map[experiment.RunVerdict]int {
	counts := map[experiment.RunVerdict]int{}
	for _, r := range e.Runs {
		counts[r.Verdict]++
	}
	return counts
}

// abbreviateList lists up to eight values, or else the first and the last.
func abbreviateList(values []string) string {
	if len(values) > 8 {
		return values[0] + " … " + values[len(values)-1]
	}
	return strings.Join(values, ", ")
}

// findBestPoint returns the point with the highest throughput among those with a valid run. A point at which a run fell short of the
// offered rate, failed, or is invalid because of the system does not count: its valid runs are the survivors.
func findBestPoint(e *experiment.Result) *experiment.Point {
	failed := map[string]bool{}
	for _, r := range e.Runs {
		failed[r.Point] = failed[r.Point] || (r.Verdict != experiment.RunValid && !r.Excluded)
	}
	var best *experiment.Point
	throughput := string(v1alpha1.MetricThroughput)
	for i, p := range e.Points {
		if m := p.Metrics[throughput]; m.N > 0 && p.Overloaded == 0 && !failed[p.Name] && (best == nil || m.Mean > best.Metrics[throughput].Mean) {
			best = &e.Points[i]
		}
	}
	return best
}

func describeBestPoint(e *experiment.Result, p experiment.Point) string {
	m := p.Metrics[string(v1alpha1.MetricThroughput)]
	text := fmt.Sprintf("Highest throughput: %s %s per second", formatNumber(m.Mean), unitOrDefault(p.Unit))
	switch {
	case m.Interval != nil:
		text += fmt.Sprintf(" (%s interval %s to %s, %d runs)", formatPercent(e.Confidence), formatNumber(max(0, m.Interval.Low)), formatNumber(m.Interval.High), m.N)
	case m.Extremes != nil:
		text += fmt.Sprintf(" (%d runs, from %s to %s)", m.N, formatNumber(m.Extremes.Low), formatNumber(m.Extremes.High))
	}
	if len(e.Points) > 1 {
		text += " at " + formatPoint(p)
	}
	if latency, known := p.Metrics[string(v1alpha1.MetricLatencyP95)]; known && latency.N > 0 {
		text += fmt.Sprintf("; %s was %s there", lowercaseFirst(experimentMetric(e, string(v1alpha1.MetricLatencyP95)).title), formatQuantity(latency.Mean, "ms"))
	}
	return text + "."
}

// describeOverload names the points at which the network did not keep up; nil if it always did.
func describeOverload(e *experiment.Result) []string {
	var points []string
	for _, p := range e.Points {
		if p.Overloaded > 0 {
			points = append(points, formatPoint(p))
		}
	}
	if len(points) == 0 {
		return nil
	}
	return []string{"The network did not keep up with the offered rate at " + abbreviateList(points) + "."}
}

func describeSaturation(e *experiment.Result, s experiment.Saturation) string {
	level := "the service level"
	if e.ServiceLevel != nil {
		level = fmt.Sprintf("%s of at most %s ms and at most %s errors", lowercaseFirst(experimentMetric(e, e.ServiceLevel.Metric).title),
			formatNumber(e.ServiceLevel.LatencyMillis), formatPercent(e.ServiceLevel.MaxErrorShare))
	}
	text := fmt.Sprintf("Saturation of %s: a load of %s is the highest with %s.", s.Name, formatLoad(s.Load), level)
	if s.Load == 0 {
		text = fmt.Sprintf("Saturation of %s: no load that was tried met %s.", s.Name, level)
	}
	if s.Unjudged > 0 {
		text += fmt.Sprintf(" The system may bear more: %s.", s.Message)
	}
	if s.Knee > 0 {
		text += fmt.Sprintf(" The curve has its knee at %s.", formatLoad(s.Knee))
	}
	return text
}

// maxListedComparisons is the number of comparisons that the summary describes one by one.
const maxListedComparisons = 6

// describeComparisons describes the outcomes of comparisons. It counts them if there are many.
func describeComparisons(e *experiment.Result) []string {
	if len(e.Comparisons) == 0 {
		return nil
	}
	points := pointsByName(e)
	var differences []string
	counts := map[v1alpha1.ComparisonVerdict]int{}
	for _, c := range e.Comparisons {
		counts[c.Verdict]++
		if c.Verdict == v1alpha1.ComparisonBetter || c.Verdict == v1alpha1.ComparisonWorse {
			differences = append(differences, fmt.Sprintf("%s: %s %s %s, %s than %s.",
				formatCandidate(c, points), lowercaseFirst(experimentMetric(e, c.Metric).title),
				formatDifference(c, c.Difference), c.Format(func(v float64) string { return formatDifference(c, v) }), strings.ToLower(string(c.Verdict)), c.Baseline))
		}
	}
	text := fmt.Sprintf("Of %s, %d found the candidate better, %d worse; %d showed no difference", format.Count(len(e.Comparisons), "comparison"),
		counts[v1alpha1.ComparisonBetter], counts[v1alpha1.ComparisonWorse], counts[v1alpha1.ComparisonNoDifference])
	if few := counts[v1alpha1.ComparisonTooFewRuns]; few > 0 {
		text += fmt.Sprintf(", %d had too few runs", few)
	}
	if drifting := counts[v1alpha1.ComparisonDrifting]; drifting > 0 {
		text += fmt.Sprintf(", %d had a difference that drifts", drifting)
	}
	if len(differences) > maxListedComparisons {
		differences = nil
	}
	text += "."
	if e.Order == string(v1alpha1.OrderListed) && len(e.Variants) > 1 {
		text += " The variants were measured one after the other, so the differences include any drift of the hosts. Order RandomizedPairs avoids this."
	}
	return append([]string{text}, differences...)
}

// lowercaseFirst lower-cases the first letter of a title for use within a sentence.
func lowercaseFirst(title string) string {
	first, length := utf8.DecodeRuneInString(title)
	return strings.ToLower(string(first)) + title[length:]
}

// experimentBanner reports the gates, and the runs that do not count.
func experimentBanner(e *experiment.Result) banner {
	b := banner{Mood: "valid", Verdict: "All runs are valid."}
	gates := map[v1alpha1.GateOutcome]int{}
	for _, c := range e.Comparisons {
		gates[c.Gate]++
		if c.Gate == v1alpha1.GateFailed || c.Gate == v1alpha1.GateUndecided {
			b.Reasons = append(b.Reasons, bannerReason{"Gate" + string(c.Gate), c.Candidate, c.Message})
		}
	}
	for i := range e.Points {
		b.Reasons = append(b.Reasons, objectiveReasons(e.Points[i].Name, e.Points[i].Objectives)...)
		for _, o := range e.Points[i].Objectives {
			gates[v1alpha1.GateOutcome(o.Outcome)]++
		}
	}
	out := slices.DeleteFunc(slices.Clone(e.Runs), func(r experiment.Run) bool { return r.Verdict == experiment.RunValid })
	b.Reasons = slices.Concat(b.Reasons, invalidReasons(e), noteReasons(e))
	if slices.ContainsFunc(e.Runs, func(r experiment.Run) bool { return r.HasRecordedNotes() }) {
		b.Mood = "noted"
	}
	switch {
	case gates[v1alpha1.GateFailed] > 0:
		b.Mood, b.Verdict = "invalid", format.Count(gates[v1alpha1.GateFailed], "gate")+" failed."
	case len(e.Runs) == 0:
		b.Mood, b.Verdict = "noted", "No run has ended yet."
	case len(out) == len(e.Runs):
		b.Mood, b.Verdict = "invalid", "No run is valid, so there are no statistics."
	case gates[v1alpha1.GateUndecided] > 0:
		b.Mood, b.Verdict = "noted", format.Count(gates[v1alpha1.GateUndecided], "gate")+" undecided."
	case len(out) > 0:
		b.Mood, b.Verdict = "noted", fmt.Sprintf("%d of %d runs are valid; means and intervals are of these.", len(e.Runs)-len(out), len(e.Runs))
	case gates[v1alpha1.GatePassed] > 0:
		b.Verdict = "All runs are valid, and all gates passed."
	}
	return b.truncateReasons()
}

// maxBannerReasons is the number of reasons that a banner lists.
const maxBannerReasons = 12

func (b banner) truncateReasons() banner {
	if more := len(b.Reasons) - maxBannerReasons; more > 0 {
		b.Reasons = append(b.Reasons[:maxBannerReasons], bannerReason{Code: "More", Message: fmt.Sprintf("%d more are in the tables below.", more)})
	}
	return b
}

func experimentKeyFigures(e *experiment.Result) []keyFigure {
	var keys []keyFigure
	if best := findBestPoint(e); best != nil {
		m := best.Metrics[string(v1alpha1.MetricThroughput)]
		keys = append(keys, keyFigure{"Highest throughput", formatNumber(m.Mean), unitOrDefault(best.Unit) + "/s", formatPoint(*best)})
	}
	for _, s := range e.Saturation[:min(len(e.Saturation), 3)] {
		keys = append(keys, keyFigure{"Saturation", formatLoad(s.Load), "", s.Name})
	}
	counts := countVerdicts(e)
	keys = append(keys, keyFigure{"Points", formatInteger(int64(len(e.Points))), "", ""},
		keyFigure{"Valid runs", formatInteger(int64(counts[experiment.RunValid])), "", fmt.Sprintf("of %d", len(e.Runs))})
	if seconds := int(e.End.Sub(e.Start).Seconds()); seconds > 0 {
		keys = append(keys, keyFigure{"Duration", formatSeconds(seconds), "", formatTime(e.Start)})
	}
	return keys
}
