package docs_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestLanesRunAllSteps checks that the lanes of the workflow ci run the steps of `make test`, no more and no fewer.
func TestLanesRunAllSteps(t *testing.T) {
	var want, got []string
	for _, step := range regexp.MustCompile(`(?m)^step \S+ make (\S+)$`).FindAllStringSubmatch(readFile(t, "../hack/test/all"), -1) {
		want = append(want, step[1])
	}
	for _, lane := range regexp.MustCompile(`targets: ([^}]+)\}`).FindAllStringSubmatch(readFile(t, "../.github/workflows/ci.yml"), -1) {
		got = append(got, strings.Fields(lane[1])...)
	}
	slices.Sort(want)
	slices.Sort(got)
	if len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("the lanes run %v, and make test runs %v", got, want)
	}
}
