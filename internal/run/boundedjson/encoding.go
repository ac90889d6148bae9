package boundedjson

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

const (
	// MaxEncodedBytes is the size that fits into one ConfigMap (1 MiB) with its other, small keys.
	MaxEncodedBytes = 1<<20 - 16<<10
	// MaxDecodedBytes bounds the JSON text of a document, because a small compressed document can unpack to any size.
	MaxDecodedBytes = 4 << 20
)

// ErrTooLarge reports that a document does not fit into a ConfigMap, even with the coarsest series.
var ErrTooLarge = errors.New("too large for a ConfigMap")

// PackWithCoarsening packs a document with Pack and coarsens it until it fits. coarsen returns false if
// it cannot make the document smaller.
func PackWithCoarsening(document any, what string, coarsen func() bool) ([]byte, error) {
	for {
		packed, err := Pack(document, what)
		if !errors.Is(err, ErrTooLarge) || !coarsen() {
			return packed, err
		}
	}
}

// Pack returns a document as gzipped JSON; what names it in errors. It fails with ErrTooLarge if the
// document is larger than MaxEncodedBytes, or its text exceeds MaxDecodedBytes or the bounds of Decode.
func Pack(document any, what string) ([]byte, error) {
	text, err := json.Marshal(document)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", what, err)
	}
	if len(text) > MaxDecodedBytes {
		return nil, fmt.Errorf("%s: %d bytes of JSON, at most %d: %w", what, len(text), MaxDecodedBytes, ErrTooLarge)
	}
	if err := checkBounds(text); err != nil {
		return nil, fmt.Errorf("%s: %w: %w", what, err, ErrTooLarge)
	}
	var packed bytes.Buffer
	zip, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	_, err = zip.Write(text)
	if err := errors.Join(err, zip.Close()); err != nil {
		return nil, fmt.Errorf("compress %s: %w", what, err)
	}
	if packed.Len() > MaxEncodedBytes {
		return nil, fmt.Errorf("%s: %d bytes compressed, at most %d: %w", what, packed.Len(), MaxEncodedBytes, ErrTooLarge)
	}
	return packed.Bytes(), nil
}

// GzipMagic is the prefix of gzipped data.
var GzipMagic = []byte{0x1f, 0x8b}

// Unpack returns the text of a packed document, at most MaxDecodedBytes. A document that is not gzipped
// is returned unchanged.
func Unpack(document []byte) ([]byte, error) {
	var reader io.Reader = bytes.NewReader(document)
	if bytes.HasPrefix(document, GzipMagic) {
		zip, err := gzip.NewReader(reader)
		if err != nil {
			return nil, err
		}
		reader = zip
	}
	var content bytes.Buffer
	n, err := content.ReadFrom(io.LimitReader(reader, MaxDecodedBytes+1))
	if err == nil && n > MaxDecodedBytes {
		err = fmt.Errorf("it has more than %d bytes", MaxDecodedBytes)
	}
	return content.Bytes(), err
}

// Decode decodes a packed document. Before decoding, it rejects a document whose lists, objects or
// strings exceed the bounds of stored documents.
func Decode(document []byte, into any) error {
	content, err := Unpack(document)
	if err != nil {
		return fmt.Errorf("unpack: %w", err)
	}
	return DecodeText(content, into)
}

// DecodeText decodes the text of a stored document after checkBounds.
func DecodeText(content []byte, into any) error {
	if err := checkBounds(content); err != nil {
		return err
	}
	if err := json.Unmarshal(content, into); err != nil {
		return fmt.Errorf("parse: %w", err)
	}
	return nil
}
