package experiment

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/limits"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// Condition names something that must be equal if two runs are compared.
type Condition string

// The conditions of a run.
const (
	// ConditionWindow is the length of the window, with its unit.
	ConditionWindow Condition = "window"
	// ConditionWorkload is a digest of the drivers' input, without what identifies run and network.
	ConditionWorkload Condition = "workload"
	// ConditionImages is a digest of the images that ran.
	ConditionImages Condition = "images"
	// ConditionCPU lists the CPU models of the hosts.
	ConditionCPU Condition = "CPU models"
	// ConditionPolicies lists the policies of the verdict.
	ConditionPolicies Condition = "policies"
)

// conditionsOf returns the conditions of a run. What its document lacks is absent.
func conditionsOf(r *document.RunResult) map[Condition]string {
	conditions := map[Condition]string{ConditionWorkload: digestWorkload(r.Workload)}
	if s := r.Times.WindowSeconds; s > 0 && r.WindowSelection == nil { // The length of a selected window is a result.
		conditions[ConditionWindow] = fmt.Sprintf("%d s", s)
	}
	var images, models []string
	for _, i := range r.Environment.Images {
		images = append(images, i.Role+" "+cmp.Or(i.Digest, i.Name))
	}
	for _, h := range r.Environment.Hosts {
		if h.CPUModel != "" {
			models = append(models, h.CPUModel)
		}
	}
	if len(images) > 0 {
		conditions[ConditionImages] = digestText(strings.Join(sortedSet(images), "\n"))
	}
	conditions[ConditionCPU] = strings.Join(sortedSet(models), ", ")
	if p := r.Policies; p != nil {
		conditions[ConditionPolicies] = p.String()
	}
	for name, value := range conditions {
		conditions[name] = limits.Truncate(value, maxTextBytes)
	}
	maps.DeleteFunc(conditions, func(_ Condition, value string) bool { return value == "" })
	return conditions
}

func sortedSet(values []string) []string { return slices.Compact(slices.Sorted(slices.Values(values))) }

func digestText(text string) string {
	digest := sha256.Sum256([]byte(text))
	return hex.EncodeToString(digest[:6])
}

// digestWorkload returns a digest of a workload.json, or nothing if it is unreadable.
func digestWorkload(workload json.RawMessage) string {
	var fields map[string]any
	if json.Unmarshal(workload, &fields) != nil {
		return ""
	}
	for _, own := range []string{"targets", "reference", "observe"} {
		delete(fields, own)
	}
	if load, ok := fields["load"].(map[string]any); ok {
		delete(load, "seed")
	}
	canonical, err := json.Marshal(fields)
	if err != nil {
		return ""
	}
	return digestText(string(canonical))
}

// measuredKinds returns the units and the kinds of latency of the valid runs, each once. Finality has one definition for all
// operations, so its unit is what becomes final.
func (p pointRuns) measuredKinds(metric v1alpha1.Metric) (units, kinds []string) {
	for _, run := range p.counted {
		if run.Verdict != RunValid {
			continue
		}
		unit := run.Unit
		if metric.IsFinality() {
			unit = string(run.FinalityOf)
		}
		units, kinds = append(units, unit), append(kinds, run.LatencyKind.Describe())
	}
	return sortedSet(units), sortedSet(kinds)
}

// describeIncomparable returns why a metric of two sides measures different things; empty if it does not, or if a side has
// no valid run.
func describeIncomparable(baseline, candidate pointRuns, metric v1alpha1.Metric) string {
	units, kinds := baseline.measuredKinds(metric)
	otherUnits, otherKinds := candidate.measuredKinds(metric)
	describe := func(of []string) string { return cmp.Or(strings.Join(of, " and "), "unknown") }
	switch {
	case len(units) == 0 || len(otherUnits) == 0:
		return ""
	case metric.IsFinality() && (units[0] == "" || otherUnits[0] == ""):
		return "the finality is unknown"
	case len(units) > 1 || !slices.Equal(units, otherUnits):
		return fmt.Sprintf("the units differ: %s against %s", describe(otherUnits), describe(units))
	case metric.IsLatency() && (len(kinds) > 1 || !slices.Equal(kinds, otherKinds)):
		return fmt.Sprintf("the kinds of latency differ: %s against %s", describe(otherKinds), describe(kinds))
	}
	return ""
}

// values returns the values of a condition in the valid runs, each once. That of a run without it is empty.
func (p pointRuns) conditionValues(name Condition) []string {
	var values []string
	for _, run := range p.counted {
		if run.Verdict == RunValid {
			values = append(values, run.Conditions[name])
		}
	}
	return sortedSet(values)
}

// describeConditions returns which of the conditions differ between two sides, or are known of one side only.
func describeConditions(baseline, candidate pointRuns, names ...Condition) string {
	var differences []string
	for _, name := range names {
		b, c := baseline.conditionValues(name), candidate.conditionValues(name)
		switch {
		case slices.Equal(b, c) || len(b) == 0 || len(c) == 0:
		case slices.Contains(b, "") || slices.Contains(c, ""):
			differences = append(differences, fmt.Sprintf("%s: unknown in a run", name))
		default:
			differences = append(differences, fmt.Sprintf("%s: %s against %s", name, strings.Join(c, " and "), strings.Join(b, " and ")))
		}
	}
	if len(differences) == 0 {
		return ""
	}
	return "the conditions differ (" + limits.Truncate(strings.Join(differences, "; "), limits.MaxItem) + ")"
}

// describeOneSidedNotes returns which findings about the environment, or about missing evidence of it, only the valid runs
// of one side have. They may explain a difference.
func describeOneSidedNotes(baseline, candidate pointRuns) string {
	b, c := baseline.environmentNotes(), candidate.environmentNotes()
	var texts []string
	for _, side := range []struct {
		name        string
		own, others map[verdict.ReasonCode]int
	}{{"candidate", c, b}, {"baseline", b, c}} {
		for _, code := range slices.Sorted(maps.Keys(side.own)) {
			if side.others[code] == 0 {
				texts = append(texts, fmt.Sprintf("%s in %d runs of the %s only", code, side.own[code], side.name))
			}
		}
	}
	return strings.Join(texts, ", ")
}

func (p pointRuns) environmentNotes() map[verdict.ReasonCode]int {
	counts := map[verdict.ReasonCode]int{}
	for _, run := range p.counted {
		seen := map[verdict.ReasonCode]bool{}
		for _, note := range run.Notes {
			if run.Verdict == RunValid && (note.Code.IsEnvironmental() || note.Code.IsMissingEvidence()) && !seen[note.Code] {
				seen[note.Code] = true
				counts[note.Code]++
			}
		}
	}
	return counts
}

// describeDifferences returns what besides the variants may explain a difference. Variants of one experiment may
// differ in images and workload by intent.
func (p *pointPair) describeDifferences() string {
	names := []Condition{ConditionWindow, ConditionCPU, ConditionPolicies}
	if p.stored {
		names = append(names, ConditionWorkload, ConditionImages)
	}
	var texts []string
	for _, text := range []string{describeConditions(p.runs[0], p.runs[1], names...), describeOneSidedNotes(p.runs[0], p.runs[1])} {
		if text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "; ")
}
