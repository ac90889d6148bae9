package format_test

import (
	"testing"

	"github.com/benchnet/benchnet/internal/format"
)

func TestNumber(t *testing.T) {
	for want, x := range map[string]float64{
		"0": 0, "0.00123": 0.0012345, "0.123": 0.12345, "1.23": 1.2345, "12.3": 12.345, "123.4": 123.44, "1235": 1234.6, "-12.3": -12.345,
	} {
		if got := format.Number(x); got != want {
			t.Errorf("%v is %s, want %s", x, got, want)
		}
	}
}

func TestPercentKeepsSmallShares(t *testing.T) {
	for want, share := range map[string]float64{"0 %": 0, "5 %": 0.05, "<0.01 %": 0.00001, "0.12 %": 0.0012, "12.35 %": 0.123456, "100 %": 1} {
		if got := format.Percent(share); got != want {
			t.Errorf("%v is %q, want %q", share, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	for want, n := range map[string]int{"0 runs": 0, "1 run": 1, "2 runs": 2} {
		if got := format.Count(n, "run"); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}

func TestSignedZeroHasPlus(t *testing.T) {
	for want, share := range map[string]float64{"+0.0 %": -0.0004, "-0.1 %": -0.0006, "+12.3 %": 0.1234} {
		if got := format.SignedPercent(share); got != want {
			t.Errorf("%v is %q, want %q", share, got, want)
		}
	}
}
