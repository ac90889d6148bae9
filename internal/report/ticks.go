package report

import (
	"math"

	"gonum.org/v1/plot"
)

// linearTicks are a few round numbers, 1, 2 or 5 times a power of ten apart.
type linearTicks struct{}

const targetTicks = 6

// Ticks implements plot.Ticker. It returns fewer ticks if floating point cannot distinguish or represent their
// values.
func (linearTicks) Ticks(low, high float64) []plot.Tick {
	step := roundStep(high/targetTicks - low/targetTicks)
	if !(high > low) || !(step > 0) {
		return []plot.Tick{{Value: low, Label: formatNumber(low)}}
	}
	first := math.Ceil(low/step - 1e-9)
	var ticks []plot.Tick
	for i := range targetTicks + 2 {
		v := (first + float64(i)) * step
		if v >= low-step*1e-9 && v <= high+step*1e-9 && (len(ticks) == 0 || v > ticks[len(ticks)-1].Value) {
			ticks = append(ticks, plot.Tick{Value: v, Label: formatNumber(v)})
		}
	}
	return ticks
}

// roundStep returns the smallest of 1, 2, 5 times a power of ten that is not below the step.
func roundStep(step float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(step)))
	for _, factor := range []float64{1, 2, 5} {
		if step <= factor*power*(1+1e-9) {
			return factor * power
		}
	}
	return 10 * power
}

// logTicks are powers of ten, in a short range also 2 and 5 times them, in a very long range only some of the
// powers.
type logTicks struct{}

const targetPowers = 12

// Ticks implements plot.Ticker. It returns no ticks for a range that starts at 0 or below.
func (logTicks) Ticks(low, high float64) []plot.Tick {
	if !(low > 0) || !(high >= low) {
		return nil
	}
	factors := []float64{1, 2, 5}
	if high/low > 300 {
		factors = []float64{1}
	}
	first, last := int(math.Floor(math.Log10(low))), int(math.Floor(math.Log10(high)))
	var ticks []plot.Tick
	for power := first; power <= last; power += 1 + (last-first)/targetPowers {
		for _, factor := range factors {
			if v := factor * math.Pow10(power); v >= low*(1-1e-9) && v <= high*(1+1e-9) {
				ticks = append(ticks, plot.Tick{Value: v, Label: formatNumber(v)})
			}
		}
	}
	return ticks
}

// fixedTicks are exactly the given values, with as many labels as fit.
type fixedTicks []plot.Tick

// Ticks implements plot.Ticker.
func (t fixedTicks) Ticks(_, _ float64) []plot.Tick { return t }

// valueTicks returns ticks for the values of an axis.
func valueTicks(values []float64) fixedTicks {
	var ticks fixedTicks
	for _, v := range values {
		ticks = append(ticks, plot.Tick{Value: v, Label: formatNumber(v)})
	}
	return ticks
}

// nameTicks returns ticks with names at 0, 1, 2, …
func nameTicks(names []string) fixedTicks {
	var ticks fixedTicks
	for i, name := range names {
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: dropUnprintable(name)})
	}
	return ticks
}
