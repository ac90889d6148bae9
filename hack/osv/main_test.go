package main

import (
	"archive/zip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ecosystemCases have one synthetic advisory each. The package URLs are as syft writes them.
var ecosystemCases = []struct {
	name, affects, advisory, vulnerable, fixed string
}{
	{"Go", "golang.org/x/sound", rangeOf("SEMVER", "0", "1.2.3"), "pkg:golang/golang.org/x/sound@v1.2.2", "pkg:golang/golang.org/x/sound@v1.2.3"},
	{"Maven", "org.example:logging", rangeOf("ECOSYSTEM", "2.0", "2.15.0"),
		"pkg:maven/org.example/logging@2.14.1", "pkg:maven/org.example/logging@2.15.0"},
	{"crates.io", "rusty", rangeOf("SEMVER", "0.0.0-0", "0.4.1"), "pkg:cargo/rusty@0.4.0", "pkg:cargo/rusty@0.4.1"},
	{"Debian", "glibc", rangeOf("ECOSYSTEM", "0", "2.36-9+deb12u10"),
		"pkg:deb/debian/libc6@2.36-9%2Bdeb12u9?arch=amd64&distro=debian-12&upstream=glibc",
		"pkg:deb/debian/libc6@2.36-9%2Bdeb12u10?arch=amd64&distro=debian-12&upstream=glibc"},
	{"Ubuntu", "openssl", rangeOf("ECOSYSTEM", "0", "3.0.2-0ubuntu1.18"),
		"pkg:deb/ubuntu/libssl3@3.0.2-0ubuntu1.17?arch=amd64&distro=ubuntu-22.04&upstream=openssl",
		"pkg:deb/ubuntu/libssl3@3.0.2-0ubuntu1.18?arch=amd64&distro=ubuntu-22.04&upstream=openssl"},
}

func rangeOf(kind, introduced, fixed string) string {
	return fmt.Sprintf(`"ranges": [{"type": %q, "events": [{"introduced": %q}, {"fixed": %q}]}]`, kind, introduced, fixed)
}

// writeDatabase writes the advisories as single files and returns the directory.
func writeDatabase(t *testing.T) string {
	t.Helper()
	directory := t.TempDir()
	for i, e := range ecosystemCases {
		ecosystem := e.name
		switch ecosystem {
		case "Debian":
			ecosystem = "Debian:12"
		case "Ubuntu":
			ecosystem = "Ubuntu:22.04:LTS"
		}
		writeFile(t, filepath.Join(directory, e.name, "X.json"), fmt.Sprintf(
			`{"id": "X-%d", "aliases": ["CVE-2026-%d"], "modified": "2026-11-0%dT00:00:00Z", "summary": "Made up", "new_field": 1,
			"affected": [{"package": {"ecosystem": %q, "name": %q}, %s}]}`, i, i, i+1, ecosystem, e.affects, e.advisory))
	}
	return directory
}

func writeSBOM(t *testing.T, name string, packageURLs ...string) string {
	t.Helper()
	var list []string
	for _, p := range packageURLs {
		list = append(list, fmt.Sprintf(`{"type": "library", "name": "x", "group": "g", "purl": %q}`, p))
	}
	return writeComponents(t, name, list...)
}

// writeComponents writes a document with components in CycloneDX's JSON and returns its path.
func writeComponents(t *testing.T, name string, components ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name+".json")
	writeFile(t, file, fmt.Sprintf(`{"bomFormat": "CycloneDX", "specVersion": "1.6", "components": [%s]}`, strings.Join(components, ",")))
	return file
}

