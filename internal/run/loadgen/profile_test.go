package loadgen

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// profileWorkload returns a workload with the profile, a warm-up of 10 s and a window of the sum of the durations.
func profileWorkload(t *testing.T, profile string) *v1alpha1.Workload {
	t.Helper()
	w := &v1alpha1.Workload{Workers: v1alpha1.Workers{Count: 1}}
	text := "load: {model: Open, clients: 1, profile: [" + profile + "]}\nmeasure: {warmUp: 10s}"
	if err := yaml.UnmarshalStrict([]byte(text), w); err != nil {
		t.Fatal(err)
	}
	for i := range w.Load.Profile {
		s := &w.Load.Profile[i]
		w.Measure.Window.Duration += s.Duration.Duration
		if s.Replay != nil && s.Replay.Scale.IsZero() {
			s.Replay.Scale.Set(1) // The default of the API.
		}
	}
	return w
}

// replayOf returns a Replay of 60 s.
func replayOf(csv string) string {
	return fmt.Sprintf("{name: a, type: Replay, duration: 60s, replay: {csv: %q}}", csv)
}

func TestProfileRates(t *testing.T) {
	for name, c := range map[string]struct {
		profile string
		want    [][3]float64 // seconds, rate at the start and rate at the end of each piece
	}{
		"Constant": {"{name: a, type: Constant, duration: 30s, ratePerSecond: 500m}", [][3]float64{{10, 0.5, 0.5}, {30, 0.5, 0.5}}},
		"Ramp":     {"{name: a, type: Ramp, duration: 1m, ratePerSecond: 5, toRatePerSecond: 0}", [][3]float64{{10, 5, 5}, {60, 5, 0}}},
		"Steps": {"{name: a, type: Steps, duration: 60s, ratePerSecond: 10, toRatePerSecond: 40, steps: 4}",
			[][3]float64{{10, 10, 10}, {15, 10, 10}, {15, 20, 20}, {15, 30, 30}, {15, 40, 40}}},
		"Spike":             {"{name: a, type: Spike, duration: 60s, ratePerSecond: 5, toRatePerSecond: 50, hold: 21s}", [][3]float64{{10, 5, 5}, {19, 5, 50}, {21, 50, 50}, {20, 50, 5}}},
		"Spike that ends":   {"{name: a, type: Spike, duration: 5s, ratePerSecond: 5, toRatePerSecond: 0, hold: 0s}", [][3]float64{{10, 5, 5}, {2, 5, 0}, {3, 0, 5}}},
		"Replay":            {replayOf("0,20\n10,30.5\n35,1"), [][3]float64{{10, 20, 20}, {10, 20, 20}, {25, 30.5, 30.5}, {25, 1, 1}}},
		"Replay of a line":  {replayOf("0,20"), [][3]float64{{10, 20, 20}, {60, 20, 20}}},
		"Replay with end":   {replayOf("0,20\n5,0\n60,0"), [][3]float64{{10, 20, 20}, {5, 20, 20}, {55, 0, 0}}},
		"Replay of Windows": {replayOf("\ufeffsecond, rate\r\n0, 20\r\n30, 40\r\n"), [][3]float64{{10, 20, 20}, {30, 20, 20}, {30, 40, 40}}},
		"Replay at half the rate": {"{name: a, type: Replay, duration: 10s, replay: {csv: '0,20', scale: 500m}}",
			[][3]float64{{10, 10, 10}, {10, 10, 10}}},
		"two segments": {"{name: a, type: Constant, duration: 5s, ratePerSecond: 0}, {name: b, type: Constant, duration: 10s, ratePerSecond: 3}",
			[][3]float64{{10, 0, 0}, {5, 0, 0}, {10, 3, 3}}},
	} {
		t.Run(name, func(t *testing.T) {
			w := profileWorkload(t, c.profile)
			if errs := ValidateLoad(w, field.NewPath("workload")); len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			var got [][3]float64
			for _, p := range NewWorkloadFile(w).Load.Rates {
				got = append(got, [3]float64{float64(p.Seconds), p.FromPerSecond, p.ToPerSecond})
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("the rates are %v, want %v", got, c.want)
			}
		})
	}
}

