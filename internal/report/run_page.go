package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/benchnet/benchnet/internal/results"
)

// Run writes the report of one run: an HTML page that needs nothing else.
func Run(w io.Writer, r *results.Result) error {
	charts, err := measuredCharts(r)
	if err != nil {
		return err
	}
	drawn, err := figures(charts)
	if err != nil {
		return err
	}
	recorded, err := figures(recordedCharts(r))
	if err != nil {
		return err
	}
	bottleneck, err := bottleneckSection(r)
	if err != nil {
		return err
	}
	p := page{
		Kind: "Run", Title: r.Run.Name, Subtitle: runSubtitle(r), Summary: runSummary(r), Banner: runBanner(r.Verdict), Keys: runKeys(r),
		Sections: []section{
			{ID: "charts", Title: "Charts", Figures: drawn},
			bottleneck,
			{ID: "steady", Title: "Steady state", Text: steadyText(r.Steady)},
			{ID: "latency", Title: latencyName(r.Summary.Unit), Tables: []listing{percentiles(r)}},
			{ID: "measures", Title: "Numbers of the platform", Tables: measures(r)},
			{ID: "errors", Title: "Errors", Tables: failures(r)},
			{ID: "recorded", Title: "Recorded series", Text: recordedText(r), Figures: recorded},
			{ID: "members", Title: "Members", Tables: append(members(r), evidence(r)...)},
			{ID: "workers", Title: "Load", Text: loadText(r), Tables: workers(r)},
			environmentSection(r),
			reproduceRun(r),
		},
		Data: r,
	}
	return p.write(w)
}

func runSubtitle(r *results.Result) string {
	parts := []string{r.Run.Namespace + "/" + r.Run.Network}
	if r.Environment.PlatformVersion != "" {
		parts = append(parts, r.Environment.PlatformVersion)
	}
	return strings.Join(append(parts, "workload "+r.Run.Workload, moment(r.Times.WindowStart)), " · ")
}

// runSummary says in words what was measured and what came out.
func runSummary(r *results.Result) []string {
	s, unit := r.Summary, unitOf(r.Summary.Unit)
	text := fmt.Sprintf("The network %s completed %s %s in a window of %s: %s per second.",
		r.Run.Network, exact(s.Completed), unit, duration(r.Times.WindowSeconds), number(s.ThroughputPerSecond))
	switch {
	case s.Requests == s.Errors:
		text += " No latency was recorded."
	case s.Unit == "blocks":
		text += fmt.Sprintf(" Half of the blocks came within %s ms of the one before, 95%s%% within %s ms.", number(s.Latency.P50), thin, number(s.Latency.P95))
	default:
		text += fmt.Sprintf(" Half of them took at most %s ms, 95%s%% at most %s ms, 99%s%% at most %s ms.",
			number(s.Latency.P50), thin, number(s.Latency.P95), thin, number(s.Latency.P99))
	}
	switch s.Errors {
	case 0:
		text += " Nothing failed."
	default:
		text += fmt.Sprintf(" %s of %s failed (%s).", exact(s.Errors), exact(s.Requests), percent(s.ErrorShare))
	}
	if r.Bottleneck != nil {
		text += " Bottleneck: " + r.Bottleneck.Message + "."
	}
	return []string{text}
}

// runBanner is the verdict; notes do not make a run invalid.
func runBanner(v results.Verdict) banner {
	b := banner{Mood: "valid", Verdict: "Valid: nothing was seen that speaks against these numbers."}
	switch {
	case v.Validity != results.Valid:
		b.Mood, b.Verdict = "invalid", "Invalid: these numbers must not be used."
	case len(v.RecordedOnly()) > 0:
		b.Mood, b.Verdict = "noted", "Valid, since findings about the environment were only recorded."
	case len(v.Notes) > 0:
		b.Verdict = "Valid, with notes."
	}
	for _, reason := range slices.Concat(v.Reasons, v.Notes) {
		b.Reasons = append(b.Reasons, finding{string(reason.Code), reason.Subject, reason.Message})
	}
	return b
}

