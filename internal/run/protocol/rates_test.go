package protocol

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

// TestCountDue compares the counts with vectors that the Java drivers share.
func TestCountDue(t *testing.T) {
	text, err := os.ReadFile("../../../drivers/testdata/rates.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name   string
		Rates  []RatePiece
		Counts []struct{ Seconds, Operations float64 }
	}
	if err := json.Unmarshal(text, &cases); err != nil || len(cases) == 0 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			load := OfferedLoad{Rates: c.Rates}
			for _, want := range c.Counts {
				if got := load.CountDue(want.Seconds); math.Abs(got-want.Operations) > 1e-9*max(1, want.Operations) {
					t.Errorf("%.17g operations in %g s, want %.17g", got, want.Seconds, want.Operations)
				}
			}
		})
	}
	constant := OfferedLoad{RatePerSecond: 12.5}
	if due, mean := constant.CountDue(8), constant.MeanRate(); due != 100 || mean != 12.5 {
		t.Errorf("a constant rate has %g operations in 8 s, and a mean of %g", due, mean)
	}
}

func TestMeanRates(t *testing.T) {
	load := OfferedLoad{Rates: []RatePiece{{Seconds: 10, FromPerSecond: 20, ToPerSecond: 20}, {Seconds: 40, FromPerSecond: 20, ToPerSecond: 60}}}
	if mean, window := load.MeanRate(), load.MeanWindowRate(MeasureTimes{WarmUpSeconds: 10, WindowSeconds: 40}); mean != 36 || window != 40 {
		t.Errorf("means %g and %g, want 36 and 40", mean, window)
	}
}

func TestValidateRates(t *testing.T) {
	pieces := func(rates ...RatePiece) *OfferedLoad { return &OfferedLoad{Rates: rates} }
	for name, c := range map[string]struct {
		load *OfferedLoad
		want string
	}{
		"no load":         {nil, ""},
		"constant":        {&OfferedLoad{RatePerSecond: 5}, ""},
		"two pieces":      {pieces(RatePiece{4, 0, 5}, RatePiece{6, 5, 0}), ""},
		"both":            {&OfferedLoad{RatePerSecond: 5, Rates: []RatePiece{{10, 1, 1}}}, "load: ratePerSecond and rates exclude each other"},
		"too short":       {pieces(RatePiece{9, 1, 1}), "load.rates: the pieces last 9 s, warm-up and window 10 s"},
		"too long":        {pieces(RatePiece{11, 1, 1}), "load.rates[0]: 11 s from 1 to 1 per second; want a length within the load and rates from 0"},
		"no length":       {pieces(RatePiece{0, 1, 1}), "load.rates[0]: 0 s from 1 to 1 per second; want a length within the load and rates from 0"},
		"negative":        {pieces(RatePiece{10, 1, -1}), "load.rates[0]: 10 s from 1 to -1 per second; want a length within the load and rates from 0"},
		"not a number":    {pieces(RatePiece{10, math.NaN(), 1}), "load.rates[0]: 10 s from NaN to 1 per second; want a length within the load and rates from 0"},
		"infinitely many": {pieces(RatePiece{10, 1, math.Inf(1)}), "load.rates[0]: 10 s from 1 to +Inf per second; want a length within the load and rates from 0"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			if err := c.load.validateRates(10); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
