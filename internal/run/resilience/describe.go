package resilience

import (
	"fmt"
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

// Time is how long an effect of a fault lasted.
type Time struct {
	Seconds float64 `json:"seconds"`
	// Censored reports that the window or the time before the next fault ended first, so that the time is longer.
	Censored bool `json:"censored,omitempty"`
}

// Outage returns the time of the outage.
func (s *Score) Outage() Time { return Time{float64(s.OutageSeconds), s.OutageCensored} }

// Recovery returns the time to the recovery; false if the throughput was not compared.
func (s *Score) Recovery() (Time, bool) {
	return s.recoveryTime(), s.BinSeconds > 0
}

// Degradation returns the missing throughput; false if the throughput was not compared.
func (s *Score) Degradation() (Time, bool) {
	return Time{s.DegradationSeconds, s.RecoverySeconds == nil}, s.BinSeconds > 0
}

// LatencyRecovery returns the time to the recovery of latencies; false if they were not compared.
func (s *Score) LatencyRecovery() (Time, bool) {
	return s.Latency.recoveryTime(), s.Latency.IntervalSeconds > 0
}

// ScoreColumns are the headings of the cells that Describe returns.
var ScoreColumns = []string{"Outage s", "Impact after s", "Recovered after s", "Degradation s", "Bin s", "Baseline/s", "Latency recovered after s"}

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
	outage := strconv.Itoa(s.OutageSeconds)
	if s.OutageCensored {
		outage = "> " + outage
	}
	return []string{outage, impact, recovery, formatNumber(v.Degradation), bin, formatNumber(s.BaselinePerSecond), s.describeLatencyRecovery(formatNumber)}
}

// describeLatencyRecovery returns the recovery of latencies with the percentile, such as "20 (p95)".
func (s *Score) describeLatencyRecovery(formatNumber func(float64) string) string {
	recovery, known := s.LatencyRecovery()
	if !known {
		return formatNumber(math.NaN())
	}
	text := fmt.Sprintf("%s (p%d)", formatNumber(recovery.Seconds), s.Latency.Percentile)
	if recovery.Censored {
		return "> " + text
	}
	return text
}
