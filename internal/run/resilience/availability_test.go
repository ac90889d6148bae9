package resilience

import (
	"fmt"
	"testing"

	"github.com/benchnet/benchnet/internal/run/measurement"
)

// TestMeasureAvailability compares availabilities with those computed by hand: 200 operations are due in each interval of 5 s.
func TestMeasureAvailability(t *testing.T) {
	all, exactly99, below, none, idle := newInterval(t, 200, 0, 0), newInterval(t, 198, 0, 2), newInterval(t, 197, 0, 3), newInterval(t, 0, 0, 200), newInterval(t, 0, 0, 0)
	slow := newInterval(t, 0, 200, 0)
	one := newInterval(t, 1, 0, 0)
	due := []float64{}
	for name, c := range map[string]struct {
		latencies []measurement.LatencyInterval
		due       []float64
		seconds   int
		first     int
		want      string
	}{
		"no error":                        {[]measurement.LatencyInterval{none, all, all}, due, 5, 5, "[5 400 400 100 % 2 of 2 of 5 s]"},
		"an outage of one interval":       {[]measurement.LatencyInterval{all, all, none, all, all}, due, 5, 5, "[5 800 600 75 % 3 of 4 of 5 s]"},
		"the fault within an interval":    {[]measurement.LatencyInterval{all, none, all, all}, due, 5, 9, "[5 600 400 66.6667 % 2 of 3 of 5 s]"},
		"the edge of 99 %":                {[]measurement.LatencyInterval{exactly99, below}, due, 5, 0, "[0 400 395 98.75 % 1 of 2 of 5 s]"},
		"late, but before the drain ends": {[]measurement.LatencyInterval{all, slow}, due, 5, 5, "[5 200 200 100 % 1 of 1 of 5 s]"},
		"intervals without operations":    {[]measurement.LatencyInterval{all, idle, all}, due, 10, 0, "[0 400 400 100 % 2 of 2 of 10 s]"},
		"a last interval of one":          {[]measurement.LatencyInterval{none, one}, due, 5, 0, "[0 201 1 0.497512 % 1 of 2 of 5 s]"},
		"nothing succeeds":                {[]measurement.LatencyInterval{all, none}, due, 5, 5, "[5 200 0 0 % 0 of 1 of 5 s]"},
		"nothing is due":                  {[]measurement.LatencyInterval{all, idle}, due, 5, 5, "[5    ] no operation was due"},
		"beyond the intervals":            {[]measurement.LatencyInterval{all}, due, 5, 60, "[60    ] no operation was due"},
		"a closed loop":                   {[]measurement.LatencyInterval{all, all}, nil, 5, 7, "[7    ] only in an open loop are operations due while the network does not answer"},
		"no intervals":                    {nil, due, 0, 60, "[60    ] the load driver reported no latencies by interval"},
	} {
		t.Run(name, func(t *testing.T) {
			a := Window{Latencies: c.latencies, LatencySeconds: c.seconds, Due: c.due}.MeasureAvailability(c.first)
			got := fmt.Sprint(a.Describe())
			if a.Problem != "" {
				got += " " + a.Problem
			}
			if got != c.want || (a.Problem == "") != (a.Share != nil && a.TimeShare != nil) {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}
