package database

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/benchnet/benchnet/internal/kube/snapshot"
)

// TestWaitExitCode runs the scripts that wait for the server against one that never answers. Their exit code
// must say that they only waited, so that the operator recreates the Job.
func TestWaitExitCode(t *testing.T) {
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "pg_isready"), []byte("#!/bin/sh\nexit 2\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, script := range []string{"prepare", "drop"} {
		t.Run(script, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), "bash", filepath.Join("scripts", script))
			cmd.Env = []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "PGHOST=db", "PGPORT=5432", "BENCHNET_WAIT_SECONDS=0"}
			var exit *exec.ExitError
			if output, err := cmd.CombinedOutput(); !errors.As(err, &exit) || exit.ExitCode() != snapshot.ExitNotAvailable {
				t.Errorf("want exit code %d, got %v: %s", snapshot.ExitNotAvailable, err, output)
			}
		})
	}
}
