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

	"github.com/benchnet/benchnet/internal/format"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// WriteRunPage writes the report of one run as a self-contained HTML page, with the links below its title.
func WriteRunPage(w io.Writer, r *document.RunResult, links ...Link) error {
	charts, err := measuredCharts(r)
	if err != nil {
		return err
	}
	p := pageData{
		Kind: "Run", Title: r.Run.Name, Subtitle: runSubtitle(r), Summary: summarizeRun(r), Banner: runBanner(r), Keys: runKeyFigures(r),
		Links: links,
		Sections: []section{
			{ID: "objectives", Title: "Objectives", Tables: withRows(runObjectivesTable(r))},
			{ID: "segments", Title: "Segments", Tables: withRows(segmentsTable(r), segmentOperationsTable(r))},
			faultsSection(r),
			{ID: "charts", Title: "Charts", Figures: charts},
			bottleneckSection(r),
			{ID: "steady", Title: "Steady state", Text: windowSelectionText(r.WindowSelection)},
			{ID: "latency", Title: latencyTitle(r.Summary.Unit, r.Summary.LatencyKind), Text: latencyText(r), Tables: []htmlTable{percentilesTable(r)}},
			{ID: "operations", Title: "Operations by kind", Tables: withRows(operationsTable(r))},
			phasesSection(r),
			{ID: "measures", Title: "Platform metrics", Tables: withRows(platformMetricTable(r))},
			{ID: "labels", Title: "Requests by label", Tables: withRows(labelTable(r))},
			{ID: "errors", Title: "Errors", Tables: withRows(errorTable(r))},
			{ID: "recorded", Title: "Recorded series", Text: zeroSeriesText(r), Figures: recordedCharts(r)},
			{ID: "members", Title: "Members", Tables: withRows(hostTable(r), memberTable(r), evidenceTable(r))},
			{ID: "workers", Title: "Load", Text: loadText(r), Tables: withRows(workerTable(r))},
			environmentSection(r),
			reproduceRunSection(r),
		},
		Data: r,
	}
	return p.renderTo(w)
}

func runSubtitle(r *document.RunResult) string {
	parts := []string{r.Run.Namespace + "/" + r.Run.Network}
	if r.Environment.PlatformVersion != "" {
		parts = append(parts, r.Environment.PlatformVersion)
	}
	return strings.Join(append(parts, "workload "+r.Run.Workload, formatTime(r.Times.WindowStart)), " · ")
}

// summarizeRun describes in words what was measured and the outcome.
func summarizeRun(r *document.RunResult) []string {
	s, unit := r.Summary, unitOrDefault(r.Summary.Unit)
	text := fmt.Sprintf("The network %s completed %s %s in a window of %s: %s per second.",
		r.Run.Network, formatInteger(s.Completed), unit, formatSeconds(r.Times.WindowSeconds), formatNumber(s.ThroughputPerSecond))
	switch {
	case s.Requests == s.Errors:
		text += " No latency was recorded."
	case s.Latency.P50 == nil:
		text += " They are too few for a percentile."
	case s.Unit == "blocks":
		text += " Half of the blocks followed the previous one within " + describePercentiles(s.Latency, "within") + "."
	default:
		text += " Half of them took at most " + describePercentiles(s.Latency, "at most") + "."
	}
	if c := s.Corrected; c != nil && c.P99 != nil {
		text += " These are service times of a closed loop; corrected for coordinated omission, 99" + thinSpace + "% took at most " + formatNumber(*c.P99) + " ms."
	}
	switch s.Errors {
	case 0:
		text += " Nothing failed."
	default:
		text += fmt.Sprintf(" %s of %s failed (%s).", formatInteger(s.Errors), formatInteger(s.Requests), formatPercent(s.ErrorShare))
	}
	if r.Bottleneck != nil {
		text += " Bottleneck: " + r.Bottleneck.Message + "."
	}
	return []string{text}
}

// describePercentiles names the median and the percentiles above it that are known, each after the given words.
func describePercentiles(l measurement.Latency, words string) string {
	text := formatNumber(measurement.ValueOrMissing(l.P50)) + " ms"
	for _, p := range []struct {
		percent string
		millis  *float64
	}{{"95", l.P95}, {"99", l.P99}} {
		if p.millis != nil {
			text += fmt.Sprintf(", %s%s%% %s %s ms", p.percent, thinSpace, words, formatNumber(*p.millis))
		}
	}
	return text
}

