package measurement

import (
	"fmt"

	"github.com/benchnet/benchnet/internal/run/boundedjson"
)

// EncodeWorkerResult returns a worker's result as gzipped JSON. It coarsens the result's series until the
// document fits.
func EncodeWorkerResult(w *WorkerResult) ([]byte, error) {
	return boundedjson.PackWithCoarsening(w, "worker result", w.coarsenOnce)
}

// DecodeWorkerResult decodes and validates the output of EncodeWorkerResult.
func DecodeWorkerResult(compressed []byte) (*WorkerResult, error) {
	content, err := boundedjson.Unpack(compressed)
	if err != nil {
		return nil, fmt.Errorf("unpack worker result: %w", err)
	}
	return ParseWorkerResult(content)
}

// ParseWorkerResult decodes and validates a result.json.
func ParseWorkerResult(content []byte) (*WorkerResult, error) {
	var w WorkerResult
	if err := boundedjson.DecodeText(content, &w); err != nil {
		return nil, fmt.Errorf("worker result: %w", err)
	}
	if err := w.validate(); err != nil {
		return nil, fmt.Errorf("result of worker %d: %w", w.Worker, err)
	}
	return &w, nil
}
