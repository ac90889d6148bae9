package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

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