// runBanner returns the banner with the verdict and the objectives that did not pass. Neither notes nor
// objectives make a run invalid.
func runBanner(r *document.RunResult) banner {
	v := r.Verdict
	b := banner{Mood: "valid", Verdict: "Valid: no finding questions these numbers."}
	switch {
	case !v.IsValid():
		b.Mood, b.Verdict = "invalid", "Invalid: these numbers must not be used."
	case len(v.RecordedOnlyNotes()) > 0:
		b.Mood, b.Verdict = "noted", "Valid: findings about the environment were only recorded."
	case len(v.Notes) > 0:
		b.Verdict = "Valid, with notes."
	}
	if b.Reasons = objectiveReasons("", r.Objectives); len(b.Reasons) > 0 {
		b.Verdict += " " + format.Count(len(b.Reasons), "objective") + " not met."
		if b.Mood == "valid" {
			b.Mood = "noted"
		}
	}
	for _, reason := range slices.Concat(v.Reasons, v.Notes) {
		b.Reasons = append(b.Reasons, bannerReason{string(reason.Code), reason.Subject, reason.Message})
	}
	return b
}

func runKeyFigures(r *document.RunResult) []keyFigure {
	s, l := r.Summary, r.Summary.Latency
	name := latencyTitle(r.Summary.Unit, r.Summary.LatencyKind)
	return []keyFigure{
		{"Throughput", formatNumber(s.ThroughputPerSecond), unitOrDefault(s.Unit) + "/s", formatInteger(s.Completed) + " completed"},
		{name + " p50", formatNumber(measurement.ValueOrMissing(l.P50)), "ms", "mean " + formatNumber(l.Mean) + thinSpace + "ms"},
		{name + " p95", formatNumber(measurement.ValueOrMissing(l.P95)), "ms", ""},
		{name + " p99", formatNumber(measurement.ValueOrMissing(l.P99)), "ms", "largest " + formatNumber(l.Max) + thinSpace + "ms"},
		{"Errors", formatPercent(s.ErrorShare), "", formatInteger(s.Errors) + " of " + formatInteger(s.Requests)},
		{"Window", formatSeconds(r.Times.WindowSeconds), "", formatTime(r.Times.WindowStart)},
	}
}

// latencyText explains the service time of a closed loop; nil for other latencies.
func latencyText(r *document.RunResult) []string {
	if r.Summary.LatencyKind != measurement.ServiceTime {
		return nil
	}
	text := "Closed loop: a client sends its next request when the last one has ended, so the latency is the service time. Few requests show a stall."
	if c := r.Summary.Corrected; c != nil {
		text += fmt.Sprintf(" The corrected values are those of clients that keep on sending every %s ms, the median (HdrHistogram's correction for "+
			"coordinated omission).", formatNumber(c.IntervalMillis))
	}
	return []string{text}
}

// percentilesTable has rows for the latency, the corrected service times and the finality.
func percentilesTable(r *document.RunResult) htmlTable {
	t := htmlTable{Header: slices.Concat(textColumns(""), numberColumns("Mean", "p50", "p90", "p95", "p99", "p99.9", "Largest"))}
	addRow := func(name string, l *measurement.Latency) {
		cells := []string{name}
		for _, v := range l.Values() {
			cells = append(cells, formatQuantity(measurement.ValueOrMissing(v.Millis), "ms"))
		}
		t.Rows = append(t.Rows, tableRow{Cells: cells})
	}
	addRow(latencyTitle(r.Summary.Unit, r.Summary.LatencyKind), &r.Summary.Latency)
	if c := r.Summary.Corrected; c != nil {
		addRow("Corrected", &c.Latency)
	}
	if f := r.Summary.Finality; f != nil {
		addRow("Finality of "+formatInteger(f.Count)+" "+strings.ToLower(string(f.Of))+"s", &f.Latency)
	}
	return t
}

func platformMetricTable(r *document.RunResult) htmlTable {
	t := htmlTable{Header: slices.Concat(textColumns("Number"), numberColumns("Value"), proseColumns("From"))}
	for _, m := range r.Summary.Measures {
		t.Rows = append(t.Rows, tableRow{Cells: []string{splitCamelCase(m.Name), formatQuantity(m.Value, m.Unit), m.Source}})
	}
	return t
}

// windowSelectionText describes how the window was selected. It is empty with fixed times.
func windowSelectionText(s *measurement.WindowSelection) []string {
	if s == nil {
		return nil
	}
	return []string{"The window was selected by the measured steady state: " + s.Describe() + "."}
}

func errorTable(r *document.RunResult) htmlTable {
	t := htmlTable{Header: slices.Concat(textColumns("Kind"), numberColumns("Count"), proseColumns("First message"))}
	for _, e := range r.Errors {
		t.Rows = append(t.Rows, tableRow{Cells: []string{e.Kind, formatInteger(e.Count), e.Example}})
	}
	return t
}

