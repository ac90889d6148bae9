package supervise

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/benchnet/benchnet/internal/agent/faults"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// runFaultySupervisor prints the URL of its fault handler. Its command is started again with fresh watchers of a line "up".
func runFaultySupervisor() int {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return ExitNotRun
	}
	fmt.Printf("http://%s\n", listener.Addr())
	starts := 0
	options := Options{Stdin: StdinHeld, Linger: time.Minute, NewWatchers: func() (stdout, stderr []LineWatcher, err error) {
		starts++
		return []LineWatcher{WatchFirstMatch(regexp.MustCompile("^up"), func() { fmt.Println("watched start", starts) })}, nil, nil
	}}
	c, err := Start(os.Args[1:], options)
	if err != nil {
		return ExitCode(err)
	}
	handler := &FaultHandler{Volume: os.Getenv(volumeVariable)}
	if os.Getenv(withoutAllocationVariable) != "" {
		allocateSpace = func(int, uint32, int64, int64) error { return syscall.EOPNOTSUPP }
	}
	handler.SetCommand(c)
	var busy sync.Mutex
	// Shorter than the shortest pause, so that the handler must lift them, but no request of a busy machine exceeds them.
	server := &http.Server{ReadTimeout: 900 * time.Millisecond, WriteTimeout: 900 * time.Millisecond}
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		busy.Lock()
		defer busy.Unlock()
		handler.ServeHTTP(w, r)
	})
	go func() { _ = server.Serve(listener) }()
	return c.Wait()
}

// faultySupervisor is a supervisor in a separate process.
type faultySupervisor struct {
	*exec.Cmd
	url    string
	output *bufio.Reader
	// pid is of the command, child of a process that it started.
	pid, child int
}

// startFaultySupervisor runs a script that prints its process and its child with reportUp.
func startFaultySupervisor(t *testing.T, args ...string) *faultySupervisor {
	t.Helper()
	return startSupervisor(t, supervisorCommand(t, "faulty", args...), 0)
}

// startSupervisor starts a supervisor in new namespaces.
func startSupervisor(t *testing.T, c *exec.Cmd, namespaces uintptr) *faultySupervisor {
	t.Helper()
	s := &faultySupervisor{Cmd: c}
	s.Stderr = os.Stderr
	s.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Unshareflags: namespaces}
	out, err := s.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-s.Process.Pid, syscall.SIGKILL)
		_ = s.Wait()
	})
	s.output = bufio.NewReader(out)
	line := s.readLine(t)
	s.url = strings.TrimSpace(line)
	s.readUp(t, 1)
	return s
}

const reportUp = `echo up $$ $!; `

func (s *faultySupervisor) readLine(t *testing.T) string {
	t.Helper()
	line, err := s.output.ReadString('\n')
	if err != nil {
		t.Fatalf("read %q, %v", line, err)
	}
	return line
}

// readUp reads that the command has started, and that the watchers of that start saw it.
func (s *faultySupervisor) readUp(t *testing.T, start int) {
	t.Helper()
	if _, err := fmt.Sscanf(s.readLine(t), "up %d %d", &s.pid, &s.child); err != nil {
		t.Fatal(err)
	}
	if want, got := fmt.Sprintf("watched start %d\n", start), s.readLine(t); got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
}

// encodeFault returns the query of a fault.
func encodeFault(faultType string, afterMillis, seconds int) string {
	return url.Values{"fault": {fmt.Sprintf(`{"type":%q,"durationSeconds":%d}`, faultType, seconds)}, "afterMillis": {strconv.Itoa(afterMillis)}}.Encode()
}

// encodeRequest returns the query of a fault that begins at once.
func encodeRequest(f measurement.Fault) string {
	text, _ := json.Marshal(f) // It has only numbers and strings.
	return url.Values{"fault": {string(text)}, "afterMillis": {"0"}}.Encode()
}

// slowDatabase is a fault with pauses of 400 ms.
func slowDatabase(seconds int) string {
	return encodeRequest(measurement.Fault{Type: measurement.FaultSlowDatabase, DurationSeconds: seconds, SlowDatabase: measurement.SlowDatabaseFault{PauseMicros: 400_000}})
}

