package docs_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/hack/metrics/reference"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/network/latency"
)

// repositoryPath matches paths of files in the repository.
var repositoryPath = regexp.MustCompile(`(?:^|[ ='"])((?:api|bundle|charts|cmd|config|controllers|cordapps|dashboards|docs|drivers|genesis|hack|images|` +
	`internal|systems|test)/[\w./*-]+)(?:[^<\w]|$)`)

// TestFilesExist checks that the files of the repository exist that texts and commands name.
func TestFilesExist(t *testing.T) {
	for _, p := range readMarkdown(t) {
		t.Run(p.name, func(t *testing.T) {
			texts := slices.Clone(p.spans)
			for _, b := range p.blocks {
				texts = append(texts, span{b.at, b.text})
			}
			for _, s := range texts {
				for _, match := range repositoryPath.FindAllStringSubmatch(s.text, -1) {
					path := strings.TrimRight(match[1], ".")
					if !matchesFile(path) && !matchesFile(filepath.Join(filepath.Dir(p.name), path)) {
						t.Errorf("%s: %s does not exist", s.at, path)
					}
				}
			}
		})
	}
}

// matchesFile reports whether the pattern matches a file of the repository.
func matchesFile(pattern string) bool {
	found, err := filepath.Glob(filepath.Join("..", pattern))
	return err == nil && len(found) > 0
}

// readMarkdown reads all Markdown files of the repository.
func readMarkdown(t *testing.T) []*page {
	t.Helper()
	var pages []*page
	for _, file := range markdownFiles(t) {
		pages = append(pages, parsePage(file, readFile(t, filepath.Join("..", file))))
	}
	return pages
}

// TestPagesOfMessagesExist checks that the documentation pages exist that the API, messages and samples name.
func TestPagesOfMessagesExist(t *testing.T) {
	named := regexp.MustCompile(`\bdocs/[a-z-]+\.md\b`)
	check := func(file, text string) {
		for _, path := range named.FindAllString(text, -1) {
			if !fileExists(path) {
				t.Errorf("%s names %s, which does not exist", file, path)
			}
		}
	}
	visitSources(t, []string{"../api", "../cmd", "../controllers", "../internal"}, check)
	samples, err := filepath.Glob("../config/samples/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(samples, "../charts/benchnet/values.yaml", "../charts/benchnet/values.schema.json") {
		check(file, readFile(t, file))
	}
}

// TestSamplesUseAnyRegistry finds samples that name the registry of the project's own images, which an
// installation may replace, and samples of experiments that docs/reproducing.md does not mention.
func TestSamplesUseAnyRegistry(t *testing.T) {
	samples, err := filepath.Glob("../config/samples/*.yaml")
	if err != nil || len(samples) == 0 {
		t.Fatalf("no samples: %v", err)
	}
	page := readFile(t, "reproducing.md")
	for _, file := range samples {
		t.Run(filepath.Base(file), func(t *testing.T) {
			if strings.Contains(readFile(t, file), naming.DefaultImageRegistry) {
				t.Errorf("it names the registry %s", naming.DefaultImageRegistry)
			}
			if name := filepath.Base(file); strings.HasPrefix(name, "experiment_") && !strings.Contains(page, name) {
				t.Error("docs/reproducing.md lacks it")
			}
		})
	}
}

// TestDashboardsAreDocumented compares the table of docs/dashboards.md with the chart's dashboards.
func TestDashboardsAreDocumented(t *testing.T) {
	files, err := filepath.Glob("../charts/benchnet/dashboards/*.json")
	if err != nil {
		t.Fatal(err)
	}
	want := make([]string, 0, len(files))
	for _, file := range files {
		want = append(want, strings.TrimSuffix(filepath.Base(file), ".json"))
	}
	var got []string
	for _, r := range readPage(t, "dashboards.md").rows {
		if len(r.head) > 1 && r.head[1] == "uid" {
			got = append(got, strings.Trim(r.cells[1], "`"))
		}
	}
	slices.Sort(want)
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("docs/dashboards.md has %v, the chart %v", got, want)
	}
}

