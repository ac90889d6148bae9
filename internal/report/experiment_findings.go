package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/format"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// findingGroup is a finding that several runs share.
type findingGroup struct {
	code string
	// messages are those of the runs; points are the names of their points. Both are without duplicates.
	messages, points []string
	// run is the name of the first run; empty for notes, of which only the points are known.
	run  string
	runs int
}

// groupPhrases describes the findings whose messages contain numbers and so differ from run to run.
var groupPhrases = map[verdict.ReasonCode]string{
	verdict.ReasonOfferedNotAchieved: "did not keep up with the offered rate",
	verdict.ReasonErrors:             "had too many errors",
	verdict.ReasonNotSteady:          "did not settle",
	verdict.ReasonThroughputUnstable: "had an unstable throughput",
	verdict.ReasonLatencyUnstable:    "had an unstable latency",
	verdict.ReasonHostShared:         "had other load on a host",
	verdict.ReasonHostSaturated:      "used all CPUs of a host",
	verdict.ReasonCPUStolen:          "lost CPU time to the hypervisor",
	verdict.ReasonFewSamples:         "had too few samples for some percentiles",
	verdict.ReasonCompletionGap:      "had gaps in their completions",
	verdict.ReasonWorkerColocated:    "had load workers on a host of members",
	verdict.ReasonMemberThrottled:    "had members at their CPU limit",
	verdict.ReasonDatabaseThrottled:  "had databases at their CPU limit",
	verdict.ReasonClientsExhausted:   "had no free clients at times",
	verdict.ReasonLedgerUnchecked:    "were not compared with the ledger",
	verdict.ReasonStabilityUnknown:   "were too sparse to judge their stability",
	verdict.ReasonMembersUnobserved:  "had members whose CPU was not sampled",
}

// invalidReasons returns a reason for each finding of the runs that are not valid, in the order of the runs.
func invalidReasons(e *experiment.Result) []bannerReason {
	var groups []*findingGroup
	for i := range e.Runs {
		r := &e.Runs[i]
		if r.Verdict == experiment.RunValid {
			continue
		}
		for n := range max(len(r.Reasons), len(r.Codes), 1) {
			groups = addFinding(groups, r, elementOrEmpty(r.Codes, n), elementOrEmpty(r.Reasons, n))
		}
	}
	var reasons []bannerReason
	for _, g := range groups {
		reasons = append(reasons, g.reason(e))
	}
	return reasons
}

// addFinding adds a finding of a run to the group with the same code, or without a code to that with the same verdict and message.
func addFinding(groups []*findingGroup, r *experiment.Run, code verdict.ReasonCode, message string) []*findingGroup {
	found := slices.IndexFunc(groups, func(g *findingGroup) bool {
		return g.code == string(cmp.Or(code, verdict.ReasonCode(r.Verdict))) && (code != "" || g.messages[0] == message)
	})
	if found < 0 {
		found = len(groups)
		groups = append(groups, &findingGroup{code: string(cmp.Or(code, verdict.ReasonCode(r.Verdict))), run: r.Name})
	}
	g := groups[found]
	g.runs++
	g.messages = appendNew(g.messages, message)
	g.points = appendNew(g.points, r.Point)
	return groups
}

// reason returns the line of the group: the run and its message if it is the only one, else how many runs, and where.
func (g *findingGroup) reason(e *experiment.Result) bannerReason {
	if g.runs == 1 && g.run != "" {
		return bannerReason{g.code, g.run, g.messages[0]}
	}
	text := groupPhrases[verdict.ReasonCode(g.code)]
	if text == "" && len(g.messages) > 0 {
		text = g.messages[0]
		if len(g.messages) > 1 {
			text = "for example, " + text
		}
	}
	return bannerReason{g.code, fmt.Sprintf("%d of %s:", g.runs, format.Count(len(e.Runs), "run")), strings.TrimSpace(text + formatPlaces(e, g.points))}
}

// noteReasons returns a reason for each kind of note, and for what users did to the runs.
func noteReasons(e *experiment.Result) []bannerReason {
	groups := map[verdict.ReasonCode]*findingGroup{}
	changes := map[string]int{}
	for _, p := range e.Points {
		for code, runs := range p.Notes {
			if groups[code] == nil {
				groups[code] = &findingGroup{code: string(code)}
			}
			groups[code].runs += runs
			groups[code].points = append(groups[code].points, p.Name)
		}
		changes["cancelled"] += p.Cancelled
		changes["deleted"] += p.Deleted
		changes["repeated"] += p.Repeated
	}
	var reasons []bannerReason
	for _, code := range slices.Sorted(maps.Keys(groups)) {
		reasons = append(reasons, groups[code].reason(e))
	}
	for _, change := range slices.Sorted(maps.Keys(changes)) {
		if changes[change] > 0 {
			reasons = append(reasons, bannerReason{Code: "Notes", Message: format.Count(changes[change], "run") + " " + change})
		}
	}
	return reasons
}

// formatPlaces lists the points of a finding in parentheses; nothing if the experiment has only one.
func formatPlaces(e *experiment.Result, names []string) string {
	if len(e.Points) < 2 {
		return ""
	}
	if len(names) == len(e.Points) {
		return " (every point)"
	}
	var labels, values []string
	var axis string
	for _, p := range e.Points {
		if !slices.Contains(names, p.Name) {
			continue
		}
		labels = append(labels, strings.ReplaceAll(formatPoint(p), ", ", " "))
		if len(p.Parameters) == 1 && p.Variant == "" {
			axis, values = p.Parameters[0].Name, append(values, p.Parameters[0].Value)
		}
	}
	if len(values) == len(labels) {
		return fmt.Sprintf(" (%s %s)", axis, abbreviateList(values))
	}
	return fmt.Sprintf(" (%s)", abbreviateList(labels))
}

func appendNew(list []string, value string) []string {
	if slices.Contains(list, value) {
		return list
	}
	return append(list, value)
}

func elementOrEmpty[T ~string](list []T, at int) T {
	if at < len(list) {
		return list[at]
	}
	return ""
}