func runKeys(r *results.Result) []key {
	s, l := r.Summary, r.Summary.Latency
	name := latencyName(r.Summary.Unit)
	return []key{
		{"Throughput", number(s.ThroughputPerSecond), unitOf(s.Unit) + "/s", exact(s.Completed) + " completed"},
		{name + " p50", number(l.P50), "ms", "mean " + number(l.Mean) + thin + "ms"},
		{name + " p95", number(l.P95), "ms", ""},
		{name + " p99", number(l.P99), "ms", "largest " + number(l.Max) + thin + "ms"},
		{"Errors", percent(s.ErrorShare), "", exact(s.Errors) + " of " + exact(s.Requests)},
		{"Window", duration(r.Times.WindowSeconds), "", moment(r.Times.WindowStart)},
	}
}

func percentiles(r *results.Result) listing {
	l := r.Summary.Latency
	t := listing{Header: numbers("Mean", "p50", "p90", "p95", "p99", "p99.9", "Largest")}
	cells := []string{}
	for _, v := range []float64{l.Mean, l.P50, l.P90, l.P95, l.P99, l.P999, l.Max} {
		cells = append(cells, quantity(v, "ms"))
	}
	t.Rows = []row{{Cells: cells}}
	return t
}

func measures(r *results.Result) []listing {
	if len(r.Summary.Measures) == 0 {
		return nil
	}
	t := listing{Header: slices.Concat(texts("Number"), numbers("Value"), prose("From"))}
	for _, m := range r.Summary.Measures {
		t.Rows = append(t.Rows, row{Cells: []string{words(m.Name), quantity(m.Value, m.Unit), m.Source}})
	}
	return []listing{t}
}

// steadyText says how the window was chosen; nothing with fixed times.
func steadyText(s *results.Steady) []string {
	if s == nil {
		return nil
	}
	return []string{"The window was chosen by what was measured: " + s.Sentence() + "."}
}

func failures(r *results.Result) []listing {
	if len(r.Errors) == 0 {
		return nil
	}
	t := listing{Header: slices.Concat(texts("Kind"), numbers("Count"), prose("First message"))}
	for _, e := range r.Errors {
		t.Rows = append(t.Rows, row{Cells: []string{e.Kind, exact(e.Count), e.Example}})
	}
	return []listing{t}
}

// members are everything that was observed, databases included.
func members(r *results.Result) []listing {
	if len(r.Members) == 0 {
		return nil
	}
	t := listing{Title: "CPU and memory", Header: slices.Concat(texts("Member"),
		numbers("CPU mean", "CPU highest", "Memory highest", "Throttled", "Missed samples", "Restarts"))}
	for _, m := range r.Members {
		t.Rows = append(t.Rows, row{Cells: []string{
			m.Member, quantity(m.CPUSeconds.Mean(), "cores"), quantity(m.CPUSeconds.Max(), "cores"), size(m.MemoryBytes.Max()),
			throttled(m.ThrottledPeriods, m.Periods), strconv.Itoa(m.MissedScrapes), strconv.Itoa(m.Resets),
		}})
	}
	return []listing{t}
}

// throttled is the share of CPU periods; a dash for a container without a limit.
func throttled(periods, of int64) string {
	if of == 0 {
		return "–"
	}
	return percent(float64(periods) / float64(of))
}

func loadText(r *results.Result) []string {
	if r.Schedule.Planned == 0 {
		return nil
	}
	return []string{fmt.Sprintf("Open loop: %s operations were due in the window, %s of them started more than 100 ms late; the largest lag was %s ms.",
		exact(r.Schedule.Planned), exact(r.Schedule.Late), number(float64(r.Schedule.MaxLagMicros)/1000))}
}

func workers(r *results.Result) []listing {
	if len(r.Workers) == 0 {
		return nil
	}
	t := listing{Header: slices.Concat(texts("Worker"), numbers("Completed", "Failed", "Largest lag", "CPU mean", "Throttled"))}
	for _, w := range r.Workers {
		cpu, periods := math.NaN(), "–"
		if w.Load != nil {
			cpu, periods = w.Load.Cores(max(1, r.Times.WindowSeconds)), throttled(w.Load.ThrottledPeriods, w.Load.Periods)
		}
		t.Rows = append(t.Rows, row{Cells: []string{
			strconv.Itoa(w.Worker), exact(w.Completed), exact(w.Failed), quantity(float64(w.MaxLagMicros)/1000, "ms"), quantity(cpu, "cores"), periods,
		}})
	}
	return []listing{t}
}