func writeFile(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// checkScan checks the outcome of a scan and texts in its output.
func checkScan(t *testing.T, o options, passes bool, says ...string) {
	t.Helper()
	var out strings.Builder
	passed, err := scanPackages(&out, o)
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
	for i, e := range ecosystemCases {
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

func TestListsWhatIsNotChecked(t *testing.T) {
	database := writeDatabase(t)
	empty := t.TempDir()
	if err := os.Mkdir(filepath.Join(empty, "Maven"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, database, packageURL, ecosystem, component string }{
		{"no database", t.TempDir(), ecosystemCases[1].vulnerable, "Maven", "pkg:maven/org.example/logging"},
		{"an empty directory instead of a database", empty, ecosystemCases[1].vulnerable, "Maven", "pkg:maven/org.example/logging"},
		{"an ecosystem that the database lacks", database, "pkg:npm/left-pad@1.0.0", "npm", "pkg:npm/left-pad"},
		{"a type that OSV has no ecosystem for", database, "pkg:generic/oracle/openjdk@8", "type generic", "pkg:generic/oracle/openjdk"},
		{"no version", database, "pkg:maven/charsets/charsets", "Maven without a version", "pkg:maven/charsets/charsets"},
		{"no package URL", database, "", "type library without a version", "pkg:library/g/x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := options{database: c.database, sboms: []string{writeSBOM(t, "sources", c.packageURL)}}
			unchecked := []string{c.ecosystem + ": NOT CHECKED: 1 packages", "\n  " + c.component + ", version ", "in sources"}
			checkScan(t, o, true, unchecked...)
			o.required = true
			checkScan(t, o, false, unchecked...)
			o.accepted = filepath.Join(t.TempDir(), "accepted")
			writeFile(t, o.accepted, c.component+" it is watched elsewhere\n")
			checkScan(t, o, true, "accepted without a check: "+c.component, "it is watched elsewhere")
		})
	}
}

func TestLeavesOutTheProject(t *testing.T) {
	sbom := writeComponents(t, "sources",
		`{"type": "library", "name": "github.com/benchnet/benchnet/drivers/evm", "purl": "pkg:golang/github.com/benchnet/benchnet/drivers/evm@(devel)"}`,
		`{"type": "library", "name": "benchnet", "purl": "pkg:cargo/benchnet@0.1.0"}`,
		`{"type": "file", "name": "go.mod"}`, `{"type": "operating-system", "name": "debian"}`)
	o := options{database: t.TempDir(), required: true, sboms: []string{sbom}, project: []string{"pkg:golang/github.com/benchnet/benchnet", "pkg:cargo/benchnet"}}
	checkScan(t, o, true, "2 components of the project itself left out")
	o.project = []string{"pkg:golang/github.com/benchnet/bench", "pkg:cargo/benchnet"}
	checkScan(t, o, false, "Go without a version: NOT CHECKED", "1 components of the project itself left out")
}

// TestFindsByOtherNames uses components that an advisory names differently from the SBOM's package URL.
func TestFindsByOtherNames(t *testing.T) {
	for _, c := range []struct{ name, ecosystem, affects, component, says string }{
		{"a Go module with capitals", "Go", "github.com/BurntSushi/toml",
			`{"type": "library", "name": "github.com/BurntSushi/toml", "purl": "pkg:golang/github.com/BurntSushi/toml@v1.0.0"}`,
			"VULNERABLE: golang github.com/BurntSushi/toml v1.0.0"},
		{"a jar without a POM", "Maven", "com.jayway.jsonpath:json-path",
			`{"type": "library", "name": "json-path", "purl": "pkg:maven/json-path/json-path@1.0.0"}`,
			"VULNERABLE: maven com.jayway.jsonpath/json-path 1.0.0: Made up (https://osv.dev/X), in image, if that group is the artifact's"},
	} {
		t.Run(c.name, func(t *testing.T) {
			database := t.TempDir()
			// The range of commits is first, as in advisories that GitHub writes.
			writeFile(t, filepath.Join(database, c.ecosystem, "X.json"), fmt.Sprintf(
				`{"id": "X", "summary": "Made up", "affected": [{"package": {"ecosystem": %q, "name": %q},
				"ranges": [{"type": "GIT", "repo": "https://x", "events": [{"introduced": "0"}]},
				{"type": "SEMVER", "events": [{"introduced": "0"}, {"fixed": "1.0.1"}]}]}]}`, c.ecosystem, c.affects))
			checkScan(t, options{database: database, sboms: []string{writeComponents(t, "image", c.component)}}, false, c.says, "1 vulnerable")
		})
	}
	t.Run("a jar with a POM has no other group", func(t *testing.T) {
		database := writeDatabase(t)
		other := `{"type": "library", "group": "org.other", "name": "logging", "purl": "pkg:maven/org.other/logging@2.14.1"}`
		checkScan(t, options{database: database, sboms: []string{writeComponents(t, "image", other)}}, true, "0 vulnerable")
	})
}

func TestAcceptsByAlias(t *testing.T) {
	accepted := filepath.Join(t.TempDir(), "accepted")
	writeFile(t, accepted, "# why\nCVE-2026-1 only on a path that nothing calls\n")
	checkScan(t, options{database: writeDatabase(t), accepted: accepted, sboms: []string{writeSBOM(t, "image", ecosystemCases[1].vulnerable)}}, true,
		"accepted: maven org.example/logging 2.14.1: Made up", "only on a path that nothing calls", "0 vulnerable")
	writeFile(t, accepted, "CVE-2026-1\n")
	if _, err := readAcceptedReasons(accepted); err == nil {
		t.Error("an accepted vulnerability without a reason is not refused")
	}
}

func TestReadsArchivesAndMergesDocuments(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(writeDatabase(t), "Maven", "X.json"))
	if err != nil {
		t.Fatal(err)
	}
	database := t.TempDir()
	writeFile(t, filepath.Join(database, "Maven", "all.zip"), buildArchive(t, "X-1.json", string(text)))
	sboms := []string{writeSBOM(t, "one", ecosystemCases[1].vulnerable), writeSBOM(t, "two", ecosystemCases[1].vulnerable)}
	checkScan(t, options{database: database, sboms: sboms}, false, "in one, two", "Maven: 1 packages checked")
}

func TestEmptyArchiveIsADatabase(t *testing.T) {
	database := t.TempDir()
	writeFile(t, filepath.Join(database, "Maven", "all.zip"), buildArchive(t, "README", ""))
	sboms := []string{writeSBOM(t, "image", ecosystemCases[1].vulnerable)}
	checkScan(t, options{database: database, required: true, sboms: sboms}, true, "Maven: 1 packages checked with 0 advisories: 0 vulnerable")
}

func buildArchive(t *testing.T, name, text string) string {
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
	writeFile(t, filepath.Join(broken, "Go", "Y.json"), "not JSON")
	sbom := writeSBOM(t, "sources", ecosystemCases[0].fixed)
	for name, o := range map[string]options{
		"no SBOM":             {database: broken},
		"an SBOM not there":   {sboms: []string{"nowhere.json"}},
		"a broken advisory":   {database: broken, sboms: []string{sbom}},
		"a wrong package URL": {sboms: []string{writeSBOM(t, "sources", "no URL")}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := scanPackages(&strings.Builder{}, o); err == nil {
				t.Error("no error")
			}
		})
	}
}
