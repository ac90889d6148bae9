// Package upload builds the Job that copies the result of a run to an S3-compatible server.
package upload

import (
	"fmt"
	"net/netip"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/network/networkpolicy"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

const (
	// retries is the number of attempts after the first. Kubernetes doubles the pause between them from 10 s.
	retries = 5
	// maxManifestBytes is the size above which a manifest is left out, so that both fit into a ConfigMap.
	maxManifestBytes = 400_000
	// leftOutFile has a line for each manifest that is left out.
	leftOutFile = "left-out.txt"

	resultDir    = "/etc/benchnet/result"
	manifestsDir = "/etc/benchnet/manifests"
)

// Timeout ends an upload that cannot start, such as without its Secret.
const Timeout = 30 * time.Minute

// Prefix returns what precedes the names of the run's objects in the bucket. It is unique to the run.
func Prefix(run *v1alpha1.BenchmarkRun) string {
	return path.Join(run.Spec.Workload.Upload.Prefix, run.Namespace, run.Name, string(run.UID))
}

// Content says what an upload copies.
type Content struct {
	// Place is the URL of the objects.
	Place string
	// LeftOut is what the upload lacks, with the reasons; empty if it is complete.
	LeftOut string
}

// URL returns the place of the run's objects for people.
func URL(run *v1alpha1.BenchmarkRun) string {
	to := run.Spec.Workload.Upload
	return to.Endpoint + "/" + path.Join(to.Bucket, Prefix(run)) + "/"
}

// LeftOut returns the manifests that are left out, with the reasons, from the ConfigMap of the manifests. It is empty if there are
// none, and for a nil ConfigMap.
func LeftOut(manifests *corev1.ConfigMap) string {
	if manifests == nil {
		return ""
	}
	return strings.ReplaceAll(strings.TrimSuffix(manifests.Data[leftOutFile], "\n"), "\n", "; ")
}

// BuildObjects returns the manifests, the NetworkPolicy and the Job, in the order in which they are needed. The network is nil if
// it was deleted. Its manifest is left out unless its plan has the hash, which is that of the run.
func BuildObjects(run *v1alpha1.BenchmarkRun, network *v1alpha1.BenchmarkNetwork, planHash, agentImage string) ([]client.Object, error) {
	manifests, err := buildManifests(run, network, planHash)
	if err != nil {
		return nil, err
	}
	policy, err := buildNetworkPolicy(run)
	if err != nil {
		return nil, err
	}
	return []client.Object{manifests, policy, buildJob(run, agentImage)}, nil
}

func newObjectMeta(run *v1alpha1.BenchmarkRun) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: naming.Upload(run.Name), Namespace: run.Namespace, Labels: naming.UploadLabels(run.Name)}
}

// buildManifests returns the manifests of the run and the network with all defaults, and a list of those that are left out.
func buildManifests(run *v1alpha1.BenchmarkRun, network *v1alpha1.BenchmarkNetwork, planHash string) (*corev1.ConfigMap, error) {
	cm := &corev1.ConfigMap{ObjectMeta: newObjectMeta(run), Data: map[string]string{}}
	if err := addManifest(cm, "run.yaml", "BenchmarkRun", run.Name, run.Spec); err != nil {
		return nil, err
	}
	const networkFile = "network.yaml"
	switch {
	case network == nil:
		leaveOut(cm, networkFile, fmt.Sprintf("BenchmarkNetwork %s no longer exists", run.Spec.NetworkName))
	case !network.HasPlan(planHash):
		leaveOut(cm, networkFile, fmt.Sprintf("BenchmarkNetwork %s has changed since the run", network.Name))
	default:
		if err := addManifest(cm, networkFile, "BenchmarkNetwork", network.Name, network.Spec); err != nil {
			return nil, err
		}
	}
	return cm, nil
}

// addManifest adds a manifest as a file, or leaves it out if it is too large.
func addManifest(cm *corev1.ConfigMap, file, kind, name string, spec any) error {
	text, err := yaml.Marshal(manifest{metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: kind}, map[string]string{"name": name}, spec})
	if err != nil {
		return fmt.Errorf("encode %s %s: %w", kind, name, err)
	}
	if len(text) > maxManifestBytes {
		leaveOut(cm, file, fmt.Sprintf("it has %d bytes, at most %d are copied", len(text), maxManifestBytes))
		return nil
	}
	cm.Data[file] = string(text)
	return nil
}

// leaveOut records why a manifest is left out.
func leaveOut(cm *corev1.ConfigMap, file, reason string) {
	cm.Data[leftOutFile] += file + ": " + reason + "\n"
}

type manifest struct {
	metav1.TypeMeta `json:",inline"`
	Metadata        map[string]string `json:"metadata"`
	Spec            any               `json:"spec"`
}