// send sends a fault and returns its effect once it has been healed.
func (s *faultySupervisor) send(ctx context.Context, method, query string) (measurement.FaultEffect, error) {
	var effect measurement.FaultEffect
	request, err := http.NewRequestWithContext(ctx, method, s.url+faults.Path+"?"+query, nil)
	if err != nil {
		return effect, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return effect, err
	}
	defer response.Body.Close()
	return effect, json.NewDecoder(response.Body).Decode(&effect)
}

// sendInBackground returns a function that waits for the effect.
func (s *faultySupervisor) sendInBackground(ctx context.Context, query string) func() (measurement.FaultEffect, error) {
	var effect measurement.FaultEffect
	var err error
	done := make(chan struct{})
	go func() {
		effect, err = s.send(ctx, http.MethodPost, query)
		slog.Info("request ended", "query", query, "effect", effect, "err", err)
		close(done)
	}()
	return func() (measurement.FaultEffect, error) { <-done; return effect, err }
}

// awaitState waits until the command's and the child's state are as wanted. The state of a process that is gone is "".
func (s *faultySupervisor) awaitState(t *testing.T, wanted func(state string) bool) {
	t.Helper()
	awaitProcess(t, s.pid, wanted)
	awaitProcess(t, s.child, wanted)
}

func awaitProcess(t *testing.T, pid int, wanted func(state string) bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		p, _ := readStat(pid)
		if wanted(p.state) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("process %d has state %q", pid, p.state)
		}
	}
}

func isStopped(state string) bool { return state == "T" }
func isRunning(state string) bool { return state == "R" || state == "S" }

func assertMatch(t *testing.T, what, pattern, got string) {
	t.Helper()
	if !regexp.MustCompile("^(" + pattern + ")$").MatchString(got) {
		t.Errorf("%s is %q, want %s", what, got, pattern)
	}
}

// busyScript is a command with a child that uses a CPU. Neither ends on SIGTERM.
const busyScript = `trap '' TERM; while :; do :; done & ` + reportUp + `wait`

func TestPause(t *testing.T) {
	t.Parallel()
	s := startFaultySupervisor(t, "sh", "-c", busyScript)
	for name, c := range map[string]struct {
		disturb                        func(t *testing.T)
		before, during, after, problem string
		query                          string
		leastSeconds, mostSeconds      float64
	}{
		"proved": {nil, "2 threads in 2 processes", `2 of 2 threads stopped, \d0? ms of CPU time in 1 s`, "0 of 2 threads stopped", "",
			encodeFault("Pause", 100, 1), 1, 1.5},
		"continued by another": {func(t *testing.T) {
			t.Helper()
			time.Sleep(200 * time.Millisecond) // Until then, the agent repeats the signal that stops the child.
			if err := syscall.Kill(s.child, syscall.SIGCONT); err != nil {
				t.Error(err)
			}
		}, "2 threads in 2 processes", "", "0 of 2 threads stopped", `process \d+ was not stopped at second 1: something continued it`,
			encodeFault("Pause", 0, 60), 1, 1.5},
	} {
		t.Run(name, func(t *testing.T) {
			wait := s.sendInBackground(t.Context(), c.query)
			s.awaitState(t, isStopped)
			if c.disturb != nil {
				c.disturb(t)
			}
			effect, err := wait()
			if err != nil {
				t.Fatal(err)
			}
			assertMatch(t, "before", c.before, effect.Before)
			assertMatch(t, "during", c.during, effect.During)
			assertMatch(t, "after", c.after, effect.After)
			assertMatch(t, "problem", c.problem, effect.Problem)
			if lasted := effect.Healed.FromSeconds - effect.Injected.FromSeconds; lasted < c.leastSeconds || lasted > c.mostSeconds {
				t.Errorf("lasted %v s", lasted)
			}
			s.awaitState(t, isRunning)
		})
	}
	t.Run("already stopped", func(t *testing.T) {
		if err := syscall.Kill(s.child, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		awaitProcess(t, s.child, isStopped)
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			effect, err := s.send(t.Context(), method, encodeFault("Pause", 0, 60))
			if err != nil || effect != (measurement.FaultEffect{Problem: "1 of 2 threads stopped before the fault"}) {
				t.Errorf("%s: %+v, %v", method, effect, err)
			}
		}
	})
}

