package bundle

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"aead.dev/minisign"
)

// Bundle is a bundle that was read.
type Bundle struct {
	// digests holds the SHA-256 of every file, in hexadecimal.
	digests map[string]string
	// files holds the content of the files that isKept selects.
	files map[string][]byte
	// totalBytes and keptBytes are the unpacked sizes of all files and of those in files.
	totalBytes, keptBytes int64
}

// Read reads a bundle. It fails unless the bundle is a gzipped tar of regular files with distinct local names, within the
// bounds of a bundle. It does not compare the files with their index: see FindDifferences.
func Read(r io.Reader) (*Bundle, error) { return readArchive(r, defaultBounds) }

// maxOverheadBytes bounds what a tar adds to a file: its header, one for a long name, and what fills up the last block.
const maxOverheadBytes = 4 * 512

func readArchive(r io.Reader, limits bounds) (*Bundle, error) {
	zip, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("unpack: %w", err)
	}
	unpacked := &io.LimitedReader{R: zip, N: limits.totalBytes + int64(limits.files+1)*maxOverheadBytes}
	archive := tar.NewReader(unpacked)
	b := &Bundle{digests: map[string]string{}, files: map[string][]byte{}}
	buffer := make([]byte, 32<<10)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) && unpacked.N > 0 {
			return b, checkEnd(unpacked)
		}
		if err == nil {
			err = b.addFile(header, archive, limits, buffer)
		}
		if unpacked.N <= 0 {
			err = fmt.Errorf("it unpacks to more than %d bytes", limits.totalBytes)
		}
		if err != nil {
			return nil, fmt.Errorf("unpack: %w", err)
		}
	}
}

// addFile adds the current file of an archive. It copies through the buffer.
func (b *Bundle) addFile(header *tar.Header, content io.Reader, limits bounds, buffer []byte) error {
	name := header.Name
	switch {
	case header.Typeflag != tar.TypeReg || header.Mode != fileMode:
		return fmt.Errorf("%.100q has type %q and mode %o, must be a regular file of mode %o", name, header.Typeflag, header.Mode, fileMode)
	case !isPlainName(name):
		return fmt.Errorf("%.100q is no name of a file below the current directory", name)
	case b.digests[name] != "":
		return fmt.Errorf("%.100q occurs twice", name)
	case len(b.digests) == limits.files:
		return fmt.Errorf("it has more than %d files", limits.files)
	case header.Size > limits.fileBytes:
		return fmt.Errorf("%.100q has %d bytes, at most %d are allowed", name, header.Size, limits.fileBytes)
	case b.totalBytes+header.Size > limits.totalBytes: // A sparse file is larger than its part of the tar.
		return fmt.Errorf("it unpacks to more than %d bytes", limits.totalBytes)
	}
	b.totalBytes += header.Size
	var kept bytes.Buffer
	sum := sha256.New()
	into := io.Writer(sum)
	if isKept(name) {
		b.keptBytes += header.Size
		if err := checkKept(name, header.Size, b.keptBytes); err != nil {
			return err
		}
		kept.Grow(int(header.Size))
		into = io.MultiWriter(sum, &kept)
	}
	if _, err := io.CopyBuffer(into, content, buffer); err != nil {
		return err
	}
	b.digests[name] = hex.EncodeToString(sum.Sum(nil))
	if isKept(name) {
		b.files[name] = kept.Bytes()
	}
	return nil
}

// isPlainName reports whether a name is local and the same on every system, without line breaks and the like.
func isPlainName(name string) bool {
	isSpecial := func(r rune) bool { return r <= ' ' || r > '~' || r == '\\' || r == ':' }
	return filepath.IsLocal(name) && path.Clean(name) == name && !strings.ContainsFunc(name, isSpecial)
}

// isKept reports whether the content of a file is needed after its digest: all but the report and the single runs.
func isKept(name string) bool { return name != reportName && !strings.HasPrefix(name, runsDirectory) }

// checkEnd fails if data follows the end of the archive, or if the gzip checksum is wrong.
func checkEnd(rest io.Reader) error {
	reader := bufio.NewReader(rest)
	for {
		value, err := reader.ReadByte()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("unpack: %w", err)
		case value != 0:
			return errors.New("unpack: data follows the end of the archive")
		}
	}
}

// FindDifferences compares the files with the index, and the index with its signature by the key. Without a key (nil) it
// checks no signature. It returns a line for each difference; comment is the trusted comment of a valid signature.
func (b *Bundle) FindDifferences(key *minisign.PublicKey) (comment string, differences []string) {
	index, ok := b.files[indexName]
	if !ok {
		return "", []string{indexName + " is missing: this is no bundle"}
	}
	if key != nil {
		var err error
		if comment, err = checkSignature(index, b.files[signatureName], key); err != nil {
			differences = append(differences, err.Error())
		}
	}
	expected, err := parseIndex(index)
	if err != nil {
		return comment, append(differences, err.Error())
	}
	for _, name := range slices.Sorted(maps.Keys(b.digests)) {
		if _, listed := expected[name]; !listed && name != indexName && name != signatureName {
			differences = append(differences, fmt.Sprintf("%s is not in %s", name, indexName))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(expected)) {
		switch got := b.digests[name]; got {
		case expected[name]:
		case "":
			differences = append(differences, name+" is missing")
		default:
			differences = append(differences, fmt.Sprintf("%s has SHA-256 %s, %s has %s", name, got, indexName, expected[name]))
		}
	}
	return comment, differences
}

// parseIndex returns the digests of an index by name.
func parseIndex(index []byte) (map[string]string, error) {
	digests := map[string]string{}
	for i, line := range strings.Split(strings.TrimSuffix(string(index), "\n"), "\n") {
		digest, name, found := strings.Cut(line, "  ")
		if sum, err := hex.DecodeString(digest); !found || err != nil || len(sum) != sha256.Size || !isPlainName(name) {
			return nil, fmt.Errorf("line %d of %s is %.100q, must be a SHA-256, two spaces and a name", i+1, indexName, line)
		}
		digests[name] = digest
	}
	return digests, nil
}

// Count returns the number of files.
func (b *Bundle) Count() int { return len(b.digests) }