// TestClusterRolesExist checks that the manifests have the cluster roles that documented commands bind.
func TestClusterRolesExist(t *testing.T) {
	manifests, err := filepath.Glob("../config/rbac/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	all := ""
	for _, file := range manifests {
		all += readFile(t, file)
	}
	for _, p := range readPages(t) {
		for _, match := range regexp.MustCompile(`--clusterrole=benchnet-([a-z-]+)`).FindAllStringSubmatch(p.text, -1) {
			if !regexp.MustCompile(`(?m)^  name: (benchnet-)?` + match[1] + `$`).MatchString(all) {
				t.Errorf("%s: there is no cluster role benchnet-%s", p.name, match[1])
			}
		}
	}
}

// TestRequiredVersions compares the required versions in the pages with those in the code.
func TestRequiredVersions(t *testing.T) {
	for _, test := range []struct{ name, file, pattern, page, want string }{
		{"Go", "../go.mod", `(?m)^go (\d+\.\d+)`, "../README.md", "Go %s"},
		{"Kubernetes to install", "../charts/benchnet/Chart.yaml", `kubeVersion: ">=(\d+\.\d+)`, "install.md", "Kubernetes %s or newer"},
		{"Kubernetes to start", "../charts/benchnet/Chart.yaml", `kubeVersion: ">=(\d+\.\d+)`, "getting-started.md", "Kubernetes %s or newer"},
	} {
		t.Run(test.name, func(t *testing.T) {
			match := regexp.MustCompile(test.pattern).FindStringSubmatch(readFile(t, test.file))
			if match == nil {
				t.Fatalf("%s has no match of %s", test.file, test.pattern)
			}
			if want := fmt.Sprintf(test.want, match[1]); !strings.Contains(readFile(t, test.page), want) {
				t.Errorf("%s does not ask for %s", test.page, want)
			}
		})
	}
}

// ownMetric matches the names of the project's own metrics.
var ownMetric = regexp.MustCompile(`\b(?:benchnet|cometbft_bench|corda|jpaxos|malachite)_[a-z0-9_]*[a-z0-9]\b`)

// TestMetricNames checks that the metrics reference contains every metric that the pages name.
func TestMetricNames(t *testing.T) {
	listed, err := reference.Collect(os.DirFS(".."))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, metrics := range listed.Sources {
		for _, m := range metrics {
			known[m.Name] = true
		}
	}
	for _, rule := range listed.Rules {
		known[rule.Name] = true
	}
	for _, p := range readPages(t) {
		if p.name == "docs/metrics.md" {
			continue // It is generated from the metrics reference.
		}
		t.Run(p.name, func(t *testing.T) {
			for _, s := range p.spans {
				for _, name := range ownMetric.FindAllString(s.text, -1) {
					base := name
					for _, suffix := range []string{"_bucket", "_sum", "_count"} {
						base = strings.TrimSuffix(base, suffix)
					}
					if !known[name] && !known[base] && !strings.Contains(s.text, ".") {
						t.Errorf("%s: there is no metric %s", s.at, name)
					}
				}
			}
		})
	}
}

// TestDocumentedConditionsExist checks that the API's constants have the conditions and reasons in the tables
// of docs/conditions.md and docs/verdict.md and in other pages.
func TestDocumentedConditionsExist(t *testing.T) {
	types := stringConstants(t, "../api/v1alpha1/conditions.go", "Condition")
	reasons := slices.Concat(stringConstants(t, "../api/v1alpha1/conditions.go", "Reason"), []string{string(latency.Netem), string(latency.UserSpace)})
	codes := stringConstants(t, "../internal/run/verdict/verdict.go", "")
	for _, r := range slices.Concat(readPage(t, "conditions.md").rows, readPage(t, "verdict.md").rows) {
		if r.heading == "Types" && !regexp.MustCompile(`^(all|(network|run|experiment)(, (run|experiment))*)$`).MatchString(r.cells[1]) {
			t.Errorf("%s: on %q names no kinds", r.at, r.cells[1])
		}
		known := map[string][]string{"Types": types, "Reasons": reasons, "`verdict`": codes}[r.heading]
		for _, name := range codeSpans(r.cells[0]) {
			if known != nil && !slices.Contains(known, name) {
				t.Errorf("%s: %s is none of the %s", r.at, name, strings.ToLower(r.heading))
			}
		}
	}
	condition := regexp.MustCompile(`--for=condition=(\w+)|condition ` + "`" + `(\w+)` + "`" + `|@\.type=="(\w+)"`)
	reason := regexp.MustCompile("reason `(\\w+)`")
	for _, p := range readPages(t) {
		for _, match := range condition.FindAllStringSubmatch(p.text, -1) {
			if name := match[1] + match[2] + match[3]; !slices.Contains(types, name) {
				t.Errorf("%s: there is no condition %s", p.name, name)
			}
		}
		for _, match := range reason.FindAllStringSubmatch(p.text, -1) {
			if !slices.Contains(reasons, match[1]) && !slices.Contains(codes, match[1]) {
				t.Errorf("%s: there is no reason %s", p.name, match[1])
			}
		}
	}
}

// TestAxisExamples checks that the fields exist that pages and the API's own description give as examples of
// axes.
func TestAxisExamples(t *testing.T) {
	experiment := kindSchemas(t)["BenchmarkExperiment"]
	described := resolvePath(experiment, "spec.axes[].field").Description
	seen := 0
	for _, text := range []string{described, readFile(t, "experiments.md"), readFile(t, "../README.md"), readFile(t, "reproducing.md")} {
		for _, path := range regexp.MustCompile(`\b(?:workload|network)\.[a-z][\w.\[\]]*[\w\]]`).FindAllString(text, -1) {
			seen++
			if resolvePath(experiment, "spec.template."+path) == nil {
				t.Errorf("an axis cannot set %s: there is no such field", path)
			}
		}
	}
	if seen < 6 {
		t.Errorf("saw %d examples only", seen)
	}
}

// TestArgumentTypes compares the documented types of a flow's arguments with those of the API and of the driver.
func TestArgumentTypes(t *testing.T) {
	var api []string
	for _, value := range resolvePath(kindSchemas(t)["BenchmarkRun"], "spec.workload.corda.flow.arguments[].type").Enum {
		var name string
		if err := json.Unmarshal(value.Raw, &name); err != nil {
			t.Fatal(err)
		}
		api = append(api, name)
	}
	slices.Sort(api)
	source := readFile(t, "../drivers/jmeter-corda/src/main/java/dev/benchnet/driver/corda/ArgumentType.java")
	var driver []string
	for _, match := range regexp.MustCompile(`(?m)^    (\w+)\(.*\.class\)[,;]$`).FindAllStringSubmatch(source, -1) {
		driver = append(driver, match[1])
	}
	for name, got := range map[string][]string{
		"ArgumentType.java":              driver,
		"drivers/jmeter-corda/README.md": argumentTypes(parsePage("README.md", readFile(t, "../drivers/jmeter-corda/README.md")), "type"),
	} {
		if slices.Sort(got); !slices.Equal(got, api) {
			t.Errorf("%s has the types %v, the API %v", name, got, api)
		}
	}
}

// argumentTypes returns the names in the first column of all tables with that header in their first column.
func argumentTypes(p *page, head string) []string {
	var all []string
	for _, r := range p.rows {
		if len(r.head) == 2 && r.head[0] == head && strings.Contains(r.head[1], "written") {
			all = append(all, codeSpans(r.cells[0])...)
		}
	}
	return all
}

// TestDependenciesAreListedOnce finds modules that a section of docs/dependencies.md lists twice.
func TestDependenciesAreListedOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range readPage(t, "dependencies.md").rows {
		for _, name := range codeSpans(r.cells[0]) {
			if key := r.heading + ": " + name; seen[key] {
				t.Errorf("%s: %s is listed twice", r.at, name)
			} else {
				seen[key] = true
			}
		}
	}
}
