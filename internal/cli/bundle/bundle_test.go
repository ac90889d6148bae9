package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aead.dev/minisign"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/benchnet/benchnet/internal/cli/cluster"
	"github.com/benchnet/benchnet/internal/cli/documents"
	"github.com/benchnet/benchnet/internal/run/document"
)

// newKit returns the kit of a measured run, with an image from a registry and one that a node had before.
func newKit(t *testing.T) *Kit {
	t.Helper()
	file, err := documents.ReadFile("../../report/testdata/malachite.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	run := file.Runs[0]
	digest := "sha256:" + strings.Repeat("ab", 32)
	run.Environment.Images = []document.ImageInfo{
		{Name: "registry.example.com/validator:1", Digest: "registry.example.com/validator@" + digest},
		{Name: "ghcr.io/benchnet/agent:0.1.0", Digest: "ghcr.io/benchnet/agent@" + digest},
		{Name: "local:1", Digest: "import-2026@" + digest}}
	network := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "benchnet.dev/v1alpha1", "kind": "BenchmarkNetwork",
		"metadata": map[string]any{"name": "n"}, "spec": map[string]any{"images": []any{"registry.example.com/validator:1", "local:1"}}}}
	return &Kit{Target: cluster.Target{Kind: cluster.Run, Namespace: "lab", Name: run.Run.Name}, Objects: []*unstructured.Unstructured{network},
		Result: run.Text, Runs: file.Runs, PlanHashes: map[string]string{run.Run.Network: "hash"}}
}

func newKey(t *testing.T) (*minisign.PublicKey, *minisign.PrivateKey) {
	t.Helper()
	public, private, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &public, &private
}

func writeKit(t *testing.T, k *Kit, key *minisign.PrivateKey) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := k.Write(&out, key); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestWrite(t *testing.T) {
	public, private := newKey(t)
	kit := newKit(t)
	written := writeKit(t, kit, private)
	if !bytes.Equal(written, writeKit(t, kit, private)) {
		t.Error("the same kit gave different bundles")
	}
	b, err := Read(bytes.NewReader(written))
	if err != nil {
		t.Fatal(err)
	}
	comment, differences := b.FindDifferences(public)
	if want := "benchnet bundle of " + kit.Target.String(); len(differences) > 0 || comment != want {
		t.Errorf("comment %q, differences %q", comment, differences)
	}
	want := []string{"README.md", "SHA256SUMS", "SHA256SUMS.minisig", "kustomization.yaml", "network-n.yaml", "pinned/kustomization.yaml",
		"pinned/network-n.yaml", "pinned/values.yaml", "report.html", "result.json"}
	if got := slices.Sorted(maps.Keys(b.digests)); !slices.Equal(got, want) {
		t.Errorf("files %v, want %v", got, want)
	}
	for name, want := range map[string]string{
		"network-n.yaml":        "- registry.example.com/validator:1\n",
		"pinned/network-n.yaml": "- registry.example.com/validator@sha256:abab",
		"pinned/values.yaml":    "imageOverrides:\n  agent: ghcr.io/benchnet/agent@sha256:abab",
		"README.md":             "| `local:1` | `import-2026@sha256:abab",
		"result.json":           `"histogram":"`,
	} {
		if !strings.Contains(string(b.files[name]), want) {
			t.Errorf("no %q in %s:\n%.500s", want, name, b.files[name])
		}
	}
}

func TestReadmeWarnsOfTooFewRuns(t *testing.T) {
	b, err := Read(bytes.NewReader(writeKit(t, newKit(t), nil)))
	if err != nil {
		t.Fatal(err)
	}
	want := "-n lab\n\nThe original has fewer than five runs of each point, so that no claim can be made about a reproduction.\n\nA network"
	if readme := string(b.files[readmeName]); !strings.Contains(readme, want) {
		t.Errorf("no %q in\n%s", want, readme)
	}
}