// environmentSection is what it takes to repeat a run elsewhere.
func environmentSection(r *results.Result) section {
	e := r.Environment
	s := section{ID: "environment", Title: "Environment"}
	s.Tables = append(s.Tables, pairs("Versions", [][2]string{
		{"Platform", e.PlatformVersion}, {"Operator", e.OperatorVersion}, {"Kubernetes", e.KubernetesVersion}, {"Plan", e.PlanHash},
		{"Network before the run", state(e.State)},
	}))
	images := listing{Title: "Images", Header: prose("Container", "Image", "Digest")}
	for _, i := range e.Images {
		images.Rows = append(images.Rows, row{Cells: []string{i.Role, i.Name, i.Digest}})
	}
	nodes := listing{Title: "Nodes", Header: slices.Concat(texts("Node"), numbers("CPUs", "Memory"), texts("Kernel", "System", "Runtime", "Kubelet"))}
	for _, n := range e.Nodes {
		nodes.Rows = append(nodes.Rows, row{Cells: []string{
			n.Name, number(n.CPUs), size(float64(n.MemoryBytes)), n.Kernel + " " + n.Architecture, n.OS, n.ContainerRuntime, n.Kubelet,
		}})
	}
	s.Tables = append(s.Tables, images, nodes, containers(e.Containers))
	if e.Database != nil {
		s.Tables = append(s.Tables, pairs("Database", [][2]string{{"Engine", e.Database.Engine}, {"Topology", e.Database.Topology}}))
	}
	if e.Emulation != nil {
		s.Text = append(s.Text, "Distances between the regions were emulated ("+e.Emulation.Mechanism+").")
	}
	var settings [][2]string
	for _, name := range slices.Sorted(maps.Keys(e.Settings)) {
		settings = append(settings, [2]string{name, e.Settings[name]})
	}
	s.Tables = append(s.Tables, pairs("Settings that the operator derived", settings))
	s.Tables = slices.DeleteFunc(s.Tables, func(t listing) bool { return len(t.Rows) == 0 })
	return s
}

// state of the network that a run found, in words.
func state(s results.State) string {
	text := "used by earlier runs"
	if s.Fresh {
		text = "fresh"
	}
	if s.Epoch != "" {
		text += ", since its reset " + s.Epoch
	}
	return text
}

func containers(all []results.Container) listing {
	t := listing{Title: "Containers", Header: slices.Concat(texts("Pod", "Container", "Role", "Node"),
		numbers("CPU request", "CPU limit", "Memory request", "Memory limit"))}
	for _, c := range all {
		t.Rows = append(t.Rows, row{Cells: []string{
			c.Name, c.Container, c.Role, c.Node, bound(c.CPURequest, number), bound(c.CPULimit, number),
			bound(float64(c.MemoryRequest), size), bound(float64(c.MemoryLimit), size),
		}})
	}
	return t
}

// bound is a request or a limit; none is 0 in the document.
func bound(v float64, format func(float64) string) string {
	if v == 0 {
		return "none"
	}
	return format(v)
}

// pairs are names and values; those without a value are left out.
func pairs(title string, all [][2]string) listing {
	t := listing{Title: title, Header: slices.Concat(texts("Name"), prose("Value"))}
	for _, pair := range all {
		if pair[1] != "" {
			t.Rows = append(t.Rows, row{Cells: pair[:]})
		}
	}
	return t
}

func reproduceRun(r *results.Result) section {
	s := section{ID: "reproduce", Title: "How to reproduce"}
	s.Text = []string{"The plugin writes the manifests of this run, with all defaults spelled out and its images pinned by digest. " +
		"A network made of them has the plan " + r.Environment.PlanHash + "."}
	s.Code = []code{{"", fmt.Sprintf("kubectl benchnet reproduce brun/%s --namespace %s", r.Run.Name, r.Run.Namespace)}}
	s.Code = append(s.Code, workloadCode(r)...)
	return s
}

// workloadCode is what the drivers of a run were told.
func workloadCode(r *results.Result) []code {
	var workload bytes.Buffer
	if json.Indent(&workload, r.Workload, "", "  ") != nil || workload.Len() == 0 {
		return nil
	}
	return []code{{"What the load generators were told", workload.String()}}
}

// moment writes an instant to the second, in UTC.
func moment(t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	return t.UTC().Format("2006-01-02 15:04:05") + " UTC"
}

// duration writes seconds as people say them.
func duration(seconds int) string {
	if seconds < 120 {
		return strconv.Itoa(seconds) + thin + "s"
	}
	text := fmt.Sprintf("%d%smin", seconds/60, thin)
	if seconds%60 != 0 {
		text += fmt.Sprintf(" %d%ss", seconds%60, thin)
	}
	return text
}
