package database

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
)

const (
	adminPassword = "it's \"admin\""
	templateSQL   = `
CREATE SCHEMA template;
CREATE SEQUENCE template.numbers;
CREATE TABLE template.states (id bigint PRIMARY KEY DEFAULT nextval('template.numbers'), note text NOT NULL);
CREATE TABLE template.my_template (state bigint REFERENCES template.states);
CREATE VIEW template.noted AS SELECT note FROM template.states;
INSERT INTO template.states (note) VALUES ('see template.states'), ('CREATE SCHEMA template;');
`
)

// scriptRunner runs the scripts of one network's layout as its Jobs would.
type scriptRunner struct {
	t           *testing.T
	input       Input
	admin       string
	templateDir string // folder
	passwordDir string // folder with the members' passwords
}

func newScriptRunner(t *testing.T, s testServer, admin string) scriptRunner {
	in := newExternalInput()
	in.Network.Spec.Database.External = &v1alpha1.ExternalDatabase{Servers: []v1alpha1.ExternalServer{{Host: "db.example", Port: s.port}}}
	in.Network.Name, in.Network.UID = admin, types.UID("test/"+admin)
	j := scriptRunner{t: t, input: in, admin: admin, templateDir: t.TempDir(), passwordDir: t.TempDir()}
	for _, m := range in.Members {
		writeFile(t, filepath.Join(j.passwordDir, m.Name), j.memberPassword(m)+"\n")
	}
	return j
}

func (j scriptRunner) memberPassword(m platform.Member) string { return "s'e\\c\"r$et " + m.Name }