func TestSlowDatabase(t *testing.T) {
	t.Parallel()
	s := startFaultySupervisor(t, "sh", "-c", busyScript)
	t.Run("proved", func(t *testing.T) {
		wait := s.sendInBackground(t.Context(), slowDatabase(3))
		for range 3 {
			s.awaitState(t, isStopped)
			s.awaitState(t, isRunning)
		}
		effect, err := wait()
		if err != nil {
			t.Fatal(err)
		}
		assertMatch(t, "problem", "", effect.Problem)
		assertMatch(t, "before", "2 threads in 2 processes", effect.Before)
		assertMatch(t, "during", `all threads were stopped 3 times, for [34]\d\dms on average`, effect.During)
		assertMatch(t, "after", "0 of 2 threads stopped", effect.After)
		if lasted := effect.Healed.FromSeconds - effect.Injected.FromSeconds; lasted < 2.3 || lasted > 2.9 {
			t.Errorf("lasted %v s", lasted)
		}
	})
	t.Run("continued by another", func(t *testing.T) {
		wait := s.sendInBackground(t.Context(), slowDatabase(60))
		s.awaitState(t, isStopped)
		time.Sleep(100 * time.Millisecond) // Until then, the agent repeats the signal that stops the child.
		if err := syscall.Kill(s.child, syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		effect, err := wait()
		if err != nil {
			t.Fatal(err)
		}
		assertMatch(t, "problem", `pause 1: process \d+ was not stopped .*: something continued it`, effect.Problem)
		s.awaitState(t, isRunning)
	})
}

func TestProvePauses(t *testing.T) {
	for name, c := range map[string]struct {
		mean, asked time.Duration
		want        string
	}{
		"short":     {29 * time.Millisecond, 10 * time.Millisecond, ""},
		"too long":  {31 * time.Millisecond, 10 * time.Millisecond, "all threads were stopped for 31ms of each second instead of 10ms"},
		"long":      {405 * time.Millisecond, 500 * time.Millisecond, ""},
		"too short": {395 * time.Millisecond, 500 * time.Millisecond, "all threads were stopped for 395ms of each second instead of 500ms"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			if err := provePauses(c.mean, c.asked); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("error %q, want %q", got, c.want)
			}
		})
	}
}

func TestCallerDisconnects(t *testing.T) {
	t.Parallel()
	s := startFaultySupervisor(t, "sh", "-c", busyScript)
	t.Run("before the injection", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if effect, err := s.send(ctx, http.MethodPost, encodeFault("Pause", 300, 60)); err == nil {
			t.Fatalf("got %+v", effect)
		}
		for deadline := time.Now().Add(500 * time.Millisecond); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
			s.awaitState(t, isRunning)
		}
	})
	t.Run("during a pause", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		wait := s.sendInBackground(ctx, encodeFault("Pause", 0, 60))
		s.awaitState(t, isStopped)
		cancel()
		if effect, err := wait(); err == nil {
			t.Fatalf("got %+v", effect)
		}
		s.awaitState(t, isRunning)
	})
	t.Run("while a database is slow", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		wait := s.sendInBackground(ctx, slowDatabase(60))
		s.awaitState(t, isStopped)
		cancel()
		if effect, err := wait(); err == nil {
			t.Fatalf("got %+v", effect)
		}
		s.awaitState(t, isRunning)
	})
	t.Run("during the outage of a kill", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		wait := s.sendInBackground(ctx, encodeFault("Kill", 0, 60))
		s.awaitState(t, func(state string) bool { return state == "" })
		cancel()
		if effect, err := wait(); err == nil {
			t.Fatalf("got %+v", effect)
		}
		s.readUp(t, 2)
	})
}

