package main

import (
	"math"
	"regexp"
	"testing"
	"time"

	"github.com/benchnet/benchnet/internal/agent/container"
)

// FuzzCount counts two consecutive lines with arbitrary content: the counter never decreases and stays a number.
func FuzzCount(f *testing.F) {
	f.Add("12:00:00.100", "1234.5", "12:00:00.200", "1.5E3")
	f.Add("23:59:59.900", "1", "00:00:00.000", "1")
	f.Add("", "NaN", "99:99", "-1E308")
	f.Add("00:00:00.000", "1.7E308", "23:59:59.999", "1.7E308")
	pattern := regexp.MustCompile(`^(?P<time>[0-9:.]+) RPS: ([0-9.]+(?:E[0-9]+)?)`)
	f.Fuzz(func(t *testing.T, time1, number1, time2, number2 string) {
		tally := &container.SharedCounter{Name: "requests", Help: "help"}
		lines := &lineCounter{counter: tally, grid: 100 * time.Millisecond, timeGroupIndex: pattern.SubexpIndex(timeGroup)}
		before := 0.0
		for _, line := range []string{time1 + " RPS: " + number1, time2 + " RPS: " + number2} {
			if groups := pattern.FindSubmatch([]byte(line)); groups != nil {
				lines.countLine(groups)
			}
			now := tally.Metric().Value
			if now < before || math.IsInf(now, 0) || math.IsNaN(now) {
				t.Fatalf("%q made %v out of %v", line, now, before)
			}
			before = now
		}
	})
}
