package document

import (
	"crypto/sha256"
	"encoding/hex"
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
	for _, s := range r.listSummaries() {
		s.Latency.DropUnsupported(s.Requests - s.Errors)
	}
	return &r, nil
}

// listSummaries returns the summaries of the window and of its segments.
func (r *RunResult) listSummaries() []*measurement.Summary {
	all := []*measurement.Summary{&r.Summary}
	for i := range r.Segments {
		all = append(all, &r.Segments[i].Summary)
	}
	return all
}

// validateSeries checks the invariants that readers of the series, the segments, the faults and the operations rely on.
func (r *RunResult) validateSeries() error {
	if len(r.Segments) > measurement.MaxSegments {
		return fmt.Errorf("segments: %d, at most %d", len(r.Segments), measurement.MaxSegments)
	}
	if len(r.Faults) > measurement.MaxFaults {
		return fmt.Errorf("faults: %d, at most %d", len(r.Faults), measurement.MaxFaults)
	}
	if len(r.Operations) > measurement.MaxOperations {
		return fmt.Errorf("operations: %d, at most %d", len(r.Operations), measurement.MaxOperations)
	}
	for i := range r.Segments {
		if n := len(r.Segments[i].Operations); n > measurement.MaxOperations {
			return fmt.Errorf("segments[%d].operations: %d, at most %d", i, n, measurement.MaxOperations)
		}
	}
	if completed, failed := len(r.Series.CompletedPerSecond), len(r.Series.FailedPerSecond); completed != failed {
		return fmt.Errorf("series: it has %d seconds of completed and %d of failed operations", completed, failed)
	}
	if r.Times.WindowSeconds < 0 {
		return fmt.Errorf("times.windowSeconds: %d is negative", r.Times.WindowSeconds)
	}
	return measurement.CheckResolution(r.SeriesSeconds)
}

// Digest returns the digest of a stored document, which the status of its run or experiment records.
func Digest(document []byte) string {
	sum := sha256.Sum256(document)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// CheckDigest fails if a stored document is not the one whose digest was recorded. Whoever may write ConfigMaps can replace it.
// Every document passes if no digest was recorded.
func CheckDigest(document []byte, recorded string) error {
	if got := Digest(document); recorded != "" && got != recorded {
		return fmt.Errorf("its digest is %s, want %s: the document was replaced after it was written", got, recorded)
	}
	return nil
}
