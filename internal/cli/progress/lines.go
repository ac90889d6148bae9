package progress

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// Line is the progress of one object.
type Line struct {
	// Name is the short kind and name: brun/two-banks-issue.
	Name string
	// DoneFraction is the completed share, from 0 to 1.
	DoneFraction float64
	// Text describes the current state.
	Text string
	// LogText is Text without values that change constantly, because a log prints a line for every change.
	LogText string
	// Ended means that the object no longer changes.
	Ended bool
	// HideWhenEnded removes the object from the terminal when it has ended, because many others follow.
	HideWhenEnded bool
}

// BuildLines returns the lines of the experiment, its networks and its runs.
func BuildLines(s *State, now time.Time) []Line {
	var lines []Line
	if s.Experiment != nil {
		lines = append(lines, experimentLine(s.Experiment))
	}
	for i := range s.Networks {
		lines = append(lines, networkLine(&s.Networks[i]))
	}
	for i := range s.Runs {
		line := runLine(&s.Runs[i], now)
		line.HideWhenEnded = s.Experiment != nil
		lines = append(lines, line)
	}
	return lines
}

func experimentLine(e *v1alpha1.BenchmarkExperiment) Line {
	l := Line{Name: "bexp/" + e.Name, DoneFraction: computeShare(e.Status.RunsEnded, e.Status.RunsTotal), Ended: e.IsComplete()}
	phase := string(cmp.Or(e.Status.Phase, v1alpha1.PhasePending))
	l.LogText = joinNonEmpty(phase, withLabel("runs", e.Status.Display.Runs), fmt.Sprintf("points %d/%d", e.Status.PointsDone, e.Status.PointsTotal))
	l.Text = l.LogText
	if !l.Ended {
		l.Text = joinNonEmpty(l.Text, withLabel("left", e.Status.Display.TimeLeft))
		l.LogText, l.Text = joinNonEmpty(l.LogText, blockingMessage(e.Status.Conditions)), joinNonEmpty(l.Text, blockingMessage(e.Status.Conditions))
	}
	return l
}

func networkLine(n *v1alpha1.BenchmarkNetwork) Line {
	l := Line{Name: "bnet/" + n.Name}
	var done, all float64
	var marks []string
	for _, stage := range n.Status.Stages {
		if stage.Name == "Workloads" || stage.Name == "Databases" && len(n.Status.Databases) == 0 {
			continue
		}
		all++
		mark := stage.Name
		switch {
		case stage.State == v1alpha1.StateReady:
			done++
			mark += " ✓"
		case stage.Name == "Members" && n.Status.Display.Members != "":
			done += computeShare(n.Status.MembersReady, n.Status.MembersTotal) * 0.9
			mark += " " + n.Status.Display.Members
		default:
			mark += " …"
		}
		marks = append(marks, mark)
	}
	if all > 0 {
		l.DoneFraction = done / all
	}
	if meta.IsStatusConditionTrue(n.Status.Conditions, v1alpha1.ConditionReady) {
		l.DoneFraction, l.Ended = 1, true
		l.Text = joinNonEmpty("Ready", withLabel("members", n.Status.Display.Members), "after "+readyDuration(n))
	} else {
		l.Text = joinNonEmpty(string(cmp.Or(n.Status.Phase, v1alpha1.PhasePending)), strings.Join(marks, ", "), blockingMessage(n.Status.Conditions))
	}
	l.LogText = l.Text
	return l
}

// readyDuration returns the time from the network's creation until its last stage, except Workloads, became ready.
func readyDuration(n *v1alpha1.BenchmarkNetwork) string {
	last := n.CreationTimestamp.Time
	for _, stage := range n.Status.Stages {
		if stage.Name != "Workloads" && stage.ReadyAt != nil && stage.ReadyAt.After(last) {
			last = stage.ReadyAt.Time
		}
	}
	return last.Sub(n.CreationTimestamp.Time).Round(time.Second).String()
}

func runLine(r *v1alpha1.BenchmarkRun, now time.Time) Line {
	l := Line{Name: "brun/" + r.Name, DoneFraction: elapsedFraction(r, now), Ended: r.IsComplete()}
	s := r.Status
	switch {
	case isCancelled(r):
		l.Text = joinNonEmpty("Cancelled", s.Display.Throughput)
	case l.Ended && s.Verdict == "":
		l.Text = joinNonEmpty("Failed", blockingMessage(s.Conditions))
	case l.Ended:
		l.DoneFraction = 1
		l.Text = joinNonEmpty(string(s.Verdict), s.Display.Throughput, withLabel("p95", s.Display.P95), s.Display.Bottleneck, s.Display.SteadyState)
	case s.StartTime == nil:
		l.Text = joinNonEmpty(string(cmp.Or(s.Phase, v1alpha1.PhasePending)), blockingMessage(s.Conditions))
	default:
		l.LogText = joinNonEmpty(string(s.Phase))
		throughput, p95 := recentCharts(s.Recent)
		l.Text = joinNonEmpty(string(s.Phase), fmt.Sprintf("%.0f %%", 100*l.DoneFraction), appendChart(s.Display.Throughput, throughput), p95)
		return l
	}
	l.LogText = l.Text
	return l
}

// elapsedFraction returns the share of warm-up and window that has passed.
func elapsedFraction(r *v1alpha1.BenchmarkRun, now time.Time) float64 {
	m := r.Spec.Workload.Measure
	all := m.WarmUp.Duration + m.Window.Duration
	if r.Status.StartTime == nil || all <= 0 {
		return 0
	}
	return min(1, max(0, float64(now.Sub(r.Status.StartTime.Time))/float64(all)))
}

// computeShare returns part of whole, at most 1, or 0 if the whole is 0.
func computeShare(part, whole int32) float64 {
	if whole == 0 {
		return 0
	}
	return min(1, float64(part)/float64(whole))
}

func joinNonEmpty(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), " · ")
}

func withLabel(what, value string) string {
	if value == "" {
		return ""
	}
	return what + " " + value
}
