package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"time"

	"aead.dev/minisign"

	"github.com/benchnet/benchnet/internal/run/boundedjson"
)

// bounds limit a bundle. They hold for writing and for reading, because a small file can unpack to any size.
type bounds struct {
	files int
	// fileBytes and totalBytes limit the unpacked size of one file and of all files.
	fileBytes, totalBytes int64
}

var defaultBounds = bounds{files: 10_000, fileBytes: 32 << 20, totalBytes: 1 << 30}

// Bounds of what a reader keeps in memory. A manifest of YAML is smaller, because its decoded form takes a hundred times the space.
const (
	maxKeptFileBytes  = boundedjson.MaxDecodedBytes
	maxKeptBytes      = 32 << 20
	maxManifestBytes  = 128 << 10
	maxConfigMapBytes = 2 << 20
)

// fileMode is the mode of every file in a bundle.
const fileMode = 0o644

// archiveTime is the modification time of every file in a bundle, so that equal files give equal bundles.
var archiveTime = time.Unix(0, 0)

// writeArchive writes files as a gzipped tar, sorted by name and without times, owners or other traces of the machine.
func writeArchive(w io.Writer, files map[string][]byte, limits bounds) error {
	if err := limits.checkFiles(files); err != nil {
		return err
	}
	zip := gzip.NewWriter(w)
	archive := tar.NewWriter(zip)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		header := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: fileMode, Size: int64(len(files[name])), ModTime: archiveTime}
		if err := archive.WriteHeader(header); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
		if _, err := archive.Write(files[name]); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
	}
	if err := errors.Join(archive.Close(), zip.Close()); err != nil {
		return fmt.Errorf("write the archive: %w", err)
	}
	return nil
}

// checkFiles fails if the files are more or larger than a reader accepts.
func (b bounds) checkFiles(files map[string][]byte) error {
	if len(files) > b.files {
		return fmt.Errorf("the bundle would have %d files, at most %d are allowed", len(files), b.files)
	}
	var total, kept int64
	for name, content := range files {
		size := int64(len(content))
		total += size
		if isKept(name) {
			kept += size
			if err := checkKept(name, size, kept); err != nil {
				return err
			}
		}
		if size > b.fileBytes {
			return fmt.Errorf("%s has %d bytes, at most %d are allowed", name, size, b.fileBytes)
		}
	}
	if total > b.totalBytes {
		return fmt.Errorf("the bundle would unpack to %d bytes, at most %d are allowed", total, b.totalBytes)
	}
	return nil
}

// checkKept fails if a file that a reader keeps, or all such files up to it, are too large.
func checkKept(name string, size, total int64) error {
	limit := int64(maxKeptFileBytes)
	switch {
	case path.Ext(name) == ".yaml":
		limit = maxManifestBytes
	case path.Ext(name) == ".json" && name != resultName:
		limit = maxConfigMapBytes
	}
	if size > limit {
		return fmt.Errorf("%.100q has %d bytes, at most %d are allowed", name, size, limit)
	}
	if total > maxKeptBytes {
		return fmt.Errorf("all but %s and %s have more than %d bytes", reportName, runsDirectory, maxKeptBytes)
	}
	return nil
}

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
