// Package prometheus_test checks that rules, their tests and the runbooks match.
package prometheus_test

import (
	"os"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

type prometheusRule struct {
	Record      string            `json:"record"`
	Alert       string            `json:"alert"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

func readRules(t *testing.T, path string) []prometheusRule {
	t.Helper()
	var file struct {
		Spec struct {
			Groups []struct {
				Rules []prometheusRule `json:"rules"`
			} `json:"groups"`
		} `json:"spec"`
	}
	if err := yaml.Unmarshal([]byte(readFile(t, path)), &file); err != nil {
		t.Fatalf("decode %s: %v", path, err)
	}
	var all []prometheusRule
	for _, g := range file.Spec.Groups {
		all = append(all, g.Rules...)
	}
	if len(all) == 0 {
		t.Fatalf("%s has no rules", path)
	}
	return all
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestEveryAlertHasARunbookAndATest(t *testing.T) {
	runbooks, tests := readFile(t, "../../docs/runbooks.md"), readFile(t, "tests/alerts.yaml")
	for _, r := range readRules(t, "alerts.yaml") {
		if !strings.Contains(runbooks, "\n## "+r.Alert+"\n") {
			t.Errorf("docs/runbooks.md lacks a section %s", r.Alert)
		}
		if want := "https://github.com/benchnet/benchnet/blob/main/docs/runbooks.md#" + strings.ToLower(r.Alert); r.Annotations["runbook_url"] != want {
			t.Errorf("%s has the runbook %q, want %q", r.Alert, r.Annotations["runbook_url"], want)
		}
		for _, wanted := range []string{r.Labels["severity"], r.Annotations["summary"], r.Annotations["description"]} {
			if wanted == "" {
				t.Errorf("%s lacks a severity, summary or description", r.Alert)
			}
		}
		// One evaluation in which it fires, and one in which it does not.
		if n := strings.Count(tests, `alertname="`+r.Alert+`"`); n < 2 {
			t.Errorf("tests/alerts.yaml looks at %s %d times, want once firing and once quiet", r.Alert, n)
		}
	}
}

func TestEveryRecordingRuleHasATest(t *testing.T) {
	tests := readFile(t, "tests/recording.yaml")
	for _, r := range readRules(t, "recording.yaml") {
		if !strings.Contains(tests, "{labels: '"+r.Record+"{") {
			t.Errorf("tests/recording.yaml expects no sample of %s", r.Record)
		}
	}
}
