package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/resilience"
)

// faultsSection has the evidence of the declared faults, and what they did to throughput and latencies. It is empty without faults.
func faultsSection(r *document.RunResult) section {
	evidence := htmlTable{Title: "Evidence", Header: slices.Concat(textColumns("Fault", "Type", "Target"),
		numberColumns("Planned", "Injected", "Healed"), textColumns("Proved"), proseColumns("Evidence"))}
	scores := htmlTable{Title: "Effect", Header: slices.Concat(textColumns("Fault"), numberColumns(resilience.ScoreColumns...),
		proseColumns("Problem"))}
	for i := range r.Faults {
		f := &r.Faults[i]
		for k := range f.Targets {
			t := &f.Targets[k]
			row := tableRow{Cells: []string{f.Name, f.Describe(), t.Subject(), strconv.Itoa(f.AtSeconds), formatBracket(t.Injected), formatBracket(t.Healed),
				"yes", t.DescribeEvidence()}}
			if !t.IsProved() {
				row.Mood, row.Cells[6] = "invalid", "no"
			}
			evidence.Rows = append(evidence.Rows, row)
		}
		if s := f.Score; s != nil {
			scores.Rows = append(scores.Rows, tableRow{Cells: slices.Concat([]string{f.Name}, s.Describe(formatNumber), []string{s.Problem})})
		}
	}
	inAll := htmlTable{Title: "From the first fault to the end of the window", Header: slices.Concat(
		numberColumns(document.ResilienceColumns[:len(document.ResilienceColumns)-1]...), proseColumns("Problem"))}
	if cells := r.DescribeResilience(); cells != nil {
		for i := range cells[:len(cells)-1] {
			cells[i] = dashIfEmpty(cells[i])
		}
		inAll.Rows = append(inAll.Rows, tableRow{Cells: cells})
	}
	s := section{ID: "faults", Title: "Faults", Tables: withRows(evidence, scores, inAll)}
	if len(s.Tables) > 0 {
		s.Text = []string{"Instants are in seconds of the window, and lie within the given bounds. Times after a fault count from its injection."}
	}
	return s
}

// formatBracket formats the bounds of an instant, or a dash for an unknown one.
func formatBracket(b *measurement.Bracket) string {
	if b == nil {
		return "–"
	}
	return fmt.Sprintf("%.2f–%.2f", b.FromSeconds, b.ToSeconds)
}

// shadeWindow shades the segments of the window and the times of the faults. Without a profile, the segments only say where the faults
// begin, and are left out.
func (c *Chart) shadeWindow(r *document.RunResult) {
	if len(r.Faults) == 0 || offeredRates(r) != nil {
		c.shadeSegments(r)
	}
	for i := range r.Faults {
		if span, ok := r.Faults[i].Span(); ok {
			c.addMark(mark{Kind: shadeMark, style: style{Color: worseColor, Opacity: 0.13}, Points: []xy{{X: span.FromSeconds}, {X: span.HealedSeconds}}})
			c.addVerticalLine(span.FromSeconds, truncateRunes(span.Name, 32), style{Color: worseColor, Width: 1})
		}
	}
}

// WriteFaultsCSV writes a row for each target of each declared fault. Without faults it writes only the header.
func WriteFaultsCSV(w io.Writer, r *document.RunResult) error {
	t := csvTable{header: []string{"fault", "type", "target", "atSeconds", "durationSeconds", "injectedFromSeconds", "injectedToSeconds",
		"healedFromSeconds", "healedToSeconds", "proved", "evidence", "baselinePerSecond", "baselineGapSeconds", "binSeconds", "outageSeconds",
		"impactSeconds", "recoverySeconds", "censoredSeconds", "degradationSeconds", "problem",
		"latencyPercentile", "latencyRecoverySeconds", "latencyCensoredSeconds", "latencyProblem"}}
	for i := range r.Faults {
		f := &r.Faults[i]
		for k := range f.Targets {
			target := &f.Targets[k]
			row := []string{f.Name, string(f.Type), target.Subject(), strconv.Itoa(f.AtSeconds), strconv.Itoa(f.DurationSeconds)}
			row = slices.Concat(row, formatCSVBracket(target.Injected), formatCSVBracket(target.Healed),
				[]string{strconv.FormatBool(target.IsProved()), target.DescribeEvidence()}, formatCSVScore(f.Score))
			t.rows = append(t.rows, row)
		}
	}
	return t.writeTo(w)
}

func formatCSVBracket(b *measurement.Bracket) []string {
	if b == nil {
		return make([]string, 2)
	}
	return []string{formatCSVFloat(b.FromSeconds), formatCSVFloat(b.ToSeconds)}
}

// formatCSVScore returns the cells of a score. Those that are unknown are empty.
func formatCSVScore(s *resilience.Score) []string {
	if s == nil {
		return make([]string, 13)
	}
	cells := []string{formatCSVFloat(s.BaselinePerSecond), strconv.Itoa(s.BaselineGapSeconds), strconv.Itoa(s.BinSeconds)}
	v := s.Values()
	for _, seconds := range []float64{v.Outage, v.Impact, v.Recovery, v.Censored, v.Degradation} {
		cells = append(cells, formatCSVFloat(seconds))
	}
	latency := make([]string, 3)
	if t, known := s.LatencyRecovery(); known {
		latency[0] = strconv.Itoa(s.Latency.Percentile)
		if t.Censored {
			latency[2] = formatCSVFloat(t.Seconds)
		} else {
			latency[1] = formatCSVFloat(t.Seconds)
		}
	}
	return slices.Concat(cells, []string{s.Problem}, latency, []string{s.Latency.Problem})
}
