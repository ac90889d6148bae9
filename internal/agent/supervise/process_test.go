package supervise

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/iotest"
	"time"
)

// supervisorVariable makes the test binary run its arguments under Start. A supervisor reaps all children of
// its process, so it cannot share one with the tests.
const supervisorVariable = "BENCHNET_TEST_SUPERVISOR"

func TestMain(m *testing.M) {
	if mode := os.Getenv(supervisorVariable); mode != "" {
		os.Unsetenv(supervisorVariable)
		os.Exit(runSupervisor(mode))
	}
	os.Exit(m.Run())
}

// runCountingSupervisor prints, once the command has ended, what it captured from both outputs.
func runCountingSupervisor() int {
	var captured sync.Map
	watch := WatchMatches(regexp.MustCompile(`^(\d+) RPS`), func(groups [][]byte) { captured.Store(string(groups[1]), true) })
	c, err := Start(os.Args[1:], Options{Stdin: StdinNull, Linger: 5 * time.Minute,
		NewWatchers: func() (stdout, stderr []LineWatcher, err error) {
			return []LineWatcher{watch}, []LineWatcher{watch}, nil
		}})
	if err != nil {
		return ExitCode(err)
	}
	code := c.Wait()
	captured.Range(func(group, _ any) bool { fmt.Println("captured", group); return true })
	return code
}

func runSupervisor(mode string) int {
	options := Options{Stdin: StdinNull, Linger: 5 * time.Minute}
	switch mode {
	case "held":
		options.Stdin = StdinHeld
	case "watched":
		watch := WatchFirstMatch(regexp.MustCompile(`^up and registered`), func() { fmt.Fprintln(os.Stderr, "matched") })
		options.NewWatchers = func() (stdout, stderr []LineWatcher, err error) { return []LineWatcher{watch}, nil, nil }
	case "counted":
		return runCountingSupervisor()
	case "faulty":
		return runFaultySupervisor()
	case "impatient":
		options.Linger = 100 * time.Millisecond
	}
	c, err := Start(os.Args[1:], options)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return ExitCode(err)
	}
	return c.Wait()
}

// supervisorCommand returns a command that runs args under a supervisor in a separate process.
func supervisorCommand(t *testing.T, mode string, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], args...)
	c.Env = append(os.Environ(), supervisorVariable+"="+mode)
	c.WaitDelay = time.Minute
	return c
}

func TestExitCode(t *testing.T) {
	notRunnable := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(notRunnable, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		want int
	}{
		"success":      {[]string{"sh", "-c", "exit 0"}, 0},
		"failure":      {[]string{"sh", "-c", "exit 42"}, 42},
		"killed":       {[]string{"sh", "-c", "kill -KILL $$"}, 137},
		"not found":    {[]string{"no-such-command"}, 127},
		"no such path": {[]string{"/no/such/command"}, 127},
		"not runnable": {[]string{notRunnable}, 126},
	} {
		t.Run(name, func(t *testing.T) {
			if got := exitCodeOf(supervisorCommand(t, "plain", c.args...).Run()); got != c.want {
				t.Errorf("exit code %d, want %d", got, c.want)
			}
		})
	}
}

func exitCodeOf(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	if err != nil {
		return -1
	}
	return 0
}

func TestSignalsReachTheCommand(t *testing.T) {
	for s, name := range map[syscall.Signal]string{syscall.SIGTERM: "TERM", syscall.SIGINT: "INT", syscall.SIGQUIT: "QUIT"} {
		t.Run(name, func(t *testing.T) {
			c := supervisorCommand(t, "plain", "sh", "-c", "trap 'echo got "+name+"; exit 7' "+name+"; echo set; while :; do sleep 0.05; done")
			out, err := c.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewReader(out)
			if line, err := lines.ReadString('\n'); line != "set\n" {
				t.Fatalf("read %q, %v", line, err)
			}
			if err := c.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
			if line, _ := lines.ReadString('\n'); line != "got "+name+"\n" {
				t.Errorf("the command printed %q after the signal", line)
			}
			if got := exitCodeOf(c.Wait()); got != 7 {
				t.Errorf("exit code %d, want 7", got)
			}
		})
	}
}

func TestUntrappedSignalKills(t *testing.T) {
	c := supervisorCommand(t, "plain", "sh", "-c", "echo set; exec sleep 60")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, 4)); err != nil {
		t.Fatal(err)
	}
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if got := exitCodeOf(c.Wait()); got != 128+15 {
		t.Errorf("exit code %d, want 143", got)
	}
}

// TestOrphansAreReaped orphans twenty grandchildren, which end while the command runs. The command waits until
// its supervisor has no other child, living or zombie.
func TestOrphansAreReaped(t *testing.T) {
	script := `children() { grep -l "^PPid:[[:space:]]*$PPID\$" /proc/[0-9]*/status 2>/dev/null | grep -v "/$$/" | wc -l; }
		for i in $(seq 20); do (sh -c 'sleep 0.1' &) ; done
		for i in $(seq 600); do [ "$(children)" = 0 ] && break; sleep 0.1; done
		children`
	out, _ := supervisorCommand(t, "plain", "sh", "-c", script).Output()
	if got := strings.TrimSpace(string(out)); got != "0" {
		t.Errorf("the supervisor has %q children besides the command, want 0", got)
	}
}