// TestSineRates checks that whole periods have the mean rate, and that a wave begins at it, rises and keeps to its bounds.
func TestSineRates(t *testing.T) {
	for _, c := range []struct {
		duration, period string
		pieces           int
	}{{"60s", "10s", 60}, {"1m", "20s", 60}, {"10m", "60s", 600}, {"1h", "10m", 360}, {"24h", "4h", 360}} {
		t.Run(c.duration+" of "+c.period, func(t *testing.T) {
			w := profileWorkload(t, "{name: a, type: Sine, ratePerSecond: 30, toRatePerSecond: 60, duration: "+c.duration+", period: "+c.period+"}")
			if errs := ValidateLoad(w, field.NewPath("workload")); len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			if mean := SegmentsOf(w)[0].OfferedPerSecond; math.Abs(mean-30) > 1e-6 {
				t.Errorf("the mean rate is %g", mean)
			}
			segments, _ := expandProfile(w.Load, nil)
			rates := profileRates(segments, 0)
			if len(rates) != c.pieces || rates[0].FromPerSecond != 30 || rates[0].ToPerSecond <= 30 {
				t.Errorf("%d pieces begin with %+v", len(rates), rates[0])
			}
			lowest, highest := rates[0].FromPerSecond, rates[0].FromPerSecond
			for i, p := range rates {
				lowest, highest = min(lowest, p.ToPerSecond), max(highest, p.ToPerSecond)
				if i > 0 && p.FromPerSecond != rates[i-1].ToPerSecond {
					t.Errorf("piece %d begins at %g, the one before ends at %g", i, p.FromPerSecond, rates[i-1].ToPerSecond)
				}
			}
			if lowest < 0 || lowest > 2 || highest > 60 || highest < 58 {
				t.Errorf("the rate goes from %g to %g, want about 0 to 60", lowest, highest)
			}
		})
	}
}

// TestProfileClients compares the clients of closed loads with vectors that the Java drivers share.
func TestProfileClients(t *testing.T) {
	text, err := os.ReadFile("../../../drivers/testdata/clients.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name          string
		Profile       []v1alpha1.LoadSegment
		WarmUpSeconds int
		Pieces        []protocol.ClientPiece
	}
	if err := json.Unmarshal(text, &cases); err != nil || len(cases) == 0 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			w := &v1alpha1.Workload{Load: &v1alpha1.Load{Model: v1alpha1.LoadClosed, Clients: 20, Profile: c.Profile}}
			w.Measure.WarmUp.Duration = time.Duration(c.WarmUpSeconds) * time.Second
			for _, s := range c.Profile {
				w.Measure.Window.Duration += s.Duration.Duration
			}
			if errs := ValidateLoad(w, field.NewPath("workload")); len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			if load := NewWorkloadFile(w).Load; !slices.Equal(load.ClientPieces, c.Pieces) || len(load.Rates) > 0 {
				t.Errorf("clients %v and rates %v, want %v", load.ClientPieces, load.Rates, c.Pieces)
			}
			for _, s := range SegmentsOf(w) {
				if s.Clients <= 0 || s.OfferedPerSecond != 0 {
					t.Errorf("segment %+v", s)
				}
			}
		})
	}
}

