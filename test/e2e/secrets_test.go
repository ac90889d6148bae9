//go:build e2e

package e2e_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/benchnet/benchnet/internal/cli"
	"github.com/benchnet/benchnet/test/e2e/cluster"
)

// minSecretBytes that is looked for, in bytes; a shorter text may be anywhere by chance. No password of the operator is that short.
const minSecretBytes = 12

// secretFragment is a part of a Secret's value in one of its forms.
type secretFragment struct{ secret, form, text string }

// newSecretFragments of a value: the whole of a short one, pieces of a long one; as it is, in base64 and in hexadecimal.
func newSecretFragments(secret string, value []byte) []secretFragment {
	value = bytes.TrimSpace(value)
	if len(value) < minSecretBytes {
		return nil
	}
	pieces := [][]byte{value}
	if len(value) > 96 {
		pieces = nil
		// At multiples of three, so that a piece's base64 is a part of the whole's.
		for _, at := range []int{0, len(value) / 2 / 3 * 3, (len(value) - 48) / 3 * 3} {
			pieces = append(pieces, value[at:at+48])
		}
	}
	var all []secretFragment
	for _, piece := range pieces {
		all = append(all, secretFragment{secret, "base64", strings.TrimRight(base64.StdEncoding.EncodeToString(piece), "=")},
			secretFragment{secret, "hexadecimal", hex.EncodeToString(piece)})
		if utf8.Valid(piece) && !bytes.ContainsRune(piece, '\n') {
			all = append(all, secretFragment{secret, "plain", string(piece)})
		}
	}
	return all
}

// assertSecretsNotExposed fails if the content of any Secret can be read anywhere but in Secrets: logs, events, objects, command lines, metrics,
// results, reports, and what the plugin writes to repeat a run.
func assertSecretsNotExposed(ns *cluster.Namespace, run string) {
	ns.Helper()
	var wanted []secretFragment
	values := 0
	for _, secret := range ns.ListSecrets(ns.Context()) {
		for key, value := range secret.Data {
			found := newSecretFragments(secret.Name+"/"+key, value)
			wanted = append(wanted, found...)
			values += min(1, len(found))
		}
	}
	if values < 6 {
		ns.Fatalf("there are %d values to look for: a network has more", values)
	}
	told := ns.CollectExposedTexts()
	addPluginFiles(ns, told, run)
	size := 0
	for where, text := range told {
		size += len(text)
		for _, n := range wanted {
			if strings.Contains(text, n.text) {
				ns.Errorf("Secret %s, %s, can be read in %s", n.secret, n.form, where)
			}
		}
	}
	ns.Logf("%d values of Secrets, in %d pieces and forms, are in none of %d texts of %d KiB in all", values, len(wanted), len(told), size>>10)
}

// addPluginFiles are the report of a run and what it takes to repeat it, as the plugin writes them.
func addPluginFiles(ns *cluster.Namespace, told map[string]string, run string) {
	ns.Helper()
	dir := ns.TempDir()
	for name, args := range map[string][]string{
		"report": {"report", "brun/" + run, "--output", filepath.Join(dir, "report.html")},
		"bundle": {"reproduce", "brun/" + run, "--output", filepath.Join(dir, "bundle")},
	} {
		var said bytes.Buffer
		if code := cli.Run(ns.Context(), "e2e", strings.NewReader(""), io.Discard, &said, append(args, "--namespace", ns.Name)); code != 0 {
			ns.Fatalf("%s: code %d: %s", name, code, said.String())
		}
	}
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		told[fmt.Sprint("file ", filepath.Base(path))] = string(content)
		return err
	})
	if err != nil {
		ns.Fatal(err)
	}
}
