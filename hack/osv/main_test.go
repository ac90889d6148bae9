package main

import (
	"archive/zip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ecosystems have one made-up advisory each. The package URLs are as syft writes them.
var ecosystems = []struct {
	name, affects, advisory, vulnerable, fixed string
}{
	{"Go", "golang.org/x/sound", rangeOf("SEMVER", "0", "1.2.3"), "pkg:golang/golang.org/x/sound@v1.2.2", "pkg:golang/golang.org/x/sound@v1.2.3"},
	{"Maven", "org.example:logging", rangeOf("ECOSYSTEM", "2.0", "2.15.0"),
		"pkg:maven/org.example/logging@2.14.1", "pkg:maven/org.example/logging@2.15.0"},
	{"crates.io", "rusty", rangeOf("SEMVER", "0.0.0-0", "0.4.1"), "pkg:cargo/rusty@0.4.0", "pkg:cargo/rusty@0.4.1"},
	{"Debian", "glibc", rangeOf("ECOSYSTEM", "0", "2.36-9+deb12u10"),
		"pkg:deb/debian/libc6@2.36-9%2Bdeb12u9?arch=amd64&distro=debian-12&upstream=glibc",
		"pkg:deb/debian/libc6@2.36-9%2Bdeb12u10?arch=amd64&distro=debian-12&upstream=glibc"},
}

func rangeOf(kind, introduced, fixed string) string {
	return fmt.Sprintf(`"ranges": [{"type": %q, "events": [{"introduced": %q}, {"fixed": %q}]}]`, kind, introduced, fixed)
}

// writeDatabase writes the advisories as single files and returns the directory.
func writeDatabase(t *testing.T) string {
	t.Helper()
	directory := t.TempDir()
	for i, e := range ecosystems {
		ecosystem := e.name
		if ecosystem == "Debian" {
			ecosystem = "Debian:12"
		}
		write(t, filepath.Join(directory, e.name, "X.json"), fmt.Sprintf(
			`{"id": "X-%d", "aliases": ["CVE-2026-%d"], "modified": "2026-11-0%dT00:00:00Z", "summary": "Made up", "new_field": 1,
			"affected": [{"package": {"ecosystem": %q, "name": %q}, %s}]}`, i, i, i+1, ecosystem, e.affects, e.advisory))
	}
	return directory
}

func writeSBOM(t *testing.T, name string, packageURLs ...string) string {
	t.Helper()
	var list []string
	for _, p := range packageURLs {
		list = append(list, fmt.Sprintf(`{"type": "library", "name": "x", "purl": %q}`, p))
	}
	file := filepath.Join(t.TempDir(), name+".json")
	write(t, file, fmt.Sprintf(`{"bomFormat": "CycloneDX", "specVersion": "1.6", "components": [%s]}`, strings.Join(list, ",")))
	return file
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// checkScan compares the outcome of a scan, and looks for texts in its output.
func checkScan(t *testing.T, o options, passes bool, says ...string) {
	t.Helper()
	var out strings.Builder
	passed, err := scan(&out, o)
	if err != nil {
		t.Fatal(err)
	}
	if passed != passes {
		t.Errorf("passed: %v, want %v", passed, passes)
	}
	for _, text := range says {
		if !strings.Contains(out.String(), text) {
			t.Errorf("the output lacks %q:\n%s", text, out.String())
		}
	}
}

func TestFindsVulnerableVersions(t *testing.T) {
	database := writeDatabase(t)
	for i, e := range ecosystems {
		t.Run(e.name+" vulnerable", func(t *testing.T) {
			checkScan(t, options{database: database, sboms: []string{writeSBOM(t, "image", e.vulnerable)}}, false,
				"VULNERABLE:", fmt.Sprintf("Made up (https://osv.dev/X-%d), in image", i), e.name+": 1 packages checked with 1 advisories", "1 vulnerable")
		})
		t.Run(e.name+" fixed", func(t *testing.T) {
			checkScan(t, options{database: database, required: true, sboms: []string{writeSBOM(t, "image", e.fixed)}}, true,
				fmt.Sprintf("%s: 1 packages checked with 1 advisories, the newest of 2026-11-0%d: 0 vulnerable", e.name, i+1))
		})
	}
}

func TestSaysWhatIsNotChecked(t *testing.T) {
	database := writeDatabase(t)
	for _, c := range []struct{ name, database, packageURL, says string }{
		{"no database", t.TempDir(), ecosystems[1].vulnerable, "Maven: NOT CHECKED: 1 packages"},
		{"an ecosystem that the database lacks", database, "pkg:npm/left-pad@1.0.0", "npm: NOT CHECKED: 1 packages"},
		{"a type that OSV has no ecosystem for", database, "pkg:generic/java@8", "type generic: NOT CHECKED: 1 packages"},
		{"no version", database, "pkg:golang/github.com/benchnet/benchnet@(devel)", "Go without a version: NOT CHECKED: 1 packages"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sbom := writeSBOM(t, "sources", c.packageURL)
			checkScan(t, options{database: c.database, sboms: []string{sbom}}, true, c.says)
			checkScan(t, options{database: c.database, required: true, sboms: []string{sbom}}, false, c.says)
		})
	}
}

func TestAcceptsByAlias(t *testing.T) {
	accepted := filepath.Join(t.TempDir(), "accepted")
	write(t, accepted, "# why\nCVE-2026-1 only on a path that nothing calls\n")
	checkScan(t, options{database: writeDatabase(t), accepted: accepted, sboms: []string{writeSBOM(t, "image", ecosystems[1].vulnerable)}}, true,
		"accepted: maven org.example/logging 2.14.1: Made up", "only on a path that nothing calls", "0 vulnerable")
	write(t, accepted, "CVE-2026-1\n")
	if _, err := readAccepted(accepted); err == nil {
		t.Error("an accepted vulnerability without a reason is not refused")
	}
}

func TestReadsArchivesAndMergesDocuments(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(writeDatabase(t), "Maven", "X.json"))
	if err != nil {
		t.Fatal(err)
	}
	database := t.TempDir()
	write(t, filepath.Join(database, "Maven", "all.zip"), zipped(t, "X-1.json", string(text)))
	sboms := []string{writeSBOM(t, "one", ecosystems[1].vulnerable), writeSBOM(t, "two", ecosystems[1].vulnerable)}
	checkScan(t, options{database: database, sboms: sboms}, false, "in one, two", "Maven: 1 packages checked")
}

func zipped(t *testing.T, name, text string) string {
	t.Helper()
	var archive strings.Builder
	w := zip.NewWriter(&archive)
	file, err := w.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return archive.String()
}

func TestRefusesWhatItCannotRead(t *testing.T) {
	broken := writeDatabase(t)
	write(t, filepath.Join(broken, "Go", "Y.json"), "not JSON")
	sbom := writeSBOM(t, "sources", ecosystems[0].fixed)
	for name, o := range map[string]options{
		"no SBOM":             {database: broken},
		"an SBOM not there":   {sboms: []string{"nowhere.json"}},
		"a broken advisory":   {database: broken, sboms: []string{sbom}},
		"a wrong package URL": {sboms: []string{writeSBOM(t, "sources", "no URL")}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := scan(&strings.Builder{}, o); err == nil {
				t.Error("no error")
			}
		})
	}
}
