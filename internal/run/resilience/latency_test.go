package resilience

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/statistics"
)

// newInterval returns an interval with so many latencies of 10 ms, latencies of 50 ms, and failures.
func newInterval(t *testing.T, usual, slow int, failed int64) measurement.LatencyInterval {
	t.Helper()
	i := measurement.LatencyInterval{Latencies: measurement.NewHistogram(), Failed: failed}
	for n := range usual + slow {
		micros := int64(10_000)
		if n >= usual {
			micros = 50_000
		}
		if err := i.Latencies.Record(micros); err != nil {
			t.Fatal(err)
		}
	}
	return i
}

// TestScoreLatencies compares scores with those computed by hand. The fault begins 2 s after the start of an interval.
func TestScoreLatencies(t *testing.T) {
	usual, slow, failing, idle := newInterval(t, 100, 0, 0), newInterval(t, 80, 20, 0), newInterval(t, 80, 0, 20), newInterval(t, 0, 0, 0)
	few := newInterval(t, 20, 0, 0)
	before := []measurement.LatencyInterval{usual, usual, usual, usual, usual, usual, usual, usual, usual, usual, usual, usual}
	sparse := []measurement.LatencyInterval{few, few, few, few, few, few, few, few, few, few, few, few}
	compared := func(percentile int) LatencyScore {
		return LatencyScore{Percentile: percentile, BaselineMillis: 10.007, IntervalSeconds: 5}
	}
	withTimes := func(s LatencyScore, impact, recovery *float64, censored float64) LatencyScore {
		s.ImpactSeconds, s.RecoverySeconds, s.CensoredSeconds = impact, recovery, censored
		return s
	}
	for name, c := range map[string]struct {
		before, after []measurement.LatencyInterval
		due           func(second int) float64
		want          LatencyScore
	}{
		"no impact":              {before, []measurement.LatencyInterval{usual, usual, usual}, nil, withTimes(compared(99), nil, new(0.0), 0)},
		"slow, then as before":   {before, []measurement.LatencyInterval{slow, slow, usual, usual}, nil, withTimes(compared(99), new(0.0), new(8.0), 0)},
		"failures":               {before, []measurement.LatencyInterval{usual, failing, usual, usual}, nil, withTimes(compared(99), new(3.0), new(8.0), 0)},
		"all clients wait":       {before, []measurement.LatencyInterval{idle, usual, usual}, nil, withTimes(compared(99), new(0.0), new(3.0), 0)},
		"slow again in the hold": {before, []measurement.LatencyInterval{slow, usual, slow, usual, usual}, nil, withTimes(compared(99), new(0.0), new(13.0), 0)},
		"no recovery":            {before, []measurement.LatencyInterval{usual, slow, slow}, nil, withTimes(compared(99), new(3.0), nil, 13)},
		"too short a recovery":   {before, []measurement.LatencyInterval{slow, usual}, nil, withTimes(compared(99), new(0.0), nil, 8)},
		"fewer latencies":        {sparse, []measurement.LatencyInterval{slow, usual, usual}, nil, withTimes(compared(95), new(0.0), new(3.0), 0)},
		"the fewest latencies":   {sparse[:5], []measurement.LatencyInterval{usual, usual}, nil, withTimes(compared(90), nil, new(0.0), 0)},
		"too few latencies":      {sparse[:4], []measurement.LatencyInterval{slow}, nil, LatencyScore{Problem: "80 latencies before the fault are too few for a p90, which needs 100"}},
		"another rate":           {before, []measurement.LatencyInterval{usual, usual}, func(second int) float64 { return float64(10 + second/65) }, LatencyScore{Problem: "the rate of the load changes from 10 to 10.4/s"}},
		"the same rate":          {before, []measurement.LatencyInterval{slow}, func(int) float64 { return 20 }, withTimes(compared(99), new(0.0), nil, 3)},
		"no time after":          {before, nil, nil, LatencyScore{Percentile: 99, BaselineMillis: 10.007, Problem: "the window or the time before the next fault ends within the interval of 5 s of the fault"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := Window{LatencySeconds: 5, Latencies: append(append([]measurement.LatencyInterval{}, c.before...), c.after...)}
			seconds := 5 * len(w.Latencies)
			w.Completed = repeatValues(seconds, 20)
			if c.due != nil {
				w.Due = numberSeconds(seconds, c.due)
			}
			at := float64(5*len(c.before)) + 2
			got := ScoreFaults(w, []Span{{FromSeconds: at, HealedSeconds: at}})[0].Latency
			got.BaselineMillis = statistics.RoundMillis(got.BaselineMillis)
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("the score is %+v, want %+v", got, c.want)
			}
		})
	}
}

// TestNoiseOfLatenciesIsNoImpact scores faults without an effect in 200 runs with exponential latencies. An impact may be found in 2 %.
func TestNoiseOfLatenciesIsNoImpact(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 200 {
		w := Window{LatencySeconds: 5, Completed: repeatValues(120, 20)}
		for range 24 {
			i := measurement.LatencyInterval{Latencies: measurement.NewHistogram()}
			for range 100 {
				if err := i.Latencies.Record(int64(20_000 * random.ExpFloat64())); err != nil {
					t.Fatal(err)
				}
			}
			w.Latencies = append(w.Latencies, i)
		}
		if ScoreFaults(w, []Span{{FromSeconds: 60, HealedSeconds: 60}})[0].Latency.ImpactSeconds != nil {
			found++
		}
	}
	if found > 4 {
		t.Errorf("an impact was found in %d of 200 runs without one", found)
	}
}
