package main

import (
	"flag"
	"math"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/benchnet/benchnet/internal/agent/exposition"
	"github.com/benchnet/benchnet/internal/agent/process"
)

// counting is what lines of the command's output count, and as which metric.
type counting struct {
	pattern, name *string
	grid          *time.Duration
}

func counterFlags(flags *flag.FlagSet) counting {
	return counting{
		pattern: flags.String("count-pattern", "", "regular `expression` with one group, a number; each line of the output "+
			"(standard or error) that it matches adds that number to --count-name"),
		grid: flags.Duration("count-grid", 0, "for numbers that are rates per second: a line, whose time is a group named time (15:04:05.000), "+
			"stands for the `time` since the last full multiple of this before the line before it"),
		name: flags.String("count-name", "", "`metric`, a counter, that is served beside the container's usage"),
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
	case *c.grid < 0:
		return nil, nil, misused("--count-grid: %v is negative", *c.grid)
	case (*c.grid > 0) != slices.Contains(expression.SubexpNames(), timeGroup):
		return nil, nil, misused("--count-grid and a group (?P<time>...) in --count-pattern belong together")
	case expression.NumSubexp() != 1 && *c.grid == 0, expression.NumSubexp() != 2 && *c.grid > 0:
		return nil, nil, misused("--count-pattern: %q has %d groups, want one, around the number, besides that of the time", *c.pattern, expression.NumSubexp())
	case !metricName.MatchString(*c.name):
		return nil, nil, misused("--count-name: %q is not the name of a metric", *c.name)
	}
	tally := &exposition.Tally{Name: *c.name, Help: "Counted from the lines of the command's output."}
	lines := &rates{tally: tally, grid: *c.grid, time: expression.SubexpIndex(timeGroup)}
	return tally, []process.Watcher{process.Each(expression, lines.count)}, nil
}

// timeGroup is the group of the pattern that holds the time of day of a line, as timeLayout has it.
const (
	timeGroup  = "time"
	timeLayout = "15:04:05.000"
)

// rates counts what lines say. Both outputs of a command may call it.
type rates struct {
	tally *exposition.Tally
	// grid of times for rates; 0: the numbers themselves are counted.
	grid time.Duration
	// time is the index of its group; -1 without one.
	time int

	sync.Mutex
	last time.Time
}

// count adds what a line says; what is no number that a counter can take is passed over.
func (r *rates) count(groups [][]byte) {
	number := 1
	if r.time == 1 {
		number = 2
	}
	value, err := strconv.ParseFloat(string(groups[number]), 64)
	if r.time > 0 {
		value *= r.elapsed(string(groups[r.time])).Seconds()
	}
	if err != nil || !(value > 0) || math.IsInf(value, 0) {
		return
	}
	r.tally.Add(value)
}

// elapsed is the time that a line stands for. The first one, and one without a time, stands for a step of the grid.
func (r *rates) elapsed(text string) time.Duration {
	now, err := time.Parse(timeLayout, text)
	if err != nil {
		return r.grid
	}
	r.Lock()
	defer r.Unlock()
	since := r.last.Truncate(r.grid)
	first := r.last.IsZero()
	r.last = now
	if first {
		return r.grid
	}
	if now.Before(since) {
		now = now.AddDate(0, 0, 1) // Midnight has passed.
	}
	return now.Sub(since)
}
