package report

import (
	"math"
	"strconv"
	"strings"
)

// thin is the space that groups thousands: narrow, and no line breaks at it.
const thin = "\u202f"

// number writes a value for people: three significant digits or all whole ones, thousands in groups, a dash for what was
// not measured.
func number(v float64) string { return rounded(v, 3) }

// rounded keeps so many significant digits of a value that is not whole at that precision.
func rounded(v float64, significant int) string {
	if !finite(v) {
		return "–"
	}
	digits := 0
	if size := math.Abs(v); size > 0 && size < math.Pow10(significant-1) {
		digits = min(significant-1-int(math.Floor(math.Log10(size))), 9)
	}
	text := strconv.FormatFloat(v, 'f', digits, 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	if text == "-0" {
		text = "0"
	}
	return grouped(text)
}

// exact writes a whole number.
func exact(v int64) string { return grouped(strconv.FormatInt(v, 10)) }

// grouped separates thousands from five digits on.
func grouped(text string) string {
	whole, fraction, broken := strings.Cut(text, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "−", whole[1:]
	}
	if len(whole) > 4 {
		for at := len(whole) - 3; at > 0; at -= 3 {
			whole = whole[:at] + thin + whole[at:]
		}
	}
	if broken {
		whole += "." + fraction
	}
	return sign + whole
}

// percent writes a share of 1 with its sign if asked by signed.
func percent(share float64) string { return number(share*100) + thin + "%" }

// signedPercent writes a difference, with a plus where it is one.
func signedPercent(share float64) string {
	if share > 0 {
		return "+" + percent(share)
	}
	return percent(share)
}

// quantity is a number with its unit.
func quantity(v float64, unit string) string {
	switch {
	case unit == "":
		return number(v)
	case unit == "cores" && v == 1:
		unit = "core"
	}
	return number(v) + thin + unit
}

// bytesUnit is the binary unit in which a size reads well, and how many bytes it has.
func bytesUnit(largest float64) (unit string, size float64) {
	size = 1
	for _, unit = range []string{"B", "KiB", "MiB", "GiB"} {
		if largest < 1024*size {
			return unit, size
		}
		size *= 1024
	}
	return "TiB", size
}

// size writes a number of bytes.
func size(bytes float64) string {
	if math.IsNaN(bytes) {
		return "–"
	}
	unit, of := bytesUnit(bytes)
	return quantity(bytes/of, unit)
}

// finite is what can be written as a number, and has a place on an axis; an axis of names may have one called NaN.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