// labelTable counts the requests of a user's JMeter plan by the label of the sampler, or the transactions of a mix by their kind.
func labelTable(r *document.RunResult) htmlTable {
	t := htmlTable{Header: slices.Concat(textColumns("Label"), numberColumns("Requests", "Errors"))}
	for _, l := range r.Labels {
		t.Rows = append(t.Rows, tableRow{Cells: []string{l.Label, formatInteger(l.Requests), formatInteger(l.Errors)}})
	}
	return t
}

// memberTable returns all observed containers, including databases.
func memberTable(r *document.RunResult) htmlTable {
	t := htmlTable{Title: "CPU and memory", Header: slices.Concat(textColumns("Member"),
		numberColumns("CPU mean", "CPU highest", "Memory highest", "Throttled", "Missed samples", "Restarts"))}
	for _, m := range r.Members {
		t.Rows = append(t.Rows, tableRow{Cells: []string{
			m.Member, formatQuantity(m.CPUSeconds.Mean(), "cores"), formatQuantity(m.CPUSeconds.Max(), "cores"), formatBytes(m.MemoryBytes.Max()),
			formatThrottling(m.ThrottledPeriods, m.Periods), strconv.Itoa(m.MissedScrapes), strconv.Itoa(m.Resets),
		}})
	}
	return t
}

// formatThrottling formats the share of throttled CPU periods, or a dash for a container without a limit.
func formatThrottling(periods, of int64) string {
	if of == 0 {
		return "–"
	}
	return formatPercent(float64(periods) / float64(of))
}

func loadText(r *document.RunResult) []string {
	if r.Schedule.Planned == 0 {
		return nil
	}
	text := fmt.Sprintf("Open loop: %s operations were due in the window, %s of them started more than 100 ms late; the largest lag was %s ms.",
		formatInteger(r.Schedule.Planned), formatInteger(r.Schedule.Late), formatNumber(float64(r.Schedule.MaxLagMicros)/1000))
	if r.Schedule.ClientsBusy > 0 {
		text += fmt.Sprintf(" %s waited more than 100 ms for a free client, at most %s ms.",
			formatInteger(r.Schedule.ClientsBusy), formatNumber(float64(r.Schedule.MaxWaitMicros)/1000))
	}
	return []string{text}
}

func workerTable(r *document.RunResult) htmlTable {
	t := htmlTable{Header: slices.Concat(textColumns("Worker"), numberColumns("Completed", "Failed", "Largest lag", "CPU mean", "Throttled"))}
	for _, w := range r.Workers {
		cpu, periods := math.NaN(), "–"
		if w.Load != nil {
			cpu, periods = w.Load.MeanCores(max(1, r.Times.WindowSeconds)), formatThrottling(w.Load.ThrottledPeriods, w.Load.Periods)
		}
		t.Rows = append(t.Rows, tableRow{Cells: []string{strconv.Itoa(w.Worker), formatInteger(w.Completed), formatInteger(w.Failed),
			formatQuantity(float64(w.MaxLagMicros)/1000, "ms"), formatQuantity(cpu, "cores"), periods}})
	}
	return t
}

// environmentSection lists everything that is needed to repeat a run elsewhere.
func environmentSection(r *document.RunResult) section {
	e := r.Environment
	s := section{ID: "environment", Title: "Environment"}
	s.Tables = append(s.Tables, nameValueTable("Versions", [][2]string{
		{"Platform", e.PlatformVersion}, {"Operator", strings.TrimSpace(e.OperatorVersion + " " + e.OperatorCommit)},
		{"Kubernetes", e.KubernetesVersion}, {"Plan", e.PlanHash},
		{"Network before the run", describeNetworkState(e.State)},
	}))
	images := htmlTable{Title: "Images", Header: proseColumns("Container", "Image", "Digest")}
	for _, i := range e.Images {
		images.Rows = append(images.Rows, tableRow{Cells: []string{i.Role, i.Name, i.Digest}})
	}
	nodes := htmlTable{
		Title:  "Nodes",
		Header: slices.Concat(textColumns("Node"), numberColumns("CPUs", "Memory"), textColumns("Kernel", "System", "Runtime", "Kubelet")),
	}
	for _, n := range e.Nodes {
		nodes.Rows = append(nodes.Rows, tableRow{Cells: []string{
			n.Name, formatNumber(n.CPUs), formatBytes(float64(n.MemoryBytes)), n.Kernel + " " + n.Architecture, n.OS, n.ContainerRuntime, n.Kubelet,
		}})
	}
	s.Tables = append(s.Tables, images, nodes, machinesTable(e.Hosts), regionsTable(e), calibrationTable(e.Calibration), containersTable(e.Containers))
	if d := e.Database; d != nil {
		rows := [][2]string{{"Engine", d.Engine}, {"Topology", d.Topology}}
		if len(d.Versions) > 0 {
			rows = append(rows, [2]string{"Version", strings.Join(d.Versions, ", ")})
		}
		s.Tables = append(s.Tables, nameValueTable("Database", rows))
	}
	if e.EmulatedLatency != nil {
		s.Text = append(s.Text, "Latency between the regions was emulated ("+e.EmulatedLatency.Mechanism+").")
	}
	if len(e.Regions) > 0 {
		s.Text = append(s.Text, "The regions are the zones of the nodes; latency was not emulated.")
	}
	var settings [][2]string
	for _, name := range slices.Sorted(maps.Keys(e.Settings)) {
		settings = append(settings, [2]string{name, e.Settings[name]})
	}
	s.Tables = withRows(append(s.Tables, nameValueTable("Settings that the operator derived", settings))...)
	return s
}