func TestReadmeListsWhatIsLeftOut(t *testing.T) {
	kit := newKit(t)
	kit.LeftOut = []string{"BenchmarkNetwork n has changed since the run", "ConfigMap plan no longer exists"}
	b, err := Read(bytes.NewReader(writeKit(t, kit, nil)))
	if err != nil {
		t.Fatal(err)
	}
	want := "Left out:\n\n- BenchmarkNetwork n has changed since the run\n- ConfigMap plan no longer exists\n\n## Images"
	if readme := string(b.files[readmeName]); !strings.Contains(readme, want) {
		t.Errorf("no %q in\n%s", want, readme)
	}
}

func TestWriteExperiment(t *testing.T) {
	file, err := documents.ReadFile("../../../docs/measured/i1.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	kit := newKit(t)
	kit.Target.Kind, kit.Experiment, kit.Result = cluster.Experiment, file.Experiments[0].Result, file.Experiments[0].Text
	b, err := Read(bytes.NewReader(writeKit(t, kit, nil)))
	if err != nil {
		t.Fatal(err)
	}
	if name := "runs/" + kit.Runs[0].Run.Name + ".json"; b.digests[name] == "" {
		t.Errorf("no %s in %v", name, b.digests)
	}
	if !json.Valid(b.files[resultName]) || !bytes.Contains(b.files[resultName], []byte("ExperimentResult")) {
		t.Errorf("the result is %.100s", b.files[resultName])
	}
}

// TestChangedBytes changes each byte of a bundle: it must be refused, or unpack to the same files, because a gzip has some
// bits that mean nothing.
func TestChangedBytes(t *testing.T) {
	public, private := newKey(t)
	files := map[string][]byte{"a.yaml": []byte("a: 1\n"), "b/c.json": bytes.Repeat([]byte("{}"), 100)}
	files[indexName] = buildIndex(files)
	files[signatureName] = signIndex(files[indexName], private, "brun/a")
	var out bytes.Buffer
	if err := writeArchive(&out, files, defaultBounds); err != nil {
		t.Fatal(err)
	}
	refused := 0
	for i := range out.Len() {
		changed := bytes.Clone(out.Bytes())
		changed[i] ^= 0x10
		b, err := Read(bytes.NewReader(changed))
		if err == nil {
			_, differences := b.FindDifferences(public)
			if len(differences) == 0 && maps.EqualFunc(b.files, files, bytes.Equal) {
				continue
			}
			if len(differences) == 0 {
				t.Errorf("a change of byte %d of %d was not found", i, out.Len())
			}
		}
		refused++
	}
	if refused < out.Len()*9/10 {
		t.Errorf("only %d of %d changes were refused", refused, out.Len())
	}
}

func TestFindDifferences(t *testing.T) {
	public, private := newKey(t)
	other, otherPrivate := newKey(t)
	for _, test := range []struct {
		name   string
		change func(files map[string][]byte)
		key    *minisign.PublicKey
		want   string
	}{
		{"changed file", func(f map[string][]byte) { f["a.yaml"] = []byte("a: 2\n") }, public, "a.yaml has SHA-256 "},
		{"changed file without a key", func(f map[string][]byte) { f["a.yaml"] = []byte("a: 2\n") }, nil, "a.yaml has SHA-256 "},
		{"missing file", func(f map[string][]byte) { delete(f, "a.yaml") }, public, "a.yaml is missing"},
		{"another file", func(f map[string][]byte) { f["b.yaml"] = nil }, public, "b.yaml is not in SHA256SUMS"},
		{"no index", func(f map[string][]byte) { delete(f, indexName) }, public, "SHA256SUMS is missing"},
		{"no signature", func(f map[string][]byte) { delete(f, signatureName) }, public, "SHA256SUMS.minisig is missing: the bundle is not signed"},
		{"broken signature", func(f map[string][]byte) { f[signatureName] = []byte("x") }, public, "is no signature of minisign"},
		{"another key", func(map[string][]byte) {}, other, "is by key " + FormatKeyID(public.ID()) + ", not by key " + FormatKeyID(other.ID())},
		{"signed again by another key", func(f map[string][]byte) { f[signatureName] = signIndex(f[indexName], otherPrivate, "x") }, public, "is by key "},
		{"changed index", func(f map[string][]byte) {
			f["a.yaml"] = []byte("a: 2\n")
			f[indexName] = buildIndex(map[string][]byte{"a.yaml": f["a.yaml"]})
		}, public, "SHA256SUMS.minisig is not the signature of SHA256SUMS by key "},
		{"changed comment", func(f map[string][]byte) {
			f[signatureName] = bytes.Replace(f[signatureName], []byte("bundle of brun/a"), []byte("bundle of brun/b"), 1)
		}, public, "is not the signature"},
		{"no digest in the index", func(f map[string][]byte) { f[indexName] = []byte("ab  a.yaml\n") }, nil, `line 1 of SHA256SUMS is "ab  a.yaml", must be`},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := map[string][]byte{"a.yaml": []byte("a: 1\n")}
			files[indexName] = buildIndex(files)
			files[signatureName] = signIndex(files[indexName], private, "brun/a")
			test.change(files)
			var out bytes.Buffer
			if err := writeArchive(&out, files, defaultBounds); err != nil {
				t.Fatal(err)
			}
			b, err := Read(&out)
			if err != nil {
				t.Fatal(err)
			}
			if _, differences := b.FindDifferences(test.key); !strings.Contains(strings.Join(differences, "\n"), test.want) {
				t.Errorf("got %q, want %q", differences, test.want)
			}
		})
	}
}

