// Package files puts whole files in place: a reader sees the old content or the new, never a part.
package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrEmpty says that a folder that should hold files holds none.
var ErrEmpty = errors.New("no files")

// WriteAtomic puts content at path, with the given permissions.
func WriteAtomic(path string, content []byte, mode fs.FileMode) error {
	return replaceAtomic(path, mode, func(f *os.File) error {
		_, err := f.Write(content)
		return err
	})
}

// CopyAtomic puts the content of the file at from at to, with the same permissions.
func CopyAtomic(from, to string) (int64, error) {
	source, err := os.Open(from)
	if err != nil {
		return 0, err
	}
	defer source.Close()
	info, err := source.Stat()
	if err != nil {
		return 0, err
	}
	var copied int64
	err = replaceAtomic(to, info.Mode().Perm(), func(f *os.File) error {
		copied, err = io.Copy(f, source)
		return err
	})
	return copied, err
}

// replaceAtomic writes a new file beside path and renames it into place.
func replaceAtomic(path string, mode fs.FileMode, write func(*os.File) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	if err := errors.Join(write(f), f.Chmod(mode), f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return os.Rename(f.Name(), path)
}

// CopyStats counts what CopyTree copied.
type CopyStats struct {
	Files int
	Bytes int64
}

// CopyTree copies every file below from to the same place below to, following symbolic links to files.
// Anything else (device, socket, link to a folder) is an error, and so is a folder without any file: ErrEmpty.
func CopyTree(from, to string) (CopyStats, error) {
	var t CopyStats
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, relative)
		if entry.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		return t.copyFile(path, target)
	})
	if err == nil && t.Files == 0 {
		err = fmt.Errorf("%s: %w", from, ErrEmpty)
	}
	return t, err
}

func (t *CopyStats) copyFile(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is neither a file nor a folder", from)
	}
	n, err := CopyAtomic(from, to)
	t.Files++
	t.Bytes += n
	return err
}
