package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/benchnet/benchnet/internal/run/document"
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
		"score":      {1, 0, []string{"kill-notary", "6", "0.998", "> 30", "20.5", "2", "9.9", ""}},
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
			`after: pid 93, started at tick 4711",9.9,1,2,6,0.998,,29.998,20.5,`,
		2: "pause,Pause,database db-0,45,4,45,45.5,,,false,process 9 was not stopped,,,,,,,,,",
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