// TestKill kills a command that ignores SIGTERM, with an orphan and a child in another session.
func TestKill(t *testing.T) {
	t.Parallel()
	s := startFaultySupervisor(t, "sh", "-c", "trap '' TERM; (sleep 3 &); setsid sleep 3 & "+reportUp+"wait")
	for start, query := range []string{encodeFault("Kill", 100, 0), encodeFault("Kill", 0, 1)} {
		t.Run(query, func(t *testing.T) {
			killed, _ := readStat(s.pid)
			pids := []int{s.pid, s.child}
			effect, err := s.send(t.Context(), http.MethodPost, query)
			if err != nil {
				t.Fatal(err)
			}
			s.readUp(t, start+2)
			started, _ := readStat(s.pid)
			if effect.Problem != "" || effect.Before != killed.String() || effect.During != "ended by signal 9; no process left" || effect.After != started.String() {
				t.Errorf("effect %+v of %v, %v", effect, killed, started)
			}
			for _, pid := range pids {
				if err := syscall.Kill(pid, 0); err != syscall.ESRCH {
					t.Errorf("process %d is left: %v", pid, err)
				}
			}
			if effect.Injected.ToSeconds > effect.Healed.FromSeconds {
				t.Errorf("injected %v, healed %v", effect.Injected, effect.Healed)
			}
		})
	}
}

// TestEndAgent checks what an agent does in a fault that ends it, and that the answers of the next agent identify another instance.
func TestEndAgent(t *testing.T) {
	t.Parallel()
	query := func(fault string, afterMillis int) string {
		return url.Values{"fault": {fault}, "afterMillis": {strconv.Itoa(afterMillis)}}.Encode()
	}
	const script = "trap '' TERM; sleep 60 & " + reportUp + "wait"
	s, other := startFaultySupervisor(t, "sh", "-c", script), startFaultySupervisor(t, "sh", "-c", script)
	const threads = "2 threads in 2 processes"
	checked, err := s.send(t.Context(), http.MethodGet, query(`{"type":"Kill","kill":"Container"}`, 0))
	if err != nil || checked.Problem != "" || checked.Before != threads || len(checked.Instance) != 8 || checked.Started.ToSeconds > 0 || checked.Started.FromSeconds < -600 {
		t.Fatalf("checked %+v, %v", checked, err)
	}
	t.Run("another agent", func(t *testing.T) {
		later, err := other.send(t.Context(), http.MethodGet, query(`{"type":"Evict"}`, 0))
		if err != nil || later.Instance == checked.Instance || later.Before != threads {
			t.Errorf("checked %+v, %v", later, err)
		}
	})
	for _, fault := range []string{`{"type":"Evict"}`, `{"type":"Kill","kill":"Pod","pod":"banks-notary-0"}`} {
		t.Run(fault, func(t *testing.T) {
			began := time.Now()
			effect, err := s.send(t.Context(), http.MethodPost, query(fault, 100))
			if err != nil || effect.Problem != "" || effect.Before != threads || effect.Injected != nil || effect.Instance != checked.Instance {
				t.Errorf("effect %+v, %v", effect, err)
			}
			if took := time.Since(began); took < 100*time.Millisecond {
				t.Errorf("answered after %v", took)
			}
			s.awaitState(t, isRunning)
		})
	}
	t.Run("container", func(t *testing.T) {
		killed, _ := readStat(s.pid)
		effect, err := s.send(t.Context(), http.MethodPost, query(`{"type":"Kill","kill":"Container"}`, 0))
		if err != nil || effect.Problem != "" || effect.Before != killed.String() || effect.During != "ended by signal 9; no process left" || effect.Injected == nil ||
			effect.Healed != nil || effect.Instance != checked.Instance {
			t.Errorf("effect %+v, %v", effect, err)
		}
		if got := exitCodeOf(s.Wait()); got != exitKilled {
			t.Errorf("exit code %d, want %d", got, exitKilled)
		}
		s.awaitState(t, func(state string) bool { return state == "" })
	})
}

