package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
)

// experimentSummary says in words what was measured, and the answer.
func experimentSummary(e *experiment.Result) []string {
	answer := []string{measured(e)}
	if best := bestPoint(e); best != nil {
		answer = append(answer, bestWords(e, *best))
	}
	for _, s := range e.Saturation {
		answer = append(answer, saturationWords(e, s))
	}
	return append(answer, comparisonWords(e)...)
}

func measured(e *experiment.Result) string {
	counts := verdicts(e)
	text := fmt.Sprintf("%s at %s", counted(len(e.Runs), "run"), counted(len(e.Points), "point"))
	var varied []string
	for _, name := range parameters(e) {
		if values := distinct(e, name); len(values) > 1 {
			varied = append(varied, fmt.Sprintf("%s (%s)", name, listed(values)))
		}
	}
	if len(e.Variants) > 1 {
		varied = append(varied, "the variants "+listed(e.Variants))
	}
	if len(varied) > 0 {
		text += ", over " + strings.Join(varied, " and ")
	}
	text += "."
	if counts[valid] < len(e.Runs) {
		text += fmt.Sprintf(" %d valid, %d invalid, %d failed.", counts[valid], counts[invalid], len(e.Runs)-counts[valid]-counts[invalid])
	}
	return text
}

func verdicts(e *experiment.Result) map[string]int {
	counts := map[string]int{}
	for _, r := range e.Runs {
		counts[r.Verdict]++
	}
	return counts
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// listed names up to eight values, of more the ends.
func listed(values []string) string {
	if len(values) > 8 {
		return values[0] + " … " + values[len(values)-1]
	}
	return strings.Join(values, ", ")
}

// bestPoint has the highest throughput of all that have a valid run.
func bestPoint(e *experiment.Result) *experiment.Point {
	var best *experiment.Point
	throughput := string(v1alpha1.MetricThroughput)
	for i, p := range e.Points {
		if m := p.Metrics[throughput]; m.N > 0 && (best == nil || m.Mean > best.Metrics[throughput].Mean) {
			best = &e.Points[i]
		}
	}
	return best
}

func bestWords(e *experiment.Result, p experiment.Point) string {
	m := p.Metrics[string(v1alpha1.MetricThroughput)]
	text := fmt.Sprintf("Highest throughput: %s %s per second", number(m.Mean), unitOf(p.Unit))
	if m.N > 1 {
		text += fmt.Sprintf(" (%s interval %s to %s, %d runs)", percent(e.Confidence), number(max(0, m.Low)), number(m.High), m.N)
	}
	if len(e.Points) > 1 {
		text += " at " + placeOf(p)
	}
	if latency, known := p.Metrics[string(v1alpha1.MetricLatencyP95)]; known && latency.N > 0 {
		text += fmt.Sprintf("; %s was %s there", lowered(metricOf(e, string(v1alpha1.MetricLatencyP95)).title), quantity(latency.Mean, "ms"))
	}
	return text + "."
}

func saturationWords(e *experiment.Result, s experiment.Saturation) string {
	level := "the service level"
	if e.ServiceLevel != nil {
		level = fmt.Sprintf("%s of at most %s ms and at most %s errors", lowered(metricOf(e, e.ServiceLevel.Metric).title),
			number(e.ServiceLevel.LatencyMillis), percent(e.ServiceLevel.MaxErrorShare))
	}
	text := fmt.Sprintf("Saturation of %s: a load of %s is the highest with %s.", s.Name, exact(s.Load), level)
	if s.Load == 0 {
		text = fmt.Sprintf("Saturation of %s: no load that was tried met %s.", s.Name, level)
	}
	if s.Knee > 0 {
		text += fmt.Sprintf(" The curve has its knee at %s.", exact(s.Knee))
	}
	return text
}

// maxTold is how many comparisons the summary tells one by one.
const maxTold = 6

// comparisonWords tells what was shown; many comparisons are counted.
func comparisonWords(e *experiment.Result) []string {
	if len(e.Comparisons) == 0 {
		return nil
	}
	points := pointsByName(e)
	var told []string
	counts := map[string]int{}
	for _, c := range e.Comparisons {
		counts[c.Verdict]++
		if c.Verdict == experiment.Better || c.Verdict == experiment.Worse {
			told = append(told, fmt.Sprintf("%s: %s %s (%s to %s), %s than %s.", candidateOf(c, points), lowered(metricOf(e, c.Metric).title),
				difference(c, c.Difference), difference(c, c.Low), difference(c, c.High), strings.ToLower(c.Verdict), c.Baseline))
		}
	}
	text := fmt.Sprintf("Of %s, %d found the candidate better, %d worse; %d showed no difference", counted(len(e.Comparisons), "comparison"),
		counts[experiment.Better], counts[experiment.Worse], counts[experiment.NoDifference])
	if few := counts[experiment.TooFewRuns]; few > 0 {
		text += fmt.Sprintf(", %d had too few runs", few)
	}
	if len(told) > maxTold {
		told = nil
	}
	text += "."
	if e.Order == string(v1alpha1.OrderListed) && len(e.Variants) > 1 {
		text += " The variants were measured one after the other: what drifted on the hosts meanwhile is in the differences. Order Interleaved avoids that."
	}
	return append([]string{text}, told...)
}

// lowered begins a title as it stands within a sentence.
func lowered(title string) string {
	first, length := utf8.DecodeRuneInString(title)
	return strings.ToLower(string(first)) + title[length:]
}

// experimentBanner is about the gates, and about runs that do not count.
func experimentBanner(e *experiment.Result) banner {
	b := banner{Mood: "valid", Verdict: "All runs are valid."}
	gates := map[string]int{}
	for _, c := range e.Comparisons {
		gates[c.Gate]++
		if c.Gate == experiment.GateFailed || c.Gate == experiment.GateUndecided {
			b.Reasons = append(b.Reasons, finding{"Gate" + c.Gate, c.Candidate, c.Message})
		}
	}
	out := slices.DeleteFunc(slices.Clone(e.Runs), func(r experiment.Run) bool { return r.Verdict == valid })
	for _, r := range out {
		b.Reasons = append(b.Reasons, finding{r.Verdict, r.Name, strings.Join(r.Reasons, "; ")})
	}
	for _, p := range e.Points {
		if notes := p.NotesText(); notes != "" {
			b.Reasons = append(b.Reasons, finding{"Recorded", p.Name, notes})
			b.Mood = "noted"
		}
	}
	switch {
	case gates[experiment.GateFailed] > 0:
		b.Mood, b.Verdict = "invalid", counted(gates[experiment.GateFailed], "gate")+" failed."
	case len(e.Runs) == 0:
		b.Mood, b.Verdict = "noted", "No run has ended yet."
	case len(out) == len(e.Runs):
		b.Mood, b.Verdict = "invalid", "No run is valid: there are no statistics."
	case len(out) > 0 || gates[experiment.GateUndecided] > 0:
		b.Mood, b.Verdict = "noted", fmt.Sprintf("%d of %d runs are valid; the others are in none of the statistics.", len(e.Runs)-len(out), len(e.Runs))
	case gates[experiment.GatePassed] > 0:
		b.Verdict = "All runs are valid, and all gates passed."
	}
	return b.short()
}

// maxReasons that a banner lists.
const maxReasons = 12

func (b banner) short() banner {
	if more := len(b.Reasons) - maxReasons; more > 0 {
		b.Reasons = append(b.Reasons[:maxReasons], finding{Code: "More", Message: fmt.Sprintf("%d more are in the tables below.", more)})
	}
	return b
}

func experimentKeys(e *experiment.Result) []key {
	var keys []key
	if best := bestPoint(e); best != nil {
		m := best.Metrics[string(v1alpha1.MetricThroughput)]
		keys = append(keys, key{"Highest throughput", number(m.Mean), unitOf(best.Unit) + "/s", placeOf(*best)})
	}
	for _, s := range e.Saturation[:min(len(e.Saturation), 3)] {
		keys = append(keys, key{"Saturation", load(s.Load), "", s.Name})
	}
	counts := verdicts(e)
	keys = append(keys, key{"Points", exact(int64(len(e.Points))), "", ""},
		key{"Valid runs", exact(int64(counts[valid])), "", fmt.Sprintf("of %d", len(e.Runs))})
	if seconds := int(e.End.Sub(e.Start).Seconds()); seconds > 0 {
		keys = append(keys, key{"Duration", duration(seconds), "", moment(e.Start)})
	}
	return keys
}
