package experiment

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/benchnet/benchnet/internal/results"
)

// Encode writes a result as gzipped JSON.
func Encode(r *Result) ([]byte, error) { return results.Pack(r, "experiment result") }

// Decode reads what Encode wrote, or the same as plain JSON. A document of another kind or of a newer schema is refused, and one
// with numbers that no run can have measured.
func Decode(document []byte) (*Result, error) {
	content, err := results.Unpack(document)
	if err != nil {
		return nil, fmt.Errorf("unpack experiment result: %w", err)
	}
	var r Result
	if err := json.Unmarshal(content, &r); err != nil {
		return nil, fmt.Errorf("parse experiment result: %w", err)
	}
	if r.APIVersion != APIVersion || r.Kind != Kind || r.SchemaVersion > SchemaVersion {
		return nil, fmt.Errorf("it is %q %q schema %d, must be %s %s up to schema %d", r.APIVersion, r.Kind, r.SchemaVersion, APIVersion, Kind, SchemaVersion)
	}
	for i, run := range r.Runs {
		for _, name := range slices.Sorted(maps.Keys(run.Metrics)) {
			if v := run.Metrics[name]; v != 0 && !(v >= leastMetric && v <= largestMetric) {
				return nil, fmt.Errorf("runs[%d].metrics.%s is %v, must be 0 or from %v to %v", i, name, v, leastMetric, largestMetric)
			}
		}
	}
	return &r, nil
}

// Bounds of what a run can have measured, whatever the metric. Statistics stay finite within them.
const (
	leastMetric   = 1e-15
	largestMetric = 1e15
)