// TestStopDuringFault checks that a fault does not delay the end of the container.
func TestStopDuringFault(t *testing.T) {
	t.Parallel()
	for query, c := range map[string]struct {
		isUnderWay func(state string) bool
		want       int
	}{
		encodeFault("Pause", 0, 60):    {isStopped, 7},
		slowDatabase(60):               {isStopped, 7},
		encodeFault("Kill", 0, 60):     {func(state string) bool { return state == "" }, 128 + 15},
		encodeFault("Kill", 10000, 60): {isRunning, 7},
	} {
		t.Run(query, func(t *testing.T) {
			t.Parallel()
			s := startFaultySupervisor(t, "sh", "-c", "sleep 60 & trap 'kill $!; exit 7' TERM; "+reportUp+"wait")
			wait := s.sendInBackground(t.Context(), query)
			s.awaitState(t, c.isUnderWay)
			began := time.Now()
			if err := s.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if got := exitCodeOf(s.Wait()); got != c.want {
				t.Errorf("exit code %d, want %d", got, c.want)
			}
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("took %v", took)
			}
			_, _ = wait() // The agent may end before its answer.
		})
	}
}

// TestEndAfterKill checks that a command that is started again decides how the agent ends.
func TestEndAfterKill(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change  func(script string) error
		want    int
		problem string
	}{
		"by itself":    {func(script string) error { return os.WriteFile(script, []byte("#!/bin/sh\nexit 5\n"), 0o755) }, 5, ""},
		"at the start": {os.Remove, ExitNotFound, "start .*script again: .*no such file or directory"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := filepath.Join(t.TempDir(), "script")
			if err := os.WriteFile(script, []byte("#!/bin/sh\nsleep 60 &\n"+reportUp+"wait\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			s := startFaultySupervisor(t, script)
			if err := c.change(script); err != nil {
				t.Fatal(err)
			}
			effect, err := s.send(t.Context(), http.MethodPost, encodeFault("Kill", 50, 0))
			if err != nil && c.problem != "" {
				t.Fatal(err)
			}
			assertMatch(t, "problem", c.problem, effect.Problem)
			if got := exitCodeOf(s.Wait()); got != c.want {
				t.Errorf("exit code %d, want %d", got, c.want)
			}
		})
	}
}

func TestFaultBeforeStart(t *testing.T) {
	server := httptest.NewServer(&FaultHandler{})
	t.Cleanup(server.Close)
	for _, c := range []struct {
		method, fault, after string
		status               int
		want                 string
	}{
		{http.MethodGet, `{"type":"Pause"}`, "", http.StatusOK, `{"problem":"the command has not started"}`},
		{http.MethodGet, `{"type":"Link"}`, "", http.StatusOK, `{"problem":"the command has not started"}`},
		{http.MethodPost, `{"type":"Pause","durationSeconds":600}`, "10000", http.StatusOK, `{"problem":"the command has not started"}`},
		{http.MethodGet, "", "", http.StatusBadRequest, "fault: EOF"},
		{http.MethodGet, `{"type":"Kill","strength":1}`, "", http.StatusBadRequest, `fault: json: unknown field "strength"`},
		{http.MethodGet, `{}`, "", http.StatusBadRequest, fmt.Sprintf(`the type of the fault is "", want one of %v`, faultTypes)},
		{http.MethodGet, `{"type":"Stop"}`, "", http.StatusBadRequest, fmt.Sprintf(`the type of the fault is "Stop", want one of %v`, faultTypes)},
		{http.MethodPost, `{"type":"Kill"}`, "", http.StatusBadRequest, `afterMillis is "", want a whole number from 0 to 10000`},
		{http.MethodPost, `{"type":"Kill"}`, "10001", http.StatusBadRequest, `afterMillis is "10001", want a whole number from 0 to 10000`},
		{http.MethodPost, `{"type":"Kill","durationSeconds":-1}`, "0", http.StatusBadRequest, "the fault lasts -1 s, want 0 to 600"},
		{http.MethodPost, `{"type":"Kill","durationSeconds":601}`, "0", http.StatusBadRequest, "the fault lasts 601 s, want 0 to 600"},
		{http.MethodPost, `{"type":"Pause"}`, "0", http.StatusBadRequest, "the fault lasts 0 s, want 1 to 600"},
		{http.MethodPost, `{"type":"Pause","durationSeconds":1.5}`, "0", http.StatusBadRequest,
			"fault: json: cannot unmarshal number 1.5 into Go struct field Fault.durationSeconds of type int"},
	} {
		t.Run(c.method+" "+c.fault+c.after, func(t *testing.T) {
			request, err := http.NewRequestWithContext(t.Context(), c.method, server.URL+faults.Path+"?"+url.Values{"fault": {c.fault}, "afterMillis": {c.after}}.Encode(), nil)
			if err != nil {
				t.Fatal(err)
			}
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			body, err := io.ReadAll(response.Body)
			if got := strings.TrimSpace(string(body)); response.StatusCode != c.status || got != c.want || err != nil {
				t.Errorf("status %d, %s, %v", response.StatusCode, got, err)
			}
		})
	}
}

