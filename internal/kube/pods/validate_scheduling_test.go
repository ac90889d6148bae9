package pods_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
)

// checkProblems checks that there is one problem, which contains all parts of want, or none if want is empty.
func checkProblems(t *testing.T, problems field.ErrorList, want ...string) {
	t.Helper()
	if len(want) == 0 {
		if len(problems) > 0 {
			t.Errorf("refused: %v", problems)
		}
		return
	}
	if len(problems) != 1 {
		t.Fatalf("got %d problems, want one: %v", len(problems), problems)
	}
	for _, part := range want {
		if !strings.Contains(problems[0].Error(), part) {
			t.Errorf("%q does not say %q", problems[0].Error(), part)
		}
	}
}

const (
	required  = "requiredDuringSchedulingIgnoredDuringExecution"
	preferred = "preferredDuringSchedulingIgnoredDuringExecution"
)

func TestValidateScheduling(t *testing.T) {
	term := "topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {a: b}}"
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"all that a pod has": {`
nodeSelector: {pool: metal}
tolerations: [{operator: Exists}, {key: a, value: b}, {key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 5}]
affinity:
  nodeAffinity:
    ` + required + `: {nodeSelectorTerms: [{matchExpressions: [{key: cores, operator: Gt, values: ["7"]}]}]}
    ` + preferred + `: [{weight: 1, preference: {matchExpressions: [{key: a, operator: Exists}]}}]
  podAffinity: {` + preferred + `: [{weight: 100, podAffinityTerm: {` + term + `}}]}
  podAntiAffinity: {` + required + `: [{` + term + `}]}
topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {a: b}}}]
priorityClassName: high
runtimeClassName: kata
schedulerName: volcano
`, nil},
		"label of a node":           {"nodeSelector: {pool: not valid}", []string{"s.nodeSelector", "not valid"}},
		"toleration without key":    {"tolerations: [{value: a}]", []string{"s.tolerations[0].key", "operator is Exists"}},
		"toleration of a value":     {"tolerations: [{key: a, operator: Exists, value: b}]", []string{"s.tolerations[0].value", "must be empty"}},
		"time without NoExecute":    {"tolerations: [{key: a, tolerationSeconds: 5}]", []string{"s.tolerations[0].tolerationSeconds", "NoExecute"}},
		"unknown field of affinity": {"affinity: {nodeAfinity: {}}", []string{"s.affinity", `unknown field "nodeAfinity"`}},
		"field in another case":     {"affinity: {nodeaffinity: {}}", []string{"s.affinity", `unknown field "nodeaffinity"`}},
		"affinity of another type":  {"affinity: {nodeAffinity: []}", []string{"s.affinity", "array"}},
		"operator of a node term": {"affinity: {nodeAffinity: {" + required + ": {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Like}]}]}}}",
			[]string{"s.affinity.nodeAffinity." + required, "Like"}},
		"no node term": {"affinity: {nodeAffinity: {" + required + ": {nodeSelectorTerms: []}}}", []string{"nodeSelectorTerms", "at least one term"}},
		"weight":       {"affinity: {podAffinity: {" + preferred + ": [{weight: 101, podAffinityTerm: {" + term + "}}]}}", []string{"podAffinity." + preferred + "[0].weight", "1-100"}},
		"other namespaces": {"affinity: {podAntiAffinity: {" + required + ": [{" + term + ", namespaceSelector: {}}]}}",
			[]string{"s.affinity.podAntiAffinity." + required + "[0]", "namespaceSelector"}},
		"other namespaces, preferred": {"affinity: {podAffinity: {" + preferred + ": [{weight: 1, podAffinityTerm: {" + term + ", namespaces: [kube-system]}}]}}",
			[]string{"podAffinityTerm", "namespaces"}},
		"no topology": {"affinity: {podAffinity: {" + required + ": [{labelSelector: {}}]}}", []string{"topologyKey", "kubernetes.io/hostname"}},
		"selector":    {"affinity: {podAffinity: {" + required + ": [{topologyKey: a, labelSelector: {matchExpressions: [{key: a, operator: In}]}}]}}", []string{"labelSelector.matchExpressions[0].values"}},
		"too many terms": {"affinity: {podAffinity: {" + required + ": [" + strings.Repeat("{"+term+"},", 17) + "]}}",
			[]string{"s.affinity.podAffinity." + required, "at most 16"}},
		"large": {"affinity: {podAffinity: {" + required + ": [{topologyKey: a, labelSelector: {matchLabels: {a: " + strings.Repeat("b", 8<<10) + "}}}]}}",
			[]string{"s: ", "at most 8192"}},
		"unknown field of a constraint": {"topologySpreadConstraints: [{skew: 1}]", []string{"s.topologySpreadConstraints[0]", `unknown field "skew"`}},
		"skew of a constraint":          {"topologySpreadConstraints: [{topologyKey: a, whenUnsatisfiable: DoNotSchedule, labelSelector: {}}]", []string{"s.topologySpreadConstraints[0].maxSkew", "at least 1"}},
		"kind of a constraint":          {"topologySpreadConstraints: [{maxSkew: 1, topologyKey: a, labelSelector: {}}]", []string{"s.topologySpreadConstraints[0].whenUnsatisfiable", "ScheduleAnyway"}},
		"selector of a constraint":      {"topologySpreadConstraints: [{maxSkew: 1, topologyKey: a, whenUnsatisfiable: DoNotSchedule}]", []string{"s.topologySpreadConstraints[0].labelSelector", "no effect"}},
		"class of the cluster":          {"priorityClassName: system-node-critical", []string{"s.priorityClassName", "system-"}},
		"name of a class":               {"runtimeClassName: Not_A_Name", []string{"s.runtimeClassName", "lowercase"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := &v1alpha1.Scheduling{}
			if err := yaml.UnmarshalStrict([]byte(c.text), s); err != nil {
				t.Fatal(err)
			}
			checkProblems(t, pods.ValidateScheduling(s, field.NewPath("s")), c.want...)
		})
	}
}

