// Package diagnose collects what a bug report needs into an archive: objects, events, logs and versions, without the
// content of Secrets.
package diagnose

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"
)

// archive writes files into a gzipped tar. It replaces the contents of Secrets in all of them.
type archive struct {
	directory string
	modified  time.Time
	secrets   *strings.Replacer
	zip       *gzip.Writer
	tar       *tar.Writer
}

func newArchive(w io.Writer, directory string, modified time.Time, secrets *strings.Replacer) *archive {
	zip := gzip.NewWriter(w)
	return &archive{directory: directory, modified: modified, secrets: secrets, zip: zip, tar: tar.NewWriter(zip)}
}

// addFile writes a file. The name has slashes.
func (a *archive) addFile(name, content string) error {
	content = a.secrets.Replace(content)
	header := &tar.Header{Name: path.Join(a.directory, name), Mode: 0o644, Size: int64(len(content)), ModTime: a.modified}
	if err := a.tar.WriteHeader(header); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if _, err := io.WriteString(a.tar, content); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// writeEnd completes the archive.
func (a *archive) writeEnd() error {
	return errors.Join(a.tar.Close(), a.zip.Close())
}
