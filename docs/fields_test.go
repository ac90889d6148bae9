package docs_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/platform/evm"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
	"github.com/benchnet/benchnet/internal/platform/registry"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// fieldPath is a path with at least two segments or an index.
var fieldPath = regexp.MustCompile(`^[a-z][A-Za-z0-9]*(\[[A-Za-z0-9]*\])*(\.[a-z][A-Za-z0-9]*(\[[A-Za-z0-9]*\])*)+$`)

// fileSuffix matches the end of a file name or an API group, to distinguish it from a field path.
var fileSuffix = regexp.MustCompile(`\.(conf|csv|go|gz|jar|jmx|json|k8s\.io|md|properties|tgz|toml|xml|yaml)$`)

// foreignPaths are paths of other programs that begin like a field of the API.
var foreignPaths = []string{"provider.foldersFromFilesStructure", "metrics.listen"}

// documentTypes are the types besides those of the API with fields that pages name.
var documentTypes = []reflect.Type{reflect.TypeFor[document.RunResult](), reflect.TypeFor[measurement.WorkerResult](), reflect.TypeFor[experiment.Result](),
	reflect.TypeFor[protocol.Progress](), reflect.TypeFor[protocol.WorkloadFile[evm.Operation]]()}

// TestPathsResolve checks that every field path exists in the API, in the chart's values or in the documents.
func TestPathsResolve(t *testing.T) {
	objects := objectSchemas(kindSchemas(t))
	first := map[string]bool{}
	for _, schema := range append(objects, chartSchema(t)) {
		for name := range schema.Properties {
			first[name] = true
		}
	}
	for _, p := range readPages(t) {
		t.Run(p.name, func(t *testing.T) {
			for _, s := range p.spans {
				name, _, _ := strings.Cut(strings.SplitN(s.text, ".", 2)[0], "[")
				if !fieldPath.MatchString(s.text) || !first[name] || fileSuffix.MatchString(s.text) || slices.Contains(foreignPaths, s.text) {
					continue
				}
				if len(resolveAnywhere(objects, s.text)) == 0 && resolvePath(chartSchema(t), s.text) == nil && !isDocumentField(s.text) {
					t.Errorf("%s: there is no field `%s`", s.at, s.text)
				}
			}
		})
	}
}

func isDocumentField(path string) bool {
	for _, document := range documentTypes {
		if typeHasPath(document, path, map[reflect.Type]bool{}) {
			return true
		}
	}
	return false
}

// typeHasPath reports whether a type, or one below it, has the path.
func typeHasPath(of reflect.Type, path string, seen map[reflect.Type]bool) bool {
	of = elementType(of)
	if of.Kind() != reflect.Struct || seen[of] {
		return false
	}
	seen[of] = true
	if hasPath(of, path) {
		return true
	}
	for i := range of.NumField() {
		if typeHasPath(of.Field(i).Type, path, seen) {
			return true
		}
	}
	return false
}

func elementType(of reflect.Type) reflect.Type {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice || of.Kind() == reflect.Map {
		of = of.Elem()
	}
	return of
}

func hasPath(of reflect.Type, path string) bool {
	part, rest, more := strings.Cut(path, ".")
	name, _, _ := strings.Cut(part, "[")
	of = elementType(of)
	if of.Kind() != reflect.Struct {
		return false
	}
	for i := range of.NumField() {
		tag, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
		if tag == "" && of.Field(i).Anonymous && hasPath(of.Field(i).Type, path) {
			return true
		}
		if tag == name {
			return !more || hasPath(of.Field(i).Type, rest)
		}
	}
	return false
}

// fieldRow is a row of a table that describes a field of the API.
type fieldRow struct {
	tableRow
	path   string
	schema *schemaNode
}