func TestInvalidClientsAreRejected(t *testing.T) {
	for name, c := range map[string]struct {
		change func(w *v1alpha1.Workload)
		want   string
	}{
		"valid":             {func(*v1alpha1.Workload) {}, ""},
		"above the clients": {func(w *v1alpha1.Workload) { w.Load.Clients = 7 }, "workload.load.profile[0].toClients: Invalid value: 8: must be from workers.count (2) to load.clients (7)"},
		"below the workers": {func(w *v1alpha1.Workload) { w.Workers.Count = 5 }, "workload.load.profile[0].clients: Invalid value: 4: must be from workers.count (5)"},
		"own plan":          {func(w *v1alpha1.Workload) { w.Type = v1alpha1.WorkloadJMeter }, "workload.load.profile[0].clients: Forbidden: cannot be set with type JMeter"},
		"faults":            {func(w *v1alpha1.Workload) { w.Faults = make([]v1alpha1.Fault, 1) }, "workload.load.profile[0].clients: Forbidden: cannot be set with faults"},
	} {
		t.Run(name, func(t *testing.T) {
			w := profileWorkload(t, "{name: a, type: Ramp, duration: 60s, clients: 4, toClients: 8}")
			w.Load.Model, w.Load.Clients, w.Workers.Count = v1alpha1.LoadClosed, 10, 2
			c.change(w)
			err := ValidateLoad(w, field.NewPath("workload")).ToAggregate()
			if (c.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// TestRecordingsAreBounded checks the limit of segments times kinds of operations.
func TestRecordingsAreBounded(t *testing.T) {
	kinds := []v1alpha1.EVMTransaction{{Kind: "Mint"}, {Kind: "Mint"}, {Kind: "Call"}, {Kind: "Store"}, {Kind: "Deploy"}, {Kind: "Transfer"}, {Kind: "TokenTransfer"}}
	for name, c := range map[string]struct {
		mixed   v1alpha1.Workload
		allowed bool
	}{
		"six operations of Corda":   {v1alpha1.Workload{Corda: &v1alpha1.CordaWorkload{Mix: make([]v1alpha1.CordaMixEntry, 6)}}, true},
		"seven operations of Corda": {v1alpha1.Workload{Corda: &v1alpha1.CordaWorkload{Mix: make([]v1alpha1.CordaMixEntry, 7)}}, false},
		"seven sizes of JPaxos":     {v1alpha1.Workload{JPaxos: &v1alpha1.JPaxosWorkload{Mix: make([]v1alpha1.JPaxosMixEntry, 7)}}, false},
		"six kinds of transactions": {v1alpha1.Workload{EVM: &v1alpha1.EVMWorkload{Mix: kinds}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := profileWorkload(t, "{name: a, type: Steps, duration: 80s, ratePerSecond: 1, toRatePerSecond: 16, steps: 16}")
			w.Corda, w.JPaxos, w.EVM = c.mixed.Corda, c.mixed.JPaxos, c.mixed.EVM
			err := ValidateLoad(w, field.NewPath("workload")).ToAggregate()
			if c.allowed != (err == nil) || err != nil && !strings.Contains(err.Error(), "workload.load.profile: Invalid value: 112: recordings are too many, at most 96: 16 segments") {
				t.Errorf("error %v", err)
			}
			if segments := NewWorkloadFile(w).Segments; len(segments) != 16 || segments[15].Name != "a-16" {
				t.Errorf("the drivers get the segments %+v", segments)
			}
		})
	}
}

// TestSegmentsOf checks where segments begin, their mean rates, and that intervals and operations agree with them.
func TestSegmentsOf(t *testing.T) {
	w := profileWorkload(t, `{name: up, type: Steps, duration: 36s, ratePerSecond: 10, toRatePerSecond: 30, steps: 3},
		{name: ramp, type: Ramp, duration: 18s, ratePerSecond: 30, toRatePerSecond: 10}, {name: wave, type: Sine, duration: 24s, ratePerSecond: 5, toRatePerSecond: 10, period: 24s}`)
	if errs := ValidateLoad(w, field.NewPath("workload")); len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	segments := SegmentsOf(w)
	segment := func(name string, from, seconds int, rate float64, constant bool) measurement.Segment {
		return measurement.Segment{Name: name, FromSeconds: from, Seconds: seconds, OfferedPerSecond: rate, Constant: constant}
	}
	want := []measurement.Segment{segment("up-1", 0, 12, 10, true), segment("up-2", 12, 12, 20, true), segment("up-3", 24, 12, 30, true),
		segment("ramp", 36, 18, 20, false), segment("wave", 54, 24, 5, false)}
	for i := range segments {
		segments[i].OfferedPerSecond = math.Round(segments[i].OfferedPerSecond*1e9) / 1e9
	}
	if !slices.Equal(segments, want) {
		t.Errorf("the segments are %+v, want %+v", segments, want)
	}
	if interval := NewWorkloadFile(w).Measure.IntervalSeconds; interval != 6 {
		t.Errorf("intervals last %d s, want 6, which divides every segment", interval)
	}
	if got := OfferedOperations(w.Load, &w.Measure); math.Abs(got-(100+720+360+120)) > 1e-9 {
		t.Errorf("%g operations are planned, want 100 of the warm-up and 1200 of the window", got)
	}
}

// TestIncompleteProfiles expands segments that the API server would reject, as a variant of an experiment may have them.
func TestIncompleteProfiles(t *testing.T) {
	for _, kind := range []v1alpha1.SegmentType{"", v1alpha1.SegmentRamp, v1alpha1.SegmentSteps, v1alpha1.SegmentSpike, v1alpha1.SegmentSine, v1alpha1.SegmentReplay} {
		t.Run(string(kind), func(t *testing.T) {
			load := &v1alpha1.Load{Model: v1alpha1.LoadOpen, Profile: []v1alpha1.LoadSegment{{Name: "a", Type: kind, Duration: v1alpha1.Seconds{Duration: 1e5 * time.Hour}}}}
			if got := OfferedOperations(load, &v1alpha1.Measure{}); got != 0 {
				t.Errorf("%g operations are planned", got)
			}
		})
	}
}

// steady returns a constant segment.
func steady(name, duration string) string {
	return "{name: " + name + ", type: Constant, duration: " + duration + ", ratePerSecond: 10}"
}

func TestBadProfiles(t *testing.T) {
	long := strings.Builder{}
	for i := range 2000 {
		fmt.Fprintf(&long, "%d,1\n", i)
	}
	for _, c := range []struct {
		name, profile string
		want          []string
	}{
		{"two segments of one name", steady("a", "30s") + "," + steady("a", "30s"), []string{"load.profile[1].name", `"a"`, "must be unique"}},
		{"name of a level", "{name: a, type: Steps, duration: 60s, ratePerSecond: 1, toRatePerSecond: 2, steps: 2}," + steady("a-1", "30s"),
			[]string{"load.profile[1].name", `"a-1"`, "levels of Steps"}},
		{"level of a name", steady("a-1", "30s") + ",{name: a, type: Steps, duration: 60s, ratePerSecond: 1, toRatePerSecond: 2, steps: 2}",
			[]string{"load.profile[1].name", `"a"`, "second segment named a-1"}},
		{"segment of 3 s", steady("a", "30s") + "," + steady("b", "3s"), []string{"load.profile[1].duration", `"3s"`, "at least 5s"}},
		{"negative rate", "{name: a, type: Constant, duration: 60s, ratePerSecond: -1}", []string{"load.profile[0].ratePerSecond", `"-1"`, "at least 0"}},
		{"negative last rate", "{name: a, type: Ramp, duration: 60s, ratePerSecond: 1, toRatePerSecond: -500m}", []string{"load.profile[0].toRatePerSecond", `"-500m"`, "at least 0"}},
		{"no load", "{name: a, type: Ramp, duration: 60s, ratePerSecond: 0, toRatePerSecond: 0}", []string{"load.profile:", "at least one rate must be above 0"}},
		{"steps that do not divide", "{name: a, type: Steps, duration: 60s, ratePerSecond: 1, toRatePerSecond: 2, steps: 7}", []string{"load.profile[0].steps", "7", "must divide the duration of 60s"}},
		{"steps that are short", "{name: a, type: Steps, duration: 60s, ratePerSecond: 1, toRatePerSecond: 2, steps: 15}", []string{"load.profile[0].steps", "15", "each at least 5s"}},
		{"hold of the whole segment", "{name: a, type: Spike, duration: 60s, ratePerSecond: 1, toRatePerSecond: 2, hold: 60s}", []string{"load.profile[0].hold", `"60s"`, "at least 2s"}},
		{"hold beyond the segment", "{name: a, type: Spike, duration: 60s, ratePerSecond: 1, toRatePerSecond: 2, hold: 2m}", []string{"load.profile[0].hold", `"120s"`, "duration of 60s"}},
		{"wave below zero", "{name: a, type: Sine, duration: 60s, ratePerSecond: 10, toRatePerSecond: 21, period: 20s}", []string{"load.profile[0].toRatePerSecond", "21", "at most twice ratePerSecond, 20"}},
		{"period of a second", "{name: a, type: Sine, duration: 60s, ratePerSecond: 10, toRatePerSecond: 20, period: 1s}", []string{"load.profile[0].period", `"1s"`, "from 10s to the duration, 60s"}},
		{"period beyond the segment", "{name: a, type: Sine, duration: 60s, ratePerSecond: 10, toRatePerSecond: 20, period: 61s}", []string{"load.profile[0].period", `"61s"`, "from 10s to the duration, 60s"}},
		{"pieces of a wave", "{name: a, type: Sine, duration: 24h, ratePerSecond: 10, toRatePerSecond: 20, period: 10s}", []string{"load.profile[0].period", "86400", "at most 2000", "longer periods"}},
		{"trace of blank lines", replayOf("\n\n\n"), []string{"load.profile[0].replay.csv", "has no rates", "such as 10,25.5"}},
		{"trace of a header", replayOf("second,rate\n"), []string{"load.profile[0].replay.csv", "has no rates"}},
		{"trace in disorder", replayOf("0,1\n30,2\n20,3"), []string{"replay.csv", `"20,3"`, "line 3", "second 20 is not above 30"}},
		{"trace with a second twice", replayOf("0,1\n0,2"), []string{"replay.csv", `"0,2"`, "line 2", "second 0 is not above 0"}},
		{"trace with a negative rate", replayOf("0,-1"), []string{"replay.csv", `"0,-1"`, "line 1", "a rate from 0 to 1e9"}},
		{"trace with no number", replayOf("0,NaN"), []string{"replay.csv", `"0,NaN"`, "line 1", "a rate from 0 to 1e9"}},
		{"trace beyond numbers", replayOf("0,1e300"), []string{"replay.csv", `"0,1e300"`, "a rate from 0 to 1e9"}},
		{"trace in parts of a second", replayOf("0,1\n0.5,2"), []string{"replay.csv", `"0.5,2"`, "whole seconds"}},
		{"trace of three columns", replayOf("second,rate\n0,1,2"), []string{"replay.csv", `"0,1,2"`, "line 2", "such as 10,25.5"}},
		{"trace from second 7", replayOf("7,20\n10,1"), []string{"replay.csv", `"7,20"`, "must begin with second 0"}},
		{"trace that is too short", replayOf("0,10\n20,20"), []string{"replay.csv", "40", "make the duration 40s, or add the line 60,0"}},
		{"trace that is too long", replayOf("0,10\n61,20"), []string{"replay.csv", `"61,20"`, "second 61", "lasts 60s"}},
		{"trace times nothing", "{name: a, type: Replay, duration: 60s, replay: {csv: '0,1', scale: '-1'}}", []string{"replay.scale", `"-1"`, "above 0"}},
		{"33 segments", "{name: a, type: Steps, duration: 80s, ratePerSecond: 1, toRatePerSecond: 2, steps: 16},{name: b, type: Steps, duration: 80s, ratePerSecond: 1, toRatePerSecond: 2, steps: 16}," +
			steady("c", "5s"), []string{"load.profile:", "33", "at most 32"}},
		{"2001 pieces", fmt.Sprintf("{name: a, type: Replay, duration: 2000s, replay: {csv: %q}}", long.String()), []string{"load.profile:", "2001", "at most 2000", "fewer lines"}},
		{"no common interval", steady("a", "1h") + "," + steady("b", "61s"), []string{"load.profile:", `"1h1m1s"`, "no common interval", "at least 62s, such as 65s"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			message := fmt.Sprint(ValidateLoad(profileWorkload(t, c.profile), field.NewPath("workload")).ToAggregate())
			t.Log(message)
			for _, part := range append(c.want, "workload.load.profile") {
				if !strings.Contains(message, part) {
					t.Errorf("the message should name %q: %s", part, message)
				}
			}
		})
	}
}
