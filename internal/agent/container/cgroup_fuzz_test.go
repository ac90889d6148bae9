package container

import (
	"math"
	"testing"
)

// FuzzUsageFromMetrics parses arbitrary metrics of a container: accepted numbers survive a round trip.
func FuzzUsageFromMetrics(f *testing.F) {
	f.Add(7.25, 120.0, 30.0, 2.5, 1500.0)
	f.Add(-1.0, -1.0, 0.0, 0.0, -1.0)
	f.Add(math.NaN(), math.Inf(1), 1e300, 1e10, 0.5)
	f.Fuzz(func(t *testing.T, cpu, periods, throttledPeriods, throttled, memory float64) {
		values := map[string]float64{}
		for i, m := range (Usage{}).Metrics() {
			values[m.Name] = []float64{cpu, periods, throttledPeriods, throttled, memory}[i]
		}
		u, err := UsageFromMetrics(values)
		if err != nil {
			return
		}
		for _, m := range u.Metrics() {
			if want := values[m.Name]; !(m.Value >= 0) || math.Abs(m.Value-want) > 1+1e-9*want {
				t.Errorf("%s: %v became %v", m.Name, want, m.Value)
			}
		}
	})
}

// FuzzReadUsage reads arbitrary kernel files: usage is never negative, and evidence values fit the kinds of their metrics.
func FuzzReadUsage(f *testing.F) {
	f.Add(statV2, "2000\n", memoryV2, "100000 100000\n", "oom_kill 1\n", "8:0 rbytes=1 wbytes=2\n")
	f.Add("usage_usec 18446744073709551615\n", "1", "inactive_file 5", "max 100000", "", "")
	f.Add("usage_usec -1\n", "x", "", "-1 0", "oom_kill NaN", "rbytes=Inf wbytes=-Inf")
	f.Fuzz(func(t *testing.T, cpu, current, memory, limit, events, disks string) {
		c := v2Reader{writeTree(t, map[string]string{"cpu.stat": cpu, "memory.current": current, "memory.stat": memory, "cpu.max": limit,
			"memory.events": events, "io.stat": disks, "memory.max": current})}
		all := Catalogue(c.ReadEvidence())
		if u, err := c.Read(); err == nil {
			if u.CPU < 0 || u.Throttled < 0 {
				t.Errorf("%q is %+v", cpu, u)
			}
			all = append(all, u.Metrics()...)
		}
		for _, m := range all {
			if !(m.Value >= 0) || math.IsInf(m.Value, 0) {
				t.Errorf("%s is %v", m.Name, m.Value)
			}
		}
	})
}