// fieldRows returns the rows of the tables below a heading that names a field, such as ## `spec.members`. Each
// describes the fields in its first cell. A field that begins with a dot has the same parent as the one before
// it.
func fieldRows(t *testing.T, p *page, objects []*schemaNode) []fieldRow {
	t.Helper()
	var all []fieldRow
	for _, r := range p.rows {
		base := tableBase(r)
		if base == "" || len(r.head) == 0 || !strings.HasPrefix(r.head[0], "field") {
			continue
		}
		last := ""
		for _, name := range codeSpans(r.cells[0]) {
			if strings.HasPrefix(name, ".") {
				name = last[:strings.LastIndex(last, ".")+1] + name[1:]
			}
			name, _, _ = strings.Cut(name, ":") // `order.type: Listed` also names a value.
			last = name
			found := resolveAnywhere(objects, base+"."+name)
			if len(found) == 0 && !isDocumentField(base+"."+name) {
				t.Errorf("%s: %s has no field `%s`", r.at, base, name)
			}
			if len(found) > 0 {
				all = append(all, fieldRow{r, base + "." + name, found[0]})
			}
		}
	}
	return all
}

// tableBase returns the field that a table describes: that of its header or of its heading.
func tableBase(r tableRow) string {
	if len(r.head) > 0 {
		if code := codeSpans(r.head[0]); len(code) == 1 {
			return code[0]
		}
	}
	if code := codeSpans(r.heading); len(code) == 1 && strings.ContainsAny(code[0], ".[") {
		return code[0]
	}
	return ""
}

var literalCell = regexp.MustCompile("^`\"?([^`\"]+)\"?`$|^([0-9]+)$")

// TestDefaultsMatchTheAPI compares the default column in the tables of fields with the defaults of the schema.
func TestDefaultsMatchTheAPI(t *testing.T) {
	objects := objectSchemas(kindSchemas(t))
	for _, p := range readPages(t) {
		t.Run(p.name, func(t *testing.T) {
			for _, r := range fieldRows(t, p, objects) {
				at := slices.Index(r.head, "default")
				if at < 0 || at >= len(r.cells) {
					continue
				}
				match := literalCell.FindStringSubmatch(r.cells[at])
				want := defaultText(r.schema)
				if match == nil || want == "" {
					continue
				}
				if got := match[1] + match[2]; got != want {
					t.Errorf("%s: the default of %s is %s in the API", r.at, r.path, want)
				}
			}
		})
	}
}

// TestEnumsAreDocumented checks that the page of each field names all its values.
func TestEnumsAreDocumented(t *testing.T) {
	objects := objectSchemas(kindSchemas(t))
	for _, p := range readPages(t) {
		t.Run(p.name, func(t *testing.T) {
			for _, r := range fieldRows(t, p, objects) {
				for _, allowed := range r.schema.Enum {
					var value string
					if json.Unmarshal(allowed.Raw, &value) == nil && !strings.Contains(p.text, value) && r.path != "spec.platform.corda.version" {
						t.Errorf("%s: %s may be %s, which the page lacks", r.at, r.path, value)
					}
				}
			}
		})
	}
}

// boundsPattern matches bounds in a text, such as "1 to 100".
var boundsPattern = regexp.MustCompile(`(?:^|[ (])(-?[0-9]+) to (-?[0-9]+)(?:[ ,;.)]|$)`)

// TestBoundsMatchTheAPI compares texts such as "1 to 1048576" in the tables of fields with the bounds of the schema.
func TestBoundsMatchTheAPI(t *testing.T) {
	objects := objectSchemas(kindSchemas(t))
	seen := 0
	for _, p := range readPages(t) {
		t.Run(p.name, func(t *testing.T) {
			for _, r := range fieldRows(t, p, objects) {
				match := boundsPattern.FindStringSubmatch(strings.Join(r.cells[1:], " "))
				if match == nil || r.path == "spec.members.count" || r.schema.Minimum == nil || r.schema.Maximum == nil {
					continue // The bounds of member counts depend on the platform: see TestMemberCounts.
				}
				seen++
				if low, high := fmt.Sprint(int64(*r.schema.Minimum)), fmt.Sprint(int64(*r.schema.Maximum)); match[1] != low || match[2] != high {
					t.Errorf("%s: %s is from %s to %s in the API", r.at, r.path, low, high)
				}
			}
		})
	}
	if seen == 0 {
		t.Error("no table has bounds")
	}
}

