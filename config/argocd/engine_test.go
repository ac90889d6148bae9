package argocd_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// runArgoCD runs a command of the real Argo CD on a resource, with argocd-cm.yaml as its configuration.
func runArgoCD(t *testing.T, command, resource string, more ...string) string {
	t.Helper()
	program := os.Getenv("BENCHNET_ARGOCD")
	if program == "" {
		t.Skip("BENCHNET_ARGOCD is not set: make test-argocd sets it to what it built")
	}
	arguments := append([]string{"admin", "settings", "resource-overrides", command, resource}, more...)
	c := exec.Command(program, append(arguments, "--argocd-cm-path", "argocd-cm.yaml")...)
	// Print the resource as the action leaves it instead of a difference.
	c.Env = append(os.Environ(), "ARGOCD_BINARY_NAME=argocd", `KUBECONFIG=/dev/null`, `KUBECTL_EXTERNAL_DIFF=sh -c 'cat "$2"' print`)
	// Argo CD logs to standard error.
	var log strings.Builder
	c.Stderr = &log
	output, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s%s", c.Args, err, log.String(), output)
	}
	return string(output)
}

func TestHealthByArgoCD(t *testing.T) {
	for _, kind := range kinds {
		for _, test := range decodeFile[healthTests](t, customizationsDir, kind, "health_test.yaml").Tests {
			t.Run(kind+"/"+test.InputPath, func(t *testing.T) {
				got := runArgoCD(t, "health", filepath.Join(customizationsDir, kind, test.InputPath))
				want := "STATUS: " + test.HealthStatus.Status + "\nMESSAGE: " + test.HealthStatus.Message + "\n"
				if got != want {
					t.Errorf("Argo CD says:\n%swant:\n%s", got, want)
				}
			})
		}
	}
}

func TestActionsByArgoCD(t *testing.T) {
	seconds := regexp.MustCompile(`\b20\d{6}T\d{6}Z\b`)
	for _, kind := range []string{"BenchmarkNetwork", "BenchmarkExperiment"} {
		folder := filepath.Join(customizationsDir, kind, "actions")
		tests := decodeFile[actionTests](t, folder, "action_test.yaml")
		for _, test := range tests.DiscoveryTests {
			t.Run(kind+"/discovery/"+test.InputPath, func(t *testing.T) {
				want := "NAME DISABLED"
				for _, a := range test.Result {
					want += " " + a.Name + map[bool]string{true: " true", false: " false"}[a.Disabled]
				}
				got := strings.Join(strings.Fields(runArgoCD(t, "list-actions", filepath.Join(folder, test.InputPath))), " ")
				if got != want {
					t.Errorf("Argo CD lists %q, want %q", got, want)
				}
			})
		}
		for _, test := range tests.ActionTests {
			t.Run(kind+"/"+test.Action, func(t *testing.T) {
				output := runArgoCD(t, "run-action", filepath.Join(folder, test.InputPath), test.Action)
				_, changed, found := strings.Cut(output, "Following fields have been changed:")
				if !found {
					t.Fatalf("Argo CD changed nothing:\n%s", output)
				}
				var got map[string]any
				if err := yaml.Unmarshal([]byte(seconds.ReplaceAllString(changed, fakeTime)), &got); err != nil {
					t.Fatalf("decode what Argo CD printed: %v\n%s", err, changed)
				}
				if diff := cmp.Diff(decodeFile[map[string]any](t, folder, test.ExpectedOutputPath), got); diff != "" {
					t.Errorf("the resource (-want +got):\n%s", diff)
				}
			})
		}
	}
}
