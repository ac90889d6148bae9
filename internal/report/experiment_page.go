package report

import (
	"fmt"
	"io"
	"strconv"

	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/results"
)

// Experiment writes the report of an experiment: an HTML page that needs nothing else. runs holds what is known of its runs by
// name, and may lack some of them.
func Experiment(w io.Writer, e *experiment.Result, runs map[string]*results.Result) error {
	charts, err := ExperimentCharts(e, runs)
	if err != nil {
		return err
	}
	drawn, err := figures(charts)
	if err != nil {
		return err
	}
	p := page{
		Kind: "Experiment", Title: e.Experiment.Name,
		Subtitle: fmt.Sprintf("%s · %s · %d points, %d runs · %s", e.Experiment.Namespace, e.Strategy, len(e.Points), len(e.Runs), moment(e.Start)),
		Sections: []section{
			{ID: "charts", Title: "Charts", Figures: drawn},
			{ID: "points", Title: "Points", Tables: []listing{pointsTable(e)}},
		},
		Data: e,
	}
	return p.write(w)
}

// ExperimentCharts are the charts of an experiment, those first that say most.
func ExperimentCharts(_ *experiment.Result, _ map[string]*results.Result) ([]Chart, error) {
	return nil, nil
}

func pointsTable(e *experiment.Result) listing {
	names := metricsOfPoints(e.Points)
	t := listing{Header: append(texts("Point", "Variant"), texts(axisNames(e)...)...)}
	t.Header = append(append(t.Header, numbers("Valid runs")...), numbers(columnNames(names)...)...)
	for _, p := range e.Points {
		cells := append([]string{p.Name, p.Variant}, parameterValues(e, p)...)
		cells = append(cells, strconv.Itoa(p.Valid))
		for _, name := range names {
			cells = append(cells, number(p.Metrics[name].Mean))
		}
		t.Rows = append(t.Rows, row{Cells: cells})
	}
	return t
}
