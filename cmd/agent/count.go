package main

import (
	"flag"
	"math"
	"regexp"
	"strconv"

	"github.com/benchnet/benchnet/internal/agent/exposition"
	"github.com/benchnet/benchnet/internal/agent/process"
)

// counting is what lines of the command's output count, and as which metric.
type counting struct {
	pattern, name *string
	scale         *float64
}

func counterFlags(flags *flag.FlagSet) counting {
	return counting{
		pattern: flags.String("count-pattern", "", "regular `expression` with one group, a number; each line of the output "+
			"(standard or error) that it matches adds that number to --count-name"),
		scale: flags.Float64("count-scale", 1, "`factor` of each number: 0.1 if lines give a rate per second ten times a second"),
		name:  flags.String("count-name", "", "`metric`, a counter, that is served beside the container's usage"),
	}
}

var metricName = regexp.MustCompile(`^[a-zA-Z_:][a-zA-Z0-9_:]*$`)

// counter is the metric and who counts for it; neither, if nothing is to be counted.
func (c counting) counter() (*exposition.Tally, []process.Watcher, error) {
	if *c.pattern == "" && *c.name == "" {
		return nil, nil, nil
	}
	expression, err := regexp.Compile(*c.pattern)
	switch {
	case *c.pattern == "" || *c.name == "":
		return nil, nil, misused("--count-pattern and --count-name belong together")
	case err != nil:
		return nil, nil, misused("--count-pattern: %w", err)
	case expression.NumSubexp() != 1:
		return nil, nil, misused("--count-pattern: %q has %d groups, want one, around the number", *c.pattern, expression.NumSubexp())
	case !metricName.MatchString(*c.name):
		return nil, nil, misused("--count-name: %q is not the name of a metric", *c.name)
	case !(*c.scale > 0) || math.IsInf(*c.scale, 0):
		return nil, nil, misused("--count-scale: %v is not a positive number", *c.scale)
	}
	tally := &exposition.Tally{Name: *c.name, Help: "Counted from the lines of the command's output."}
	return tally, []process.Watcher{process.Each(expression, func(group []byte) { c.add(tally, group) })}, nil
}

// add counts what a line says; what is no number that a counter can take is passed over.
func (c counting) add(tally *exposition.Tally, group []byte) {
	value, err := strconv.ParseFloat(string(group), 64)
	if err != nil || !(value > 0) || math.IsInf(value, 0) {
		return
	}
	tally.Add(value * *c.scale)
}
