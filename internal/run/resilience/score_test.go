package resilience

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// joinSeries returns the series one after the other.
func joinSeries(series ...[]int64) []int64 { return slices.Concat(series...) }

// repeatValues returns the values so many times.
func repeatValues(times int, values ...int64) []int64 { return slices.Repeat(values, times) }

// numberSeconds returns the values of a function of the second.
func numberSeconds(seconds int, value func(second int) float64) []float64 {
	values := make([]float64, seconds)
	for i := range values {
		values[i] = value(i)
	}
	return values
}

// wholeNumbers rounds the values to completions.
func wholeNumbers(values []float64) []int64 {
	completed := make([]int64, len(values))
	for i, v := range values {
		completed[i] = int64(math.Round(v))
	}
	return completed
}

// steady is a baseline of 60 s with 100 completions in each second.
var steady = repeatValues(60, 100)

// fault is a pause from second 60 to 63.
var fault = Span{Name: "pause", FromSeconds: 60, HealedSeconds: 63}

// scoreOf returns the score of a fault in bins of 1 s after the steady baseline.
func scoreOf(outage int, impact, recovery *float64, censored, degradation float64) Score {
	return Score{
		BaselinePerSecond: 100, OutageSeconds: outage, BinSeconds: 1,
		Effect: Effect{ImpactSeconds: impact, RecoverySeconds: recovery, CensoredSeconds: censored}, DegradationSeconds: degradation,
	}
}

// withCutOutage returns the score of an outage that the end of the time cut off.
func withCutOutage(s Score) Score {
	s.OutageCensored = true
	return s
}