func TestWaitForLeftoverProcesses(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "mark")
	script := "(sleep 0.5; echo done > " + mark + ") & exit 3"
	if got := exitCodeOf(supervisorCommand(t, "plain", "sh", "-c", script).Run()); got != 3 {
		t.Errorf("exit code %d, want 3", got)
	}
	if _, err := os.Stat(mark); err != nil {
		t.Errorf("the supervisor ended before what the command left behind: %v", err)
	}
}

func TestLingerIsBounded(t *testing.T) {
	began := time.Now()
	if got := exitCodeOf(supervisorCommand(t, "impatient", "sh", "-c", "sleep 60 >/dev/null 2>&1 & exit 3").Run()); got != 3 {
		t.Errorf("exit code %d, want 3", got)
	}
	if took := time.Since(began); took > 50*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestHeldStdinStaysOpen(t *testing.T) {
	script := `read -r line; echo "input ended"`
	out, _ := supervisorCommand(t, "plain", "sh", "-c", script).Output()
	if string(out) != "input ended\n" {
		t.Errorf("without holding: printed %q", out)
	}
	out, _ = supervisorCommand(t, "held", "timeout", "1", "sh", "-c", script).Output()
	if len(out) != 0 {
		t.Errorf("while holding: printed %q", out)
	}
}

func TestOutputPassesUnchanged(t *testing.T) {
	script := `printf 'no\nup and registered\nlast'; printf 'oops' >&2`
	c := supervisorCommand(t, "watched", "sh", "-c", script)
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil || string(out) != "no\nup and registered\nlast" {
		t.Errorf("stdout %q, %v", out, err)
	}
	if got := errs.String(); strings.Count(got, "matched\n") != 1 || !strings.Contains(got, "oops") {
		t.Errorf("stderr %q", got)
	}
}

func TestBothOutputsAreWatched(t *testing.T) {
	c := supervisorCommand(t, "counted", "sh", "-c", `printf '1 RPS\nx\n'; printf '2 RPS\n' >&2; printf '3 RPS'`)
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil || errs.String() != "2 RPS\n" {
		t.Fatalf("stderr %q, %v", errs.String(), err)
	}
	text := string(out)
	if !strings.HasPrefix(text, "1 RPS\nx\n3 RPS") || !strings.Contains(text, "captured 1\n") || !strings.Contains(text, "captured 2\n") {
		t.Errorf("stdout %q", text)
	}
	if strings.Contains(text, "captured 3") {
		t.Error("an unfinished line counts")
	}
}

// assertOutputUnchanged passes input to a watcher, whole and byte by byte, and checks that it comes out unchanged.
func assertOutputUnchanged(t *testing.T, input string, watcher func() LineWatcher, check func()) {
	t.Helper()
	for _, in := range []io.Reader{strings.NewReader(input), iotest.OneByteReader(strings.NewReader(input))} {
		var out bytes.Buffer
		(&lineSplitter{watchers: []LineWatcher{watcher()}}).copyOutput(&out, in)
		if out.String() != input {
			t.Errorf("%d bytes passed of %d", out.Len(), len(input))
		}
		check()
	}
}

func TestWatchFirstMatch(t *testing.T) {
	long := strings.Repeat("x", maxLineBytes+10)
	for name, c := range map[string]struct {
		input string
		want  int
	}{
		"first line":          {"ready now\n", 1},
		"only once":           {"ready\nready\n", 1},
		"in a later line":     {"a\nb\nready\n", 1},
		"not in an open line": {"ready", 0},
		"across lines":        {"rea\ndy\n", 0},
		"after a long line":   {long + "\nready\n", 1},
		"beyond the bound":    {long + "ready\n", 0},
	} {
		t.Run(name, func(t *testing.T) {
			var matches int
			assertOutputUnchanged(t, c.input, func() LineWatcher {
				matches = 0
				return WatchFirstMatch(regexp.MustCompile("ready"), func() { matches++ })
			}, func() {
				if matches != c.want {
					t.Errorf("%d matches, want %d", matches, c.want)
				}
			})
		})
	}
}

func TestWatchMatches(t *testing.T) {
	var got []string
	assertOutputUnchanged(t, "1.5 RPS: 20\nother\n1.6 RPS: 30.5\n1.7 RPS: 4", func() LineWatcher {
		got = nil
		return WatchMatches(regexp.MustCompile(`RPS: ([0-9.]+)`), func(groups [][]byte) { got = append(got, string(groups[1])) })
	}, func() {
		if !slices.Equal(got, []string{"20", "30.5"}) {
			t.Errorf("captured %q", got)
		}
	})
}
