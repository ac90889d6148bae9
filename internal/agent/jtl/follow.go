package jtl

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

// pollInterval is how often a file is looked at for what was added to it.
const pollInterval = 200 * time.Millisecond

// FollowFile opens a file, once it is there, that is read to the end that it has after done is closed. Until then, its end is waited for.
func FollowFile(path string, done <-chan struct{}) (io.ReadCloser, error) {
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

// Read waits at the end of the file. Whether it is the last was asked before the file was read, so that nothing is lost between.
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
