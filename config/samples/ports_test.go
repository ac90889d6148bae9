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

// documentedPort matches a row of the table of ports in docs/security.md.
var documentedPort = regexp.MustCompile("(?m)^\\| `([a-z0-9-]+)` \\| ([0-9]+) \\| [^|]+ \\| [^|]+ \\| (yes|no) \\| ([^|]+) \\|$")

// TestDocumentedPorts compares the ports of all sample networks and their runs with the table in docs/security.md. Commands need
// a token, and scrapers reach metrics only.
func TestDocumentedPorts(t *testing.T) {
	text, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	for _, row := range documentedPort.FindAllStringSubmatch(string(text), -1) {
		name, scraped, authentication := row[1], row[3] == "yes", row[4]
		documented[name+" "+row[2]] = false
		if scraped != metricsPortNames.MatchString(name) {
			t.Errorf("port %s: scrapers %s", name, row[3])
		}
		if isCommand := strings.HasSuffix(name, "commands"); isCommand != (authentication == "bearer token") {
			t.Errorf("port %s: authentication by %s", name, authentication)
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
