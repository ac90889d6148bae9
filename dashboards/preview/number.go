package main

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// unitStep is a step of a unit: values from this one on are divided by it and get its name.
type unitStep struct {
	from float64
	name string
}

var (
	thousands   = []unitStep{{1e9, " Bil"}, {1e6, " Mil"}, {1e3, " K"}, {1, ""}}
	binaryBytes = []unitStep{{1 << 30, " GiB"}, {1 << 20, " MiB"}, {1 << 10, " KiB"}, {1, " B"}}
	secondSteps = []unitStep{{86400, " d"}, {3600, " h"}, {60, " min"}, {1, " s"}, {1e-3, " ms"}, {1e-6, " µs"}}
	byteRates   = []unitStep{{1e9, " GB/s"}, {1e6, " MB/s"}, {1e3, " kB/s"}, {1, " B/s"}}
)

// unitSuffixes are the suffixes of units without steps.
var unitSuffixes = map[string]string{"ops": " ops/s", "reqps": " req/s", "wps": " wr/s", "cores": " cores", "short": "", "none": ""}

// formatNumber formats a value in Grafana's unit, with the given number of decimals or three significant
// digits.
func formatNumber(v float64, unit string, digits *int) string {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "–"
	case unit == "percentunit":
		return formatRounded(v*100, digits) + "%"
	case unit == "bytes":
		return formatScaled(v, binaryBytes, digits)
	case unit == "Bps":
		return formatScaled(v, byteRates, digits)
	case unit == "s":
		return formatScaled(v, secondSteps, digits)
	case unit == "dateTimeAsIso":
		return time.UnixMilli(int64(v)).UTC().Format(time.DateTime)
	case unit == "none":
		return formatRounded(v, digits)
	}
	suffix, known := unitSuffixes[unit]
	if !known {
		suffix = strings.TrimPrefix(unit, "suffix:")
	}
	return formatScaled(v, thousands, digits) + suffix
}

func formatScaled(v float64, scales []unitStep, digits *int) string {
	size := math.Abs(v)
	for _, s := range scales {
		if size >= s.from {
			return formatRounded(v/s.from, digits) + s.name
		}
	}
	least := scales[len(scales)-1]
	if v == 0 {
		if scales[0].name == secondSteps[0].name {
			return "0 s"
		}
		return "0" + strings.TrimSpace(" "+least.name)
	}
	return formatRounded(v/least.from, digits) + least.name
}

// formatRounded formats a value with the given number of decimals, or three significant digits.
func formatRounded(v float64, digits *int) string {
	if digits != nil {
		return strconv.FormatFloat(v, 'f', *digits, 64)
	}
	if v == math.Trunc(v) && math.Abs(v) < 1e6 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	after := 2 - int(math.Floor(math.Log10(math.Abs(v))))
	return strconv.FormatFloat(v, 'f', min(max(after, 0), 4), 64)
}
