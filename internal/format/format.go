// Package format formats numbers as plain text for messages, statuses and tables.
package format

import (
	"fmt"
	"math"
	"strconv"
)

// Number formats a measured number without decimals from 1000 up, with one decimal from 100 up, and otherwise with
// three significant digits, up to six decimals.
func Number(x float64) string {
	size := math.Abs(x)
	switch {
	case x == 0:
		return "0"
	case size >= 1000:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case size >= 100:
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	digits := 2 - int(math.Floor(math.Log10(size)))
	return strconv.FormatFloat(x, 'f', min(digits, 6), 64)
}

// Decimal formats a number with at most two decimals.
func Decimal(x float64) string {
	return strconv.FormatFloat(math.Round(x*100)/100, 'f', -1, 64)
}

// Percent formats a share of 1 with at most two decimals. It never formats a small share as zero.
func Percent(share float64) string {
	if share != 0 && math.Abs(share) < 0.0001 {
		return "<0.01 %"
	}
	return Decimal(share*100) + " %"
}

// Signed formats a number with its sign. What is rounded to zero has a plus.
func Signed(x float64, decimals int) string {
	if math.Round(x*math.Pow10(decimals)) == 0 {
		x = 0
	}
	return fmt.Sprintf("%+.*f", decimals, x)
}

// SignedPercent formats a difference as a share of 1.
func SignedPercent(share float64) string { return Signed(100*share, 1) + " %" }

// WholePercent formats a share of 1 without decimals.
func WholePercent(share float64) string { return fmt.Sprintf("%.0f %%", share*100) }

// Count formats a number of things. The noun is in the singular and has a regular plural.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