// TestFaultOfRole checks that only a command of the role is affected, and that a check does not wait for the turn of a proposer.
func TestFaultOfRole(t *testing.T) {
	t.Parallel()
	read := func(role measurement.ConsensusRole, err error) func(context.Context) (ObservedRole, error) {
		return func(context.Context) (ObservedRole, error) { return ObservedRole{role, "log"}, err }
	}
	const unknown = "the role of the command is unknown: "
	for name, c := range map[string]struct {
		want             measurement.ConsensusRole
		read             func(context.Context) (ObservedRole, error)
		isCheck, has     bool
		skipped, problem string
	}{
		"leader":          {want: measurement.RoleLeader, read: read(measurement.RoleLeader, nil), has: true},
		"follower":        {want: measurement.RoleLeader, read: read(measurement.RoleFollower, nil), skipped: "it was a Follower (log)"},
		"unknown":         {want: measurement.RoleLeader, read: read("", errors.New("no answer")), problem: unknown + "no answer"},
		"no such thing":   {want: measurement.RoleLeader, problem: "the agent cannot read the role of this command"},
		"turn":            {want: measurement.RoleProposer, read: read(measurement.RoleProposer, nil), has: true},
		"no turn":         {want: measurement.RoleProposer, read: read("", context.DeadlineExceeded), problem: unknown + "context deadline exceeded"},
		"no turn so far":  {want: measurement.RoleProposer, read: read("", context.DeadlineExceeded), isCheck: true, has: true},
		"no such address": {want: measurement.RoleProposer, read: read("", errors.New("404")), isCheck: true, problem: unknown + "404"},
	} {
		t.Run(name, func(t *testing.T) {
			f := fault{Request: &faults.Request{Fault: measurement.Fault{Role: c.want}, IsCheck: c.isCheck, Received: time.Now()}, readRole: c.read}
			has, err := f.hasRole(t.Context())
			problem := ""
			if err != nil {
				problem = err.Error()
			}
			if has != c.has || f.effect.Skipped != c.skipped || problem != c.problem {
				t.Errorf("has the role %t, skipped %q, %v", has, f.effect.Skipped, err)
			}
		})
	}
}

// TestDescribeRole checks the evidence of a role that was read 20 ms after the request and 3 ms before the injection.
func TestDescribeRole(t *testing.T) {
	t.Parallel()
	received := time.Now()
	f := fault{Request: &faults.Request{Fault: measurement.Fault{Role: measurement.RoleProposer}, Received: received}, role: ObservedRole{Source: "height 7"},
		roleRead: received.Add(20 * time.Millisecond), effect: measurement.FaultEffect{Injected: &measurement.Bracket{FromSeconds: 0.023}}}
	if got := f.describeRole(); got != "Proposer 3 ms before (height 7); " {
		t.Errorf("described as %q", got)
	}
}
