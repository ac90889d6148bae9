package benchnet_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// readAllValues returns the values of ci/everything-values.yaml, which the linter of the chart also uses.
func readAllValues(t *testing.T) map[string]any {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("ci", "everything-values.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return parseValues(t, string(content))
}

// TestNamesLabelsAndAnnotations checks that all objects of a release have its name, and the user's own labels
// and annotations.
func TestNamesLabelsAndAnnotations(t *testing.T) {
	for name, object := range renderObjects(t, "lab", "tools", readAllValues(t)) {
		if object.GetKind() != "CustomResourceDefinition" && !strings.HasPrefix(object.GetName(), "lab-bench") && object.GetName() != "runner" {
			t.Errorf("%s is not named after the release", name)
		}
		labels := object.GetLabels()
		if labels["example.com/cost-centre"] != "7" || labels["app.kubernetes.io/instance"] != "lab" {
			t.Errorf("%s has the labels %v", name, labels)
		}
		if object.GetAnnotations()["example.com/contact"] != "bench@example.com" {
			t.Errorf("%s has the annotations %v", name, object.GetAnnotations())
		}
	}
}

// TestLongNames checks that no name is longer than that of a Service may be.
func TestLongNames(t *testing.T) {
	long := map[string]any{"nameOverride": strings.Repeat("n", 31), "replicas": 2}
	for name, object := range renderObjects(t, strings.Repeat("r", 53), "tools", long) {
		if object.GetKind() != "CustomResourceDefinition" && len(object.GetName()) > 63 {
			t.Errorf("%s has a name of %d characters", name, len(object.GetName()))
		}
	}
}

// clusterScopedKinds are the cluster-scoped kinds.
var clusterScopedKinds = []string{"ClusterRole", "ClusterRoleBinding", "CustomResourceDefinition", "Namespace", "PriorityClass",
	"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"}

// TestNamespacedInstall checks that an operator for single namespaces needs no cluster-wide rights, and has all
// the rights that it needs in each of these namespaces.
func TestNamespacedInstall(t *testing.T) {
	all := renderObjects(t, "benchnet", "benchnet-system", map[string]any{
		"watchNamespaces": []any{"team-a", "team-b"}, "crds": map[string]any{"install": false}, "replicas": 2})
	for name, object := range all {
		if slices.Contains(clusterScopedKinds, object.GetKind()) {
			t.Errorf("%s lies in no namespace", name)
		}
	}
	wide := renderRelease(t, "benchnet", "benchnet-system", nil)["ClusterRole benchnet-operator"]
	for _, namespace := range []string{"team-a", "team-b"} {
		role, binding := all["Role benchnet-operator in "+namespace], all["RoleBinding benchnet-operator in "+namespace]
		if role == nil || binding == nil {
			t.Fatalf("there is no role, or no binding, in %s: %v", namespace, all.objectNames())
		}
		if diff := cmp.Diff(withoutNodes(verbsByResource(wide)), verbsByResource(role)); diff != "" {
			t.Errorf("rights in %s (-cluster-wide +here):\n%s", namespace, diff)
		}
	}
}

// verbsByResource returns the verbs that a role grants, by resource.
func verbsByResource(role *unstructured.Unstructured) map[string][]any {
	all := map[string][]any{}
	rules, _, _ := unstructured.NestedSlice(role.Object, "rules")
	for _, r := range rules {
		rule := r.(map[string]any)
		for _, resource := range rule["resources"].([]any) {
			group := rule["apiGroups"].([]any)[0].(string)
			key := group + "/" + resource.(string)
			all[key] = append(all[key], rule["verbs"].([]any)...)
		}
	}
	return all
}

func withoutNodes(all map[string][]any) map[string][]any {
	delete(all, "/nodes")
	return all
}

// TestHelmTestHooks checks that helm test leaves nothing behind, that its pod is not taken for an operator, and
// that it works where networks may be created.
func TestHelmTestHooks(t *testing.T) {
	wide := renderTestHooks(t, "benchnet", "benchnet-system", nil)
	want := []string{"NetworkPolicy benchnet-test", "Pod benchnet-test", "Role benchnet-test in benchnet-system",
		"RoleBinding benchnet-test in benchnet-system", "Service benchnet-test", "ServiceAccount benchnet-test"}
	if diff := cmp.Diff(want, wide.objectNames()); diff != "" {
		t.Errorf("hooks (-want +got):\n%s", diff)
	}
	for name, hook := range wide {
		annotations := hook.GetAnnotations()
		if annotations["helm.sh/hook"] != "test" || annotations["helm.sh/hook-delete-policy"] != "before-hook-creation,hook-succeeded" {
			t.Errorf("%s has the annotations %v", name, annotations)
		}
		if hook.GetLabels()["app.kubernetes.io/component"] != "test" {
			t.Errorf("%s has the labels %v", name, hook.GetLabels())
		}
	}
	narrow := renderTestHooks(t, "benchnet", "benchnet-system", parseValues(t, "watchNamespaces: [team-a]"))
	if narrow["Role benchnet-test in team-a"] == nil || narrow["RoleBinding benchnet-test in team-a"] == nil {
		t.Errorf("the test may not make networks in team-a: %v", narrow.objectNames())
	}
	e := valueEffect{object: "Pod benchnet-test", path: ".spec.containers[0].args[1]"}
	if got := evaluatePath(t, narrow, e); got != "--namespace=team-a" {
		t.Errorf("the test works with %s", got)
	}
	e.path = ".spec.serviceAccountName"
	if got := evaluatePath(t, renderTestHooks(t, "benchnet", "benchnet-system", parseValues(t, "rbac: {create: false}")), e); got != "benchnet-operator" {
		t.Errorf("without roles the test has the account %s", got)
	}
}

// TestMirrorReplacesHost checks that a mirror replaces the host of a registry, and nothing of a path without a host.
func TestMirrorReplacesHost(t *testing.T) {
	for registry, want := range map[string]string{
		"ghcr.io/benchnet":     "mirror:5000/benchnet/operator:0.1.0",
		"localhost/a/b":        "mirror:5000/a/b/operator:0.1.0",
		"registry.example.com": "mirror:5000/operator:0.1.0",
		"team":                 "mirror:5000/team/operator:0.1.0",
	} {
		all := renderRelease(t, "benchnet", "benchnet-system", parseValues(t, "{global: {imageRegistry: 'mirror:5000'}, crds: {install: false}, image: {registry: "+registry+"}}"))
		if got := operatorContainer(t, all["Deployment benchnet-operator"])["image"]; got != want {
			t.Errorf("the image of registry %s is %v, want %s", registry, got, want)
		}
	}
}

// TestMetricsOfSingleNamespaces checks that a user who requests authorized metrics gets the cluster role for
// them.
func TestMetricsOfSingleNamespaces(t *testing.T) {
	all := renderRelease(t, "benchnet", "benchnet-system", parseValues(t, "watchNamespaces: [team-a]"+"\nmonitoring: {metrics: {access: Authorized}}"))
	if all["ClusterRoleBinding benchnet-metrics-auth"] == nil {
		t.Errorf("no client could read the metrics: %v", all.objectNames())
	}
	if container := operatorContainer(t, all["Deployment benchnet-operator"]); slices.Contains(container["args"].([]any), any("--metrics-authorization=false")) {
		t.Errorf("the metrics are open to all: %v", container["args"])
	}
}

// TestBadValues checks that invalid values are rejected with a message that names the value.
func TestBadValues(t *testing.T) {
	tests := map[string]struct{ values, message string }{
		"an unknown value":                 {"imagge: {tag: '1'}", "imagge"},
		"a mirror with a path":             {"global: {imageRegistry: example.com/mirror}", "global/imageRegistry"},
		"a floating tag":                   {"image: {tag: latest}", "image/tag"},
		"a digest that is none":            {"image: {digest: 'sha256:abc'}", "image/digest"},
		"an unknown log level":             {"logLevel: chatty", "value must be one of 'debug', 'info', 'error'"},
		"no reconciles":                    {"maxConcurrentReconciles: 0", "maxConcurrentReconciles"},
		"a namespace that cannot exist":    {"watchNamespaces: [Team_A]", "watchNamespaces/0"},
		"the port of the probes":           {"monitoring: {metrics: {port: 8081}}", "monitoring/metrics/port"},
		"an override that is no string":    {"imageOverrides: {corda: 4}", "imageOverrides/corda"},
		"a policy for pulling, misspelt":   {"image: {pullPolicy: IfAbsent}", "image/pullPolicy"},
		"a misspelt toleration":            {"tolerations: [{keys: a}]", "tolerations/0"},
		"an argument that is none":         {"extraArgs: [verbose]", "extraArgs/0"},
		"no disruption at all":             {"podDisruptionBudget: {maxUnavailable: 0}", "podDisruptionBudget/maxUnavailable"},
		"a spread without a topology":      {"topologySpreadConstraints: [{maxSkew: 1}]", "topologySpreadConstraints/0"},
		"two replicas and no election":     {"{replicas: 2, leaderElection: {enabled: false}}", "leaderElection.enabled: false, but replicas: 2"},
		"namespaces in and out":            {"{watchNamespaces: [a], excludeNamespaces: [b]}", "excludeNamespaces: [b]"},
		"an account without a name":        {"serviceAccount: {create: false}", "serviceAccount.name"},
		"a limit below nothing":            {"maxNetworks: -1", "maxNetworks"},
		"a limit for each, below it":       {"maxNetworksPerNamespace: -1", "maxNetworksPerNamespace"},
		"a mode of Kueue, misspelt":        {"kueue: Honour", "kueue"},
		"a scraper that is a name":         {"networkPolicy: {scrapers: [prometheus]}", "networkPolicy/scrapers/0"},
		"a size without a unit":            {"monitoring: {podMonitors: {bodySizeLimit: '16'}}", "monitoring/podMonitors/bodySizeLimit"},
		"a Prometheus without a scheme":    {"monitoring: {prometheus: {url: 'prometheus:9090'}}", "monitoring/prometheus/url"},
		"an unknown alert":                 {"monitoring: {alerts: {BenchnetTooSlow: {enabled: false}}}", "BenchnetTooSlow"},
		"a threshold for an alert without": {"monitoring: {alerts: {BenchnetNoBlocks: {threshold: 1}}}", "monitoring/alerts/BenchnetNoBlocks"},
		"an account without roles":         {"{rbac: {create: false}, monitoring: {prometheus: {serviceAccount: {name: p, namespace: m}}}}", "monitoring.prometheus.serviceAccount.name: p, but rbac.create: false"},
		"an account without a namespace":   {"monitoring: {prometheus: {serviceAccount: {name: p}}}", "monitoring.prometheus.serviceAccount.namespace"},
		"metrics for somebody":             {"monitoring: {metrics: {access: Friends}}", "monitoring/metrics/access"},
	}
	for _, name := range slices.Sorted(maps.Keys(tests)) {
		t.Run(name, func(t *testing.T) {
			_, err := renderChart(t, "benchnet", "benchnet-system", parseValues(t, tests[name].values))
			if err == nil {
				t.Fatalf("%s was accepted", tests[name].values)
			}
			if !strings.Contains(err.Error(), tests[name].message) {
				t.Errorf("%s is refused without %q: %v", tests[name].values, tests[name].message, err)
			}
		})
	}
}
