// Package manifests_test checks that the manually maintained files of the bundle match each other.
package manifests_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// TestLabels compares the labels of the bundle's image with its annotations. OLM reads both.
func TestLabels(t *testing.T) {
	text, err := os.ReadFile("../../bundle/metadata/annotations.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var metadata struct{ Annotations map[string]string }
	if err := yaml.Unmarshal(text, &metadata); err != nil {
		t.Fatal(err)
	}
	dockerfile, err := os.ReadFile("../../bundle.Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string]string{}
	for line := range strings.Lines(string(dockerfile)) {
		if label, ok := strings.CutPrefix(strings.TrimSpace(line), "LABEL "); ok {
			name, value, _ := strings.Cut(label, "=")
			labels[name] = value
		}
	}
	if diff := cmp.Diff(metadata.Annotations, labels); diff != "" {
		t.Errorf("annotations (-) and labels (+) differ:\n%s", diff)
	}
}
