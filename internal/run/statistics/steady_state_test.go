package statistics

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var updateSeries = flag.Bool("update", false, "regenerate testdata/series")

var testPolicy = SteadyStatePolicy{HalfWidth: 0.05, Confidence: 0.95, MinWindow: 30, MaxWarmUp: 60, MaxWindow: 180}

// knownSeries is a series with its expected result.
type knownSeries struct {
	Name   string `json:"name"`
	Steady bool   `json:"steady"`
	// From has the bounds of the start, and Mean the true mean, which must be within 5 %, if the series is
	// steady.
	From [2]int  `json:"from"`
	Mean float64 `json:"mean"`
	// Early reports that the window ends before its limit.
	Early  bool      `json:"early"`
	Series []float64 `json:"series"`
}

// knownSeriesByFile holds the expected results. They follow from the construction of the series: where the ramp
// ends, where the exponential is within a few percent of its level, where the level shifts.
var knownSeriesByFile = map[string]knownSeries{
	"flat":        {Name: "steady from the start, noise 10 %", Steady: true, From: [2]int{0, 15}, Mean: 1000, Early: true},
	"ramp":        {Name: "ramp of 30 s, noise 5 %", Steady: true, From: [2]int{25, 45}, Mean: 1000, Early: true},
	"jit":         {Name: "JIT warm-up, time constant 10 s, noise 10 %", Steady: true, From: [2]int{20, 50}, Mean: 1000, Early: true},
	"jit-slow":    {Name: "JIT warm-up, time constant 20 s, correlated noise 10 %", Steady: true, From: [2]int{35, 60}, Mean: 1000},
	"correlated":  {Name: "correlated noise 10 %, lag 1 0.5", Steady: true, From: [2]int{0, 30}, Mean: 1000, Early: true},
	"sparse":      {Name: "sparse, 20 a second", Steady: true, From: [2]int{0, 30}, Mean: 20},
	"trend":       {Name: "trend without an end, +50 % a minute"},
	"shift":       {Name: "level shift after 20 s, -20 %", Steady: true, From: [2]int{20, 25}, Mean: 800, Early: true},
	"oscillation": {Name: "oscillation, period 40 s, amplitude 20 %", Steady: true, From: [2]int{0, 40}, Mean: 1000},
	"blocks":      {Name: "blocks every 3 s", Steady: true, From: [2]int{0, 15}, Mean: 1000, Early: true},
}

func TestDetectSteadyStateOfKnownSeries(t *testing.T) {
	if *updateSeries {
		writeKnownSeries(t)
	}
	files, _ := filepath.Glob("testdata/series/*.json")
	if len(files) != len(knownSeriesByFile) {
		t.Fatalf("found %d series, want %d", len(files), len(knownSeriesByFile))
	}
	for _, file := range files {
		var want knownSeries
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		got := DetectSteadyState(RecordedSeries{Completed: want.Series}, testPolicy)
		early := got.To-got.From < testPolicy.MaxWindow
		t.Logf("%-55s steady %-5v from %2d to %3d mean %6.1f ±%.1f %% (%s): %s",
			want.Name, got.Steady, got.From, got.To, got.Mean, 100*got.HalfWidth, got.Method, got.Reason)
		if !got.Done || got.Steady != want.Steady || want.Early && !early {
			t.Errorf("%s: %+v, want steady %v, early %v", want.Name, got, want.Steady, want.Early)
		}
		if want.Steady && (got.From < want.From[0] || got.From > want.From[1] || math.Abs(got.Mean/want.Mean-1) > 0.05) {
			t.Errorf("%s: from %d, mean %.4g; want from within %v, mean %.4g", want.Name, got.From, got.Mean, want.From, want.Mean)
		}
	}
}

