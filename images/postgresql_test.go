package images_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestPostgreSQLRunsAsAnyUser creates a data directory as a user of group 0 that has no name, as OpenShift assigns it.
func TestPostgreSQLRunsAsAnyUser(t *testing.T) {
	servers, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	wrapper, _ := filepath.Glob("/usr/lib/*/libnss_wrapper.so")
	if len(servers) == 0 || len(wrapper) == 0 || os.Geteuid() != 0 {
		t.Skip("needs root and apt-get install postgresql-15 libnss-wrapper")
	}
	const user = 1000650000
	dir, err := os.MkdirTemp("", "postgresql") // That of t.TempDir is only for root.
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	// The first start of the server needs /var/run/postgresql, which belongs to the machine.
	script, err := os.ReadFile(filepath.Join("postgresql", "entrypoint"))
	if err != nil {
		t.Fatal(err)
	}
	entrypoint := filepath.Join(dir, "entrypoint")
	if err := os.WriteFile(entrypoint, []byte(strings.ReplaceAll(string(script), "/var/run/postgresql", dir)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(dir, user, 0); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), entrypoint, "postgres", "-C", "data_directory")
	command.Dir = dir
	command.Env = []string{"PATH=" + servers[len(servers)-1] + ":/usr/bin:/bin", "LANG=C.UTF-8", "TMPDIR=" + dir,
		"PGDATA=" + filepath.Join(dir, "data"), "POSTGRES_PASSWORD=secret", "POSTGRES_DB=ledger"}
	command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: 0}}
	output, err := command.CombinedOutput()
	if err != nil || !strings.HasSuffix(string(output), filepath.Join(dir, "data")+"\n") {
		t.Errorf("%v: %s", err, output)
	}
}
