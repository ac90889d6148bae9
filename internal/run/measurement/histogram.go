package measurement

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/benchnet/benchnet/internal/run/boundedjson"
)

// Histograms of the project cover 1 µs to 1 h, to three significant digits.
const (
	lowestMicros      = 1
	highestMicros     = 3_600_000_000
	significantDigits = 3

	// histogramPrefixBytes is the size of the cookie and the length before the compressed part.
	histogramPrefixBytes = 8
)

// Histogram counts latencies in microseconds. Percentiles are exact to three significant digits.
type Histogram struct {
	counts *hdrhistogram.Histogram
}

// NewHistogram returns an empty histogram.
func NewHistogram() *Histogram {
	return &Histogram{hdrhistogram.New(lowestMicros, highestMicros, significantDigits)}
}

// DecodeHistogram decodes base64 of HdrHistogram's V2 compressed format. It accepts only the project's own
// range and precision, because others could not be merged exactly.
func DecodeHistogram(encoded string) (*Histogram, error) {
	if err := checkHistogramHeader(encoded); err != nil {
		return nil, err
	}
	h, err := hdrhistogram.Decode([]byte(encoded))
	if err != nil {
		return nil, fmt.Errorf("decode histogram: %w", err)
	}
	return &Histogram{h}, nil
}

// histogramHeader is the header of the compressed part of an encoded histogram.
type histogramHeader struct {
	Cookie, PayloadLength, NormalizingOffset, Digits int32
	Lowest, Highest                                  int64
}

// checkHistogramHeader rejects a histogram of another range or precision before the library allocates its
// counts, which may take 48 MB.
func checkHistogramHeader(encoded string) error {
	if len(encoded) > boundedjson.MaxHistogramBytes {
		return fmt.Errorf("decode histogram: it has %d bytes, at most %d are allowed", len(encoded), boundedjson.MaxHistogramBytes)
	}
	content, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return fmt.Errorf("decode histogram: %w", err)
	}
	zip, err := zlib.NewReader(bytes.NewReader(content[min(len(content), histogramPrefixBytes):]))
	if err != nil {
		return fmt.Errorf("decode histogram: %w", err)
	}
	var header histogramHeader
	if err := binary.Read(zip, binary.BigEndian, &header); err != nil {
		return fmt.Errorf("decode histogram: %w", err)
	}
	if header.Lowest != lowestMicros || header.Highest != highestMicros || header.Digits != significantDigits {
		return fmt.Errorf("histogram: range %d to %d with %d digits, want %d to %d with %d",
			header.Lowest, header.Highest, header.Digits, lowestMicros, highestMicros, significantDigits)
	}
	return nil
}

// Record counts one latency. A latency outside of the histogram's range counts as the nearest value within.
func (h *Histogram) Record(micros int64) error {
	return h.counts.RecordValue(min(max(micros, lowestMicros), highestMicros))
}

// Encode returns base64 of HdrHistogram's V2 compressed format.
func (h *Histogram) Encode() (string, error) {
	encoded, err := h.counts.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return "", fmt.Errorf("encode histogram: %w", err)
	}
	return string(encoded), nil
}

// Merge adds the counts of another histogram.
func (h *Histogram) Merge(other *Histogram) error {
	if dropped := h.counts.Merge(other.counts); dropped > 0 {
		return fmt.Errorf("merge histograms: %d values are out of range", dropped)
	}
	return nil
}

// Counts returns the counts of each latency, for charts.
func (h *Histogram) Counts() *hdrhistogram.Histogram { return h.counts }

// Count returns the number of latencies.
func (h *Histogram) Count() int64 { return h.counts.TotalCount() }

// MeanMillis returns the arithmetic mean in milliseconds, or 0 if nothing was recorded.
func (h *Histogram) MeanMillis() float64 { return h.counts.Mean() / 1000 }

// MaxMillis returns the largest latency in milliseconds, or 0 if nothing was recorded.
func (h *Histogram) MaxMillis() float64 { return microsToMillis(h.counts.Max()) }

// PercentileMillis returns the nearest-rank percentile in milliseconds: the smallest recorded latency such that
// at least percent of all latencies are not above it. It returns 0 if nothing was recorded.
func (h *Histogram) PercentileMillis(percent float64) float64 {
	n := h.Count()
	if n == 0 {
		return 0
	}
	// The library rounds the rank to the nearest integer. Passing the percentile of exactly this rank yields
	// the nearest-rank definition. The tolerance keeps 99.9 % of 1000 at rank 999.
	rank := math.Ceil(percent/100*float64(n) - 1e-9)
	return microsToMillis(h.counts.ValueAtPercentile(100 * rank / float64(n)))
}

// CountAbove returns the number of latencies above a time in milliseconds.
func (h *Histogram) CountAbove(millis float64) (above int64) {
	for _, bar := range h.counts.Distribution() {
		if microsToMillis(bar.From) > millis {
			above += bar.Count
		}
	}
	return above
}

func microsToMillis(micros int64) float64 { return float64(micros) / 1000 }
