package termination

import (
	"strings"
	"testing"
)

func TestLastErrorLine(t *testing.T) {
	for name, c := range map[string]struct{ output, want string }{
		"nothing":            {"", ""},
		"no error":           {"starting\nwaiting for the network map\n", "waiting for the network map"},
		"error before info":  {"ERROR: cannot bind port 10002\nshutting down\n", "ERROR: cannot bind port 10002"},
		"root cause":         {"java.lang.IllegalStateException: x\n\tat a.B.handleError(B.java:1)\nCaused by: java.io.IOException: disk\n\tat a.C.f(C.java:2)\n\t... 7 more\n", "Caused by: java.io.IOException: disk"},
		"heap first":         {"java.lang.OutOfMemoryError: Java heap space\nERROR: other thread failed\n\tat x.Y.z(Y.java)\n", "java.lang.OutOfMemoryError: Java heap space"},
		"terminating":        {"Terminating due to java.lang.OutOfMemoryError: Java heap space\n", "Terminating due to java.lang.OutOfMemoryError: Java heap space"},
		"Rust":               {"\x1b[31mERROR\x1b[0m no block\nthread 'main' panicked at src/main.rs:1:\n   1: 0x55d\n", "thread 'main' panicked at src/main.rs:1:"},
		"Go":                 {"panic: boom\n\ngoroutine 1 [running]:\n", "panic: boom"},
		"control characters": {"fatal:\tbad \x00\x07value\r\n", "fatal: bad value"},
		"not UTF-8":          {"error \xff\n", "error ?"},
	} {
		t.Run(name, func(t *testing.T) {
			got := LastErrorLine(c.output)
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if again := LastErrorLine(got); again != got {
				t.Errorf("not idempotent: %q becomes %q", got, again)
			}
		})
	}
}

func TestCleanRemovesSecrets(t *testing.T) {
	for name, text := range map[string]string{
		"JDBC parameter":  "cannot open jdbc:postgresql://db:5432/corda?user=u&password=S3CRET&ssl=true",
		"SQL Server":      "error in jdbc:sqlserver://db;databaseName=corda;user=u;password=S3CRET;encrypt=true",
		"URL":             "error: postgres://u:S3CRET@db:5432/corda",
		"URL with an at":  "error: https://u:p@S3CRET@db/x",
		"Oracle":          "failed: jdbc:oracle:thin:corda/S3CRET@//db:1521/XE",
		"property":        "invalid keyStorePassword = \"S3CRET\"",
		"quoted spaces":   "rpc.password: 'a S3CRET b'",
		"JSON":            `error in {"user":"u","password":"S3CRET"}`,
		"header":          "401 for Authorization: Bearer S3CRET123456",
		"flag":            "unknown flag in --api-key=S3CRET",
		"access key":      "AWS_SECRET_ACCESS_KEY=S3CRET refused",
		"statement":       "ERROR in CREATE USER corda IDENTIFIED BY S3CRET",
		"private key":     "bad private key: S3CRET",
		"mnemonic":        "bad mnemonic: \"S3CRET word\"",
		"Postgres option": "FATAL: PGPASSWORD=S3CRET",
	} {
		t.Run(name, func(t *testing.T) {
			if got := Clean(text); strings.Contains(got, "S3CRET") || !strings.Contains(got, "***") {
				t.Errorf("got %q", got)
			}
		})
	}
	const harmless = `secret "pubo-rpc" not found`
	if got := Clean(harmless); got != harmless {
		t.Errorf("got %q, want it unchanged", got)
	}
	if got := Clean(strings.Repeat("ä", 10000)); len(got) > MaxLine {
		t.Errorf("%d bytes, want at most %d", len(got), MaxLine)
	}
}
