package supervise

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/benchnet/benchnet/internal/agent/faults"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

const (
	// volumeVariable is the folder of the volume of a faulty supervisor.
	volumeVariable = "BENCHNET_TEST_VOLUME"
	// withoutAllocationVariable makes its file system refuse to allocate space.
	withoutAllocationVariable = "BENCHNET_TEST_WITHOUT_ALLOCATION"
	// mountVolume is a script that mounts a file system of 64 MiB at $VOLUME.
	mountVolume = `mount -t tmpfs -o size=64m tmpfs "$` + volumeVariable + `"`
)

// diskSupervisor is a supervisor with a volume in a mount namespace of its own.
type diskSupervisor struct {
	*faultySupervisor
	// volume is the open root of the volume, which outlives the namespace.
	volume *os.File
}

// startDiskSupervisor runs a script that mounts the volume, and then a supervisor of a command that ignores SIGTERM.
func startDiskSupervisor(t *testing.T, mount string, environment ...string) diskSupervisor {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root: it mounts file systems")
	}
	folder := t.TempDir()
	c := supervisorCommand(t, "faulty", "sh", "-c", "trap '' TERM; sleep 60 & "+reportUp+"wait")
	c.Path, c.Args = "/bin/sh", append([]string{"sh", "-ec", mount + `; exec "$@"`, "sh"}, c.Args...)
	c.Env = append(append(c.Env, volumeVariable+"="+folder), environment...)
	s := diskSupervisor{faultySupervisor: startSupervisor(t, c, syscall.CLONE_NEWNS)}
	var err error
	if s.volume, err = os.Open(fmt.Sprintf("/proc/%d/root%s", s.Process.Pid, folder)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.volume.Close() })
	return s
}

// file returns the path of a file in the volume.
func (s diskSupervisor) file(name string) string { return filepath.Join(s.volume.Name(), name) }

// awaitFree waits until that many MiB are free.
func (s diskSupervisor) awaitFree(t *testing.T, wanted uint64) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		var room unix.Statfs_t
		if err := unix.Fstatfs(int(s.volume.Fd()), &room); err != nil {
			t.Fatal(err)
		}
		free := room.Bavail * uint64(room.Bsize)
		if free == wanted*mib {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d KiB are free, want %d MiB", free>>10, wanted)
		}
	}
}

// fillDisk is a fault of a volume with a claim of 60 MiB.
func fillDisk(seconds int, leaveFree int64) measurement.Fault {
	return measurement.Fault{Type: measurement.FaultFillDisk, DurationSeconds: seconds,
		FillDisk: measurement.FillDiskFault{LeaveFreeBytes: leaveFree, ClaimBytes: 60 * mib}}
}

// TestFillDisk fills a file system while a file in it is deleted.
func TestFillDisk(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		environment []string
		leaveFree   uint64
		during      string
	}{
		"full":                    {nil, 0, "at most 0 KiB free, 4 KiB could not be written"},
		"full without allocation": {[]string{withoutAllocationVariable + "=yes"}, 0, "at most 0 KiB free, 4 KiB could not be written"},
		"with room":               {nil, 16, "at most 16384 KiB free"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startDiskSupervisor(t, mountVolume, c.environment...)
			writeFile(t, s.file("old"), string(make([]byte, 8*mib)))
			wait := s.sendInBackground(t.Context(), encodeRequest(fillDisk(3, int64(c.leaveFree*mib))))
			s.awaitFree(t, c.leaveFree)
			if err := os.WriteFile(s.file("new"), make([]byte, 4096), 0o644); (c.leaveFree == 0) != errors.Is(err, syscall.ENOSPC) {
				t.Errorf("writing ended with %v", err)
			}
			for _, name := range []string{"new", "old"} {
				if err := os.Remove(s.file(name)); err != nil {
					t.Fatal(err)
				}
			}
			s.awaitFree(t, c.leaveFree)
			if files, err := s.volume.ReadDir(-1); len(files) > 0 || err != nil {
				t.Errorf("the volume has %v, %v", files, err)
			}
			effect, err := wait()
			if err != nil {
				t.Fatal(err)
			}
			assertMatch(t, "problem", "", effect.Problem)
			assertMatch(t, "before", "56 MiB free", effect.Before)
			assertMatch(t, "during", c.during, effect.During)
			assertMatch(t, "after", "64 MiB free", effect.After)
			if lasted := effect.Healed.FromSeconds - effect.Injected.FromSeconds; lasted < 3 || lasted > 3.5 {
				t.Errorf("lasted %v s", lasted)
			}
			s.awaitFree(t, 64)
		})
	}
}