// The keys are those of labels and of annotations, each with the value "a".
func TestValidateMetadata(t *testing.T) {
	for _, key := range []string{"team", "cost-centre", "prometheus.io/scrape", "example.org/team", "billing.example.org/cost-centre"} {
		t.Run("allowed "+key, func(t *testing.T) { checkKey(t, key, "a") })
	}
	refused := []string{
		"aadpodidbinding", "benchnet.dev/network", "x.benchnet.dev/a", "app.kubernetes.io/name", "k8s.io/a", "notkubernetes.io/a", "notexample.org/a",
		"container.apparmor.security.beta.kubernetes.io/worker", "kueue.x-k8s.io/queue-name",
		// Identities.
		"iam.amazonaws.com/role", "iam.gke.io/gcp-service-account", "azure.workload.identity/use",
		// Containers.
		"sidecar.istio.io/inject", "linkerd.io/inject", "vault.hashicorp.com/agent-inject", "appmesh.k8s.aws/sidecarInjectorWebhook",
		"injector.tumblr.com/request", "openservicemesh.io/sidecar-injection", "serverless.fluid.io/inject",
		// Networks, devices and runtimes.
		"k8s.v1.cni.cncf.io/networks", "v1.multus-cni.io/default-network", "k8s.ovn.org/pod-networks", "devices.nri.io/container.a",
		"mounts.containerd.nri.io/container.a", "io.kubernetes.cri-o.Devices", "cpu-quota.crio.io", "io.katacontainers.config", "run.oci.handler",
		"module.wasm.image/variant", "cdi.k8s.io/gpu", "nvidia.com/use-gpuuuid",
	}
	for _, key := range refused {
		t.Run("refused "+key, func(t *testing.T) { checkKey(t, key, "a", "Forbidden", "podTemplateDomains") })
	}
}

// checkKey checks the problems of a key, both as a label and as an annotation, where the owner allows example.org.
func checkKey(t *testing.T, key, value string, want ...string) {
	t.Helper()
	pair := map[string]string{key: value}
	for place, metadata := range map[string]v1alpha1.PodMetadata{"labels": {Labels: pair}, "annotations": {Annotations: pair}} {
		want := slices.Clone(want)
		if len(want) > 0 {
			want = append(want, fmt.Sprintf("t.metadata.%s[%s]", place, key))
		}
		checkProblems(t, pods.ValidateMetadata(&v1alpha1.PodTemplate{Metadata: metadata}, []string{"example.org"}, field.NewPath("t")), want...)
	}
}

func TestValidateMetadataPairs(t *testing.T) {
	for pair, want := range map[string][]string{
		"sidecar.istio.io/inject=false":                        nil,
		"linkerd.io/inject=disabled":                           nil,
		"appmesh.k8s.aws/sidecarInjectorWebhook=disabled":      nil,
		"sidecar.example.com/inject=false":                     nil,
		"dapr.io/enabled=false":                                nil,
		"karpenter.sh/do-not-disrupt=true":                     nil,
		"cluster-autoscaler.kubernetes.io/safe-to-evict=false": nil,
		"sidecar.istio.io/inject=true":                         {"Forbidden"},
		"kuma.io/sidecar-injection=enabled":                    {"Forbidden"},
		"dapr.io/enabled=true":                                 {`only allowed value is "false"`},
		"cluster-autoscaler.kubernetes.io/safe-to-evict=true":  {`only allowed value is "false"`},
		"benchnet.dev/inject=false":                            {"Forbidden"},
	} {
		t.Run(pair, func(t *testing.T) {
			key, value, _ := strings.Cut(pair, "=")
			checkKey(t, key, value, want...)
		})
	}
}

func TestValidateMetadataValues(t *testing.T) {
	for name, c := range map[string]struct {
		metadata v1alpha1.PodMetadata
		want     []string
	}{
		"value of a label": {v1alpha1.PodMetadata{Labels: map[string]string{"a": "not valid"}}, []string{"t.metadata.labels", "not valid"}},
		"a large value":    {v1alpha1.PodMetadata{Annotations: map[string]string{"a": strings.Repeat("a", 1025)}}, []string{"t.metadata.annotations[a]", "at most 1024"}},
	} {
		t.Run(name, func(t *testing.T) {
			checkProblems(t, pods.ValidateMetadata(&v1alpha1.PodTemplate{Metadata: c.metadata}, nil, field.NewPath("t")), c.want...)
		})
	}
}
