package container

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// writeThread writes the schedstat file of a thread that used some milliseconds of CPU time.
func writeThread(t *testing.T, root string, pid, tid, millis int) {
	t.Helper()
	path := filepath.Join(root, fmt.Sprintf("proc/%d/task/%d/schedstat", pid, tid))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, fmt.Appendf(nil, "%d 17 3\n", millis*1_000_000), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestBusiestThread has a process with one hot thread among idle ones, and a thread that reuses a number.
func TestBusiestThread(t *testing.T) {
	root, began := t.TempDir(), time.Unix(1_790_000_000, 0)
	s := &ThreadSampler{Root: root}
	writeThread(t, root, 1, 1, 1000)
	writeThread(t, root, 7, 7, 10_500)
	writeThread(t, root, 7, 8, 900_000)
	if got := s.Read(began); got != nil {
		t.Errorf("got %v at the first reading", got)
	}
	writeThread(t, root, 7, 7, 15_300)
	writeThread(t, root, 7, 8, 200)
	if got := s.Read(began.Add(time.Second)); got != nil {
		t.Errorf("got %v within the first interval", got)
	}
	for _, seconds := range []time.Duration{5, 6} {
		if got := s.Read(began.Add(seconds * time.Second)); len(got) != 1 || got[0].Value != 0.96 {
			t.Errorf("got %v after %d s, want 0.96 cores over the first interval", got, seconds)
		}
	}
}

// TestOwnThread reads the threads of this machine.
func TestOwnThread(t *testing.T) {
	if len(readThreads("/")) == 0 {
		t.Error("no thread found, not even this one")
	}
}

// TestWithoutProc has no metric where there is no /proc.
func TestWithoutProc(t *testing.T) {
	s := &ThreadSampler{Root: t.TempDir()}
	s.Read(time.Unix(1, 0))
	if got := s.Read(time.Unix(9, 0)); got != nil {
		t.Errorf("got %v", got)
	}
}
