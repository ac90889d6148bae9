package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

const (
	// epochFile in a folder names the epoch that its files are of; there is none in the first.
	epochFile = ".benchnet-epoch"
	// lostAndFound is the file system's own and belongs to root.
	lostAndFound = "lost+found"
)

// EmptyOnNewEpoch empties a folder whose files are of another epoch, and tells whether it did. It may die at any point: the folder takes
// the name of the epoch last. In the first epoch, the empty one, there is nothing to forget.
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
