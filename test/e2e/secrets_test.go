//go:build e2e

package e2e_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/benchnet/benchnet/internal/cli"
	"github.com/benchnet/benchnet/test/e2e/cluster"
)

// minSecretBytes is the minimum length of the values to search for, because shorter ones may occur by chance.
// All passwords of the operator are longer.
const minSecretBytes = 12

// secretFragment is a part of a Secret's value in one encoding.
type secretFragment struct{ secret, form, text string }

// newSecretFragments returns a short value, or pieces of a long one, in base64, in hexadecimal and, if it is text
// without line breaks, plain. Values below minSecretBytes have no fragments.
func newSecretFragments(secret string, value []byte) []secretFragment {
	value = bytes.TrimSpace(value)
	if len(value) < minSecretBytes {
		return nil
	}
	pieces := [][]byte{value}
	if len(value) > 96 {
		pieces = nil
		// At multiples of three, so that the base64 of a piece is part of that of the whole value.
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

// assertSecretsNotExposed fails if the content of a Secret can be read outside Secrets: logs, events, objects,
// command lines, metrics, results, reports, and bundles.
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
	texts := ns.CollectExposedTexts()
	addPluginFiles(ns, texts, run)
	size := 0
	for where, text := range texts {
		size += len(text)
		for _, n := range wanted {
			if strings.Contains(text, n.text) {
				ns.Errorf("Secret %s, %s, can be read in %s", n.secret, n.form, where)
			}
		}
	}
	ns.Logf("%d values of Secrets, in %d pieces and forms, are in none of %d texts of %d KiB in all", values, len(wanted), len(texts), size>>10)
}

// addPluginFiles adds the plugin's report of a run and the files of its bundle.
func addPluginFiles(ns *cluster.Namespace, texts map[string]string, run string) {
	ns.Helper()
	dir := ns.TempDir()
	runPlugin(ns, "report", "brun/"+run, "--output", filepath.Join(dir, "report.html"))
	runPlugin(ns, "bundle", "brun/"+run, "--output", filepath.Join(dir, "bundle.tar.gz"))
	unpacked := filepath.Join(dir, "bundle")
	if err := os.Mkdir(unpacked, 0o700); err != nil {
		ns.Fatal(err)
	}
	if out, err := exec.CommandContext(ns.Context(), "tar", "-xzf", unpacked+".tar.gz", "-C", unpacked).CombinedOutput(); err != nil {
		ns.Fatalf("unpack the bundle: %v: %s", err, out)
	}
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		texts[fmt.Sprint("file ", filepath.Base(path))] = string(content)
		return err
	})
	if err != nil {
		ns.Fatal(err)
	}
}

// runPlugin runs the kubectl plugin in the namespace, which must succeed.
func runPlugin(ns *cluster.Namespace, args ...string) {
	ns.Helper()
	var said bytes.Buffer
	if code := cli.Run(ns.Context(), "e2e", strings.NewReader(""), io.Discard, &said, append(args, "--namespace", ns.Name)); code != 0 {
		ns.Fatalf("%s: code %d: %s", strings.Join(args, " "), code, said.String())
	}
}