func writeKnownSeries(t *testing.T) {
	t.Helper()
	if err := os.MkdirAll("testdata/series", 0o755); err != nil {
		t.Fatal(err)
	}
	for file, k := range knownSeriesByFile {
		k.Series = simulatedSystems[k.Name](newSeededRand(1), testPolicy.MaxWarmUp+testPolicy.MaxWindow)
		text, err := json.Marshal(k)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join("testdata/series", file+".json"), append(text, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDetectSteadyStateOverManySeries measures over many series of each kind how often the verdict is right,
// how often the interval covers the true mean despite the repeated checks, and how far the mean is off.
func TestDetectSteadyStateOverManySeries(t *testing.T) {
	const series = 400
	for name, want := range map[string]struct{ truth, steady, covered, within float64 }{
		"steady from the start, noise 10 %":                      {1000, 0.99, 0.91, 0.97},
		"ramp of 30 s, noise 5 %":                                {1000, 0.99, 0.90, 0.99},
		"JIT warm-up, time constant 10 s, noise 10 %":            {1000, 0.92, 0.83, 0.96},
		"JIT warm-up, time constant 20 s, correlated noise 10 %": {1000, 0.70, 0.74, 0.92},
		"correlated noise 10 %, lag 1 0.5":                       {1000, 0.99, 0.83, 0.93},
		"correlated noise 10 %, lag 1 0.8":                       {1000, 0.95, 0.78, 0.85},
		"sparse, 1 a second":                                     {1, 0.98, 0.91, 0},
		"sparse, 20 a second":                                    {20, 0.97, 0.89, 0.94},
		"level shift after 20 s, -20 %":                          {800, 0.99, 0.90, 0.98},
	} {
		var steady, covered, within, seconds float64
		for seed := range uint64(series) {
			s := DetectSteadyState(RecordedSeries{Completed: simulatedSystems[name](newSeededRand(seed), testPolicy.MaxWarmUp+testPolicy.MaxWindow)}, testPolicy)
			if !s.Steady {
				continue
			}
			steady++
			seconds += float64(s.To) / series
			covered += boolToFloat(math.Abs(s.Mean-want.truth) <= s.HalfWidth*s.Mean)
			within += boolToFloat(math.Abs(s.Mean/want.truth-1) <= testPolicy.HalfWidth)
		}
		covered, within, steady = covered/steady, within/steady, steady/series
		t.Logf("%-55s steady %5.1f %%, truth in the interval %5.1f %%, mean within 5 %% %5.1f %%, ends after %3.0f s", name, 100*steady, 100*covered, 100*within, seconds)
		if steady < want.steady || covered < want.covered || within < want.within {
			t.Errorf("%s: steady %.3f, covered %.3f, within %.3f; want %+v", name, steady, covered, within, want)
		}
	}
}

func boolToFloat(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

func TestATrendIsNeverSteady(t *testing.T) {
	for seed := range uint64(200) {
		s := DetectSteadyState(RecordedSeries{Completed: simulatedSystems["trend without an end, +50 % a minute"](newSeededRand(seed), 240)}, testPolicy)
		if s.Steady || !s.Done || s.From != testPolicy.MaxWarmUp || s.To != 240 || !strings.HasPrefix(s.Reason, "not steady at the limit: the throughput") {
			t.Fatalf("seed %d: %+v", seed, s)
		}
	}
}

// TestDetectSteadyStateDoesNotDependOnCallTimes checks that the result depends only on the whole series,
// however often the function is called, and that later values do not change it.
func TestDetectSteadyStateDoesNotDependOnCallTimes(t *testing.T) {
	for name, system := range simulatedSystems {
		series := system(newSeededRand(3), testPolicy.MaxWarmUp+testPolicy.MaxWindow)
		whole, done := DetectSteadyState(RecordedSeries{Completed: series}, testPolicy), SteadyStateResult{}
		for n := range len(series) + 1 {
			s := DetectSteadyState(RecordedSeries{Completed: series[:n]}, testPolicy)
			if done.Done && s != done {
				t.Fatalf("%s: %+v after %d s, was %+v", name, s, n, done)
			}
			done = s
		}
		if done != whole {
			t.Errorf("%s: %+v, want %+v", name, done, whole)
		}
	}
}

func TestDetectSteadyStateLimits(t *testing.T) {
	constant := func(n int, v float64) []float64 { return generateSeries(n, func(float64) float64 { return v }) }
	for name, test := range map[string]struct {
		series []float64
		policy SteadyStatePolicy
		want   SteadyStateResult
	}{
		"empty":    {nil, testPolicy, SteadyStateResult{HalfWidth: 1, DriftBound: 1, Reason: "the series is too short to judge"}},
		"one look": {constant(40, 7), testPolicy, SteadyStateResult{Steady: true, From: 10, To: 40, Mean: 7, Method: "MSER-5, 30 batch means of 1 s", Reason: "the mean is known to ±0.0 %, requested is ±5.0 %"}},
		"two looks": {constant(300, 7), testPolicy,
			SteadyStateResult{Done: true, Steady: true, From: 10, To: 45, Mean: 7, Method: "MSER-5, 17 batch means of 2 s", Reason: "the mean is known to ±0.0 %, requested is ±5.0 %"}},
		"zeros": {constant(240, 0), testPolicy,
			SteadyStateResult{Done: true, From: 60, To: 240, HalfWidth: 1, DriftBound: 1, Method: "MSER-5, 30 batch means of 6 s", Reason: "not steady at the limit: no operation completed"}},
		"no warm-up, one look": {constant(33, 7), SteadyStatePolicy{HalfWidth: 0.05, Confidence: 0.95, MinWindow: 30, MaxWindow: 30},
			SteadyStateResult{Done: true, Steady: true, To: 30, Mean: 7, Method: "MSER-5, 30 batch means of 1 s", Reason: "the window is at its limit: the mean is known to ±0.0 %, requested is ±5.0 %"}},
		"limits within a batch": {constant(4, 7), SteadyStatePolicy{HalfWidth: 0.05, Confidence: 0.95, MinWindow: 1, MaxWarmUp: 1, MaxWindow: 3},
			SteadyStateResult{Done: true, HalfWidth: 1, DriftBound: 1, Method: "MSER-5, 0 batch means of 1 s", Reason: "not steady at the limit: no operation completed"}},
	} {
		if got := DetectSteadyState(RecordedSeries{Completed: test.series}, test.policy); got != test.want {
			t.Errorf("%s:\n got %+v\nwant %+v", name, got, test.want)
		}
	}
}
