package main

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSuperviseWritesTerminationMessage checks what a container's status says about a failed command.
func TestSuperviseWritesTerminationMessage(t *testing.T) {
	for name, c := range map[string]struct {
		script, want string
		code         int
	}{
		"error line": {"echo 'ERROR: cannot open jdbc:postgresql://db/x?password=S3CRET' >&2; echo bye; exit 4", "ERROR: cannot open jdbc:postgresql://db/x?password=***\n", 4},
		"heap":       {"echo 'Terminating due to java.lang.OutOfMemoryError: Java heap space'; exit 3", "heap of 512Mi: Terminating due to java.lang.OutOfMemoryError: Java heap space\n", 3},
		"last line":  {"seq 20000; exit 1", "20000\n", 1},
		"success":    {"echo 'ERROR: x'; exit 0", "", 0},
		"no output":  {"exit 1", "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "message")
			if err := os.WriteFile(file, nil, 0o644); err != nil {
				t.Fatal(err)
			}
			command := agentCommand(t, "supervise", "--metrics-addr", "", "--heap", "512Mi", "--termination-message", file, "--", "sh", "-c", c.script)
			if code := exitCodeOf(t, command.Run()); code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			if got, err := os.ReadFile(file); err != nil || string(got) != c.want {
				t.Errorf("the message is %q, %v, want %q", got, err, c.want)
			}
		})
	}
}

// TestSuperviseRefusesForbiddenJDBCURL checks that a member with the URL of a forbidden destination does not start.
func TestSuperviseRefusesForbiddenJDBCURL(t *testing.T) {
	for url, want := range map[string]string{
		"jdbc:oracle:thin:@db.example:1521:xe":              "",
		"jdbc:oracle:thin:u/S3CRET@169.254.169.254:1521:xe": "JDBC URL in DATABASE_URL: host 169.254.169.254 is refused",
		"": "JDBC URL in DATABASE_URL: no host found",
	} {
		t.Run(url, func(t *testing.T) {
			command := agentCommand(t, "supervise", "--metrics-addr", "", "--jdbc-url-variable", "DATABASE_URL", "--", "echo", "started")
			command.Env = append(command.Env, "DATABASE_URL="+url)
			out, err := command.CombinedOutput()
			if started := strings.Contains(string(out), "started"); started != (exitCodeOf(t, err) == 0) || started != (want == "") {
				t.Errorf("it started: %t, %v", started, err)
			}
			if !strings.Contains(string(out), want) || strings.Contains(string(out), "S3CRET") {
				t.Errorf("it printed %q, want %q", out, want)
			}
		})
	}
}

// TestCheckExplainsMissingFile checks that a failed readiness probe says what the command printed last.
func TestCheckExplainsMissingFile(t *testing.T) {
	starting := &lastLine{}
	server := httptest.NewServer(&readinessHandler{file: filepath.Join(t.TempDir(), "none"), starting: starting})
	defer server.Close()
	for _, step := range []struct{ line, want string }{
		{"", "not ready; the program has printed nothing"},
		{"Waiting for the network map", "not ready; the program printed: Waiting for the network map"},
		{"ERROR: password=S3CRET", "not ready; the program printed: ERROR: password=***"},
		{"retrying", "not ready; the program printed: ERROR: password=***"},
	} {
		if step.line != "" {
			starting.keepLine([]byte(step.line))
		}
		out, err := agentCommand(t, "check", "--file", "/no/such/file", "--reason", server.URL).CombinedOutput()
		if code := exitCodeOf(t, err); code == 0 || !strings.Contains(string(out), step.want) {
			t.Errorf("code %d, %q, want %q", code, out, step.want)
		}
		out, err = agentCommand(t, "check", "--get", server.URL, "--match", "^ready").CombinedOutput()
		if code := exitCodeOf(t, err); code == 0 || !strings.Contains(string(out), step.want) {
			t.Errorf("code %d, %q, want %q", code, out, step.want)
		}
	}
}
