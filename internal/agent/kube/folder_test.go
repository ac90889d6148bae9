package kube

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// writeFiles writes files below dir. Content with the prefix "->" is the target of a symbolic link, and "|"
// makes a pipe.
func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		file := filepath.Join(dir, name)
		err := os.MkdirAll(filepath.Dir(file), 0o755)
		target, linked := strings.CutPrefix(content, "->")
		switch {
		case err != nil:
		case linked:
			err = os.Symlink(target, file)
		case content == "|":
			err = syscall.Mkfifo(file, 0o600)
		default:
			err = os.WriteFile(file, []byte(content), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestAddFolder(t *testing.T) {
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	big := strings.Repeat("x", maxSecretBytes)
	many := map[string]string{}
	for i := range maxEntries + 1 {
		many[fmt.Sprintf("user/out/%d", i)] = ""
	}
	cases := map[string]struct {
		files map[string]string
		want  map[string]string
		err   string
	}{
		"files":                        {files: map[string]string{"user/out/a": "1", "user/out/b": "2", "user/out/sub/c": "3"}, want: map[string]string{"a": "1", "b": "2"}},
		"as much as a Secret can hold": {files: map[string]string{"user/out/a": big}, want: map[string]string{"a": big}},
		"a byte more":                  {files: map[string]string{"user/out/a": big, "user/out/b": "x"}, err: "user/out/b: with it the Secret exceeds its maximum"},
		"a link to the token":          {files: map[string]string{"user/out/a": "->" + token}, err: "user/out/a (L"},
		"a link to another step's key": {files: map[string]string{"other/key": "k", "user/out/a": "->../../other/key"}, err: "user/out/a (L"},
		"a folder that is a link":      {files: map[string]string{"other/key": "k", "user/out": "->../other"}, err: "user/out (L"},
		"a pipe":                       {files: map[string]string{"user/out/a": "|"}, err: "user/out/a (p"},
		"a name that is no key":        {files: map[string]string{"user/out/a b": "1"}, err: "user/out/a b cannot be a key"},
		"a file for a folder":          {files: map[string]string{"user/out": "1"}, err: "user/out (-"},
		"nothing":                      {files: map[string]string{"user/out/sub/c": "3"}, err: "user/out is empty"},
		"no folder":                    {files: map[string]string{"other/key": "k"}, err: "user: no such file"},
		"too many files":               {files: many, err: "more than 1000 entries"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			writeFiles(t, dir, c.files)
			root, err := os.OpenRoot(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer root.Close()
			var read pendingSecret
			err = read.addFolder(root, "user/out")
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("error %v, want %q", err, c.err)
				}
				return
			}
			if err != nil || len(read.data) != len(c.want) {
				t.Fatalf("read %d files, %v; want %d", len(read.data), err, len(c.want))
			}
			for key, content := range c.want {
				if read.data[key] != base64.StdEncoding.EncodeToString([]byte(content)) {
					t.Errorf("%s is not what was written", key)
				}
			}
		})
	}
}

// TestSecretFromTwoFolders merges the files of two folders and refuses a name that both have.
func TestSecretFromTwoFolders(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"one/a": "1", "two/b": "2", "three/a": "3"})
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	var read pendingSecret
	for _, folder := range []string{"one", "two"} {
		if err := read.addFolder(root, folder); err != nil {
			t.Fatal(err)
		}
	}
	if len(read.data) != 2 {
		t.Errorf("read %v, want a and b", read.data)
	}
	if err := read.addFolder(root, "three"); err == nil || !strings.Contains(err.Error(), "three/a: another folder") {
		t.Errorf("error %v", err)
	}
}

func TestParseSecretSource(t *testing.T) {
	for text, want := range map[string]SecretSource{
		"name=genesis/members/a": {"name", "genesis/members/a"},
		"name=/etc":              {}, "name=../etc": {}, "name=a/../../etc": {}, "name=": {}, "=a": {}, "name": {},
	} {
		t.Run(text, func(t *testing.T) {
			got, err := ParseSecretSource(text)
			if got != want || (err == nil) != (want != SecretSource{}) {
				t.Errorf("%+v, %v; want %+v", got, err, want)
			}
		})
	}
}
