package bundle

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"slices"

	"aead.dev/minisign"
)

const (
	// indexName is the file with the SHA-256 of every other file, in the format of sha256sum.
	indexName = "SHA256SUMS"
	// signatureName is the signature of the index.
	signatureName = indexName + ".minisig"
)

// Write writes the kit as a bundle: a gzipped tar with its files, an index of their SHA-256, and the index's signature
// by the key. Without a key (nil) the bundle is not signed. Equal kits and keys give equal bundles.
func (b *Kit) Write(w io.Writer, key *minisign.PrivateKey) error {
	files, err := b.buildFiles()
	if err != nil {
		return err
	}
	index := buildIndex(files)
	files[indexName] = index
	if key != nil {
		files[signatureName] = signIndex(index, key, b.Target.String())
	}
	return writeArchive(w, files, defaultBounds)
}

// buildIndex returns a line with SHA-256 and name for each file, sorted by name.
func buildIndex(files map[string][]byte) []byte {
	var index bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&index, "%x  %s\n", sha256.Sum256(files[name]), name)
	}
	return index.Bytes()
}