// TestScoreFaults compares scores with those computed by hand.
func TestScoreFaults(t *testing.T) {
	unaffected := scoreOf(0, nil, new(0.0), 0, 0)
	ramp := numberSeconds(120, func(second int) float64 { return 100 + float64(second) })
	raised := numberSeconds(120, func(second int) float64 { return 100 + 100*float64(second/60) })
	for name, c := range map[string]struct {
		window Window
		spans  []Span
		want   []Score
	}{
		"no effect": {
			Window{Completed: repeatValues(120, 100)}, []Span{fault}, []Score{unaffected},
		},
		"outage of 3 s and catch-up": {
			// Seconds 61 and 62 are whole seconds of the outage.
			Window{Completed: joinSeries(steady, repeatValues(3, 0), repeatValues(10, 130), repeatValues(47, 100))},
			[]Span{fault}, []Score{scoreOf(2, new(0.0), new(3.0), 0, 3)},
		},
		"outage that begins 59 s after the heal and lasts for 8 s": {
			// The throughput was in the band before, so the impact is late.
			Window{Completed: joinSeries(repeatValues(122, 100), repeatValues(8, 0), repeatValues(30, 100))},
			[]Span{fault}, []Score{scoreOf(8, new(62.0), new(70.0), 0, 8)},
		},
		"outage that begins 61 s after the heal": {
			Window{Completed: joinSeries(repeatValues(124, 100), repeatValues(8, 0), repeatValues(30, 100))},
			[]Span{fault}, []Score{scoreOf(0, new(64.0), new(72.0), 0, 8)},
		},
		"outage from 60.5 to 63.5": {
			// It recovers in bin 64. Missing: 50 + 100 + 100 + 50.
			Window{Completed: joinSeries(steady, []int64{50, 0, 0, 50}, repeatValues(56, 100))},
			[]Span{{FromSeconds: 60.5, HealedSeconds: 63.5}}, []Score{scoreOf(2, new(0.0), new(3.5), 0, 3)},
		},
		"outage that begins after 5 s": {
			Window{Completed: joinSeries(repeatValues(65, 100), repeatValues(4, 0), repeatValues(51, 100))},
			[]Span{{FromSeconds: 60.25, HealedSeconds: 61}}, []Score{scoreOf(4, new(4.75), new(8.75), 0, 4)},
		},
		"outage that ends 77 s after the heal": {
			// Seconds 61 to 139 are empty.
			Window{Completed: joinSeries(steady, repeatValues(80, 0), repeatValues(20, 100))},
			[]Span{fault}, []Score{scoreOf(79, new(0.0), new(80.0), 0, 80)},
		},
		"40 % for 7 s": {
			// 7 × 60 of 100 are missing.
			Window{Completed: joinSeries(steady, repeatValues(7, 40), repeatValues(53, 100))},
			[]Span{fault}, []Score{scoreOf(0, new(0.0), new(7.0), 0, 4.2)},
		},
		"ramp back": {
			// 95 is in the band. Missing: 100 + 100 + 80 + 60 + 40 + 20.
			Window{Completed: joinSeries(steady, []int64{0, 0, 20, 40, 60, 80, 95}, repeatValues(53, 100))},
			[]Span{fault}, []Score{scoreOf(1, new(0.0), new(6.0), 0, 4)},
		},
		"edge of the band": {
			Window{Completed: joinSeries(steady, repeatValues(60, 90))}, []Span{fault}, []Score{unaffected},
		},
		"flapping": {
			// Bins 62 to 70 hold for 9 s only. Bin 71 leaves the band, so that the search restarts.
			Window{Completed: joinSeries(steady, []int64{50, 50}, repeatValues(9, 100), []int64{50}, repeatValues(48, 100))},
			[]Span{fault}, []Score{scoreOf(0, new(0.0), new(12.0), 0, 1.5)},
		},
		"second loss after the hold": {
			Window{Completed: joinSeries(steady, []int64{50, 50}, repeatValues(10, 100), []int64{50, 50}, repeatValues(46, 100))},
			[]Span{fault}, []Score{scoreOf(0, new(0.0), new(2.0), 0, 1)},
		},
		"pause shorter than a bin": {
			Window{Completed: joinSeries(steady, []int64{40, 160}, repeatValues(58, 100))}, []Span{fault}, []Score{unaffected},
		},
		"one bin without completions": {
			Window{Completed: joinSeries(steady, []int64{0, 200}, repeatValues(58, 100))},
			[]Span{fault}, []Score{scoreOf(0, new(0.0), new(1.0), 0, 1)},
		},
		"only the last bin is below": {
			Window{Completed: joinSeries(repeatValues(119, 100), []int64{50})}, []Span{fault}, []Score{unaffected},
		},
		"not recovered at the end": {
			// 60 × 30 of 100 are missing.
			Window{Completed: joinSeries(steady, repeatValues(60, 70))},
			[]Span{{FromSeconds: 60.5, HealedSeconds: 63}}, []Score{scoreOf(0, new(0.0), nil, 59.5, 18)},
		},
		"in the band for 9 s before the end": {
			Window{Completed: joinSeries(steady, repeatValues(5, 0), repeatValues(9, 100))},
			[]Span{fault}, []Score{scoreOf(4, new(0.0), nil, 14, 5)},
		},
		"second fault before the recovery": {
			Window{Completed: joinSeries(steady, repeatValues(16, 0), repeatValues(44, 100))},
			[]Span{{FromSeconds: 66.5, HealedSeconds: 70}, fault},
			[]Score{scoreOf(9, new(0.0), new(9.5), 0, 10), withCutOutage(scoreOf(5, new(0.0), nil, 6.5, 6))},
		},
		"two faults in the same second": {
			// Seconds 61 to 129 are empty.
			Window{Completed: joinSeries(steady, repeatValues(70, 0), repeatValues(20, 100))},
			[]Span{{FromSeconds: 60.75, HealedSeconds: 64}, {FromSeconds: 60.5, HealedSeconds: 65}},
			[]Score{scoreOf(69, new(0.0), new(69.5), 0, 70), scoreOf(69, new(0.0), new(69.5), 0, 70)},
		},
		"second fault in the next second": {
			Window{Completed: repeatValues(120, 100)}, []Span{fault, {FromSeconds: 61, HealedSeconds: 64}},
			[]Score{
				{BaselinePerSecond: 100, Problem: "the window or the time before the next fault ends within two bins of 1 s after the fault"},
				unaffected,
			},
		},
		"rate that rises without an effect": {
			// The mean of 100 to 159 is 129.5.
			Window{Completed: wholeNumbers(ramp), Due: ramp}, []Span{fault},
			[]Score{{BaselinePerSecond: 129.5, BinSeconds: 1, Effect: Effect{RecoverySeconds: new(0.0)}}},
		},
		"rate that rises beyond the capacity": {
			Window{Completed: repeatValues(120, 100), Due: raised}, []Span{fault}, []Score{scoreOf(0, new(0.0), nil, 60, 30)},
		},
		"more completions than due before the fault": {
			// The share is at most 1, so that 95 of 100 are expected to be enough.
			Window{Completed: joinSeries(repeatValues(60, 110), repeatValues(60, 95)), Due: slices.Repeat([]float64{100}, 120)}, []Span{fault},
			[]Score{{BaselinePerSecond: 110, BinSeconds: 1, Effect: Effect{RecoverySeconds: new(0.0)}}},
		},
		"80 % of what is due, then 60 %": {
			// 60 × 20 of 80 are missing.
			Window{Completed: joinSeries(repeatValues(60, 80), repeatValues(60, 60)), Due: slices.Repeat([]float64{100}, 120)}, []Span{fault},
			[]Score{{BaselinePerSecond: 80, BinSeconds: 1, Effect: Effect{ImpactSeconds: new(0.0), CensoredSeconds: 60}, DegradationSeconds: 15}},
		},
		"nothing due after the fault": {
			Window{Completed: joinSeries(steady, repeatValues(60, 0)), Due: slices.Repeat([]float64{100}, 60)}, []Span{fault},
			[]Score{withCutOutage(scoreOf(59, nil, new(0.0), 0, 0))},
		},
		"outage at the end of the window": {
			Window{Completed: joinSeries(steady, repeatValues(8, 0), repeatValues(40, 100), repeatValues(12, 0))},
			[]Span{fault}, []Score{withCutOutage(scoreOf(12, new(0.0), new(8.0), 0, 8))},
		},
		"longer outage than that at the end of the window": {
			Window{Completed: joinSeries(steady, repeatValues(8, 0), repeatValues(48, 100), repeatValues(4, 0))},
			[]Span{fault}, []Score{scoreOf(7, new(0.0), new(8.0), 0, 8)},
		},
		"40 % of what is due": {
			Window{Completed: repeatValues(120, 40), Due: slices.Repeat([]float64{100}, 120)}, []Span{fault},
			[]Score{{BaselinePerSecond: 40, Problem: "40 % of the operations that were due before the fault completed, at least 50 % allow a comparison"}},
		},
		"a block every 10 s": {
			// A bin without a block is empty. Blocks are at 9, 19 to 59 and from 79.
			Window{Completed: joinSeries(repeatValues(6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 500), repeatValues(10, 0), repeatValues(5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 500))},
			[]Span{fault}, []Score{{
				BaselinePerSecond: 50, BaselineGapSeconds: 9, OutageSeconds: 18, BinSeconds: 10,
				Effect: Effect{ImpactSeconds: new(0.0), RecoverySeconds: new(10.0)}, DegradationSeconds: 10,
			}},
		},
		"a block every 2 s": {
			// The baseline begins with an odd second. Bins 61 and 63 lack 80 of 100 each.
			Window{Completed: joinSeries([]int64{100}, repeatValues(30, 0, 100), repeatValues(2, 0, 20), repeatValues(20, 0, 100))},
			[]Span{{FromSeconds: 61, HealedSeconds: 64}}, []Score{{
				BaselinePerSecond: 3100.0 / 61, BaselineGapSeconds: 1, OutageSeconds: 1, BinSeconds: 2,
				Effect: Effect{ImpactSeconds: new(0.0), RecoverySeconds: new(4.0)}, DegradationSeconds: 4 * (1 - 40/(4*3100.0/61)),
			}},
		},
		"a block every 3 s": {
			// In 10 s there are 3, 3 and 4 blocks in turn: 3.3 deviations of 0.516 are 51 % of 3.33.
			Window{Completed: repeatValues(40, 0, 0, 50)}, []Span{fault}, []Score{{
				BaselinePerSecond: 50.0 / 3, BaselineGapSeconds: 2, OutageSeconds: 2,
				Problem: "completions vary by 51.12 % per 10 s before the fault, at most 10 % allow a comparison",
			}},
		},
		"no completions before the fault": {
			Window{Completed: joinSeries(repeatValues(60, 0), steady)}, []Span{fault},
			[]Score{{BaselineGapSeconds: 60, Problem: "nothing completed before the fault, or nothing was due"}},
		},
		"baseline of 2 s": {
			Window{Completed: steady}, []Span{{FromSeconds: 2.5, HealedSeconds: 3}},
			[]Score{{BaselinePerSecond: 100, Problem: "the fault begins less than 4 s after the start of the window"}},
		},
		"no second before the fault": {
			Window{Completed: steady}, []Span{{FromSeconds: 20, HealedSeconds: 21}, {FromSeconds: 0.9, HealedSeconds: 3}}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := ScoreFaults(c.window, c.spans)
			for i := range got {
				// Sums of fractions differ in the last digits.
				got[i].DegradationSeconds = math.Round(1e3*got[i].DegradationSeconds) / 1e3
				got[i].Latency = LatencyScore{} // TestScoreLatencies compares it.
			}
			for i := range c.want {
				c.want[i].DegradationSeconds = math.Round(1e3*c.want[i].DegradationSeconds) / 1e3
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %s\nwant %s", formatScores(t, got), formatScores(t, c.want))
			}
		})
	}
}

