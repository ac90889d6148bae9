package docs_test

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestArchitectureListsPackages checks that the table in docs/architecture.md lists every package below
// internal, or its parent.
func TestArchitectureListsPackages(t *testing.T) {
	table := map[string]bool{}
	for _, r := range readPage(t, "architecture.md").rows {
		for _, name := range codeSpans(r.cells[0]) {
			table[name] = true
		}
	}
	for _, pattern := range []string{"../internal/*/*.go", "../internal/*/*/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if name := strings.TrimPrefix(filepath.Dir(file), "../"); !table[name] && !table[filepath.Dir(name)] {
				t.Errorf("docs/architecture.md lacks %s", name)
			}
		}
	}
}

// TestNoDecisionReadsPhase finds code that reads the phase of a network, run or experiment for another purpose
// than showing it to people.
func TestNoDecisionReadsPhase(t *testing.T) {
	forPeople := []string{"../internal/cli", "../internal/metrics", "../internal/status"}
	visitSources(t, []string{"../internal", "../controllers"}, func(file, text string) {
		for i, line := range strings.Split(text, "\n") {
			ours := strings.Contains(line, ".Status.Phase") && !strings.Contains(line, "corev1.") && !strings.Contains(line, "for people")
			if ours && !slices.ContainsFunc(forPeople, func(folder string) bool { return strings.HasPrefix(file, folder) }) {
				t.Errorf("%s:%d reads a phase: %s", file, i+1, strings.TrimSpace(line))
			}
		}
	})
}

// TestNamesAreDerivedInOnePlace finds object names that are composed outside of internal/naming.
func TestNamesAreDerivedInOnePlace(t *testing.T) {
	derived := regexp.MustCompile(`(?i)(?:network|run|instance|name)\b[^"]* \+ "-|Sprintf\("%s-`)
	// Simulated pods, and texts for people.
	exempt := []string{"../internal/experiment/capacity", "../internal/cli", "../internal/naming", "../internal/platform/platformtest"}
	visitSources(t, []string{"../internal", "../controllers"}, func(file, text string) {
		if slices.ContainsFunc(exempt, func(folder string) bool { return strings.HasPrefix(file, folder) }) {
			return
		}
		for i, line := range strings.Split(text, "\n") {
			if derived.MatchString(line) {
				t.Errorf("%s:%d derives a name: %s", file, i+1, strings.TrimSpace(line))
			}
		}
	})
}

// visitSources calls visit with every Go file below the folders, except tests and generated code.
func visitSources(t *testing.T, folders []string, visit func(file, text string)) {
	t.Helper()
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
				visit(path, readFile(t, path))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
