// Package files writes whole files atomically: a reader sees either the old or the new content.
package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteAtomic replaces the file at path with content and the given permissions.
func WriteAtomic(path string, content []byte, mode fs.FileMode) error {
	return replaceAtomic(path, mode, func(f *os.File) error {
		_, err := f.Write(content)
		return err
	})
}

// CopyAtomic replaces the file at to with the content and permissions of the file at from. It returns the bytes copied.
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

// replaceAtomic writes a temporary file in the folder of path and renames it to path.
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

// CopyStats counts the files and bytes that CopyTree copied.
type CopyStats struct {
	Files int
	Bytes int64
}

// CopyTree copies every file below from to the same relative path below to, following symbolic links to files.
// It fails for anything else (device, socket, link to a folder), and if there are no files.
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
		err = fmt.Errorf("%s: no files", from)
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

const (
	// epochFile names the epoch of the files in its folder. It is absent in the first epoch.
	epochFile = ".benchnet-epoch"
	// lostAndFound belongs to the file system and to root, so it is kept.
	lostAndFound = "lost+found"
)

// EmptyOnNewEpoch empties a folder that holds files of another epoch and returns whether it did. It writes the mark of
// the new epoch last, so an interrupted call is repeated. The first epoch is empty and never deletes anything.
func EmptyOnNewEpoch(folder, epoch string) (bool, error) {
	mark := filepath.Join(folder, epochFile)
	last, err := os.ReadFile(mark)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if epoch == "" || string(last) == epoch {
		return false, nil
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return false, err
	}
	for _, entry := range entries {
		if entry.Name() == epochFile || entry.Name() == lostAndFound {
			continue
		}
		if err := os.RemoveAll(filepath.Join(folder, entry.Name())); err != nil {
			return false, fmt.Errorf("empty %s: %w", folder, err)
		}
	}
	return true, WriteAtomic(mark, []byte(epoch), 0o600)
}