// TestNumbersMatchTheCode compares limits and defaults in texts with their definitions.
func TestNumbersMatchTheCode(t *testing.T) {
	for _, test := range []struct {
		page, text string
		want       []int64
	}{
		{"experiments.md", `at most (\d+) points and (\d+) runs`, []int64{experiment.MaxPoints, experiment.MaxRuns}},
	} {
		t.Run(test.page, func(t *testing.T) {
			match := regexp.MustCompile(test.text).FindStringSubmatch(readFile(t, test.page))
			if match == nil {
				t.Fatalf("nothing matches %s", test.text)
			}
			for i, want := range test.want {
				if match[i+1] != fmt.Sprint(want) {
					t.Errorf("%q: number %d must be %d", match[0], i+1, want)
				}
			}
		})
	}
}

// TestCordaVersions checks that the pages with the range of Corda versions of the project's images agree with the API.
func TestCordaVersions(t *testing.T) {
	text := strings.Join(strings.Fields(resolvePath(kindSchemas(t)["BenchmarkNetwork"], "spec.platform.corda.version").Description), " ")
	want := regexp.MustCompile(`4\.\d+ to 4\.\d+`).FindString(text)
	if want == "" {
		t.Fatalf("the API does not name the range: %s", text)
	}
	for _, file := range []string{"../README.md", "corda.md", "../hack/images/README.md"} {
		t.Run(file, func(t *testing.T) {
			if !strings.Contains(readFile(t, file), want) {
				t.Errorf("it does not say %s", want)
			}
		})
	}
}

// memberCountsPattern matches a row in the README's table of platforms, such as "| [JPaxos](docs/jpaxos.md) | 3
// to 9 replicas".
var memberCountsPattern = regexp.MustCompile(`(?m)^\| \[(\w+)[^]]*\]\([^)]*\) \| (\d+) to (\d+) `)

// TestMemberCounts builds networks from the samples with the fewest and the most members that the README names
// for each platform. At least one sample must be accepted; with one member less or more all must be rejected.
func TestMemberCounts(t *testing.T) {
	admission := platformtest.NewAdmission(t, crdDir+"/benchnet.dev_benchmarknetworks.yaml")
	rows := memberCountsPattern.FindAllStringSubmatch(readFile(t, "../README.md"), -1)
	if len(rows) != len(resolvePath(kindSchemas(t)["BenchmarkNetwork"], "spec.platform.type").Enum) {
		t.Errorf("the README has %d platforms", len(rows))
	}
	for _, row := range rows {
		low, _ := strconv.ParseInt(row[2], 10, 32)
		high, _ := strconv.ParseInt(row[3], 10, 32)
		samples, err := filepath.Glob("../config/samples/" + strings.ToLower(row[1]) + "_*.yaml")
		if err != nil || len(samples) == 0 {
			t.Fatalf("no samples of %s: %v", row[1], err)
		}
		for count, ok := range map[int64]bool{low - 1: false, low: true, high: true, high + 1: false} {
			t.Run(fmt.Sprintf("%s with %d members", row[1], count), func(t *testing.T) {
				accepted := slices.ContainsFunc(samples, func(sample string) bool { return admitCount(t, admission, sample, count) == nil })
				if accepted != ok {
					t.Errorf("accepted: %t, but the README says %s to %s", accepted, row[2], row[3])
				}
			})
		}
	}
}

// admitCount runs a sample with another number of members through admission and validation.
func admitCount(t *testing.T, admission platformtest.Admission, sample string, count int64) error {
	t.Helper()
	var manifest map[string]any
	if err := decodeFile(sample, &manifest); err != nil {
		t.Fatal(err)
	}
	if err := unstructured.SetNestedField(manifest, count, "spec", "members", "count"); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(manifest)
	if err != nil {
		t.Fatal(err)
	}
	var network v1alpha1.BenchmarkNetwork
	if err := admission.Admit(text, &network); err != nil {
		return err
	}
	p, err := registry.New().Get(network.Spec.Platform.Type)
	if err != nil {
		t.Fatal(err)
	}
	return p.Validate(&network.Spec, field.NewPath("spec")).ToAggregate()
}
