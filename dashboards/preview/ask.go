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

	"github.com/benchnet/benchnet/internal/dashboard"
)

const (
	// points of a line: about one for two pixels.
	points = 240
	// scrape is the interval at which Prometheus scrapes, as far as the queries' intervals go.
	scrape = 5 * time.Second
)

// asker asks a Prometheus what a dashboard asks.
type asker struct {
	api      prometheusv1.API
	from, to time.Time
	values   map[string]string
}

func (a *asker) step() time.Duration {
	return max(scrape, a.to.Sub(a.from).Truncate(points*time.Second)/points)
}

// choose gives every variable a value: what is set, else all where all can be chosen, else the first that there is.
func (a *asker) choose(ctx context.Context, d *dashboard.Dashboard, set map[string]string) error {
	a.values = maps.Clone(set)
	// As Grafana has it: four scrapes at least, and no less than the step and one scrape.
	a.values["__rate_interval"] = model.Duration(max(4*scrape, a.step()+scrape)).String()
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
		first, err := a.first(ctx, &v)
		if err != nil {
			return fmt.Errorf("dashboard %s: %w", d.UID, err)
		}
		a.values[v.Name] = first
	}
	return nil
}

// first is the first value of a variable, in the order of the alphabet.
func (a *asker) first(ctx context.Context, v *dashboard.Variable) (string, error) {
	series, label, err := v.Values()
	if err != nil {
		return "", err
	}
	filled, err := dashboard.Fill(series, a.values)
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

// line is one series of a panel.
type line struct {
	ref, name string
	labels    model.Metric
	// samples where the query has none are left out.
	samples []model.SamplePair
}

func (l line) last() float64 {
	for _, s := range slices.Backward(l.samples) {
		if v := float64(s.Value); !math.IsNaN(v) && !math.IsInf(v, 0) {
			return v
		}
	}
	return math.NaN()
}

// lines are the answers to a panel's queries.
func (a *asker) lines(ctx context.Context, targets []dashboard.Target) ([]line, error) {
	var all []line
	for _, t := range targets {
		filled, err := dashboard.Fill(t.Expr, a.values)
		if err != nil {
			return nil, err
		}
		answer, err := a.ask(ctx, filled, t.Instant)
		if err != nil {
			return nil, fmt.Errorf("ask %s: %w", filled, err)
		}
		for _, l := range answer {
			l.ref, l.name = t.RefID, legend(t.LegendFormat, l.labels)
			all = append(all, l)
		}
	}
	return all, nil
}

func (a *asker) ask(ctx context.Context, expr string, instant bool) ([]line, error) {
	if instant {
		return a.atTheEnd(ctx, expr)
	}
	return a.overTime(ctx, expr)
}

// atTheEnd has one sample of each series.
func (a *asker) atTheEnd(ctx context.Context, expr string) ([]line, error) {
	value, _, err := a.api.Query(ctx, expr, a.to)
	if err != nil {
		return nil, err
	}
	vector, ok := value.(model.Vector)
	if !ok {
		return nil, fmt.Errorf("the answer is a %s", value.Type())
	}
	lines := make([]line, 0, len(vector))
	for _, s := range vector {
		lines = append(lines, line{labels: s.Metric, samples: []model.SamplePair{{Timestamp: s.Timestamp, Value: s.Value}}})
	}
	return lines, nil
}

func (a *asker) overTime(ctx context.Context, expr string) ([]line, error) {
	value, _, err := a.api.QueryRange(ctx, expr, prometheusv1.Range{Start: a.from, End: a.to, Step: a.step()})
	if err != nil {
		return nil, err
	}
	matrix, ok := value.(model.Matrix)
	if !ok {
		return nil, fmt.Errorf("the answer is a %s", value.Type())
	}
	lines := make([]line, 0, len(matrix))
	for _, s := range matrix {
		lines = append(lines, line{labels: s.Metric, samples: s.Values})
	}
	return lines, nil
}

var placeholder = regexp.MustCompile(`\{\{\s*(\w+)\s*\}\}`)

// legend puts labels in the place of {{label}}; of one that there is not, nothing.
func legend(format string, labels model.Metric) string {
	if format == "" {
		return labels.String()
	}
	return strings.TrimSpace(placeholder.ReplaceAllStringFunc(format, func(match string) string {
		return string(labels[model.LabelName(placeholder.FindStringSubmatch(match)[1])])
	}))
}

// marks are the times of the annotations that take them from values.
func (a *asker) marks(ctx context.Context, d *dashboard.Dashboard) ([]mark, error) {
	var all []mark
	for _, annotation := range d.Annotations.List {
		if !annotation.UseValueForTime {
			continue
		}
		lines, err := a.lines(ctx, []dashboard.Target{{Expr: annotation.Expr}})
		if err != nil {
			return nil, fmt.Errorf("annotation %s: %w", annotation.Name, err)
		}
		for _, l := range lines {
			at := time.UnixMilli(int64(l.last()))
			if at.After(a.from) && at.Before(a.to) {
				all = append(all, mark{at: at, color: annotation.IconColor, Name: annotation.Name})
			}
		}
	}
	return all, nil
}
