package main

import (
	"flag"
	"math"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/benchnet/benchnet/internal/agent/container"
	"github.com/benchnet/benchnet/internal/agent/supervise"
	"github.com/benchnet/benchnet/internal/subcommand"
)

// counterOptions select the lines of the command's output that are counted, and the metric.
type counterOptions struct {
	pattern, name *string
	grid          *time.Duration
}

func defineCounterFlags(flags *flag.FlagSet) counterOptions {
	return counterOptions{
		pattern: flags.String("count-pattern", "", "regular `expression` with one group, a number; each line of the output "+
			"(standard or error) that it matches adds that number to --count-name"),
		grid: flags.Duration("count-grid", 0, "for numbers that are rates per second: a line, whose time is a group named time (15:04:05.000), "+
			"covers the `time` since the last full multiple of this interval before the preceding line"),
		name: flags.String("count-name", "", "`metric`, a counter, that is served in addition to the container's usage"),
	}
}

var metricNamePattern = regexp.MustCompile(`^[a-zA-Z_:][a-zA-Z0-9_:]*$`)

// newCounter returns the metric and the watchers that count for it, or nil for both without flags.
func (c counterOptions) newCounter() (*container.SharedCounter, []supervise.LineWatcher, error) {
	if *c.pattern == "" && *c.name == "" {
		return nil, nil, nil
	}
	expression, err := regexp.Compile(*c.pattern)
	switch {
	case *c.pattern == "" || *c.name == "":
		return nil, nil, subcommand.UsageErrorf("--count-pattern and --count-name belong together")
	case err != nil:
		return nil, nil, subcommand.UsageErrorf("--count-pattern: %w", err)
	case *c.grid < 0:
		return nil, nil, subcommand.UsageErrorf("--count-grid: %v is negative", *c.grid)
	case (*c.grid > 0) != slices.Contains(expression.SubexpNames(), timeGroup):
		return nil, nil, subcommand.UsageErrorf("--count-grid and a group (?P<time>...) in --count-pattern belong together")
	case expression.NumSubexp() != 1 && *c.grid == 0, expression.NumSubexp() != 2 && *c.grid > 0:
		return nil, nil, subcommand.UsageErrorf("--count-pattern: %q has %d groups, want one around the number, in addition to the group of the time",
			*c.pattern, expression.NumSubexp())
	case !metricNamePattern.MatchString(*c.name):
		return nil, nil, subcommand.UsageErrorf("--count-name: %q is not the name of a metric", *c.name)
	}
	tally := &container.SharedCounter{Name: *c.name, Help: "Counted from the lines of the command's output."}
	lines := &lineCounter{counter: tally, grid: *c.grid, timeGroupIndex: expression.SubexpIndex(timeGroup)}
	return tally, []supervise.LineWatcher{supervise.WatchMatches(expression, lines.countLine)}, nil
}

// timeGroup is the group of the pattern with the time of day of a line, in the format timeLayout.
const (
	timeGroup  = "time"
	timeLayout = "15:04:05.000"
)

// lineCounter adds the numbers of matching lines to a counter. It is safe for concurrent use by both outputs.
type lineCounter struct {
	counter *container.SharedCounter
	// grid is the time step for rates; 0 if the numbers themselves are counted.
	grid time.Duration
	// timeGroupIndex is the index of timeGroup in the pattern; -1 without one.
	timeGroupIndex int

	sync.Mutex
	lastTime time.Time
}

// countLine adds the number of a line to the counter. It ignores numbers that are invalid, infinite or not positive.
func (r *lineCounter) countLine(groups [][]byte) {
	number := 1
	if r.timeGroupIndex == 1 {
		number = 2
	}
	value, err := strconv.ParseFloat(string(groups[number]), 64)
	if r.timeGroupIndex > 0 {
		value *= r.lineDuration(string(groups[r.timeGroupIndex])).Seconds()
	}
	if err != nil || !(value > 0) || math.IsInf(value, 0) {
		return
	}
	r.counter.Add(value)
}

// lineDuration returns the time that a line covers. The first line, and one without a valid time, cover one grid step.
func (r *lineCounter) lineDuration(text string) time.Duration {
	now, err := time.Parse(timeLayout, text)
	if err != nil {
		return r.grid
	}
	r.Lock()
	defer r.Unlock()
	since := r.lastTime.Truncate(r.grid)
	first := r.lastTime.IsZero()
	r.lastTime = now
	if first {
		return r.grid
	}
	if now.Before(since) {
		now = now.AddDate(0, 0, 1) // The time is past midnight.
	}
	return now.Sub(since)
}
