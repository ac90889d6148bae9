package database

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// server is a real PostgreSQL on the loopback interface.
type server struct {
	bin  string
	port int32
}

const (
	adminPassword = "it's \"admin\""
	template      = `
CREATE SCHEMA template;
CREATE SEQUENCE template.numbers;
CREATE TABLE template.states (id bigint PRIMARY KEY DEFAULT nextval('template.numbers'), note text NOT NULL);
CREATE TABLE template.my_template (state bigint REFERENCES template.states);
CREATE VIEW template.noted AS SELECT note FROM template.states;
INSERT INTO template.states (note) VALUES ('see template.states'), ('CREATE SCHEMA template;');
`
)

// startServer makes a server with initdb, as a user who is not root, and stops it with the test.
func startServer(t *testing.T) server {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a PostgreSQL server")
	}
	initdb, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(initdb) == 0 {
		t.Skip("no initdb under /usr/lib/postgresql (apt-get install postgresql-15)")
	}
	s := server{bin: filepath.Dir(initdb[len(initdb)-1]), port: freePort(t)}
	dir, err := os.MkdirTemp("", "database")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	password := filepath.Join(dir, "password")
	if err := os.WriteFile(password, []byte(adminPassword+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	as := unprivileged(t, dir)
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

// unprivileged is how to run as the user nobody if this is root, whom PostgreSQL refuses; dir is given to that user.
func unprivileged(t *testing.T, dir string) *syscall.SysProcAttr {
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

// psql runs statements as a role and gives the output and psql's error text.
func (s server) psql(user, password, database, statements string) (string, error) {
	cmd := exec.Command("psql", "-X", "-At", "-q", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", fmt.Sprint(s.port), "-U", user, "-d", database)
	cmd.Env = append(os.Environ(), "PGPASSWORD="+password)
	cmd.Stdin = strings.NewReader(statements)
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func (s server) admin(t *testing.T, database, statements string) string {
	t.Helper()
	out, err := s.psql("postgres", adminPassword, database, statements)
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return out
}

// job runs the scripts of one network's plan as its Jobs would.
type job struct {
	t        *testing.T
	in       Input
	admin    string
	template string // folder
	secrets  string // folder with the members' passwords
}

func newJob(t *testing.T, s server, admin string) job {
	in := external()
	in.External = &External{Host: "127.0.0.1", Port: s.port, Owner: "test/" + admin, Database: "net_" + admin}
	in.Network = admin
	j := job{t: t, in: in, admin: admin, template: t.TempDir(), secrets: t.TempDir()}
	for _, m := range in.Members {
		write(t, filepath.Join(j.secrets, m.Name), j.password(m)+"\n")
	}
	return j
}

func (j job) password(m Member) string { return "s'e\\c\"r$et " + m.Name }

// run executes a script in the environment that the plan gives its container.
func (j job) run(script string) (string, error) {
	j.t.Helper()
	i := mustBuild(j.t, j.in).Instances[0]
	g := j.in.groups()[0]
	dir := j.t.TempDir()
	for name, content := range j.in.scriptData(g, []string{"wait", "prepare", "database.sql", "members", "role.sql", "clone", "rename.awk", "drop", "drop.sql"}) {
		write(j.t, filepath.Join(dir, name), content)
	}
	cmd := exec.Command("bash", filepath.Join(dir, script))
	cmd.Env = append(os.Environ(), "BENCHNET_TEMPLATE="+j.template)
	for _, e := range j.in.scriptContainer(g, i, script).Env {
		cmd.Env = append(cmd.Env, e.Name+"="+j.value(e))
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (j job) value(e corev1.EnvVar) string {
	switch e.Name {
	case "PGUSER":
		return j.admin
	case "PGPASSWORD":
		return adminPassword
	case "BENCHNET_PASSWORDS":
		return j.secrets
	}
	return e.Value
}

func (j job) mustRun(script string) string {
	j.t.Helper()
	out, err := j.run(script)
	if err != nil {
		j.t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return out
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestSetupOnRealServer(t *testing.T) {
	s := startServer(t)
	wait := exec.Command("pg_isready", "-q", "-h", "127.0.0.1", "-p", fmt.Sprint(s.port))
	for deadline := time.Now().Add(5 * time.Minute); wait.Run() != nil; wait = exec.Command(wait.Args[0], wait.Args[1:]...) {
		if time.Now().After(deadline) {
			t.Fatal("the server does not answer")
		}
		time.Sleep(50 * time.Millisecond)
	}
	s.admin(t, "postgres", template)
	dump := exec.Command("pg_dump", "-h", "127.0.0.1", "-p", fmt.Sprint(s.port), "-U", "postgres", "-n", "template", "--no-owner", "--no-privileges", "postgres")
	dump.Env = append(os.Environ(), "PGPASSWORD="+adminPassword)
	sql, err := dump.Output()
	if err != nil {
		t.Fatal(err)
	}
	s.admin(t, "postgres", fmt.Sprintf("CREATE ROLE manager LOGIN CREATEROLE CREATEDB PASSWORD %s", quoted(adminPassword)))

	// A superuser, and an administrator as cloud databases have it.
	for _, admin := range []string{"postgres", "manager"} {
		t.Run(admin, func(t *testing.T) {
			j := newJob(t, s, admin)
			write(t, filepath.Join(j.template, "schema.sql"), string(sql))
			j.mustRun("prepare")
			t.Log(j.mustRun("members"))
			checkClones(t, s, j)
			checkIsolation(t, s, j)
			checkSecondRun(t, s, j)
			checkReset(t, s, j)
			checkFailures(t, s, j)
			checkTeardown(t, s, j)
			checkAnew(t, s, j)
		})
	}
}

func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// asMember runs statements as the n-th member.
func (j job) asMember(s server, n int, statements string) (string, error) {
	m := j.in.Members[n]
	return s.psql(j.in.role(m), j.password(m), j.in.database(), statements)
}

func checkClones(t *testing.T, s server, j job) {
	for n, m := range j.in.Members {
		role := j.in.role(m)
		queries := [][2]string{
			{"SELECT string_agg(note, '|' ORDER BY id) FROM states", "see template.states|CREATE SCHEMA template;"},
			{"INSERT INTO states (note) VALUES ('x') RETURNING id", "3"},
			{"SELECT count(*) FROM noted", "3"},
			{"INSERT INTO my_template VALUES (1) RETURNING state", "1"},
			{"SELECT string_agg(DISTINCT tableowner, ',') FROM pg_tables WHERE schemaname = current_schema", role},
			{"SELECT relowner::regrole || ',' || relnamespace::regnamespace FROM pg_class WHERE oid = 'numbers'::regclass", role + "," + role},
		}
		for _, q := range queries {
			if got, err := j.asMember(s, n, q[0]); err != nil || got != q[1] {
				t.Errorf("%s, %s: got %q (%v), want %q", m.Name, q[0], got, err, q[1])
			}
		}
	}
}

func checkIsolation(t *testing.T, s server, j job) {
	other := j.in.role(j.in.Members[1])
	for statement, want := range map[string]string{
		"SELECT * FROM " + other + ".states":           "permission denied for schema",
		"CREATE TABLE " + other + ".mine (id int)":     "permission denied for schema",
		"SET ROLE " + other:                            "permission denied to set role",
		"CREATE SCHEMA another":                        "permission denied for database",
		"CREATE DATABASE another":                      "permission denied to create database",
		"CREATE ROLE another":                          "permission denied to create role",
		"SELECT rolpassword FROM pg_catalog.pg_authid": "permission denied for table pg_authid",
	} {
		if out, err := j.asMember(s, 0, statement); err == nil || !strings.Contains(out, want) {
			t.Errorf("%s: got %q (%v), want %q", statement, out, err, want)
		}
	}
	// Another network's role has no business in this database.
	s.admin(t, "postgres", "DROP ROLE IF EXISTS stranger; CREATE ROLE stranger LOGIN PASSWORD 'x'")
	if out, err := s.psql("stranger", "x", j.in.database(), "SELECT 1"); err == nil || !strings.Contains(out, "permission denied for database") {
		t.Errorf("a role of another network is let in: %s", out)
	}
}

// snapshot is all that the setup could have changed: the database's content and the roles, but for the salt of passwords.
func (j job) snapshot(s server) string {
	j.t.Helper()
	dump := exec.Command("pg_dump", "-h", "127.0.0.1", "-p", fmt.Sprint(s.port), "-U", "postgres", j.in.database())
	dump.Env = append(os.Environ(), "PGPASSWORD="+adminPassword)
	out, err := dump.Output()
	if err != nil {
		j.t.Fatal(err)
	}
	// Newer releases fence a dump with a random word.
	content := regexp.MustCompile(`(?m)^\\(un)?restrict .*$`).ReplaceAllString(string(out), "")
	return content + s.admin(j.t, "postgres", `
SELECT r.*, shobj_description(r.oid, 'pg_authid') FROM pg_roles r ORDER BY 1;
SELECT roleid::regrole, member::regrole FROM pg_auth_members ORDER BY 1, 2;
SELECT datname, datacl FROM pg_database ORDER BY 1;`)
}

func checkSecondRun(t *testing.T, s server, j job) {
	before := j.snapshot(s)
	j.mustRun("prepare")
	if out := j.mustRun("members"); strings.Count(out, "schema holds 2 tables already") != len(j.in.Members) {
		t.Errorf("second run: %s", out)
	}
	if after := j.snapshot(s); after != before {
		t.Error("a second run changed the database")
	}
	// A changed Secret becomes the role's password.
	m := j.in.Members[0]
	write(t, filepath.Join(j.secrets, m.Name), "new")
	j.mustRun("members")
	if out, err := s.psql(j.in.role(m), "new", j.in.database(), "SELECT 1"); err != nil {
		t.Errorf("new password: %s", out)
	}
	write(t, filepath.Join(j.secrets, m.Name), j.password(m))
	j.mustRun("members")
}

// checkReset runs the containers of a reset in their order, while a member that was slow to stop still holds a session.
func checkReset(t *testing.T, s server, j job) {
	if rows, err := j.asMember(s, 0, "SELECT count(*) FROM states"); err != nil || rows != "3" {
		t.Fatalf("before the reset there should be 3 rows: %s (%v)", rows, err)
	}
	slow := make(chan string, 1)
	go func() {
		out, _ := j.asMember(s, 0, "INSERT INTO states (note) VALUES ('late'); SELECT pg_sleep(1200)")
		slow <- out
	}()
	for begin := time.Now(); s.admin(t, "postgres", "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(1200)' AND usename <> 'postgres'") == "0"; {
		if time.Since(begin) > 5*time.Minute {
			t.Fatal("the slow member's session does not begin")
		}
		time.Sleep(20 * time.Millisecond)
	}
	j.in.Epoch = "b"
	pod := mustBuild(t, j.in).Instances[0].Reset[1].(*batchv1.Job).Spec.Template.Spec
	for _, c := range append(pod.InitContainers, pod.Containers...) {
		if !strings.HasPrefix(c.Command[0], "schema") {
			j.mustRun(c.Name)
		}
	}
	if out := <-slow; !strings.Contains(out, "terminat") {
		t.Errorf("the session of the old epoch should have ended, but: %s", out)
	}
	for n, m := range j.in.Members {
		if rows, err := j.asMember(s, n, "SELECT count(*) || ',' || nextval('numbers') FROM states"); err != nil || rows != "2,3" {
			t.Errorf("%s after the reset: %s rows and next number, want those of the template, 2,3 (%v)", m.Name, rows, err)
		}
	}
}

func checkFailures(t *testing.T, s server, j job) {
	expect := func(name string, j job, script, want string) {
		t.Helper()
		if out, err := j.run(script); err == nil || !strings.Contains(out, want) {
			t.Errorf("%s: got %v: %s, want %q", name, err, out, want)
		}
	}
	greedy := j
	greedy.in.Members = append([]Member{}, j.in.Members...)
	greedy.in.Members[0].Connections = 1000
	expect("connections", greedy, "prepare", "allows 47 connections and the network needs 1020: raise max_connections")

	// A role of the same name that is not this network's is left alone.
	rival := j
	external := *j.in.External
	external.Owner = "test/rival"
	rival.in.External = &external
	before := j.snapshot(s)
	expect("foreign role", rival, "members", "already exists")
	if out := rival.mustRun("drop"); j.snapshot(s) != before {
		t.Errorf("another owner's setup or teardown changed something: %s", out)
	}

	unknown := j
	unknown.secrets = t.TempDir()
	expect("no password", unknown, "members", "member member-0 has no password")

	// A template that fails half-way leaves nothing, and the next attempt fills the schema.
	late := j
	late.in.Members = append(append([]Member{}, j.in.Members...), Member{Name: "late", Connections: 1})
	write(t, filepath.Join(j.secrets, "late"), "late")
	late.template = t.TempDir()
	write(t, filepath.Join(late.template, "schema.sql"), "CREATE TABLE template.half (id int);\nSELECT broken;\n")
	expect("broken template", late, "members", "broken")
	late.template = j.template
	if out := late.mustRun("members"); !strings.Contains(out, "late: schema filled") {
		t.Errorf("after a broken template: %s", out)
	}
	late.mustRun("drop")
	j.mustRun("members")
}

func checkTeardown(t *testing.T, s server, j job) {
	j.mustRun("drop")
	j.mustRun("drop")
	left := s.admin(t, j.in.database(), "SELECT rolname FROM pg_roles WHERE rolname LIKE 'bench\\_\\_"+j.in.Network+"%' UNION SELECT nspname FROM pg_namespace WHERE nspname LIKE 'bench\\_\\_"+j.in.Network+"%'")
	if left != "" {
		t.Errorf("teardown left %s", left)
	}
}

// checkAnew begins again on a server that was left, with other passwords, as a network does that gave way to another.
func checkAnew(t *testing.T, s server, j job) {
	old := j.secrets
	j.secrets = t.TempDir()
	for _, m := range j.in.Members {
		write(t, filepath.Join(j.secrets, m.Name), "anew "+m.Name)
	}
	j.mustRun("prepare")
	j.mustRun("members")
	for _, m := range j.in.Members {
		role := j.in.role(m)
		if rows, err := s.psql(role, "anew "+m.Name, j.in.database(), "SELECT count(*) || ',' || nextval('numbers') FROM states"); err != nil || rows != "2,3" {
			t.Errorf("%s begins with %s rows and next number, want those of the template, 2,3 (%v)", m.Name, rows, err)
		}
		if out, err := s.psql(role, j.password(m), j.in.database(), "SELECT 1"); err == nil {
			t.Errorf("%s is let in with the password of its first life: %s", m.Name, out)
		}
	}
	// The scripts that drop are told of no password: what there was of the first life is gone.
	if err := os.RemoveAll(old); err != nil {
		t.Fatal(err)
	}
	j.secrets = old
	checkTeardown(t, s, j)
}
