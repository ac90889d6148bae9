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
	page := readFile(t, "verdict.md")
	for _, value := range stringConstants(t, "../internal/run/verdict/verdict.go", "") {
		if value != "Valid" && value != "Invalid" && !strings.Contains(page, "`"+value+"`") {
			t.Errorf("docs/verdict.md lacks `%s`", value)
		}
	}
}

func TestResourcesAreDocumented(t *testing.T) {
	page := readFile(t, "verdict.md")
	for _, value := range stringConstants(t, "../internal/run/verdict/bottleneck.go", "") {
		if !strings.Contains(page, "`"+value+"`") {
			t.Errorf("docs/verdict.md lacks `%s`", value)
		}
	}
}

func TestDependenciesAreDocumented(t *testing.T) {
	page := readFile(t, "dependencies.md")
	for _, path := range []string{"../go.mod", "../drivers/evm/go.mod", "../hack/cluster/go.mod", "../hack/bundle/go.mod", "../hack/osv/go.mod"} {
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

// TestExperimentResultIsDocumented checks that docs/experiments.md contains every JSON name of an experiment's
// result. The fields of the API are described by kubectl explain.
func TestExperimentResultIsDocumented(t *testing.T) {
	page := readFile(t, "experiments.md")
	for _, kind := range []reflect.Type{reflect.TypeFor[experiment.Result](), reflect.TypeFor[experiment.Point](), reflect.TypeFor[experiment.Run]()} {
		for i := range kind.NumField() {
			name, _, _ := strings.Cut(kind.Field(i).Tag.Get("json"), ",")
			if name != "-" && !strings.Contains(page, "`"+name) && !strings.Contains(page, "."+name) {
				t.Errorf("docs/experiments.md lacks %s of %s", name, kind.Name())
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
