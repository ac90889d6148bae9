package report

import (
	"math"
	"strconv"
	"strings"

	"github.com/benchnet/benchnet/internal/format"
)

// thinSpace separates groups of thousands. It is narrow and non-breaking.
const thinSpace = "\u202f"

// formatNumber formats a value for people: three significant digits or all integer digits, thousands in groups,
// a dash for a value that was not measured.
func formatNumber(v float64) string { return formatSignificant(v, 3) }

// formatSignificant formats a value with the given number of significant digits, or as an integer if it has
// more integer digits.
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

// formatInteger formats an integer with groups of thousands.
func formatInteger(v int64) string { return groupThousands(strconv.FormatInt(v, 10)) }

// groupThousands separates thousands in numbers of five digits or more.
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

// formatPercent formats a share of 1 as all messages do.
func formatPercent(share float64) string { return typesetPercent(share, format.Percent) }

// formatSignedPercent formats a difference as all messages do.
func formatSignedPercent(share float64) string { return typesetPercent(share, format.SignedPercent) }

// typesetPercent formats a share of 1 with a thin space and a minus sign, or as a dash if it was not measured.
func typesetPercent(share float64, formatShare func(float64) string) string {
	if !isFinite(share) {
		return "–"
	}
	return strings.NewReplacer(" ", thinSpace, "-", "−").Replace(formatShare(share))
}

// formatQuantity formats a number with its unit.
func formatQuantity(v float64, unit string) string {
	switch {
	case unit == "":
		return formatNumber(v)
	case unit == "cores" && v == 1:
		unit = "core"
	}
	return formatNumber(v) + thinSpace + unit
}

// chooseByteUnit returns the binary unit that suits a size, and its number of bytes.
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

// formatBytes formats a number of bytes.
func formatBytes(bytes float64) string {
	if math.IsNaN(bytes) {
		return "–"
	}
	unit, of := chooseByteUnit(bytes)
	return formatQuantity(bytes/of, unit)
}

// isFinite reports whether a value can be written as a number and placed on an axis. An axis of names may have
// a value called NaN.
func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
