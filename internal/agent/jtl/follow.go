package jtl

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

// followEvery is how often a file is looked at for what was added to it.
const followEvery = 200 * time.Millisecond

// Follow opens a file, once it is there, that is read to the end that it has after done is closed. Until then, its end is waited for.
func Follow(path string, done <-chan struct{}) (io.ReadCloser, error) {
	for {
		over := closed(done)
		file, err := os.Open(path)
		if err == nil {
			return &follower{file, done}, nil
		}
		if over || !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		pause(done)
	}
}

type follower struct {
	*os.File
	done <-chan struct{}
}

// Read waits at the end of the file. Whether it is the last was asked before the file was read, so that nothing is lost between.
func (f *follower) Read(p []byte) (int, error) {
	for {
		over := closed(f.done)
		n, err := f.File.Read(p)
		if n > 0 || !errors.Is(err, io.EOF) || over {
			return n, err
		}
		pause(f.done)
	}
}

func closed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

func pause(done <-chan struct{}) {
	select {
	case <-done:
	case <-time.After(followEvery):
	}
}
