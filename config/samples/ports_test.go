package samples_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// documentedPort matches a name and a number in the list of ports in docs/security.md.
var documentedPort = regexp.MustCompile("`([a-z0-9-]+)`\\s+([0-9]+)")

// TestDocumentedPorts compares the ports of all sample networks and their runs with the list in docs/security.md. Commands need
// a token, and scrapers reach metrics only.
func TestDocumentedPorts(t *testing.T) {
	text, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Ports\n")
	section, _, _ = strings.Cut(section, "\n## ")
	documented := map[string]bool{}
	for group := range strings.SplitSeq(section, "\n- ") {
		isScraped, isCommand := strings.HasPrefix(group, "**Metrics**"), strings.HasPrefix(group, "**Commands**")
		for _, port := range documentedPort.FindAllStringSubmatch(group, -1) {
			name := port[1]
			documented[name+" "+port[2]] = false
			if isScraped != metricsPortNames.MatchString(name) {
				t.Errorf("port %s: scraped: %t", name, isScraped)
			}
			if isCommand != strings.HasSuffix(name, "commands") {
				t.Errorf("port %s: takes commands: %t", name, isCommand)
			}
		}
	}
	for _, sample := range append(readSampleNetworks(t), withUDP(readSampleNetworks(t))...) {
		var planned policyNamespace
		planned.addObjects(t, buildNetworkObjects(t, sample, "net"))
		for _, pod := range planned.pods {
			for _, port := range pod.ports {
				key := fmt.Sprintf("%s %d", port.Name, port.ContainerPort)
				if _, found := documented[key]; !found {
					t.Errorf("port %s of %s is not in docs/security.md", key, pod.name)
				}
				documented[key] = true
			}
		}
	}
	for port, planned := range documented {
		if !planned {
			t.Errorf("docs/security.md lists port %s, which no pod has", port)
		}
	}
}

// withUDP returns the networks of JPaxos with the transport UDP.
func withUDP(samples []map[string]any) []map[string]any {
	var changed []map[string]any
	for _, sample := range samples {
		if _, found, _ := unstructured.NestedMap(sample, "spec", "platform", "jpaxos"); found {
			sample = runtime.DeepCopyJSON(sample)
			_ = unstructured.SetNestedField(sample, "UDP", "spec", "platform", "jpaxos", "transport") // The path exists.
			changed = append(changed, sample)
		}
	}
	return changed
}