// regionsTable returns the members of each region: those of the emulation, else the zones of the nodes.
func regionsTable(e document.Environment) htmlTable {
	t := htmlTable{Title: "Regions", Header: append(textColumns("Region"), proseColumns("Pods")...)}
	regions := e.Regions
	if e.EmulatedLatency != nil {
		regions = e.EmulatedLatency.Members
	}
	pods := map[string][]string{}
	for _, subject := range slices.Sorted(maps.Keys(regions)) {
		pods[regions[subject]] = append(pods[regions[subject]], subject)
	}
	for _, region := range slices.Sorted(maps.Keys(pods)) {
		t.Rows = append(t.Rows, tableRow{Cells: []string{region, strings.Join(pods[region], ", ")}})
	}
	return t
}

// describeNetworkState describes the network before the run in words.
func describeNetworkState(s document.NetworkState) string {
	text := "used by earlier runs"
	if s.Fresh {
		text = "fresh"
	}
	if s.Epoch != "" {
		text += ", since its reset " + s.Epoch
	}
	return text
}

func containersTable(all []measurement.ContainerInfo) htmlTable {
	t := htmlTable{Title: "Containers", Header: slices.Concat(textColumns("Pod", "Container", "Role", "Node"),
		numberColumns("CPU request", "CPU limit", "Memory request", "Memory limit"))}
	for _, c := range all {
		t.Rows = append(t.Rows, tableRow{Cells: []string{
			c.Name, c.Container, string(c.Role), c.Node, formatResourceBound(c.CPURequest, formatNumber), formatResourceBound(c.CPULimit, formatNumber),
			formatResourceBound(float64(c.MemoryRequest), formatBytes), formatResourceBound(float64(c.MemoryLimit), formatBytes),
		}})
	}
	return t
}

// formatResourceBound formats a request or a limit. 0 in the document means none.
func formatResourceBound(v float64, format func(float64) string) string {
	if v == 0 {
		return "none"
	}
	return format(v)
}

// nameValueTable returns a table of names and values, without those that have no value.
func nameValueTable(title string, all [][2]string) htmlTable {
	t := htmlTable{Title: title, Header: slices.Concat(textColumns("Name"), proseColumns("Value"))}
	for _, pair := range all {
		if pair[1] != "" {
			t.Rows = append(t.Rows, tableRow{Cells: pair[:]})
		}
	}
	return t
}

func reproduceRunSection(r *document.RunResult) section {
	s := section{ID: "reproduce", Title: "How to reproduce"}
	s.Text = []string{"The plugin writes a bundle with the manifests of this run, all defaults and the images pinned by digest. " +
		"A network created from them has the plan " + r.Environment.PlanHash + "."}
	s.Code = []codeBlock{bundleCode("brun/"+r.Run.Name, r.Run.Namespace)}
	s.Code = append(s.Code, workloadCode(r)...)
	return s
}

// bundleCode returns the commands that write the bundle of a run or an experiment and repeat it.
func bundleCode(target, namespace string) codeBlock {
	return codeBlock{"", fmt.Sprintf("kubectl benchnet bundle %s --namespace %s --output bundle.tar.gz\n"+
		"kubectl benchnet reproduce bundle.tar.gz --namespace ANOTHER", target, namespace)}
}

// workloadCode returns the workload that the drivers of a run received.
func workloadCode(r *document.RunResult) []codeBlock {
	var workload bytes.Buffer
	if json.Indent(&workload, r.Workload, "", "  ") != nil || workload.Len() == 0 {
		return nil
	}
	return []codeBlock{{"Workload of the load generators", workload.String()}}
}

// formatTime formats a time to the second, in UTC.
func formatTime(t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	return t.UTC().Format("2006-01-02 15:04:05") + " UTC"
}

// formatSeconds formats a duration for people.
func formatSeconds(seconds int) string {
	if seconds < 120 {
		return strconv.Itoa(seconds) + thinSpace + "s"
	}
	text := fmt.Sprintf("%d%smin", seconds/60, thinSpace)
	if seconds%60 != 0 {
		text += fmt.Sprintf(" %d%ss", seconds%60, thinSpace)
	}
	return text
}