// tarEntry is a file of a hostile archive.
type tarEntry struct {
	tar.Header
	content string
}

func packEntries(t *testing.T, entries ...tarEntry) []byte {
	t.Helper()
	var unpacked, out bytes.Buffer
	archive := tar.NewWriter(&unpacked)
	for _, e := range entries {
		e.Size = int64(len(e.content))
		if err := archive.WriteHeader(&e.Header); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write([]byte(e.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	zip := gzip.NewWriter(&out)
	// The writer refuses records of sparse files.
	if _, err := zip.Write(bytes.ReplaceAll(unpacked.Bytes(), []byte("gnu.sparse."), []byte("GNU.sparse."))); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestReadRefuses(t *testing.T) {
	file := func(name, content string) tarEntry {
		return tarEntry{tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: fileMode}, content}
	}
	small := bounds{files: 3, fileBytes: 1 << 20, totalBytes: 2 << 20}
	// A sparse file of a megabyte without data, in format 0.1 of PAX.
	sparse := func(name string) tarEntry {
		return tarEntry{Header: tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: fileMode, Format: tar.FormatPAX,
			PAXRecords: map[string]string{"gnu.sparse.size": "1048576", "gnu.sparse.numblocks": "1", "gnu.sparse.map": "1048576,0"}}}
	}
	good := packEntries(t, file("a", "b"))
	var trailing bytes.Buffer
	zip := gzip.NewWriter(&trailing)
	_, _ = zip.Write([]byte("more"))
	_ = zip.Close()
	megabyte := strings.Repeat("0", 1<<20)
	for _, test := range []struct {
		name    string
		content []byte
		want    string
	}{
		{"text", []byte("text"), "unpack: "},
		{"cut off", good[:len(good)-9], "unpack: unexpected EOF"},
		{"more after the end", append(bytes.Clone(good), trailing.Bytes()...), "data follows the end of the archive"},
		{"parent directory", packEntries(t, file("../a", "")), `"../a" is no name of a file below the current directory`},
		{"absolute name", packEntries(t, file("/etc/a", "")), `"/etc/a" is no name`},
		{"name that is not clean", packEntries(t, file("a/../b", "")), `"a/../b" is no name`},
		{"name with a terminal's escape sequence", packEntries(t, file("a\x1b[2J", "")), `"a\x1b[2J" is no name`},
		{"name for Windows", packEntries(t, file(`a\..\b`, "")), "is no name"},
		{"symbolic link", packEntries(t, tarEntry{Header: tar.Header{Typeflag: tar.TypeSymlink, Name: "a", Linkname: "/", Mode: fileMode}}), `"a" has type '2'`},
		{"program", packEntries(t, tarEntry{Header: tar.Header{Typeflag: tar.TypeReg, Name: "a", Mode: 0o4755}}), "mode 4755, must be a regular file of mode 644"},
		{"same name twice", packEntries(t, file("a", "1"), file("a", "2")), `"a" occurs twice`},
		{"too many files", packEntries(t, file("a", ""), file("b", ""), file("c", ""), file("d", "")), "more than 3 files"},
		{"too large a file", packEntries(t, file("a", megabyte+"0")), `"a" has 1048577 bytes, at most 1048576 are allowed`},
		{"too large in all", packEntries(t, file("a", megabyte), file("b", megabyte), file("c", megabyte)), "it unpacks to more than 2097152 bytes"},
		{"too large by sparse files", packEntries(t, sparse("a"), sparse("b"), sparse("c")), "it unpacks to more than 2097152 bytes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := readArchive(bytes.NewReader(test.content), small); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestImageBaseName(t *testing.T) {
	for reference, want := range map[string]string{
		"ghcr.io/benchnet/agent:0.1.0": "agent", "localhost:5000/agent": "agent",
		"agent@sha256:ab": "agent", "ghcr.io/benchnet/agent:0.1.0@sha256:ab": "agent",
	} {
		if got := imageBaseName(reference); got != want {
			t.Errorf("%s became %q", reference, got)
		}
	}
}

// TestLargestBundle reads the largest bundles that are written, and checks that larger ones are not.
func TestLargestBundle(t *testing.T) {
	limits := bounds{files: 200, fileBytes: 64 << 10, totalBytes: 1 << 20}
	files := map[string][]byte{}
	for i := range limits.files {
		files[fmt.Sprintf("runs/%s-%03d.json", strings.Repeat("a", 240), i)] = bytes.Repeat([]byte("1"), int(limits.totalBytes)/limits.files)
	}
	var out bytes.Buffer
	if err := writeArchive(&out, files, limits); err != nil {
		t.Fatal(err)
	}
	if b, err := readArchive(&out, limits); err != nil || b.Count() != limits.files {
		t.Errorf("%v", err)
	}
	for _, tooSmall := range []bounds{{limits.files - 1, limits.fileBytes, limits.totalBytes}, {limits.files, 100, limits.totalBytes}, {limits.files, limits.fileBytes, 1 << 19}} {
		if err := writeArchive(&out, files, tooSmall); err == nil || !strings.Contains(err.Error(), "at most") {
			t.Errorf("bounds %+v: %v", tooSmall, err)
		}
	}
}

func TestReadKeys(t *testing.T) {
	directory := t.TempDir()
	write := func(name string, text []byte, err error) string {
		t.Helper()
		file := filepath.Join(directory, name)
		if err == nil {
			err = os.WriteFile(file, append(text, '\n'), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	public, private := newKey(t)
	text, err := private.MarshalText()
	plain := write("plain.key", text, err)
	// The third and fourth byte name the derivation of the key from a password.
	encrypted := write("encrypted.key", bytes.Replace(text, []byte("RWQAAEIy"), []byte("RWRTY0Iy"), 1), nil)
	publicText, err := public.MarshalText()
	pub := write("minisign.pub", publicText, err)
	unasked := func() (string, error) { return "", fmt.Errorf("no terminal") }
	if key, err := ReadPrivateKey(plain, unasked); err != nil || !key.Equal(*private) {
		t.Errorf("private key: %v", err)
	}
	if key, err := ReadPublicKey(pub); err != nil || !key.Equal(*public) {
		t.Errorf("public key: %v", err)
	}
	for _, test := range []struct {
		name string
		read func() error
		want string
	}{
		{"password needed", func() error { _, err := ReadPrivateKey(encrypted, unasked); return err }, "read the password of " + encrypted + ": no terminal"},
		{"public as private", func() error { _, err := ReadPrivateKey(pub, unasked); return err }, "minisign.pub is no private key of minisign"},
		{"private as public", func() error { _, err := ReadPublicKey(plain); return err }, "plain.key is no public key of minisign"},
		{"directory", func() error { _, err := ReadPublicKey(directory); return err }, "is no key of minisign: it must be a file of at most 4096 bytes"},
		{"too large", func() error { _, err := ReadPublicKey(write("large", make([]byte, 5000), nil)); return err }, "at most 4096 bytes"},
		{"no file", func() error { _, err := ReadPublicKey(filepath.Join(directory, "none")); return err }, "no such file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := test.read(); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
