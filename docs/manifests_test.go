package docs_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/yaml"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
	"github.com/benchnet/benchnet/internal/platform/registry"
)

// elision marks a part that an example omits.
const elision = "…"

// otherYAML are the first fields of examples for other programs, which this test cannot check.
var otherYAML = []string{"benchmark"}

// firstField matches the beginning of an indented block of YAML.
var firstField = regexp.MustCompile(`^[a-zA-Z]+:[ \n]`)

// TestManifests admits complete manifests as the API server and the operator would. It looks up every field of
// the other examples in the API or in the values of the chart.
func TestManifests(t *testing.T) {
	seen := 0
	for _, p := range readPages(t) {
		for _, b := range p.blocks {
			for _, document := range parseExamples(t, b) {
				seen++
				t.Run(b.at, func(t *testing.T) { checkExample(t, document) })
			}
		}
	}
	if seen < 10 {
		t.Errorf("saw %d examples only", seen)
	}
}

// yamlExample is a YAML document of a page.
type yamlExample struct {
	text   string
	fields map[string]any
	// isElided reports that the example omits fields of a complete manifest.
	isElided bool
}

// parseExamples returns the YAML documents of a block. An indented block is YAML if it begins with a field.
func parseExamples(t *testing.T, b codeBlock) []yamlExample {
	t.Helper()
	if b.language != "yaml" && (b.language != "" || !firstField.MatchString(b.text)) {
		return nil
	}
	var all []yamlExample
	for text := range strings.SplitSeq(b.text, "\n---\n") {
		var value any
		if err := yaml.UnmarshalStrict([]byte(text), &value); err != nil {
			t.Errorf("%s: %v", b.at, err)
			continue
		}
		if fields, ok := value.(map[string]any); ok {
			elided := strings.Contains(text, elision)
			dropElisions(fields)
			all = append(all, yamlExample{text, fields, elided})
		}
	}
	return all
}

// dropElisions removes elided fields and values.
func dropElisions(fields map[string]any) {
	for name, value := range fields {
		switch v := value.(type) {
		case map[string]any:
			dropElisions(v)
		case []any:
			v = slices.DeleteFunc(v, func(item any) bool { return item == elision })
			for _, item := range v {
				if inner, ok := item.(map[string]any); ok {
					dropElisions(inner)
				}
			}
			fields[name] = v
		}
		if name == elision || value == elision {
			delete(fields, name)
		}
	}
}

func checkExample(t *testing.T, e yamlExample) {
	t.Helper()
	kind, _ := e.fields["kind"].(string)
	version, _ := e.fields["apiVersion"].(string)
	schema := kindSchemas(t)[kind]
	switch {
	case schema != nil && !e.isElided:
		admitManifest(t, kind, e.text)
	case schema != nil:
		delete(e.fields, "metadata")
		if unknown := unknownFields(schema, e.fields, ""); len(unknown) > 0 {
			t.Errorf("%s has no fields %v", kind, unknown)
		}
	case strings.HasPrefix(version, v1alpha1.GroupVersion.Group+"/"):
		t.Errorf("there is no kind %q", kind)
	case version == "" && e.fields["resources"] != nil:
		if err := yaml.UnmarshalStrict([]byte(e.text), &types.Kustomization{}); err != nil {
			t.Error(err)
		}
	case version == "":
		checkFragment(t, e.fields)
	}
}

// checkFragment checks that an object of the API, or the chart's values, has all the fields.
func checkFragment(t *testing.T, fields map[string]any) {
	t.Helper()
	for name := range fields {
		if slices.Contains(otherYAML, name) {
			return
		}
	}
	best := unknownFields(chartSchema(t), fields, "")
	for _, schema := range objectSchemas(kindSchemas(t)) {
		if unknown := unknownFields(schema, fields, ""); len(unknown) < len(best) {
			best = unknown
		}
	}
	if len(best) > 0 {
		t.Errorf("neither the API nor the chart's values have the fields %v", best)
	}
}

// admitManifest runs a manifest through the schema with its rules, and through the operator's validation.
func admitManifest(t *testing.T, kind, manifest string) {
	t.Helper()
	admission := platformtest.NewAdmission(t, crdDir+"/benchnet.dev_"+strings.ToLower(kind)+"s.yaml")
	switch kind {
	case "BenchmarkNetwork":
		var network v1alpha1.BenchmarkNetwork
		if err := admission.Admit([]byte(manifest), &network); err != nil {
			t.Fatal(err)
		}
		p, err := registry.New().Get(network.Spec.Platform.Type)
		if err != nil {
			t.Fatal(err)
		}
		if problems := platform.ValidateNetwork(p, &network.Spec, field.NewPath("spec")); len(problems) > 0 {
			t.Error(problems.ToAggregate())
		}
	case "BenchmarkExperiment":
		var e v1alpha1.BenchmarkExperiment
		if err := admission.Admit([]byte(manifest), &e); err != nil {
			t.Fatal(err)
		}
		if _, err := experiment.NewDesign(&e); err != nil {
			t.Error(err)
		}
	default:
		var run v1alpha1.BenchmarkRun
		if err := admission.Admit([]byte(manifest), &run); err != nil {
			t.Fatal(err)
		}
	}
}
