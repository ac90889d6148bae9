package database

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// testServer is a real PostgreSQL on the loopback interface.
type testServer struct {
	bin  string
	port int32
}

// startServer creates a server with initdb, as a non-root user, and stops it with the test.
func startServer(t *testing.T) testServer {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a PostgreSQL server")
	}
	initdb, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(initdb) == 0 {
		t.Skip("no initdb under /usr/lib/postgresql (apt-get install postgresql-15)")
	}
	s := testServer{bin: filepath.Dir(initdb[len(initdb)-1]), port: freePort(t)}
	dir, err := os.MkdirTemp("", "database")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	password := filepath.Join(dir, "password")
	if err := os.WriteFile(password, []byte(adminPassword+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	as := unprivilegedUser(t, dir)
	data := filepath.Join(dir, "data")
	init := exec.Command(s.bin+"/initdb", "-D", data, "-U", "postgres", "--pwfile", password, "--auth=scram-sha-256", "--no-sync", "-E", "UTF8", "--locale=C")
	init.SysProcAttr, init.Dir = as, dir
	if out, err := init.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	run := exec.Command(s.bin+"/postgres", "-D", data, "-c", "fsync=off", "-c", fmt.Sprintf("port=%d", s.port), "-c", "unix_socket_directories="+dir, "-c", "max_connections=50")
	run.SysProcAttr, run.Dir = as, dir
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = run.Process.Signal(syscall.SIGINT); _ = run.Wait() })
	return s
}

// unprivilegedUser returns the attributes to run as the user nobody if the test runs as root, which PostgreSQL
// rejects. It gives dir to that user.
func unprivilegedUser(t *testing.T, dir string) *syscall.SysProcAttr {
	t.Helper()
	if os.Geteuid() != 0 {
		return nil
	}
	const nobody = 65534
	if err := os.Chown(dir, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
}

func freePort(t *testing.T) int32 {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return int32(l.Addr().(*net.TCPAddr).Port)
}

// psql runs statements as a role and returns the output, including psql's errors.
func (s testServer) psql(user, password, database, statements string) (string, error) {
	cmd := exec.Command("psql", "-X", "-At", "-q", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", fmt.Sprint(s.port), "-U", user, "-d", database)
	cmd.Env = append(os.Environ(), "PGPASSWORD="+password)
	cmd.Stdin = strings.NewReader(statements)
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func (s testServer) mustPsql(t *testing.T, database, statements string) string {
	t.Helper()
	out, err := s.psql("postgres", adminPassword, database, statements)
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return out
}