// runScript executes a script in the environment of its container.
func (j scriptRunner) runScript(script string) (string, error) {
	j.t.Helper()
	i := mustBuild(j.t, j.input).Instances[0]
	g := j.input.groupMembers()[0]
	dir := j.t.TempDir()
	files := j.input.scriptData(g, slices.Concat(setupFiles, dropFiles))
	maps.Copy(files, j.input.sharedTablesData(g))
	for name, content := range files {
		writeFile(j.t, filepath.Join(dir, name), content)
	}
	cmd := exec.Command("bash", filepath.Join(dir, script))
	cmd.Env = append(os.Environ(), "BENCHNET_TEMPLATE="+j.templateDir, "BENCHNET_TERMINATION_MESSAGE="+j.terminationMessage())
	for _, e := range j.input.scriptContainer(g, i, script).Env {
		cmd.Env = append(cmd.Env, e.Name+"="+j.envValue(e))
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (j scriptRunner) terminationMessage() string { return filepath.Join(j.templateDir, "message") }

// database returns the database of the network's own; the server has one for each administrator.
func (j scriptRunner) database() string { return "net_" + j.admin }

func (j scriptRunner) envValue(e corev1.EnvVar) string {
	switch e.Name {
	case "PGHOST": // The spec refuses the loopback address.
		return "127.0.0.1"
	case "PGUSER":
		return j.admin
	case "PGDATABASE", "BENCHNET_DATABASE":
		return j.database()
	case "PGPASSWORD":
		return adminPassword
	case "BENCHNET_PASSWORDS":
		return j.passwordDir
	}
	return e.Value
}

func (j scriptRunner) mustRunScript(script string) string {
	j.t.Helper()
	out, err := j.runScript(script)
	if err != nil {
		j.t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return out
}

func writeFile(t *testing.T, path, content string) {
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
	unknown := s.mustPsql(t, "postgres", fmt.Sprintf("SELECT name FROM unnest(ARRAY['%s']) name EXCEPT SELECT name FROM pg_settings", strings.Join(allowedSettings, "', '")))
	if unknown != "" {
		t.Errorf("PostgreSQL has no settings %s", strings.Fields(unknown))
	}
	checkStop(t, s)
	s.mustPsql(t, "postgres", templateSQL)
	dump := exec.Command("pg_dump", "-h", "127.0.0.1", "-p", fmt.Sprint(s.port), "-U", "postgres", "-n", "template", "--no-owner", "--no-privileges", "postgres")
	dump.Env = append(os.Environ(), "PGPASSWORD="+adminPassword)
	sql, err := dump.Output()
	if err != nil {
		t.Fatal(err)
	}
	s.mustPsql(t, "postgres", fmt.Sprintf("CREATE ROLE manager LOGIN CREATEROLE CREATEDB PASSWORD %s", quoteSQL(adminPassword)))

	// Run as a superuser, and as an administrator like those of cloud databases.
	for _, admin := range []string{"postgres", "manager"} {
		t.Run(admin, func(t *testing.T) {
			j := newScriptRunner(t, s, admin)
			writeFile(t, filepath.Join(j.templateDir, "schema.sql"), string(sql))
			j.mustRunScript("prepare")
			checkServerVersion(t, s, j)
			t.Log(j.mustRunScript("members"))
			checkClones(t, s, j)
			checkPrivileges(t, s, j)
			checkSecondRun(t, s, j)
			checkReset(t, s, j)
			checkFailures(t, s, j)
			checkTeardown(t, s, j)
			checkSharedTables(t, s, j)
			checkFreshSetup(t, s, j)
		})
	}
}

func quoteSQL(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// asMember runs statements as the n-th member.
func (j scriptRunner) asMember(s testServer, n int, statements string) (string, error) {
	m := j.input.Members[n]
	return s.psql(j.input.roleName(m), j.memberPassword(m), j.database(), statements)
}

// checkServerVersion checks that the set-up reports the version of the server, and fails if the spec has another one.
func checkServerVersion(t *testing.T, s testServer, j scriptRunner) {
	version := s.mustPsql(t, "postgres", "SHOW server_version")
	if reported, err := os.ReadFile(j.terminationMessage()); err != nil || string(reported) != version {
		t.Errorf("the reported version is %q (%v), want %q", reported, err, version)
	}
	spec := j.input.Network.Spec.Database
	spec.Managed = &v1alpha1.ManagedDatabase{Version: 9}
	defer func() { spec.Managed = nil }()
	if out, err := j.runScript("prepare"); err == nil || !strings.Contains(out, "is "+version+", but spec.database.managed.version is 9") {
		t.Errorf("a server of another version than that of the spec is accepted: %v: %s", err, out)
	}
}

func checkClones(t *testing.T, s testServer, j scriptRunner) {
	for n, m := range j.input.Members {
		role := j.input.roleName(m)
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

func checkPrivileges(t *testing.T, s testServer, j scriptRunner) {
	other := j.input.roleName(j.input.Members[1])
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
	// A role of another network must not be able to connect to this database.
	s.mustPsql(t, "postgres", "DROP ROLE IF EXISTS stranger; CREATE ROLE stranger LOGIN PASSWORD 'x'")
	if out, err := s.psql("stranger", "x", j.database(), "SELECT 1"); err == nil || !strings.Contains(out, "permission denied for database") {
		t.Errorf("a role of another network is admitted: %s", out)
	}
}

// dumpState returns all that the setup could change: the database's content and the roles, without the salt of
// passwords.
func (j scriptRunner) dumpState(s testServer) string {
	j.t.Helper()
	dump := exec.Command("pg_dump", "-h", "127.0.0.1", "-p", fmt.Sprint(s.port), "-U", "postgres", j.database())
	dump.Env = append(os.Environ(), "PGPASSWORD="+adminPassword)
	out, err := dump.Output()
	if err != nil {
		j.t.Fatal(err)
	}
	// Newer releases fence a dump with a random word.
	content := regexp.MustCompile(`(?m)^\\(un)?restrict .*$`).ReplaceAllString(string(out), "")
	return content + s.mustPsql(j.t, "postgres", `
SELECT r.*, shobj_description(r.oid, 'pg_authid') FROM pg_roles r ORDER BY 1;
SELECT roleid::regrole, member::regrole FROM pg_auth_members ORDER BY 1, 2;
SELECT datname, datacl FROM pg_database ORDER BY 1;`)
}

func checkSecondRun(t *testing.T, s testServer, j scriptRunner) {
	before := j.dumpState(s)
	j.mustRunScript("prepare")
	if out := j.mustRunScript("members"); strings.Count(out, "schema holds 2 tables already") != len(j.input.Members) {
		t.Errorf("second run: %s", out)
	}
	if after := j.dumpState(s); after != before {
		t.Error("a second run changed the database")
	}
	// A changed Secret becomes the role's password.
	m := j.input.Members[0]
	writeFile(t, filepath.Join(j.passwordDir, m.Name), "new")
	j.mustRunScript("members")
	if out, err := s.psql(j.input.roleName(m), "new", j.database(), "SELECT 1"); err != nil {
		t.Errorf("new password: %s", out)
	}
	writeFile(t, filepath.Join(j.passwordDir, m.Name), j.memberPassword(m))
	j.mustRunScript("members")
}

// checkReset runs the containers of a reset in order, while a member that is slow to stop still holds a
// session.
func checkReset(t *testing.T, s testServer, j scriptRunner) {
	if rows, err := j.asMember(s, 0, "SELECT count(*) FROM states"); err != nil || rows != "3" {
		t.Fatalf("before the reset there should be 3 rows: %s (%v)", rows, err)
	}
	slow := make(chan string, 1)
	go func() {
		out, _ := j.asMember(s, 0, "INSERT INTO states (note) VALUES ('late'); SELECT pg_sleep(1200)")
		slow <- out
	}()
	for begin := time.Now(); s.mustPsql(t, "postgres", "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(1200)' AND usename <> 'postgres'") == "0"; {
		if time.Since(begin) > 5*time.Minute {
			t.Fatal("the slow member's session does not begin")
		}
		time.Sleep(20 * time.Millisecond)
	}
	j.input.Epoch = "b"
	pod := mustBuild(t, j.input).Instances[0].ResetObjects[1].(*batchv1.Job).Spec.Template.Spec
	for _, c := range append(pod.InitContainers, pod.Containers...) {
		if !strings.HasPrefix(c.Command[0], "schema") {
			j.mustRunScript(c.Name)
		}
	}
	if out := <-slow; !strings.Contains(out, "terminat") {
		t.Errorf("the session of the old epoch should have ended, but: %s", out)
	}
	for n, m := range j.input.Members {
		if rows, err := j.asMember(s, n, "SELECT count(*) || ',' || nextval('numbers') FROM states"); err != nil || rows != "2,3" {
			t.Errorf("%s after the reset: %s rows and next number, want those of the template, 2,3 (%v)", m.Name, rows, err)
		}
	}
}

// checkStop runs the command with which the server's pod waits for its clients before it stops, while one has a session.
func checkStop(t *testing.T, s testServer) {
	stop := exec.Command("sh", "-c", stopScript(t))
	stop.Env = append(os.Environ(), "PGHOST=127.0.0.1", fmt.Sprintf("PGPORT=%d", s.port), "PGPASSWORD="+adminPassword, "POSTGRES_USER=postgres")
	session := make(chan string, 1)
	go func() {
		out, _ := s.psql("postgres", adminPassword, "postgres", "SELECT pg_sleep(1200)")
		session <- out
	}()
	const running = "FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(1200)%'"
	for begin := time.Now(); s.mustPsql(t, "postgres", "SELECT count(*) "+running) == "0"; {
		if time.Since(begin) > 5*time.Minute {
			t.Fatal("the session does not begin")
		}
		time.Sleep(20 * time.Millisecond)
	}
	if err := stop.Start(); err != nil {
		t.Fatal(err)
	}
	stopped := make(chan error, 1)
	go func() { stopped <- stop.Wait() }()
	select {
	case err := <-stopped:
		t.Fatalf("the server stops although a client is connected (%v)", err)
	case <-time.After(2 * time.Second):
	}
	s.mustPsql(t, "postgres", "SELECT pg_terminate_backend(pid) "+running)
	if err := <-stopped; err != nil {
		t.Errorf("after the session has ended (%s): %v", <-session, err)
	}
}

// stopScript returns the server's preStop script. It waits for 20 minutes, in which a busy machine ends the test's
// session.
func stopScript(t *testing.T) string {
	for _, o := range mustBuild(t, newInput()).Instances[0].ServerObjects {
		if u := o.(*unstructured.Unstructured); u.GetKind() == "StatefulSet" {
			var set appsv1.StatefulSet
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &set); err != nil {
				t.Fatal(err)
			}
			command := set.Spec.Template.Spec.Containers[0].Lifecycle.PreStop.Exec.Command
			return strings.Replace(command[len(command)-1], "seq 30", "seq 1200", 1)
		}
	}
	t.Fatal("no StatefulSet")
	return ""
}

func checkFailures(t *testing.T, s testServer, j scriptRunner) {
	expect := func(name string, j scriptRunner, script, want string) {
		t.Helper()
		if out, err := j.runScript(script); err == nil || !strings.Contains(out, want) {
			t.Errorf("%s: got %v: %s, want %q", name, err, out, want)
		}
	}
	greedy := j
	greedy.input.Requirements.Connections = equalPools(400)
	expect("connections", greedy, "prepare", "allows 47 connections and the network needs 1200: raise max_connections")

	// A role of the same name with another owner is not changed.
	rival := j
	rival.input.Network = j.input.Network.DeepCopy()
	rival.input.Network.UID = "test/rival"
	before := j.dumpState(s)
	expect("foreign role", rival, "members", "already exists")
	if out := rival.mustRunScript("drop"); j.dumpState(s) != before {
		t.Errorf("another owner's setup or teardown changed something: %s", out)
	}

	unknown := j
	unknown.passwordDir = t.TempDir()
	expect("no password", unknown, "members", "member member-0 has no password")

	// A template that fails half-way leaves nothing, and the next attempt fills the schema.
	late := j
	late.input.Members = append(slices.Clone(j.input.Members), platform.Member{Name: "late"})
	writeFile(t, filepath.Join(j.passwordDir, "late"), "late")
	late.templateDir = t.TempDir()
	writeFile(t, filepath.Join(late.templateDir, "schema.sql"), "CREATE TABLE template.half (id int);\nSELECT broken;\n")
	expect("broken template", late, "members", "broken")
	late.templateDir = j.templateDir
	if out := late.mustRunScript("members"); !strings.Contains(out, "late: schema filled") {
		t.Errorf("after a broken template: %s", out)
	}
	late.mustRunScript("drop")
	j.mustRunScript("members")
}

func checkTeardown(t *testing.T, s testServer, j scriptRunner) {
	j.mustRunScript("drop")
	j.mustRunScript("drop")
	left := s.mustPsql(t, j.database(), "SELECT rolname FROM pg_roles WHERE rolname LIKE 'bench\\_\\_"+j.input.Network.Name+"%' UNION SELECT nspname FROM pg_namespace WHERE nspname LIKE 'bench\\_\\_"+j.input.Network.Name+"%'")
	if left != "" {
		t.Errorf("teardown left %s", left)
	}
}

// checkFreshSetup runs the setup again on a server that still has roles of the network, with other passwords,
// as after an eviction.
func checkFreshSetup(t *testing.T, s testServer, j scriptRunner) {
	old := j.passwordDir
	j.passwordDir = t.TempDir()
	for _, m := range j.input.Members {
		writeFile(t, filepath.Join(j.passwordDir, m.Name), "changed "+m.Name)
	}
	j.mustRunScript("prepare")
	j.mustRunScript("members")
	for _, m := range j.input.Members {
		role := j.input.roleName(m)
		if rows, err := s.psql(role, "changed "+m.Name, j.database(), "SELECT count(*) || ',' || nextval('numbers') FROM states"); err != nil || rows != "2,3" {
			t.Errorf("%s begins with %s rows and next number, want those of the template, 2,3 (%v)", m.Name, rows, err)
		}
		if out, err := s.psql(role, j.memberPassword(m), j.database(), "SELECT 1"); err == nil {
			t.Errorf("%s is admitted with the password of its first incarnation: %s", m.Name, out)
		}
	}
	// The drop scripts need no password, so the teardown must work without the passwords of the first setup.
	if err := os.RemoveAll(old); err != nil {
		t.Fatal(err)
	}
	j.passwordDir = old
	checkTeardown(t, s, j)
}
