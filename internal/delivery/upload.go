package delivery

import (
	"fmt"
	"path"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

const (
	// maxManifestBytes is the size above which a manifest is left out, so that both fit into a ConfigMap.
	maxManifestBytes = 400_000
	// leftOutFile has a line for each manifest that is left out.
	leftOutFile = "left-out.txt"
	// resultDir is where the pod finds the result.
	resultDir = "/etc/benchnet/result"
)

// Upload says what an upload copies.
type Upload struct {
	// Place is the URL of the objects, for people.
	Place string
	// LeftOut is what the upload lacks, with the reasons; empty if it is complete.
	LeftOut string
}

// DescribeUpload returns what the upload of a run copies. The files are its ConfigMap, or nil before it exists.
func DescribeUpload(run *v1alpha1.BenchmarkRun, files *corev1.ConfigMap) Upload {
	to := run.Spec.Delivery.Upload
	described := Upload{Place: to.Endpoint + "/" + path.Join(to.Bucket, uploadPrefix(run)) + "/"}
	if files != nil {
		described.LeftOut = strings.ReplaceAll(strings.TrimSuffix(files.Data[leftOutFile], "\n"), "\n", "; ")
	}
	return described
}

// uploadPrefix returns what precedes the names of the run's objects in the bucket. It is unique to the run.
func uploadPrefix(run *v1alpha1.BenchmarkRun) string {
	return path.Join(run.Spec.Delivery.Upload.Prefix, run.Namespace, run.Name, string(run.UID))
}

// BuildUpload returns the objects that upload the result of a run, in the order in which they are needed. The network is nil if
// it was deleted. Its manifest is left out unless its plan has the hash, which is that of the run.
func BuildUpload(run *v1alpha1.BenchmarkRun, network *v1alpha1.BenchmarkNetwork, planHash, agentImage string) ([]client.Object, error) {
	to := run.Spec.Delivery.Upload
	endpoint, err := parseServer("spec.delivery.upload.endpoint", to.Endpoint)
	if err != nil {
		return nil, err
	}
	manifests, err := buildManifests(run, network, planHash)
	if err != nil {
		return nil, err
	}
	upload := delivery{
		meta:   metav1.ObjectMeta{Name: naming.Upload(run.Name), Namespace: run.Namespace, Labels: naming.UploadLabels(run.Name)},
		server: endpoint,
		files:  manifests,
		container: corev1.Container{Name: "upload",
			Command: []string{"/agent", "upload", "--endpoint", to.Endpoint, "--region", to.Region, "--bucket", to.Bucket,
				"--prefix", uploadPrefix(run), resultDir, filesDir},
			Env: []corev1.EnvVar{pods.EnvFromSecret(protocol.AccessKeyIDVariable, to.SecretName, "accessKeyID"),
				pods.EnvFromSecret(protocol.SecretAccessKeyVariable, to.SecretName, "secretAccessKey"), authoritiesFromSecret(to.SecretName)},
			VolumeMounts: []corev1.VolumeMount{pods.ReadOnlyMount("result", resultDir)}},
		volumes: []corev1.Volume{pods.ConfigMapVolume("result", naming.ResultConfigMap(run.Name))},
	}
	return upload.buildObjects(agentImage), nil
}

// buildManifests returns the manifests of the run and the network with all defaults, and a list of those that are left out.
func buildManifests(run *v1alpha1.BenchmarkRun, network *v1alpha1.BenchmarkNetwork, planHash string) (map[string]string, error) {
	files := map[string]string{}
	if err := addManifest(files, "run.yaml", "BenchmarkRun", run.Name, run.Spec); err != nil {
		return nil, err
	}
	const networkFile = "network.yaml"
	switch {
	case network == nil:
		leaveOut(files, networkFile, fmt.Sprintf("BenchmarkNetwork %s no longer exists", run.Spec.NetworkName))
	case !network.HasPlan(planHash):
		leaveOut(files, networkFile, fmt.Sprintf("BenchmarkNetwork %s has changed since the run", network.Name))
	default:
		if err := addManifest(files, networkFile, "BenchmarkNetwork", network.Name, network.Spec); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// addManifest adds a manifest as a file, or leaves it out if it is too large.
func addManifest(files map[string]string, file, kind, name string, spec any) error {
	text, err := yaml.Marshal(manifest{metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: kind}, map[string]string{"name": name}, spec})
	if err != nil {
		return fmt.Errorf("encode %s %s: %w", kind, name, err)
	}
	if len(text) > maxManifestBytes {
		leaveOut(files, file, fmt.Sprintf("it has %d bytes, at most %d are copied", len(text), maxManifestBytes))
		return nil
	}
	files[file] = string(text)
	return nil
}

// leaveOut records why a manifest is left out.
func leaveOut(files map[string]string, file, reason string) {
	files[leftOutFile] += file + ": " + reason + "\n"
}

type manifest struct {
	metav1.TypeMeta `json:",inline"`
	Metadata        map[string]string `json:"metadata"`
	Spec            any               `json:"spec"`
}
