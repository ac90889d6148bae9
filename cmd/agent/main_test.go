package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/benchnet/benchnet/internal/agent/container"
	"github.com/benchnet/benchnet/internal/agent/faults"
	"github.com/benchnet/benchnet/internal/agent/observe"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// agentModeVariable makes this test binary run as the agent.
const agentModeVariable = "BENCHNET_TEST_AGENT"

func TestMain(m *testing.M) {
	if os.Getenv(agentModeVariable) != "" {
		os.Unsetenv(agentModeVariable)
		main()
	}
	if seconds := os.Getenv(skewVariable); seconds != "" {
		os.Exit(runSkewedWorker(seconds))
	}
	os.Exit(m.Run())
}

func agentCommand(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], args...)
	c.Env = append(os.Environ(), agentModeVariable+"=1", "KUBERNETES_SERVICE_HOST=")
	c.WaitDelay = time.Minute
	return c
}

func exitCodeOf(t *testing.T, err error) int {
	t.Helper()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	if err != nil {
		t.Fatal(err)
	}
	return 0
}

func TestUsageErrors(t *testing.T) {
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"", 2, "agent supervise"},
		{"dance", 2, `no command "dance"`},
		{"check", 2, "--file must be given"},
		{"check --file /no/such", 1, "/no/such: no such file"},
		{"check --fill x", 2, "not defined: -fill"},
		{"check --file x --get http://127.0.0.1:1", 2, "--get and --match belong together"},
		{"check --file x --get http://127.0.0.1:1 --match (", 2, "--match: error parsing regexp"},
		{"install", 2, "--to must be given"},
		{"install --to /no/such", 1, "install into /no/such"},
		{"copy --from x", 2, "--to must be given"},
		{"copy --from /no/such --to /tmp/x", 1, "/no/such: no such file"},
		{"supervise", 2, "no command given after --"},
		{"supervise --metrics-addr= --ready-pattern ( --ready-file x -- true", 2, "--ready-pattern: error parsing regexp"},
		{"supervise --metrics-addr= --ready-pattern x -- true", 2, "belong together"},
		{"supervise --metrics-addr= --forward :1 -- true", 2, "--forward \":1\": must be LISTEN=TARGET"},
		{"supervise --metrics-addr= --count-pattern x -- true", 2, "--count-pattern and --count-name belong together"},
		{"supervise --metrics-addr= --count-name x -- true", 2, "--count-pattern and --count-name belong together"},
		{"supervise --metrics-addr= --count-name x --count-pattern ( -- true", 2, "--count-pattern: error parsing regexp"},
		{"supervise --metrics-addr= --count-name x --count-pattern x -- true", 2, `--count-pattern: "x" has 0 groups, want one`},
		{"supervise --metrics-addr= --count-name x --count-pattern (x) --count-grid 1s -- true", 2, "--count-grid and a group (?P<time>...)"},
		{"supervise --metrics-addr= --count-name 1x --count-pattern (x) -- true", 2, `--count-name: "1x" is not the name of a metric`},
		{"supervise --metrics-addr= --role-match (x) -- true", 2, "--role-match must be an expression with a group that has the name of a role"},
		{"supervise --metrics-addr 1.2.3.4:1 -- true", 125, "serve HTTP: listen"},
		{"supervise --metrics-addr= --commands-addr 1.2.3.4:1 --commands-digest-file main.go -- true", 125, "characters, want 1 to 1024"},
		{"supervise --metrics-addr= --commands-addr 1.2.3.4:1 --commands-digest-file testdata/token-sha256 -- true", 125, "serve HTTP: listen"},
		{"supervise --metrics-addr= --commands-addr 127.0.0.1:0 -- true", 2, "--commands-addr needs --commands-digest-file"},
		{"supervise --metrics-addr= --commands-addr 127.0.0.1:0 --commands-digest-file no-such-file -- true", 125, "read the token of the commands: open no-such-file"},
		{"supervise --metrics-addr= -- no-such-command", 127, "start no-such-command"},
		{"publish --namespace n --secret a=b", 2, "--complete-annotation, --root must be given"},
		{"publish --namespace n --root r --secret a --complete-annotation k=v", 2, `secret "a" is not NAME=FOLDER`},
		{"publish --namespace n --root r --secret a=b --complete-annotation k", 2, `annotation "k" is not KEY=VALUE`},
		{"publish --namespace n --root r --secret a=b --complete-annotation k=v", 1, "load the client configuration"},
		{"work --namespace n", 2, "--barrier, --report must be given"},
		{"work --namespace n --barrier b --report r", 2, "no command given after --"},
		{"work --namespace n --barrier b --report r --stream u -- true", 2, "--stream takes neither --plan nor a command"},
		{"work --namespace n --barrier b --report r --stream u --plan p", 2, "--stream takes neither --plan nor a command"},
		{"work --namespace n --barrier b --report r --stream u", 2, `BENCHNET_WORKER is "", want a number from 0`},
		{"work --namespace n --barrier b --report r -- true", 2, `BENCHNET_WORKER is "", want a number from 0`},
	} {
		t.Run(c.args, func(t *testing.T) {
			out, err := agentCommand(t, strings.Fields(c.args)...).CombinedOutput()
			if got := exitCodeOf(t, err); got != c.code || !strings.Contains(string(out), c.want) {
				t.Errorf("exit code %d, printed %q; want %d and %q", got, out, c.code, c.want)
			}
		})
	}
}

