package report

import (
	"math"
	"strconv"
	"strings"
)

// thinSpace is the space that groups thousands: narrow, and no line breaks at it.
const thinSpace = "\u202f"

// formatNumber writes a value for people: three significant digits or all whole ones, thousands in groups, a dash for what was
// not measured.
func formatNumber(v float64) string { return formatSignificant(v, 3) }

// formatSignificant keeps so many significant digits of a value that is not whole at that precision.
func formatSignificant(v float64, significant int) string {
	if !isFinite(v) {
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
	return groupThousands(text)
}

// formatInteger writes a whole number.
func formatInteger(v int64) string { return groupThousands(strconv.FormatInt(v, 10)) }

// groupThousands separates thousands from five digits on.
func groupThousands(text string) string {
	whole, fraction, broken := strings.Cut(text, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "−", whole[1:]
	}
	if len(whole) > 4 {
		for at := len(whole) - 3; at > 0; at -= 3 {
			whole = whole[:at] + thinSpace + whole[at:]
		}
	}
	if broken {
		whole += "." + fraction
	}
	return sign + whole
}

// formatPercent writes a share of 1 with its sign if asked by signed.
func formatPercent(share float64) string { return formatNumber(share*100) + thinSpace + "%" }

// formatSignedPercent writes a difference, with a plus where it is one.
func formatSignedPercent(share float64) string {
	if share > 0 {
		return "+" + formatPercent(share)
	}
	return formatPercent(share)
}

// formatQuantity is a number with its unit.
func formatQuantity(v float64, unit string) string {
	switch {
	case unit == "":
		return formatNumber(v)
	case unit == "cores" && v == 1:
		unit = "core"
	}
	return formatNumber(v) + thinSpace + unit
}

// chooseByteUnit is the binary unit in which a size reads well, and how many bytes it has.
func chooseByteUnit(largest float64) (unit string, size float64) {
	size = 1
	for _, unit = range []string{"B", "KiB", "MiB", "GiB"} {
		if largest < 1024*size {
			return unit, size
		}
		size *= 1024
	}
	return "TiB", size
}

// formatBytes writes a number of bytes.
func formatBytes(bytes float64) string {
	if math.IsNaN(bytes) {
		return "–"
	}
	unit, of := chooseByteUnit(bytes)
	return formatQuantity(bytes/of, unit)
}

// isFinite is what can be written as a number, and has a place on an axis; an axis of names may have one called NaN.
func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
