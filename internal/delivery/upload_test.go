package delivery

import (
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	podsecurity "k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/destination"
)

func newRun(endpoint string) *v1alpha1.BenchmarkRun {
	return &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: "lab", Name: "pay", UID: "u-1"},
		Spec: v1alpha1.BenchmarkRunSpec{NetworkName: "banks", Workload: v1alpha1.Workload{Name: "pay"}, Delivery: v1alpha1.Delivery{
			Upload: &v1alpha1.ResultUpload{Endpoint: endpoint, Region: "us-east-1", Bucket: "results", Prefix: "a/b", SecretName: "s3"}}}}
}

func newNetwork(planHash string) *v1alpha1.BenchmarkNetwork {
	return &v1alpha1.BenchmarkNetwork{ObjectMeta: metav1.ObjectMeta{Namespace: "lab", Name: "banks", Generation: 2},
		Status: v1alpha1.BenchmarkNetworkStatus{ObservedGeneration: 2, PlanHash: planHash}}
}

// TestChangedNetworkIsLeftOut checks that only the manifest of the measured network is copied, and that the user learns why not.
func TestChangedNetworkIsLeftOut(t *testing.T) {
	unplanned, deleting, changedAndDeleting := newNetwork("hash"), newNetwork("hash"), newNetwork("hash")
	unplanned.Generation++
	deleting.Generation, deleting.DeletionTimestamp = 3, &metav1.Time{}
	changedAndDeleting.Generation, changedAndDeleting.DeletionTimestamp = 4, &metav1.Time{}
	large := newNetwork("hash")
	large.Spec.ImagePullSecrets = []string{strings.Repeat("a", maxManifestBytes)}
	for name, test := range map[string]struct {
		network *v1alpha1.BenchmarkNetwork
		want    string
	}{
		"same":                 {newNetwork("hash"), ""},
		"being deleted":        {deleting, ""},
		"changed":              {newNetwork("other"), "network.yaml: BenchmarkNetwork banks has changed since the run"},
		"not planned yet":      {unplanned, "network.yaml: BenchmarkNetwork banks has changed since the run"},
		"changed, and deleted": {changedAndDeleting, "network.yaml: BenchmarkNetwork banks has changed since the run"},
		"gone":                 {nil, "network.yaml: BenchmarkNetwork banks no longer exists"},
		"too large":            {large, "network.yaml: it has 400"},
	} {
		t.Run(name, func(t *testing.T) {
			objects, err := BuildUpload(newRun("http://minio:9000"), test.network, "hash", "agent:1")
			if err != nil {
				t.Fatal(err)
			}
			manifests := objects[0].(*corev1.ConfigMap)
			if got := DescribeUpload(newRun("http://minio:9000"), manifests).LeftOut; !strings.HasPrefix(got, test.want) || (test.want == "") != (got == "") {
				t.Errorf("left out: %q, want %q", got, test.want)
			}
			if _, copied := manifests.Data["network.yaml"]; copied != (test.want == "") {
				t.Errorf("files %v", manifests.Data)
			}
		})
	}
}

func TestBuildUpload(t *testing.T) {
	objects, err := BuildUpload(newRun("http://minio:9000"), newNetwork("hash"), "hash", "agent:1")
	if err != nil {
		t.Fatal(err)
	}
	manifests, job := objects[0].(*corev1.ConfigMap), objects[2].(*batchv1.Job)
	if !strings.Contains(manifests.Data["run.yaml"], "networkName: banks") || !strings.Contains(manifests.Data["network.yaml"], "name: banks") {
		t.Errorf("manifests: %v", manifests.Data)
	}
	pod := job.Spec.Template.Spec
	if command := strings.Join(pod.Containers[0].Command, " "); !strings.Contains(command, "--bucket results --prefix a/b/lab/pay/u-1 ") {
		t.Errorf("command: %s", command)
	}
	wantRestricted(t, &job.Spec.Template)
}

// wantRestricted checks that a pod meets the pod security level "restricted" and has no rights in the cluster.
func wantRestricted(t *testing.T, template *corev1.PodTemplateSpec) {
	t.Helper()
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	restricted := podsecurity.LevelVersion{Level: podsecurity.LevelRestricted, Version: podsecurity.LatestVersion()}
	if got := policy.AggregateCheckResults(evaluator.EvaluatePod(restricted, &template.ObjectMeta, &template.Spec)); !got.Allowed {
		t.Errorf("the restricted policy refuses the pod: %s", got.ForbiddenDetail())
	}
	if *template.Spec.AutomountServiceAccountToken {
		t.Error("the pod has a token of the API server")
	}
}

// TestNetworkPolicy checks that the pod reaches only DNS and the endpoint.
func TestNetworkPolicy(t *testing.T) {
	for endpoint, want := range map[string]struct {
		port int
		cidr string
	}{
		"https://s3.example.org":  {443, "0.0.0.0/0"},
		"http://s3.example.org":   {80, "0.0.0.0/0"},
		"http://10.1.2.3:9000":    {9000, "10.1.2.3/32"},
		"https://s3.local:8443":   {8443, "0.0.0.0/0"},
		"http://s3.example:65535": {65535, "0.0.0.0/0"},
	} {
		t.Run(endpoint, func(t *testing.T) {
			objects, err := BuildUpload(newRun(endpoint), nil, "", "agent:1")
			if err != nil {
				t.Fatal(err)
			}
			spec := objects[1].(*networkingv1.NetworkPolicy).Spec
			if len(spec.PolicyTypes) != 2 || len(spec.Ingress) != 0 || len(spec.Egress) != 2 || len(spec.Egress[1].Ports) != 1 {
				t.Fatalf("policy: %+v", spec)
			}
			if got := spec.Egress[1].Ports[0].Port.IntValue(); got != want.port {
				t.Errorf("port %d, want %d", got, want.port)
			}
			to := spec.Egress[1].To
			if to[0].IPBlock.CIDR != want.cidr {
				t.Errorf("peers %+v, want %q", to, want.cidr)
			}
			if ipv4, ipv6 := destination.Exceptions(); want.cidr == "0.0.0.0/0" && (!slices.Equal(to[0].IPBlock.Except, ipv4) || !slices.Equal(to[1].IPBlock.Except, ipv6)) {
				t.Errorf("peers %+v include forbidden destinations", to)
			}
		})
	}
	for endpoint, want := range map[string]string{"http://s3:99999": "port 99999", "http://127.0.0.1:9000": "pod itself",
		"http://169.254.169.254": "link-local", "http://0.0.0.0": "unspecified", "http://[64:ff9b::a9fe:a9fe]": "link-local", "http://2852039166": "usual form",
		"http://metadata.google.internal": "metadata"} {
		t.Run(endpoint, func(t *testing.T) {
			if _, err := BuildUpload(newRun(endpoint), nil, "", "agent:1"); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %q", err, want)
			}
		})
	}
}