func formatScores(t *testing.T, scores []Score) string {
	t.Helper()
	text, err := json.Marshal(scores)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestNoiseIsNoImpact checks that random arrivals rarely appear as an impact.
func TestNoiseIsNoImpact(t *testing.T) {
	const series = 2000
	for _, rate := range []float64{100, 20} {
		for _, baseline := range []int{30, 60, 120} {
			t.Run(fmt.Sprintf("%.0f per second, baseline of %d s", rate, baseline), func(t *testing.T) {
				random := rand.New(rand.NewPCG(uint64(rate), uint64(baseline)))
				scored, impacts := 0, 0
				for range series {
					score := ScoreFaults(Window{Completed: drawPoisson(random, rate, baseline+120)}, []Span{{FromSeconds: float64(baseline), HealedSeconds: float64(baseline) + 5}})[0]
					if score.Problem == "" {
						scored++
					}
					if score.ImpactSeconds != nil {
						impacts++
					}
				}
				t.Logf("%d of %d scored series have an impact", impacts, scored)
				if impacts > series/100 {
					t.Errorf("%d of %d series have an impact, want at most 1 %%", impacts, series)
				}
			})
		}
	}
}

// drawPoisson returns the arrivals in each second with exponential distances.
func drawPoisson(random *rand.Rand, rate float64, seconds int) []int64 {
	arrivals := make([]int64, seconds)
	for at := random.ExpFloat64() / rate; at < float64(seconds); at += random.ExpFloat64() / rate {
		arrivals[int(at)]++
	}
	return arrivals
}

// FuzzScore checks that scores of any series are finite, not negative and in order.
func FuzzScore(f *testing.F) {
	f.Add([]byte("ddddddddddddddddddddd\x00\x00\x00ddddddddddddddd"), []byte{}, 20.5, 2.0, 30.0, 1.0)
	f.Add([]byte("ddddddddddddddddddddd\x00\x00\x00ddddddddddddddd"), []byte("dddddddddddddddddddddddddddddddd"), 20.5, 2.0, 20.75, -1.0)
	f.Add([]byte("\x00\x00\x32\x00\x00\x32\x00\x00\x32\x00\x00\x32\x00\x00\x32\x00\x00\x32"), []byte("\x01\x00\x00"), 9.0, 1e300, 1e300, 1e300)
	f.Fuzz(func(t *testing.T, completed, due []byte, from1, healed1, from2, healed2 float64) {
		var w Window
		for _, n := range completed {
			w.Completed = append(w.Completed, int64(n))
		}
		for _, n := range due {
			w.Due = append(w.Due, float64(n)/2)
		}
		spans := []Span{{FromSeconds: from1, HealedSeconds: healed1}, {FromSeconds: from2, HealedSeconds: healed2}}
		for _, s := range spans {
			if math.IsNaN(s.FromSeconds) || math.IsNaN(s.HealedSeconds) {
				t.Skip("spans are read from JSON, which has no NaN")
			}
		}
		for _, s := range ScoreFaults(w, spans) {
			impact, recovery := 0.0, math.MaxFloat64
			if s.ImpactSeconds != nil {
				impact = *s.ImpactSeconds
			}
			if s.RecoverySeconds != nil {
				recovery = *s.RecoverySeconds
			}
			for _, v := range []float64{s.BaselinePerSecond, float64(s.BaselineGapSeconds), float64(s.OutageSeconds), impact, recovery, s.CensoredSeconds, s.DegradationSeconds} {
				if !(v >= 0) || math.IsInf(v, 0) {
					t.Errorf("%+v has the value %g", s, v)
				}
			}
			if recovery < impact {
				t.Errorf("it recovers after %g s, before the impact after %g s", recovery, impact)
			}
			if outcomes := []bool{s.Problem != "", s.RecoverySeconds != nil, s.CensoredSeconds > 0}; slices.Index(outcomes, true) < 0 || s.RecoverySeconds != nil && s.CensoredSeconds > 0 {
				t.Errorf("%+v is neither a problem, nor recovered, nor censored", s)
			}
		}
	})
}
