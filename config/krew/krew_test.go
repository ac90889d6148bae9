// Package krew_test checks the manifest of the plugin by the rules of krew:
// https://krew.sigs.k8s.io/docs/developer-guide/.
package krew_test

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// pluginManifest is krew's Plugin, v1alpha2.
type pluginManifest struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Version          string           `json:"version"`
		ShortDescription string           `json:"shortDescription"`
		Description      string           `json:"description"`
		Caveats          string           `json:"caveats"`
		Homepage         string           `json:"homepage"`
		Platforms        []pluginPlatform `json:"platforms"`
	} `json:"spec"`
}

type pluginPlatform struct {
	URI      string                `json:"uri"`
	SHA256   string                `json:"sha256"`
	Selector *metav1.LabelSelector `json:"selector"`
	Bin      string                `json:"bin"`
}

func parseManifest(t *testing.T, file string) pluginManifest {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var p pluginManifest
	if err := yaml.UnmarshalStrict(text, &p); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return p
}

// checkManifest checks the requirements of krew for every manifest.
func checkManifest(t *testing.T, p pluginManifest) {
	t.Helper()
	if p.APIVersion != "krew.googlecontainertools.github.com/v1alpha2" || p.Kind != "Plugin" {
		t.Errorf("it is %s %s", p.APIVersion, p.Kind)
	}
	if !regexp.MustCompile(`^[\w-]+$`).MatchString(p.Name) || strings.HasPrefix(p.Name, "kubectl-") {
		t.Errorf("metadata.name %q", p.Name)
	}
	if n := len(p.Spec.ShortDescription); n == 0 || n > 50 || strings.ContainsAny(p.Spec.ShortDescription, "\r\n") || strings.HasSuffix(p.Spec.ShortDescription, ".") {
		t.Errorf("spec.shortDescription %q must be one line of at most 50 characters", p.Spec.ShortDescription)
	}
	seen := map[string]bool{}
	for i, of := range p.Spec.Platforms {
		system := of.Selector.MatchLabels["os"] + "-" + of.Selector.MatchLabels["arch"]
		if seen[system] {
			t.Errorf("platform %d: %s is listed twice", i, system)
		}
		seen[system] = true
		if !strings.HasSuffix(of.URI, "/kubectl-benchnet-"+system+".tar.gz") {
			t.Errorf("platform %s has the archive %s", system, of.URI)
		}
		if of.Bin == "" || path.IsAbs(of.Bin) || strings.Contains(of.Bin, "..") || strings.HasSuffix(of.Bin, ".exe") != strings.HasPrefix(system, "windows") {
			t.Errorf("platform %s: bin %q", system, of.Bin)
		}
	}
	for _, system := range []string{"linux-amd64", "linux-arm64", "darwin-amd64", "darwin-arm64", "windows-amd64", "windows-arm64"} {
		if !seen[system] {
			t.Errorf("there is no platform %s", system)
		}
	}
}

func TestTemplate(t *testing.T) { checkManifest(t, parseManifest(t, "benchnet.yaml")) }

// TestRelease compares the manifest with the archives that hack/plugin/build wrote.
func TestRelease(t *testing.T) {
	directory := os.Getenv("BENCHNET_PLUGIN")
	if directory == "" {
		t.Skip("BENCHNET_PLUGIN is not set: make plugin sets it to what it built")
	}
	p := parseManifest(t, filepath.Join(directory, "benchnet.yaml"))
	checkManifest(t, p)
	if !regexp.MustCompile(`^v\d+\.\d+\.\d+(-[-.\w]+)?$`).MatchString(p.Spec.Version) {
		t.Errorf("spec.version %q is no semantic version with v", p.Spec.Version)
	}
	for _, of := range p.Spec.Platforms {
		at, err := url.Parse(of.URI)
		if err != nil || at.Scheme != "https" {
			t.Errorf("uri %q: %v", of.URI, err)
			continue
		}
		checkArchive(t, filepath.Join(directory, path.Base(at.Path)), of)
	}
}

// checkArchive compares the checksum, and checks that the archive has the program and the license, which krew's
// index requires.
func checkArchive(t *testing.T, file string, of pluginPlatform) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Error(err)
		return
	}
	defer f.Close()
	sum := sha256.New()
	zip, err := gzip.NewReader(io.TeeReader(f, sum))
	if err != nil {
		t.Errorf("%s: %v", file, err)
		return
	}
	files := map[string]int64{}
	archive := tar.NewReader(zip)
	for {
		head, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Errorf("%s: %v", file, err)
			return
		}
		files[path.Clean(head.Name)] = head.Size
	}
	if _, err := io.Copy(sum, f); err != nil {
		t.Errorf("%s: %v", file, err)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != of.SHA256 {
		t.Errorf("%s has the checksum %s, the manifest says %s", file, got, of.SHA256)
	}
	if files[of.Bin] < 1<<20 || files["LICENSE"] == 0 {
		t.Errorf("%s lacks %s or LICENSE: %v", file, of.Bin, files)
	}
}
