package document

import (
	"fmt"

	"github.com/benchnet/benchnet/internal/run/boundedjson"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// EncodeRunResult returns a result as gzipped JSON. It coarsens the result's series until the document fits.
func EncodeRunResult(r *RunResult) ([]byte, error) {
	return boundedjson.PackWithCoarsening(r, "result", r.coarsenOnce)
}

// DecodeRunResult decodes the output of EncodeRunResult, gzipped or as plain JSON. It rejects a document of
// another kind or of a newer schema, and drops percentiles of too few latencies.
func DecodeRunResult(document []byte) (*RunResult, error) {
	var r RunResult
	if err := boundedjson.Decode(document, &r); err != nil {
		return nil, fmt.Errorf("result: %w", err)
	}
	if r.APIVersion != APIVersion || r.Kind != Kind || r.SchemaVersion > SchemaVersion {
		return nil, fmt.Errorf("result is %.40q %.40q schema %d, this program reads %s %s up to schema %d",
			r.APIVersion, r.Kind, r.SchemaVersion, APIVersion, Kind, SchemaVersion)
	}
	if err := r.validateSeries(); err != nil {
		return nil, fmt.Errorf("result: %w", err)
	}
	r.Summary.Latency.DropUnsupported(r.Summary.Requests - r.Summary.Errors)
	return &r, nil
}

// validateSeries checks the invariants that readers of the series rely on.
func (r *RunResult) validateSeries() error {
	if completed, failed := len(r.Series.CompletedPerSecond), len(r.Series.FailedPerSecond); completed != failed {
		return fmt.Errorf("series: it has %d seconds of completed and %d of failed operations", completed, failed)
	}
	if r.Times.WindowSeconds < 0 {
		return fmt.Errorf("times.windowSeconds: %d is negative", r.Times.WindowSeconds)
	}
	return measurement.CheckResolution(r.SeriesSeconds)
}
