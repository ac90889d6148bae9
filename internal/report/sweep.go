package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/internal/experiment"
)

// sweep holds the points of an experiment along one parameter.
type sweep struct {
	parameter string
	// values are in order, as text and as positions on the axis.
	values    []string
	positions []float64
	// numeric reports that the positions are the values themselves; else they are 0, 1, 2, …
	numeric bool
	lines   []sweepLine
}

// sweepLine holds the points that differ only in that parameter, in the order of its values.
type sweepLine struct {
	// name is the variant and the other parameters; empty if there is no other line.
	name   string
	points []sweepPoint
}

// sweepPoint is a point with its runs and its position on the axis.
type sweepPoint struct {
	experiment.Point
	position float64
	runs     []experiment.Run
}

// parameterNames returns the parameters of the points: the axes and, for a search, the load, which is not an
// axis.
func parameterNames(e *experiment.Result) []string {
	names := []string{}
	for _, a := range e.Axes {
		names = append(names, a.Name)
	}
	for _, p := range e.Points {
		for _, parameter := range p.Parameters {
			if !slices.Contains(names, parameter.Name) {
				names = append(names, parameter.Name)
			}
		}
	}
	return names
}

// findSweeps returns a sweep for each parameter with several values, or else one over the variants.
func findSweeps(e *experiment.Result) []sweep {
	var all []sweep
	for _, name := range parameterNames(e) {
		if s := sweepParameter(e, name); len(s.values) > 1 {
			all = append(all, s)
		}
	}
	if len(all) == 0 && len(e.Variants) > 1 {
		all = append(all, sweepVariants(e))
	}
	return all
}

func sweepParameter(e *experiment.Result, name string) sweep {
	s := sweep{parameter: name, values: distinctValues(e, name)}
	s.placeValues()
	for _, p := range e.Points {
		at := slices.Index(s.values, p.Value(name))
		if at < 0 {
			continue
		}
		line := s.findOrAddLine(describeOtherParameters(e, p, name))
		line.points = append(line.points, sweepPoint{p, s.positions[at], runsOfPoint(e, p.Name)})
	}
	for _, l := range s.lines {
		slices.SortStableFunc(l.points, func(a, b sweepPoint) int { return cmp.Compare(a.position, b.position) })
	}
	s.nameLines(len(e.Variants))
	return s
}

// nameLines drops the name of a single line.
func (s *sweep) nameLines(variants int) {
	if len(s.lines) == 1 && variants < 2 {
		s.lines[0].name = ""
	}
}

func sweepVariants(e *experiment.Result) sweep {
	s := sweep{parameter: "variant", values: e.Variants, lines: []sweepLine{{}}}
	s.placeValues()
	for _, p := range e.Points {
		if at := slices.Index(e.Variants, p.Variant); at >= 0 {
			s.lines[0].points = append(s.lines[0].points, sweepPoint{p, s.positions[at], runsOfPoint(e, p.Name)})
		}
	}
	return s
}

// placeValues sorts the values if all of them are numbers, and sets their positions.
func (s *sweep) placeValues() {
	numbers := map[string]float64{}
	for _, v := range s.values {
		if n, isNumber := parseNumeric(v); isNumber {
			numbers[v] = n
		}
	}
	s.numeric = len(numbers) == len(s.values)
	if s.numeric {
		slices.SortStableFunc(s.values, func(a, b string) int { return cmp.Compare(numbers[a], numbers[b]) })
	}
	for i, v := range s.values {
		at := float64(i)
		if s.numeric {
			at = numbers[v]
		}
		s.positions = append(s.positions, at)
	}
}

// parseNumeric parses the values of an axis: numbers, quantities such as 4Gi, durations such as 30s (in
// seconds).
func parseNumeric(text string) (float64, bool) {
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		return n, isFinite(n)
	}
	if q, err := resource.ParseQuantity(text); err == nil {
		n := q.AsApproximateFloat64()
		return n, isFinite(n)
	}
	if d, err := time.ParseDuration(text); err == nil {
		return d.Seconds(), true
	}
	return 0, false
}

func (s *sweep) findOrAddLine(name string) *sweepLine {
	i := slices.IndexFunc(s.lines, func(l sweepLine) bool { return l.name == name })
	if i < 0 {
		s.lines = append(s.lines, sweepLine{name: name})
		i = len(s.lines) - 1
	}
	return &s.lines[i]
}

// describeOtherParameters names a point by its variant and every parameter except one.
func describeOtherParameters(e *experiment.Result, p experiment.Point, but string) string {
	return joinParameters(p, func(name string) bool { return name != but && len(distinctValues(e, name)) > 1 })
}

func distinctValues(e *experiment.Result, name string) []string {
	var values []string
	for _, p := range e.Points {
		if v := p.Value(name); v != "" && !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	return values
}

// formatPoint names a point by its variant and all its parameters.
func formatPoint(p experiment.Point) string {
	return cmp.Or(joinParameters(p, func(string) bool { return true }), "the template")
}

// joinParameters names a point by its variant and some of its parameters.
func joinParameters(p experiment.Point, shows func(name string) bool) string {
	var parts []string
	if p.Variant != "" {
		parts = append(parts, p.Variant)
	}
	for _, parameter := range p.Parameters {
		if shows(parameter.Name) {
			parts = append(parts, parameter.Name+" "+parameter.Value)
		}
	}
	return strings.Join(parts, ", ")
}

func runsOfPoint(e *experiment.Result, point string) []experiment.Run {
	var runs []experiment.Run
	for _, r := range e.Runs {
		if r.Point == point {
			runs = append(runs, r)
		}
	}
	return runs
}