func TestWorkRequiresEnvironment(t *testing.T) {
	workload := filepath.Join(t.TempDir(), "workload.json")
	if err := os.WriteFile(workload, []byte(`{"measure":{"windowSeconds":0}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for want, env := range map[string][]string{
		`BENCHNET_WORKERS is "1", want a number from 2`:    {"BENCHNET_WORKER=1", "BENCHNET_WORKERS=1"},
		"read workload: open : no such file":               {"BENCHNET_WORKER=0", "BENCHNET_WORKERS=1"},
		"measure.windowSeconds: 0 is not positive":         {"BENCHNET_WORKER=0", "BENCHNET_WORKERS=1", "BENCHNET_WORKLOAD=" + workload},
		`BENCHNET_WORKER is "first", want a number from 0`: {"BENCHNET_WORKER=first"},
	} {
		c := agentCommand(t, "work", "--namespace", "n", "--barrier", "b", "--report", "r", "--", "true")
		c.Env = append(c.Env, env...)
		if out, err := c.CombinedOutput(); exitCodeOf(t, err) == 0 || !strings.Contains(string(out), want) {
			t.Errorf("printed %q, want %q", out, want)
		}
	}
}

// TestInstallAndCopy checks that the installed copy is a working agent and copies a user's files.
func TestInstallAndCopy(t *testing.T) {
	shared, user, target := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "cordapps")
	if out, err := agentCommand(t, "install", "--to", shared).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.WriteFile(filepath.Join(user, "a.jar"), []byte("abc"), 0o644); err != nil {
		t.Fatal(err)
	}
	c := agentCommand(t, "copy", "--from", user, "--to", target)
	c.Path = filepath.Join(shared, "agent")
	out, err := c.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "1 files, 3 bytes copied") {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := agentCommand(t, "check", "--file", filepath.Join(target, "a.jar")).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// TestCheckMatchesContent checks that a program is ready only when it reports so.
func TestCheckMatchesContent(t *testing.T) {
	ready := filepath.Join(t.TempDir(), "ready")
	if err := os.WriteFile(ready, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	state := "INACTIVE"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, `{"value":%q}`, state) }))
	defer server.Close()
	check := func(file, url string) (string, error) {
		out, err := agentCommand(t, "check", "--file", file, "--get", url, "--match", `"value":"(LEADER|FOLLOWER)"`).CombinedOutput()
		return string(out), err
	}
	if out, err := check(ready, server.URL); err == nil || !strings.Contains(out, "does not match") {
		t.Errorf("an inactive program should not be ready: %v: %s", err, out)
	}
	state = "FOLLOWER"
	if out, err := check(ready, server.URL); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	if _, err := check(ready+"-not", server.URL); err == nil {
		t.Error("a program without its file should not be ready")
	}
	if out, err := check(ready, "http://"+freeAddress(t)); err == nil || !strings.Contains(out, "connection refused") {
		t.Errorf("a program that does not answer should not be ready: %v: %s", err, out)
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func waitUntil(t *testing.T, what string, reached func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if reached() {
			return
		}
	}
	t.Fatalf("waited in vain for %s", what)
}

// TestSuperviseMember covers a member's life: not ready despite an earlier container's ready file, ready at its
// log lines, scraped, and stopped with its own exit code.
func TestSuperviseMember(t *testing.T) {
	dir, address, commands := t.TempDir(), freeAddress(t), freeAddress(t)
	ready, goFile := filepath.Join(dir, "ready"), filepath.Join(dir, "go")
	if err := os.WriteFile(ready, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("trap 'exit 5' TERM; echo starting; until [ -f %s ]; do sleep 0.02; done; echo 'Node for \"A\" started up and registered in 3.2 sec'; while :; do sleep 0.02; done", goFile)
	c := agentCommand(t, "supervise", "--metrics-addr", address, "--commands-addr", commands, "--commands-digest-file", "testdata/token-sha256",
		"--ready-pattern", `Node for ".*" started up and registered`, "--ready-pattern", "^starting$", "--ready-file", ready, "--", "sh", "-c", script)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, len("starting\n"))); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(ready); err == nil {
		t.Error("ready before its second line")
	}
	waitUntil(t, "the endpoint", func() bool { return readinessStatus(address) == http.StatusServiceUnavailable })
	if err := os.WriteFile(goFile, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, "the ready file", func() bool { _, err := os.Stat(ready); return err == nil })
	if got := readinessStatus(address); got != http.StatusOK {
		t.Errorf("ready, the endpoint answers %d", got)
	}
	scrapeCounter(t, address)
	endpoint := []protocol.ObservedEndpoint{{Member: "m", CommandsURL: "http://" + commands}}
	if m := observe.DescribeMachines(t.Context(), "example-token", endpoint)["m"]; m == nil || m.Kernel == "" {
		t.Errorf("the host is described as %+v", m)
	}
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, out); err != nil {
		t.Fatal(err)
	}
	if code := exitCodeOf(t, c.Wait()); code != 5 {
		t.Errorf("exit code %d, want the member's own", code)
	}
}

// TestSuperviseFault kills a member by its agent. The member is not ready from then until the line of its second start, the lines
// of both starts are counted, and its second end is the agent's.
func TestSuperviseFault(t *testing.T) {
	dir, address, commands := t.TempDir(), freeAddress(t), freeAddress(t)
	ready, stop := filepath.Join(dir, "ready"), filepath.Join(dir, "stop")
	script := fmt.Sprintf("echo 'RPS: 20'; echo up; until [ -f %s ]; do sleep 0.02; done; exit 5", stop)
	c := agentCommand(t, "supervise", "--metrics-addr", address, "--commands-addr", commands, "--commands-digest-file", "testdata/token-sha256",
		"--count-pattern", `^RPS: (\S+)`, "--count-name", counterName, "--ready-pattern", "^up$", "--ready-file", ready, "--", "sh", "-c", script)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	isReady := func() bool { return readinessStatus(address) == http.StatusOK }
	waitUntil(t, "the first start", isReady)
	send := func(method string) *http.Response {
		query := url.Values{"fault": {`{"type":"Kill","durationSeconds":1}`}, "afterMillis": {"0"}}.Encode()
		request, err := http.NewRequestWithContext(t.Context(), method, "http://"+commands+faults.Path+"?"+query, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer example-token")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { response.Body.Close() })
		return response
	}
	response := send(http.MethodPost)
	waitUntil(t, "the kill", func() bool { _, err := os.Stat(ready); return err != nil })
	if isReady() {
		t.Error("ready while the member is down")
	}
	if got := send(http.MethodGet).StatusCode; got != http.StatusTooManyRequests {
		t.Errorf("another command during the fault: status %d", got)
	}
	var effect measurement.FaultEffect
	if err := json.NewDecoder(response.Body).Decode(&effect); err != nil || effect.Problem != "" {
		t.Errorf("effect %+v, %v", effect, err)
	}
	waitUntil(t, "the second start", isReady)
	if got := scrapeCounter(t, address); math.Abs(got-40) > 1e-9 {
		t.Errorf("counted %v, want 40", got)
	}
	if err := os.WriteFile(stop, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if code := exitCodeOf(t, c.Wait()); code != 5 {
		t.Errorf("exit code %d, want the member's own", code)
	}
}

// TestWorkerMetrics checks that a worker, which has neither a volume nor a counter, serves its container's usage.
func TestWorkerMetrics(t *testing.T) {
	server := httptest.NewServer(newMetricsHandler("", nil))
	defer server.Close()
	for range 2 {
		scrapeCounter(t, server.Listener.Addr().String())
	}
}

// counterName is the name of the counter in these tests.
const counterName = "benchnet_member_operations_total"

// scrapeCounter checks the container's usage and returns the counter.
func scrapeCounter(t *testing.T, address string) float64 {
	t.Helper()
	response, err := http.Get("http://" + address + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if got := response.Header.Get("Content-Type"); got != container.ContentType {
		t.Errorf("content type %q", got)
	}
	values, err := container.ReadMetrics(response.Body, append(container.Usage{}.Metrics().Names(), counterName, container.HostClock, container.HostCPUIdle)...)
	if err != nil {
		t.Fatal(err)
	}
	if used, err := container.UsageFromMetrics(values); err != nil || used.CPU <= 0 {
		t.Errorf("scraped %+v, %v", used, err)
	}
	if off := float64(time.Now().UnixNano())/1e9 - values[container.HostClock]; off < 0 || off > 120 || values[container.HostCPUIdle] <= 0 {
		t.Errorf("of the host: clock %v s ago, idle for %v s", off, values[container.HostCPUIdle])
	}
	return values[counterName]
}

// TestSuperviseCountsLines checks that lines of both outputs are counted and passed on unchanged.
func TestSuperviseCountsLines(t *testing.T) {
	address, stop := freeAddress(t), filepath.Join(t.TempDir(), "stop")
	script := fmt.Sprintf("echo '1.1 RPS: 20'; echo '1.2 RPS: 30.5' >&2; echo 'x RPS: 1e999'; echo other; until [ -f %s ]; do sleep 0.02; done", stop)
	c := agentCommand(t, "supervise", "--metrics-addr", address, "--count-pattern", `^\S+ RPS: (\S+)`,
		"--count-name", counterName, "--", "sh", "-c", script)
	var out, errs strings.Builder
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, "the endpoint", func() bool { return readinessStatus(address) == http.StatusOK })
	waitUntil(t, "the count", func() bool { return math.Abs(scrapeCounter(t, address)-50.5) < 1e-9 })
	if err := os.WriteFile(stop, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if code := exitCodeOf(t, c.Wait()); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if out.String() != "1.1 RPS: 20\nx RPS: 1e999\nother\n" || errs.String() != "1.2 RPS: 30.5\n" {
		t.Errorf("printed %q and %q", out.String(), errs.String())
	}
}

// TestCountRatesByLineTimes checks rates that cover the time since the last full tenth of a second before the
// previous line.
func TestCountRatesByLineTimes(t *testing.T) {
	tally := &container.SharedCounter{Name: "x"}
	lines := &lineCounter{counter: tally, grid: 100 * time.Millisecond, timeGroupIndex: 1}
	for _, line := range [][2]string{
		{"23:59:59.803", "1000"}, // The first line covers a tenth: 100.
		{"23:59:59.912", "1000"}, // Since .800: 112.
		{"00:00:00.105", "1000"}, // Since .900: 205.
		{"00:00:00.200", "500"},  // Since .100: 50.
	} {
		lines.countLine([][]byte{nil, []byte(line[0]), []byte(line[1])})
	}
	if got := tally.Metric().Value; math.Abs(got-467) > 1e-9 {
		t.Errorf("counted %v, want 467", got)
	}
}

// readinessStatus returns the status code of the readiness endpoint, or 0 if it does not answer.
func readinessStatus(address string) int {
	response, err := http.Get("http://" + address + "/ready")
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	return response.StatusCode
}
