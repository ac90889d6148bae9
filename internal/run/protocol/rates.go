package protocol

import (
	"errors"
	"fmt"
	"math"
)

// RatePiece is a part of an open load in which the rate changes linearly.
type RatePiece struct {
	// Seconds is the length of the piece.
	Seconds int `json:"seconds"`
	// FromPerSecond and ToPerSecond are the rates at the start and at the end, in operations per second.
	FromPerSecond float64 `json:"fromPerSecond"`
	ToPerSecond   float64 `json:"toPerSecond"`
}

// ClientPiece is a part of a closed load in which the number of clients changes linearly.
type ClientPiece struct {
	// Seconds is the length of the piece.
	Seconds int `json:"seconds"`
	// From and To are the numbers at the start and at the end.
	From int32 `json:"from"`
	To   int32 `json:"to"`
}

// Operations returns the integral of the rate over the first seconds of the piece.
func (p RatePiece) Operations(seconds float64) float64 {
	seconds = min(seconds, float64(p.Seconds))
	return seconds * (p.FromPerSecond + (p.ToPerSecond-p.FromPerSecond)*seconds/float64(p.Seconds)/2)
}

// MaxRatePieces bounds the pieces of a load.
const MaxRatePieces = 2000

// CountDue returns the number of operations that are due in the first seconds of the load: the integral of the rate.
func (l *OfferedLoad) CountDue(seconds float64) float64 {
	if len(l.Rates) == 0 {
		return seconds * l.RatePerSecond
	}
	due := 0.0
	for _, p := range l.Rates {
		if seconds <= 0 {
			break
		}
		due += p.Operations(seconds)
		seconds -= float64(p.Seconds)
	}
	return due
}

// DuePerSecond returns the operations that are due in each second of the window, or nil unless the load has a rate.
func (l *OfferedLoad) DuePerSecond(m MeasureTimes) []float64 {
	if l == nil || l.MeanRate() == 0 {
		return nil
	}
	due := make([]float64, m.WindowSeconds)
	before := l.CountDue(float64(m.WarmUpSeconds))
	for i := range due {
		after := l.CountDue(float64(m.WarmUpSeconds + i + 1))
		due[i], before = after-before, after
	}
	return due
}

// MeanRate returns the mean rate from the start of the load to the end of the window, in operations per second.
func (l *OfferedLoad) MeanRate() float64 {
	seconds := 0
	for _, p := range l.Rates {
		seconds += p.Seconds
	}
	return l.CountDue(float64(max(1, seconds))) / float64(max(1, seconds))
}

// MeanWindowRate returns the mean rate over the window, in operations per second.
func (l *OfferedLoad) MeanWindowRate(m MeasureTimes) float64 {
	if len(l.Rates) == 0 {
		return l.RatePerSecond
	}
	warmUp := float64(m.WarmUpSeconds)
	return (l.CountDue(warmUp+float64(m.WindowSeconds)) - l.CountDue(warmUp)) / float64(m.WindowSeconds)
}

// validateRates returns an error unless the pieces are a rate over the given length of the load.
func (l *OfferedLoad) validateRates(loadSeconds int) error {
	if l == nil || len(l.Rates) == 0 {
		return nil
	}
	if l.RatePerSecond != 0 {
		return errors.New("load: ratePerSecond and rates exclude each other")
	}
	seconds := 0
	for i, p := range l.Rates {
		lowest, highest := min(p.FromPerSecond, p.ToPerSecond), max(p.FromPerSecond, p.ToPerSecond)
		if p.Seconds <= 0 || p.Seconds > loadSeconds || !(lowest >= 0) || math.IsInf(highest, 1) {
			return fmt.Errorf("load.rates[%d]: %d s from %g to %g per second; want a length within the load and rates from 0",
				i, p.Seconds, p.FromPerSecond, p.ToPerSecond)
		}
		seconds += p.Seconds
	}
	if seconds != loadSeconds {
		return fmt.Errorf("load.rates: the pieces last %d s, warm-up and window %d s", seconds, loadSeconds)
	}
	return nil
}
