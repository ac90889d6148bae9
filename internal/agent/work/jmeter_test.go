package work

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

func TestJMeterWindowStopsEarly(t *testing.T) {
	t.Parallel()
	code, reported := runToExit(t, "plan stopped", jmeterScript)
	w := assertStoppedEarly(t, code, reported)
	var p protocol.Progress
	if err := json.Unmarshal([]byte(readContent(t, reported, "progress")), &p); err != nil || len(p.CompletedPerSecond) == 0 {
		t.Errorf("progress %+v, %v; want the samples of each second so far", p, err)
	}
	assertSamples(t, w)
}

// jmeterScript begins two samples every 100 ms, of which only one ends. When the plan is stopped, it logs the others
// as unfinished, like the driver.
const jmeterScript = `[ "$1 $2 $4" = "-n -t -l" ] || exit 9
		case "$*" in *-Jbenchnet.worker=1\ -Jbenchnet.workers=2*) ;; *) exit 8;; esac
		echo timeStamp,elapsed,label,responseCode,responseMessage,success,failureMessage > "$5"
		begun=
		while ! [ -f stop-plan ]; do
			now=$(date +%s%3N) begun="$begun $now"
			echo "$now,5,Pay,200,OK,true," >> "$5"
			sleep 0.1
		done
		for at in $begun; do echo "$at,$(( $(date +%s%3N) - at )),Pay,Unfinished,in flight,false," >> "$5"; done`

func TestJMeterRun(t *testing.T) {
	t.Parallel()
	code, reported := runToExit(t, "plan", jmeterScript)
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, readContent(t, reported, "failure"))
	}
	w, err := measurement.DecodeWorkerResult([]byte(readContent(t, reported, "result")))
	if err != nil {
		t.Fatal(err)
	}
	assertSamples(t, w)
	assertObserved(t, w)
	if w.Load == nil {
		t.Error("the worker's own load is missing")
	}
}

// assertSamples checks that there are samples, at most the plan's ten per second, and that those in flight at the
// end are unfinished. Their number depends on the machine.
func assertSamples(t *testing.T, w *measurement.WorkerResult) {
	t.Helper()
	var all int64
	for second, n := range w.CompletedPerSecond {
		all += n
		if n > 10 {
			t.Errorf("%d samples in second %d, want ten at most", n, second)
		}
	}
	if all == 0 {
		t.Error("no sample was counted")
	}
	m, err := measurement.Merge([]measurement.WorkerResult{*w})
	if err != nil {
		t.Fatal(err)
	}
	if n := m.Histogram.Count(); len(w.Errors) != 1 || w.Errors[0].Kind != measurement.Unfinished || w.Errors[0].Count != n {
		t.Errorf("%d latencies, errors %+v; want as many unfinished samples", n, w.Errors)
	}
}

func TestJMeterPlanGetsItsShare(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		clients int32
		workers int
		rate    float64
	}{{4, 1, 10}, {4, 2, 10}, {7, 3, 2.5}, {5, 4, 0}} {
		t.Run(fmt.Sprintf("%d clients, %d workers", c.clients, c.workers), func(t *testing.T) {
			var clients int32
			var rate, perMinute float64
			for i := range c.workers {
				w := &Worker{Index: i, Workers: c.workers, Workload: &protocol.WorkloadFile[any]{
					Load: &protocol.OfferedLoad{Clients: c.clients, RatePerSecond: c.rate}}}
				for _, argument := range w.jmeterArguments() {
					var n int32
					var r float64
					if _, err := fmt.Sscanf(argument, "-Jbenchnet.clients=%d", &n); err == nil {
						clients += n
					}
					if _, err := fmt.Sscanf(argument, "-Jbenchnet.ratePerSecond=%g", &r); err == nil {
						rate += r
					}
					if _, err := fmt.Sscanf(argument, "-Jbenchnet.ratePerMinute=%g", &r); err == nil {
						perMinute += r
					}
				}
				if c.rate == 0 && slices.ContainsFunc(w.loadShare(), func(s string) bool { return len(s) > 22 && s[:22] == "-Jbenchnet.ratePerSeco" }) {
					t.Error("a closed loop has a rate")
				}
			}
			if clients != c.clients || rate < c.rate-1e-9 || rate > c.rate+1e-9 || perMinute < 60*c.rate-1e-6 || perMinute > 60*c.rate+1e-6 {
				t.Errorf("shares add up to %d clients, %g/s and %g/min", clients, rate, perMinute)
			}
		})
	}
}

// TestJMeterSchedule checks the schedule of an Open Model Thread Group, which JMeter parses to the same counts as other drivers have.
func TestJMeterSchedule(t *testing.T) {
	t.Parallel()
	ramp := []protocol.RatePiece{{Seconds: 10, FromPerSecond: 20, ToPerSecond: 20}, {Seconds: 40, FromPerSecond: 20, ToPerSecond: 61}}
	for name, c := range map[string]struct {
		load protocol.OfferedLoad
		want string
	}{
		"constant": {protocol.OfferedLoad{RatePerSecond: 5}, "rate(2.5/sec) even_arrivals(50 sec) rate(2.5/sec)"},
		"rates":    {protocol.OfferedLoad{Rates: ramp}, "rate(10/sec) even_arrivals(10 sec) rate(10/sec) rate(10/sec) even_arrivals(40 sec) rate(30.5/sec)"},
		"Poisson": {protocol.OfferedLoad{Rates: ramp, Arrivals: protocol.ArrivalsPoisson},
			"rate(10/sec) random_arrivals(10 sec) rate(10/sec) rate(10/sec) random_arrivals(40 sec) rate(30.5/sec)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &Worker{Workers: 2, Workload: &protocol.WorkloadFile[any]{Load: &c.load, Measure: protocol.MeasureTimes{WarmUpSeconds: 10, WindowSeconds: 40}}}
			if share := w.loadShare(); !slices.Contains(share, "-Jbenchnet.schedule="+c.want) {
				t.Errorf("got %q, want the schedule %q", share, c.want)
			}
		})
	}
}
