package main

import (
	"context"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	prometheusv1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"

	dashboardsmodel "github.com/benchnet/benchnet/dashboards/model"
)

const (
	// maxPoints is the largest number of points of a line: about one for two pixels.
	maxPoints = 240
	// scrapeInterval is the scrape interval of Prometheus, for the intervals in queries.
	scrapeInterval = 5 * time.Second
)

// querier runs the queries of a dashboard on a Prometheus.
type querier struct {
	api      prometheusv1.API
	from, to time.Time
	values   map[string]string
}

func (a *querier) queryStep() time.Duration {
	return max(scrapeInterval, a.to.Sub(a.from).Truncate(maxPoints*time.Second)/maxPoints)
}

// chooseVariables sets every variable: to the value in set, else to all if the variable allows it, else to its
// first value.
func (a *querier) chooseVariables(ctx context.Context, d *dashboardsmodel.Dashboard, set map[string]string) error {
	a.values = maps.Clone(set)
	// As in Grafana: at least four scrapes, and at least the step and one scrape.
	a.values["__rate_interval"] = model.Duration(max(4*scrapeInterval, a.queryStep()+scrapeInterval)).String()
	a.values["__range"] = model.Duration(a.to.Sub(a.from).Truncate(time.Second)).String()
	a.values["datasource"] = "prometheus"
	for _, v := range d.Variables() {
		if _, given := a.values[v.Name]; given {
			continue
		}
		if v.IncludeAll {
			a.values[v.Name] = v.AllValue
			continue
		}
		first, err := a.firstValue(ctx, &v)
		if err != nil {
			return fmt.Errorf("dashboard %s: %w", d.UID, err)
		}
		a.values[v.Name] = first
	}
	return nil
}

// firstValue returns the alphabetically first value of a variable.
func (a *querier) firstValue(ctx context.Context, v *dashboardsmodel.Variable) (string, error) {
	series, label, err := v.ParseQuery()
	if err != nil {
		return "", err
	}
	filled, err := dashboardsmodel.InterpolateVariables(series, a.values)
	if err != nil {
		return "", fmt.Errorf("variable %s: %w", v.Name, err)
	}
	values, _, err := a.api.LabelValues(ctx, label, []string{filled}, a.from, a.to)
	if err != nil {
		return "", fmt.Errorf("variable %s: ask for %s: %w", v.Name, filled, err)
	}
	if len(values) == 0 {
		return "", fmt.Errorf("variable %s: there is no %s of %s between %s and %s", v.Name, label, filled, a.from.Format(time.RFC3339), a.to.Format(time.RFC3339))
	}
	return string(slices.Min(values)), nil
}

// panelSeries is one series of a panel.
type panelSeries struct {
	refID, name string
	labels      model.Metric
	// samples omits times at which the query has no value.
	samples []model.SamplePair
}

func (l panelSeries) lastValue() float64 {
	for _, s := range slices.Backward(l.samples) {
		if v := float64(s.Value); !math.IsNaN(v) && !math.IsInf(v, 0) {
			return v
		}
	}
	return math.NaN()
}

// queryTargets returns the results of a panel's queries.
func (a *querier) queryTargets(ctx context.Context, targets []dashboardsmodel.Target) ([]panelSeries, error) {
	var all []panelSeries
	for _, t := range targets {
		filled, err := dashboardsmodel.InterpolateVariables(t.Expr, a.values)
		if err != nil {
			return nil, err
		}
		answer, err := a.queryExpr(ctx, filled, t.Instant)
		if err != nil {
			return nil, fmt.Errorf("ask %s: %w", filled, err)
		}
		for _, l := range answer {
			l.refID, l.name = t.RefID, formatLegend(t.LegendFormat, l.labels)
			all = append(all, l)
		}
	}
	return all, nil
}

func (a *querier) queryExpr(ctx context.Context, expr string, instant bool) ([]panelSeries, error) {
	if instant {
		return a.queryInstant(ctx, expr)
	}
	return a.queryRange(ctx, expr)
}

// queryInstant returns one sample of each series.
func (a *querier) queryInstant(ctx context.Context, expr string) ([]panelSeries, error) {
	value, _, err := a.api.Query(ctx, expr, a.to)
	if err != nil {
		return nil, err
	}
	vector, ok := value.(model.Vector)
	if !ok {
		return nil, fmt.Errorf("the answer is a %s", value.Type())
	}
	lines := make([]panelSeries, 0, len(vector))
	for _, s := range vector {
		lines = append(lines, panelSeries{labels: s.Metric, samples: []model.SamplePair{{Timestamp: s.Timestamp, Value: s.Value}}})
	}
	return lines, nil
}

func (a *querier) queryRange(ctx context.Context, expr string) ([]panelSeries, error) {
	value, _, err := a.api.QueryRange(ctx, expr, prometheusv1.Range{Start: a.from, End: a.to, Step: a.queryStep()})
	if err != nil {
		return nil, err
	}
	matrix, ok := value.(model.Matrix)
	if !ok {
		return nil, fmt.Errorf("the answer is a %s", value.Type())
	}
	lines := make([]panelSeries, 0, len(matrix))
	for _, s := range matrix {
		lines = append(lines, panelSeries{labels: s.Metric, samples: s.Values})
	}
	return lines, nil
}

var placeholder = regexp.MustCompile(`\{\{\s*(\w+)\s*\}\}`)

// formatLegend replaces {{label}} by the label's value, or by nothing if the series lacks the label.
func formatLegend(format string, labels model.Metric) string {
	if format == "" {
		return labels.String()
	}
	return strings.TrimSpace(placeholder.ReplaceAllStringFunc(format, func(match string) string {
		return string(labels[model.LabelName(placeholder.FindStringSubmatch(match)[1])])
	}))
}

// queryAnnotations returns the marks of the annotations that take their times from values.
func (a *querier) queryAnnotations(ctx context.Context, d *dashboardsmodel.Dashboard) ([]annotationMark, error) {
	var all []annotationMark
	for _, annotation := range d.Annotations.List {
		if !annotation.UseValueForTime {
			continue
		}
		lines, err := a.queryTargets(ctx, []dashboardsmodel.Target{{Expr: annotation.Expr}})
		if err != nil {
			return nil, fmt.Errorf("annotation %s: %w", annotation.Name, err)
		}
		for _, l := range lines {
			at := time.UnixMilli(int64(l.lastValue()))
			if at.After(a.from) && at.Before(a.to) {
				all = append(all, annotationMark{at: at, color: annotation.IconColor, Name: annotation.Name})
			}
		}
	}
	return all, nil
}
