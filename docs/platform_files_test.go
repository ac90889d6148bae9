package docs_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// TestAddingAPlatformNamesEveryFile compares the table of docs/adding-a-platform.md with the files that name every platform: a new
// platform has to be added to each of them.
func TestAddingAPlatformNamesEveryFile(t *testing.T) {
	var listed []string
	for _, r := range readPage(t, "adding-a-platform.md").rows {
		if r.head[0] != "file" {
			continue
		}
		listed = append(listed, codeSpans(r.cells[0])...)
	}
	generated := []string{"api/v1alpha1/zz_generated.", "charts/benchnet/dashboards/benchnet-", "charts/benchnet/generated/", "config/crd/bases/",
		"docs/api.md", "docs/metrics.md", "docs/platform_files_test.go", "CHANGELOG.md"}
	var naming []string
	for _, file := range filesThatName(t, v1alpha1.PlatformCorda, v1alpha1.PlatformJPaxos, v1alpha1.PlatformMalachite, v1alpha1.PlatformEmerald) {
		if !slices.ContainsFunc(generated, func(prefix string) bool { return strings.HasPrefix(file, prefix) }) {
			naming = append(naming, file)
		}
	}
	for _, file := range naming {
		if !slices.Contains(listed, file) {
			t.Errorf("%s names every platform, but the page does not list it", file)
		}
	}
	for _, file := range listed {
		if !slices.Contains(naming, file) {
			t.Errorf("the page lists %s, which does not name every platform", file)
		}
	}
}

// filesThatName returns the files of the repository, without test data, that name all of the platforms.
func filesThatName(t *testing.T, platforms ...v1alpha1.PlatformType) []string {
	t.Helper()
	arguments := []string{"-C", "..", "grep", "--ignore-case", "--name-only", "--all-match", "-I"}
	for _, p := range platforms {
		arguments = append(arguments, "-e", string(p))
	}
	list, err := exec.CommandContext(t.Context(), "git", append(arguments, "--", ":!*/testdata/*")...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(list))
}
