package measurement

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"github.com/benchnet/benchnet/internal/run/statistics"
)

// Missing marks a value of a Series that was not measured. In JSON it is null.
var Missing = math.NaN()

// Series is one value per second. It may hold Missing values.
type Series []float64

// MarshalJSON writes missing values as null.
func (s Series) MarshalJSON() ([]byte, error) {
	text := []byte{'['}
	for i, v := range s {
		if i > 0 {
			text = append(text, ',')
		}
		if math.IsNaN(v) {
			text = append(text, "null"...)
		} else {
			text = strconv.AppendFloat(text, v, 'f', -1, 64)
		}
	}
	return append(text, ']'), nil
}

// UnmarshalJSON reads null as a missing value.
func (s *Series) UnmarshalJSON(text []byte) error {
	var values []*float64
	if err := json.Unmarshal(text, &values); err != nil {
		return err
	}
	*s = make(Series, len(values))
	for i, v := range values {
		(*s)[i] = Missing
		if v != nil {
			(*s)[i] = *v
		}
	}
	return nil
}

// Mean returns the mean of the values that are not missing, or Missing if there are none.
func (s Series) Mean() float64 {
	return statistics.Mean(s.Measured())
}

// Max returns the largest of the values that are not missing, or Missing if there are none.
func (s Series) Max() float64 {
	known := s.Measured()
	if len(known) == 0 {
		return Missing
	}
	return slices.Max(known)
}

// ShareAtLeast returns the share of the values that are not missing which are at least limit, or 0 if there are none.
func (s Series) ShareAtLeast(limit float64) float64 {
	known := s.Measured()
	reached := slices.DeleteFunc(slices.Clone(known), func(v float64) bool { return v < limit })
	return statistics.Ratio(int64(len(reached)), int64(len(known)))
}

// Measured returns the values that are not missing.
func (s Series) Measured() []float64 {
	return slices.DeleteFunc(slices.Clone([]float64(s)), math.IsNaN)
}

// SeriesFromCounts returns the counts as a series.
func SeriesFromCounts(counts []int64) Series {
	return Series(statistics.Floats(counts))
}
