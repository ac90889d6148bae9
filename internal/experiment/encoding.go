package experiment

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/benchnet/benchnet/internal/results"
)

// Encode writes a result as gzipped JSON.
func Encode(r *Result) ([]byte, error) { return results.Pack(r, "experiment result") }

// gzipMagic begins everything that is gzipped.
var gzipMagic = []byte{0x1f, 0x8b}

// Decode reads what Encode wrote, or the same as plain JSON. A document of another kind or of a newer schema is refused.
func Decode(content []byte) (*Result, error) {
	if bytes.HasPrefix(content, gzipMagic) {
		plain, err := results.Unpack(content)
		if err != nil {
			return nil, fmt.Errorf("unpack experiment result: %w", err)
		}
		content = plain
	}
	var r Result
	if err := json.Unmarshal(content, &r); err != nil {
		return nil, fmt.Errorf("parse experiment result: %w", err)
	}
	if r.APIVersion != APIVersion || r.Kind != Kind || r.SchemaVersion > SchemaVersion {
		return nil, fmt.Errorf("it is %q %q schema %d, must be %s %s up to schema %d", r.APIVersion, r.Kind, r.SchemaVersion, APIVersion, Kind, SchemaVersion)
	}
	return &r, nil
}
