package work

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

// pollInterval is how often a file is checked for new content.
const pollInterval = 200 * time.Millisecond

// followFile waits for the file at path and opens it. Its Read waits for more content until done is closed,
// then reads to the end. followFile fails if the file does not exist when done is closed.
func followFile(path string, done <-chan struct{}) (io.ReadCloser, error) {
	for {
		over := isClosed(done)
		file, err := os.Open(path)
		if err == nil {
			return &fileFollower{file, done}, nil
		}
		if over || !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		sleepUnlessDone(done)
	}
}

type fileFollower struct {
	*os.File
	done <-chan struct{}
}

// Read waits for content at the end of the file. It checks done before reading, so that nothing written before
// done was closed is lost.
func (f *fileFollower) Read(p []byte) (int, error) {
	for {
		over := isClosed(f.done)
		n, err := f.File.Read(p)
		if n > 0 || !errors.Is(err, io.EOF) || over {
			return n, err
		}
		sleepUnlessDone(f.done)
	}
}

func isClosed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

func sleepUnlessDone(done <-chan struct{}) {
	select {
	case <-done:
	case <-time.After(pollInterval):
	}
}
