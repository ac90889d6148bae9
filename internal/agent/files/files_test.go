package files

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func writeTestFile(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}

func readTestFile(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestWriteReplacesWholeFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	for _, text := range []string{"first, and longer", "second"} {
		if err := WriteAtomic(path, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
		if got := readTestFile(t, path); got != text {
			t.Errorf("got %q, want %q", got, text)
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if names, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(names) > 0 {
		t.Errorf("left behind %v", names)
	}
}

func TestWriteToMissingFolder(t *testing.T) {
	if err := WriteAtomic(filepath.Join(t.TempDir(), "no", "f"), nil, 0o600); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

func TestCopyTree(t *testing.T) {
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "new")
	writeTestFile(t, filepath.Join(from, "a.jar"), "aa", 0o644)
	writeTestFile(t, filepath.Join(from, "deep", "er", "run.sh"), "bbb", 0o755)
	if err := os.Symlink("a.jar", filepath.Join(from, "link.jar")); err != nil {
		t.Fatal(err)
	}
	writeTestFile(t, filepath.Join(to, "a.jar"), "old content", 0o644)
	got, err := CopyTree(from, to)
	if err != nil || got != (CopyStats{Files: 3, Bytes: 7}) {
		t.Fatalf("got %+v, %v", got, err)
	}
	for name, want := range map[string]string{"a.jar": "aa", "deep/er/run.sh": "bbb", "link.jar": "aa"} {
		if got := readTestFile(t, filepath.Join(to, name)); got != want {
			t.Errorf("%s holds %q, want %q", name, got, want)
		}
	}
	if info, _ := os.Stat(filepath.Join(to, "deep/er/run.sh")); info.Mode().Perm() != 0o755 {
		t.Errorf("run.sh has mode %v", info.Mode())
	}
}

func TestCopyTreeRefuses(t *testing.T) {
	empty, odd, loop := t.TempDir(), t.TempDir(), t.TempDir()
	if err := os.MkdirAll(filepath.Join(empty, "deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(odd, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(".", filepath.Join(loop, "self")); err != nil {
		t.Fatal(err)
	}
	for from, want := range map[string]string{empty: "no files", odd: "pipe is neither", loop: "self is neither", "/no/such": "no such file"} {
		if _, err := CopyTree(from, t.TempDir()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", from, err, want)
		}
	}
}

func TestEmptyOnNewEpoch(t *testing.T) {
	dir := t.TempDir()
	journal, found := filepath.Join(dir, "artemis", "journal", "1"), filepath.Join(dir, lostAndFound, "x")
	for _, step := range []struct {
		epoch string
		want  bool
	}{{"", false}, {"one", true}, {"one", false}, {"two", true}, {"", false}} {
		writeTestFile(t, journal, "messages", 0o600)
		writeTestFile(t, found, "of the file system", 0o600)
		renewed, err := EmptyOnNewEpoch(dir, step.epoch)
		if err != nil {
			t.Fatal(err)
		}
		_, err = os.Stat(filepath.Dir(filepath.Dir(journal)))
		if renewed != step.want || errors.Is(err, os.ErrNotExist) != step.want {
			t.Errorf("epoch %q: renewed %t, want %t; left: %v", step.epoch, renewed, step.want, err)
		}
		if readTestFile(t, found) != "of the file system" {
			t.Error("what is the file system's own must stay")
		}
	}
}

// TestEmptyOnNewEpochResumes interrupts the emptying of a folder, which the next call must repeat.
func TestEmptyOnNewEpochResumes(t *testing.T) {
	dir := t.TempDir()
	if _, err := EmptyOnNewEpoch(dir, "one"); err != nil {
		t.Fatal(err)
	}
	stuck := filepath.Join(dir, "stuck")
	writeTestFile(t, filepath.Join(stuck, "f"), "x", 0o600)
	if err := os.Chmod(stuck, 0o500); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		t.Skip("root removes whatever it likes")
	}
	if _, err := EmptyOnNewEpoch(dir, "two"); err == nil {
		t.Fatal("a folder that cannot be emptied must be an error")
	}
	if err := os.Chmod(stuck, 0o700); err != nil {
		t.Fatal(err)
	}
	if renewed, err := EmptyOnNewEpoch(dir, "two"); !renewed || err != nil {
		t.Errorf("the second attempt must empty the rest, but: %t, %v", renewed, err)
	}
}
