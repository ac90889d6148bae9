// Package docs_test checks that the documentation is complete and matches the code.
package docs_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/platform/evm"
)

func readFile(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// stringConstants returns the string constants of a Go file with one of the name prefixes.
func stringConstants(t *testing.T, path string, prefixes ...string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("parse %s: %v", path, err)
	}
	var values []string
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		for i, name := range spec.Names {
			for _, prefix := range prefixes {
				if !strings.HasPrefix(name.Name, prefix) || i >= len(spec.Values) {
					continue
				}
				if literal, ok := spec.Values[i].(*ast.BasicLit); ok && literal.Kind == token.STRING {
					value, err := strconv.Unquote(literal.Value)
					if err != nil {
						t.Fatalf("%s in %s: %v", name.Name, path, err)
					}
					values = append(values, value)
				}
			}
		}
		return true
	})
	if len(values) == 0 {
		t.Fatalf("%s has no constants that begin with %v", path, prefixes)
	}
	return values
}

func TestConditionsAreDocumented(t *testing.T) {
	page := readFile(t, "conditions.md")
	for _, value := range stringConstants(t, "../api/v1alpha1/conditions.go", "Condition", "Reason") {
		if !strings.Contains(page, "`"+value+"`") {
			t.Errorf("docs/conditions.md lacks `%s`", value)
		}
	}
}

func TestVerdictCodesAreDocumented(t *testing.T) {
	conditions, results := readFile(t, "conditions.md"), readFile(t, "results.md")
	for _, value := range stringConstants(t, "../internal/run/results/verdict.go", "") {
		if value == "Valid" || value == "Invalid" {
			continue
		}
		if !strings.Contains(conditions, "`"+value+"`") || !strings.Contains(results, "`"+value+"`") {
			t.Errorf("docs/conditions.md or docs/results.md lacks `%s`", value)
		}
	}
}

func TestResourcesAreDocumented(t *testing.T) {
	page := readFile(t, "results.md")
	for _, value := range stringConstants(t, "../internal/run/results/bottleneck.go", "") {
		if !strings.Contains(page, "`"+value+"`") {
			t.Errorf("docs/results.md lacks `%s`", value)
		}
	}
}

func TestDependenciesAreDocumented(t *testing.T) {
	page := readFile(t, "dependencies.md")
	for _, path := range []string{"../go.mod", "../drivers/evm/go.mod", "../hack/cluster/go.mod", "../dashboards/promql/go.mod", "../hack/bundle/go.mod",
		"../hack/osv/go.mod"} {
		direct := readDirectModules(t, path)
		if len(direct) == 0 {
			t.Errorf("%s has no direct dependency", path)
		}
		for _, module := range direct {
			if !strings.Contains(page, "`"+module+"`") {
				t.Errorf("docs/dependencies.md lacks %s of %s", module, strings.TrimPrefix(path, "../"))
			}
		}
	}
}

func readDirectModules(t *testing.T, path string) []string {
	t.Helper()
	text, err := exec.Command("go", "mod", "edit", "-json", path).Output()
	if err != nil {
		t.Fatalf("read %s: %v", path, err)
	}
	var file struct {
		Require []struct {
			Path     string
			Indirect bool
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatalf("decode %s: %v", path, err)
	}
	var direct []string
	for _, require := range file.Require {
		if !require.Indirect {
			direct = append(direct, require.Path)
		}
	}
	return direct
}

// structsByPage maps the pages of platforms and regions to the API structs that they describe.
var structsByPage = map[string][]reflect.Type{
	"corda.md": {
		reflect.TypeFor[v1alpha1.CordaPlatform](), reflect.TypeFor[v1alpha1.CordaNotary](), reflect.TypeFor[v1alpha1.CorDappsSpec](),
		reflect.TypeFor[v1alpha1.CordaTuning](), reflect.TypeFor[v1alpha1.CordaWorkload](), reflect.TypeFor[v1alpha1.MembersSpec](),
		reflect.TypeFor[v1alpha1.Placement](), reflect.TypeFor[v1alpha1.Storage](),
	},
	"emerald.md": {
		reflect.TypeFor[v1alpha1.EmeraldPlatform](), reflect.TypeFor[v1alpha1.EmeraldExecution](), reflect.TypeFor[v1alpha1.EmeraldTimeouts](),
		reflect.TypeFor[v1alpha1.EmeraldGossip](), reflect.TypeFor[v1alpha1.EVMWorkload](),
	},
	"experiments.md": {
		reflect.TypeFor[v1alpha1.BenchmarkExperimentSpec](), reflect.TypeFor[v1alpha1.Axis](), reflect.TypeFor[v1alpha1.Order](),
		reflect.TypeFor[v1alpha1.FailurePolicy](), reflect.TypeFor[v1alpha1.SaturationSearch](), reflect.TypeFor[v1alpha1.Comparison](),
		reflect.TypeFor[v1alpha1.ExperimentPlan](), reflect.TypeFor[experiment.Result](), reflect.TypeFor[experiment.Point](),
		reflect.TypeFor[experiment.Run](),
	},
	"jpaxos.md": {
		reflect.TypeFor[v1alpha1.JPaxosPlatform](), reflect.TypeFor[v1alpha1.JPaxosTuning](), reflect.TypeFor[v1alpha1.JPaxosWorkload](),
	},
	"malachite.md": {
		reflect.TypeFor[v1alpha1.MalachitePlatform](), reflect.TypeFor[v1alpha1.MalachiteTimeouts](), reflect.TypeFor[v1alpha1.MalachiteDiscoverySpec](),
		reflect.TypeFor[v1alpha1.MalachiteGossip](), reflect.TypeFor[v1alpha1.MalachiteSync](), reflect.TypeFor[v1alpha1.MalachiteWorkload](),
	},
	"regions.md": {
		reflect.TypeFor[v1alpha1.NetworkEmulation](), reflect.TypeFor[v1alpha1.Region](), reflect.TypeFor[v1alpha1.RoundTrip](),
		reflect.TypeFor[v1alpha1.LinkDefaults](),
	},
}

// TestFieldsAreDocumented checks that each page contains every JSON name of its structs.
func TestFieldsAreDocumented(t *testing.T) {
	for file, kinds := range structsByPage {
		page := readFile(t, file)
		for _, kind := range kinds {
			for i := range kind.NumField() {
				name, _, _ := strings.Cut(kind.Field(i).Tag.Get("json"), ",")
				if !strings.Contains(page, "`"+name) && !strings.Contains(page, "."+name) {
					t.Errorf("docs/%s lacks %s of %s", file, name, kind.Name())
				}
			}
		}
	}
}

// TestEVMOrdersAreDocumented checks that docs/evm.md contains every JSON name of the EVM driver's operations,
// and its series.
func TestEVMOrdersAreDocumented(t *testing.T) {
	page := readFile(t, "evm.md")
	operation := reflect.TypeFor[evm.Operation]()
	for i := range operation.NumField() {
		name, _, _ := strings.Cut(operation.Field(i).Tag.Get("json"), ",")
		if !strings.Contains(page, "`operation."+name+"`") {
			t.Errorf("docs/evm.md lacks operation.%s", name)
		}
	}
	for _, series := range stringConstants(t, "../internal/platform/evm/evm.go", "Series") {
		if !strings.Contains(page, "`"+series+"`") {
			t.Errorf("docs/evm.md lacks the series %s", series)
		}
	}
}
