package results

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// MaxEncodedBytes is what fits into one ConfigMap (1 MiB) beside its other, small keys.
const MaxEncodedBytes = 1<<20 - 16<<10

// maxDecodedBytes bounds what is unpacked, because a document may come from anywhere.
const maxDecodedBytes = 64 << 20

// ErrTooLarge says that a document does not fit into a ConfigMap. Nothing is left out to make it fit.
var ErrTooLarge = errors.New("too large for a ConfigMap")

// EncodeWorker writes a worker's result as gzipped JSON.
func EncodeWorker(w *Worker) ([]byte, error) { return Pack(w, "worker result") }

// DecodeWorker reads what EncodeWorker wrote and checks that it is whole.
func DecodeWorker(compressed []byte) (*Worker, error) {
	content, err := Unpack(compressed)
	if err != nil {
		return nil, fmt.Errorf("unpack worker result: %w", err)
	}
	return ParseWorker(content)
}

// Encode writes a result as gzipped JSON.
func Encode(r *Result) ([]byte, error) { return Pack(r, "result") }

// Decode reads what Encode wrote, or the same as plain JSON. A document of another kind or of a newer schema is refused.
func Decode(document []byte) (*Result, error) {
	content, err := Unpack(document)
	if err != nil {
		return nil, fmt.Errorf("unpack result: %w", err)
	}
	var r Result
	if err := json.Unmarshal(content, &r); err != nil {
		return nil, fmt.Errorf("parse result: %w", err)
	}
	if r.APIVersion != APIVersion || r.Kind != Kind || r.SchemaVersion > SchemaVersion {
		return nil, fmt.Errorf("result is %s %s schema %d, this program reads %s %s up to schema %d",
			r.APIVersion, r.Kind, r.SchemaVersion, APIVersion, Kind, SchemaVersion)
	}
	return &r, nil
}

// Pack writes a document as gzipped JSON; what names it in errors. One that does not fit into a ConfigMap is refused.
func Pack(document any, what string) ([]byte, error) {
	var packed bytes.Buffer
	zip, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(json.NewEncoder(zip).Encode(document), zip.Close()); err != nil {
		return nil, fmt.Errorf("encode %s: %w", what, err)
	}
	if packed.Len() > MaxEncodedBytes {
		return nil, fmt.Errorf("%s: %d bytes compressed, at most %d: %w", what, packed.Len(), MaxEncodedBytes, ErrTooLarge)
	}
	return packed.Bytes(), nil
}

// gzipMagic begins everything that is gzipped.
var gzipMagic = []byte{0x1f, 0x8b}

// Unpack is the content of what Pack wrote, at most 64 MiB. What is not gzipped is taken as it is.
func Unpack(document []byte) ([]byte, error) {
	if !bytes.HasPrefix(document, gzipMagic) {
		return document, nil
	}
	zip, err := gzip.NewReader(bytes.NewReader(document))
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(zip, maxDecodedBytes+1))
	if err == nil && len(content) > maxDecodedBytes {
		err = fmt.Errorf("more than %d bytes", maxDecodedBytes)
	}
	return content, err
}
