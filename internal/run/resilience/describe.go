package resilience

import (
	"math"
	"strconv"
)

// Values are the times of a score in seconds. NaN means that it has none.
type Values struct{ Outage, Impact, Recovery, Censored, Degradation float64 }

// Values returns the times of the score.
func (s *Score) Values() Values {
	v := Values{float64(s.OutageSeconds), math.NaN(), math.NaN(), math.NaN(), math.NaN()}
	if s.BinSeconds == 0 {
		return v
	}
	v.Degradation = s.DegradationSeconds
	if s.ImpactSeconds != nil {
		v.Impact = *s.ImpactSeconds
	}
	if s.RecoverySeconds != nil {
		v.Recovery = *s.RecoverySeconds
	} else {
		v.Censored = s.CensoredSeconds
	}
	return v
}

// ScoreColumns are the headings of the cells that Describe returns.
var ScoreColumns = []string{"Outage s", "Impact after s", "Recovered after s", "Degradation s", "Bin s", "Baseline/s"}

// Describe returns the score as cells of a table. formatNumber also formats NaN, for what is unknown because nothing was compared.
func (s *Score) Describe(formatNumber func(float64) string) []string {
	v, bin := s.Values(), formatNumber(math.NaN())
	impact, recovery := formatNumber(v.Impact), formatNumber(v.Recovery)
	if s.BinSeconds > 0 {
		bin = strconv.Itoa(s.BinSeconds)
		if s.ImpactSeconds == nil {
			impact = "none"
		}
		if s.RecoverySeconds == nil {
			recovery = "> " + formatNumber(v.Censored)
		}
	}
	return []string{strconv.Itoa(s.OutageSeconds), impact, recovery, formatNumber(v.Degradation), bin, formatNumber(s.BaselinePerSecond)}
}
