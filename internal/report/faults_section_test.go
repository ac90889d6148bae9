package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/resilience"
	"github.com/benchnet/benchnet/internal/run/statistics"
)

func TestFaultsSection(t *testing.T) {
	r := newFaultyRun(t)
	s := faultsSection(r)
	for name, c := range map[string]struct {
		table, row int
		want       []string
	}{
		"proved": {0, 0, []string{"kill-notary", "Kill", "notary", "30", "30.00–30.01", "35.00–35.02", "yes",
			"before: pid 7, started at tick 90; during: ended by signal 9; no process left; after: pid 93, started at tick 4711"}},
		"not proved": {0, 1, []string{"pause", "Pause", "database db-0", "45", "45.00–45.50", "–", "no", "process 9 was not stopped"}},
		"score":      {1, 0, []string{"kill-notary", "6", "0.998", "> 30", "20.5", "2", "9.9", "–", ""}},
		"in all":     {2, 0, []string{"30", "–", "–", "–", "–", "–", "–", "–", "only in an open loop"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := s.Tables[c.table].Rows[c.row].Cells; !slices.Equal(got, c.want) {
				t.Errorf("cells %q, want %q", got, c.want)
			}
		})
	}
	if n := len(s.Tables[1].Rows); n != 1 {
		t.Errorf("%d scores, want one: the other fault is not proved", n)
	}
	if s := faultsSection(&document.RunResult{}); !s.Empty() {
		t.Errorf("a run without faults has the section %+v", s)
	}
}

func TestFaultsCSV(t *testing.T) {
	var csv strings.Builder
	if err := WriteFaultsCSV(&csv, newFaultyRun(t)); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(csv.String(), "\n")
	for i, want := range map[int]string{
		1: `kill-notary,Kill,notary,30,5,30.002,30.014,35.003,35.02,true,"before: pid 7, started at tick 90; during: ended by signal 9; no process left; ` +
			`after: pid 93, started at tick 4711",9.9,1,2,6,0.998,,29.998,20.5,,,,,`,
		2: "pause,Pause,database db-0,45,4,45,45.5,,,false,process 9 was not stopped,,,,,,,,,,,,,",
	} {
		t.Run(strings.SplitN(want, ",", 2)[0], func(t *testing.T) {
			if lines[i] != want {
				t.Errorf("got %s", lines[i])
			}
		})
	}
}

// TestChartsShadeFaults checks that the charts over time name the proved faults, and segments only with a profile.
func TestChartsShadeFaults(t *testing.T) {
	for name, c := range map[string]struct {
		workload string
		want     [][]string
	}{
		"profile":       {string(newFaultyRun(t).Workload), [][]string{{"base", "climb"}, nil, {"kill-notary"}}},
		"constant rate": {`{}`, [][]string{nil, {"kill-notary"}}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newFaultyRun(t)
			r.Workload = []byte(c.workload)
			var texts [][]string
			var shaded []xy
			for _, m := range throughputOverTime(r).Marks {
				if m.Kind == shadeMark || m.Kind == verticalMark {
					texts, shaded = append(texts, m.Texts), append(shaded, m.Points...)
				}
			}
			if !cmp.Equal(texts, c.want) {
				t.Errorf("names %q, want %q", texts, c.want)
			}
			if want := []xy{{X: 30.002}, {X: 35.02}, {X: 30.002}}; !cmp.Equal(shaded[len(shaded)-3:], want) {
				t.Errorf("shaded %v, want %v", shaded, want)
			}
		})
	}
}

// TestFaultTimesSection shows the times of two faults at two points, of which one run is invalid and one time was cut off.
func TestFaultTimesSection(t *testing.T) {
	e := &experiment.Result{Confidence: 0.95, Variants: []string{"raft", "single"}}
	for i, variant := range e.Variants {
		p := experiment.Point{Name: fmt.Sprintf("p%02d", i+1), Variant: variant}
		for repetition := range 2 {
			run := experiment.Run{Point: p.Name, Repetition: 1 + repetition, Verdict: experiment.RunValid}
			for _, fault := range []string{"crash", "stop"} {
				run.FaultTimes = append(run.FaultTimes, experiment.FaultTime{Fault: fault, Metric: v1alpha1.MetricOutageTime,
					Time: resilience.Time{Seconds: float64(6 + repetition), Censored: variant == "single" && fault == "stop" && repetition == 1}})
			}
			e.Runs = append(e.Runs, run)
		}
		for _, fault := range []string{"crash", "stop"} {
			p.FaultTimes = append(p.FaultTimes, experiment.PointFaultTime{Fault: fault, Metric: v1alpha1.MetricOutageTime,
				MedianEstimate: statistics.EstimateMedian([]float64{6, 7}, []bool{false, variant == "single" && fault == "stop"}, 0.95)})
		}
		e.Points = append(e.Points, p)
	}
	e.Runs = append(e.Runs, experiment.Run{Point: "p01", Repetition: 3, Verdict: experiment.RunInvalid, FaultTimes: e.Runs[0].FaultTimes})
	s := faultTimesSection(e)
	var rows []string
	for _, row := range s.Tables[0].Rows {
		rows = append(rows, strings.Join(row.Cells, " | "))
	}
	want := "p01 | raft | crash | 2 | 6.5 (6 to 7) | – | – | –\n" + "p01 | raft | stop | 2 | 6.5 (6 to 7) | – | – | –\n" +
		"p02 | single | crash | 2 | 6.5 (6 to 7) | – | – | –\n" + "p02 | single | stop | 2 | not reached (6 to not reached) | – | – | –"
	if got := strings.Join(rows, "\n"); got != want {
		t.Errorf("%s", got)
	}
	dots := map[string]int{}
	for _, m := range s.Figures[0].Marks {
		dots[fmt.Sprint(m.Shape)] += len(m.Points)
	}
	if dots[fmt.Sprint(circle)] != 7 || dots[fmt.Sprint(ring)] != 1 {
		t.Errorf("marks %v, want 7 dots and a ring", dots)
	}
	if s := faultTimesSection(&experiment.Result{Points: []experiment.Point{{Name: "p01"}}}); len(s.Tables) != 0 {
		t.Error("a section without faults")
	}
}
