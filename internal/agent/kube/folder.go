package kube

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

const (
	// maxSecretBytes is the API server's limit on the data of one Secret.
	maxSecretBytes = 1 << 20
	// maxEntries is the maximum number of entries of one folder.
	maxEntries = 1000
)

// addFolder adds the files of a folder below root to the data. It skips subfolders and fails on an empty
// folder. It reads only regular files: a user's image may have written the folder, and pods of that image mount
// the Secret. A symbolic link could otherwise expose another step's keys or the publisher's own token.
func (t *pendingSecret) addFolder(root *os.Root, folder string) error {
	entries, err := readFolder(root, folder)
	if err != nil {
		return err
	}
	files := 0
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		if err := t.addFile(root, path.Join(folder, e.Name())); err != nil {
			return err
		}
		files++
	}
	if files == 0 {
		return fmt.Errorf("%s is empty", folder)
	}
	return nil
}

// addFile adds one regular file. It fails if the file name is not a valid key or already taken, or if the
// Secret would exceed maxSecretBytes.
func (t *pendingSecret) addFile(root *os.Root, file string) error {
	key := path.Base(file)
	if problems := validation.IsConfigMapKey(key); len(problems) > 0 {
		return fmt.Errorf("%s cannot be a key: %s", file, strings.Join(problems, "; "))
	}
	if _, taken := t.data[key]; taken {
		return fmt.Errorf("%s: another folder has a file of that name for the same Secret", file)
	}
	if err := checkType(root, file, 0); err != nil {
		return err
	}
	f, err := root.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxSecretBytes-t.size+1))
	if err != nil {
		return err
	}
	if t.size += int64(len(content)); t.size > maxSecretBytes {
		return fmt.Errorf("%s: with it the Secret exceeds its maximum of %d bytes", file, maxSecretBytes)
	}
	if t.data == nil {
		t.data = map[string]any{}
	}
	t.data[key] = base64.StdEncoding.EncodeToString(content)
	return nil
}

// readFolder returns the entries of a folder, sorted by name. It fails if a folder on the path is a symbolic
// link, even to a place below root.
func readFolder(root *os.Root, folder string) ([]fs.DirEntry, error) {
	for i, c := range folder + "/" {
		if c == '/' && i > 0 {
			if err := checkType(root, folder[:i], fs.ModeDir); err != nil {
				return nil, err
			}
		}
	}
	f, err := root.Open(folder)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(maxEntries + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(entries) > maxEntries {
		return nil, fmt.Errorf("%s has more than %d entries", folder, maxEntries)
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

// checkType returns an error unless the file is of the wanted type: fs.ModeDir, or 0 for a regular file.
func checkType(root *os.Root, name string, want fs.FileMode) error {
	info, err := root.Lstat(name)
	if err != nil {
		return err
	}
	if info.Mode().Type() != want {
		return fmt.Errorf("%s (%s) is neither a regular file nor a folder of them, so it is not published", name, info.Mode())
	}
	return nil
}