// TestFillDiskEnds checks that the volume is free again after a fault that ended before it was healed.
func TestFillDiskEnds(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(s diskSupervisor, cancel func()) error{
		"the caller disconnects":   func(_ diskSupervisor, cancel func()) error { cancel(); return nil },
		"the container is stopped": func(s diskSupervisor, _ func()) error { return s.Process.Signal(syscall.SIGTERM) },
		"the command ends":         func(s diskSupervisor, _ func()) error { return syscall.Kill(s.pid, syscall.SIGKILL) },
		"the agent is killed":      func(s diskSupervisor, _ func()) error { return s.Process.Kill() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startDiskSupervisor(t, mountVolume)
			ctx, cancel := context.WithCancel(t.Context())
			wait := s.sendInBackground(ctx, encodeRequest(fillDisk(60, 0)))
			s.awaitFree(t, 0)
			if err := end(s, cancel); err != nil {
				t.Fatal(err)
			}
			s.awaitFree(t, 64)
			cancel()
			_, _ = wait() // The agent may end before its answer.
		})
	}
}

func TestFillDiskIsRefused(t *testing.T) {
	t.Parallel()
	emptyDir, large := fillDisk(1, 0), fillDisk(1, 0)
	emptyDir.FillDisk.ClaimBytes, large.FillDisk.ClaimBytes = 0, 58*mib
	for name, c := range map[string]struct {
		mount string
		asked measurement.Fault
		want  string
	}{
		"a folder of the host":   {`mount --bind . "$` + volumeVariable + `"`, fillDisk(1, 0), `the volume shares the file system of its host \(as /.*\): filling it would stop the node`},
		"no volume":              {":", fillDisk(1, 0), `no volume is mounted at "/.*"`},
		"an emptyDir":            {mountVolume, emptyDir, "the container has no persistent volume: filling an emptyDir would evict the pod"},
		"larger than its claim":  {mountVolume, large, `the volume shares the file system of its host \(64 MiB for a claim of 58 MiB\): filling it would stop the node`},
		"no room":                {mountVolume, fillDisk(1, 64*mib), "64 MiB are free, and the fault leaves 64 MiB"},
		"a volume that is read":  {mountVolume + " -o ro", fillDisk(1, 0), "open .*: read-only file system"},
		"a volume of its own":    {mountVolume, fillDisk(1, 0), ""},
		"a volume that has room": {mountVolume, fillDisk(1, 63*mib), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startDiskSupervisor(t, c.mount)
			effect, err := faults.Send(t.Context(), http.MethodGet, s.url, "", c.asked, 0, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			assertMatch(t, "problem", c.want, effect.Problem)
		})
	}
}

func TestCheckFull(t *testing.T) {
	for free, want := range map[int64]string{17 * mib: "", 17*mib + 1024: "17409 KiB are free instead of 16384 KiB, and cannot be filled"} {
		t.Run(fmt.Sprint(free), func(t *testing.T) {
			got := ""
			if err := (&diskFill{leaveFree: 16 * mib}).checkFull(free); err != nil {
				got = err.Error()
			}
			if got != want {
				t.Errorf("error %q, want %q", got, want)
			}
		})
	}
}