// buildNetworkPolicy allows the pod DNS and the port of the endpoint: at its address, or, if it has a name, which a policy
// cannot express, at any that is not link-local. Clouds serve the credentials of nodes at link-local addresses.
func buildNetworkPolicy(run *v1alpha1.BenchmarkRun) (*networkingv1.NetworkPolicy, error) {
	host, port, err := parseEndpoint(run.Spec.Workload.Upload.Endpoint)
	if err != nil {
		return nil, err
	}
	server := networkingv1.NetworkPolicyEgressRule{Ports: networkpolicy.Ports([]int32{port}, corev1.ProtocolTCP)}
	if address, err := netip.ParseAddr(host); err == nil {
		server.To = []networkingv1.NetworkPolicyPeer{{IPBlock: &networkingv1.IPBlock{CIDR: netip.PrefixFrom(address, address.BitLen()).String()}}}
	} else {
		server.To = []networkingv1.NetworkPolicyPeer{
			{IPBlock: &networkingv1.IPBlock{CIDR: "0.0.0.0/0", Except: []string{"169.254.0.0/16"}}},
			{IPBlock: &networkingv1.IPBlock{CIDR: "::/0", Except: []string{"fe80::/10"}}},
		}
	}
	return &networkingv1.NetworkPolicy{ObjectMeta: newObjectMeta(run), Spec: networkingv1.NetworkPolicySpec{
		PodSelector: metav1.LabelSelector{MatchLabels: map[string]string{
			v1alpha1.LabelRun: run.Name, naming.LabelComponent: string(naming.ComponentUpload)}},
		PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress},
		Egress:      []networkingv1.NetworkPolicyEgressRule{networkpolicy.DNSEgress(), server},
	}}, nil
}

// parseEndpoint returns the host and the port. It fails for the addresses of the pod itself and for link-local addresses.
func parseEndpoint(endpoint string) (host string, port int32, err error) {
	server, err := url.Parse(endpoint)
	if err != nil {
		return "", 0, fmt.Errorf("spec.workload.upload.endpoint: %w", err)
	}
	address, notAddress := netip.ParseAddr(server.Hostname())
	switch {
	case notAddress == nil && (address.IsLoopback() || address.IsLinkLocalUnicast() || address.IsUnspecified()):
		return "", 0, fmt.Errorf("spec.workload.upload.endpoint: %s is the pod itself or a link-local address", address)
	case server.Port() != "":
		number, err := strconv.ParseUint(server.Port(), 10, 16)
		if err != nil {
			return "", 0, fmt.Errorf("spec.workload.upload.endpoint: port %s must be from 1 to 65535", server.Port())
		}
		return server.Hostname(), int32(number), nil
	case server.Scheme == "https":
		return server.Hostname(), 443, nil
	}
	return server.Hostname(), 80, nil
}

// buildJob returns the Job. Its pod has the keys in its environment and no token of the API server.
func buildJob(run *v1alpha1.BenchmarkRun, agentImage string) *batchv1.Job {
	to := run.Spec.Workload.Upload
	authorities := pods.EnvFromSecret(protocol.UploadCAVariable, to.SecretName, "ca.crt")
	authorities.ValueFrom.SecretKeyRef.Optional = new(true)
	return &batchv1.Job{ObjectMeta: newObjectMeta(run), Spec: batchv1.JobSpec{
		BackoffLimit:          new(int32(retries)),
		ActiveDeadlineSeconds: new(int64(Timeout.Seconds())),
		PodFailurePolicy:      pods.IgnoreDisruptionsPolicy(),
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: naming.UploadLabels(run.Name)}, Spec: corev1.PodSpec{
			RestartPolicy:                corev1.RestartPolicyNever,
			AutomountServiceAccountToken: new(false),
			EnableServiceLinks:           new(false),
			SecurityContext:              pods.PodSecurityContext(),
			Containers: []corev1.Container{{
				Name: "upload", Image: agentImage,
				Command: []string{"/agent", "upload", "--endpoint", to.Endpoint, "--region", to.Region, "--bucket", to.Bucket,
					"--prefix", Prefix(run), resultDir, manifestsDir},
				Env: []corev1.EnvVar{pods.EnvFromSecret(protocol.AccessKeyIDVariable, to.SecretName, "accessKeyID"),
					pods.EnvFromSecret(protocol.SecretAccessKeyVariable, to.SecretName, "secretAccessKey"), authorities},
				Resources:                pods.SmallResources(),
				VolumeMounts:             []corev1.VolumeMount{pods.ReadOnlyMount("result", resultDir), pods.ReadOnlyMount("manifests", manifestsDir)},
				SecurityContext:          pods.RestrictedSecurityContext(),
				TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
			}},
			Volumes: []corev1.Volume{pods.ConfigMapVolume("result", naming.ResultConfigMap(run.Name)), pods.ConfigMapVolume("manifests", naming.Upload(run.Name))},
		}},
	}}
}
