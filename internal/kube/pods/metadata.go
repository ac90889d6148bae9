package pods

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// maxAnnotationBytes limits the value of an annotation, since every pod has a copy.
const maxAnnotationBytes = 1 << 10

// IdentityLabel binds a pod to an Azure identity. Unlike other such keys it has no domain.
const IdentityLabel = "aadpodidbinding"

// reservedDomains are the domains, with their subdomains, of the keys that Kubernetes and the operator read.
var reservedDomains = []string{"benchnet.dev", "kubernetes.io", "k8s.io"}

// privilegedDomains are the domains of keys by which components of a cluster give a pod an identity, further
// containers or further networks.
var privilegedDomains = []string{
	"alibabacloud.com", "aliyun.com", "amazonaws.com", "antrea.io", "azure.com", "azure.workload.identity", "cilium.io", "cncf.io", "conjur.org",
	"dapr.io", "datadoghq.com", "dynatrace.com", "gke.io", "google.com", "hashicorp.com", "istio.io", "kuma.io", "linkerd.io", "openshift.io",
	"opentelemetry.io", "ovn.org", "projectcalico.org", "spiffe.io",
}

// harmlessPairs are the permitted keys of the domains above with their only permitted value. They keep injected
// containers and evictions away from a measurement.
var harmlessPairs = map[string]string{
	"cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
	"linkerd.io/inject":       "disabled",
	"sidecar.istio.io/inject": "false",
}

// AddMetadata adds labels and annotations to a pod. Those that the pod already has stay. A nil template adds none.
func AddMetadata(pod *corev1.PodTemplateSpec, from *v1alpha1.PodTemplate) {
	if from == nil {
		return
	}
	pod.Labels = AddMissing(pod.Labels, from.Metadata.Labels)
	pod.Annotations = AddMissing(pod.Annotations, from.Metadata.Annotations)
}

// AddMissing returns own with the entries of more whose keys it lacks.
func AddMissing(own, more map[string]string) map[string]string {
	if len(more) == 0 {
		return own
	}
	all := maps.Clone(more)
	maps.Copy(all, own)
	return all
}

// ValidateMetadata rejects what the API server would reject, keys that the operator or Kubernetes reads, and keys
// that may give a pod an identity, further containers or further networks.
func ValidateMetadata(template *v1alpha1.PodTemplate, path *field.Path) field.ErrorList {
	if template == nil {
		return nil
	}
	path = path.Child("metadata")
	labels, annotations := template.Metadata.Labels, template.Metadata.Annotations
	problems := metav1validation.ValidateLabels(labels, path.Child("labels"))
	problems = append(problems, validateKeys(labels, path.Child("labels"))...)
	problems = append(problems, apivalidation.ValidateAnnotations(annotations, path.Child("annotations"))...)
	problems = append(problems, validateKeys(annotations, path.Child("annotations"))...)
	for _, key := range slices.Sorted(maps.Keys(annotations)) {
		if n := len(annotations[key]); n > maxAnnotationBytes {
			problems = append(problems, field.Invalid(path.Child("annotations").Key(key), field.OmitValueType{},
				fmt.Sprintf("has %d bytes, at most %d are allowed", n, maxAnnotationBytes)))
		}
	}
	return problems
}

func validateKeys(pairs map[string]string, path *field.Path) field.ErrorList {
	var problems field.ErrorList
	for _, key := range slices.Sorted(maps.Keys(pairs)) {
		if value, ok := harmlessPairs[key]; ok && pairs[key] == value {
			continue
		}
		if problem := keyProblem(key); problem != "" {
			problems = append(problems, field.Forbidden(path.Key(key), problem))
		}
	}
	return problems
}

// keyProblem returns why a key is refused, or an empty string. Container runtimes read keys without a domain that
// have dots, such as io.katacontainers.config.
func keyProblem(key string) string {
	domain, _, hasDomain := strings.Cut(key, "/")
	isIn := func(parent string) bool { return domain == parent || strings.HasSuffix(domain, "."+parent) }
	switch {
	case !hasDomain && (key == IdentityLabel || strings.Contains(key, ".")):
		return "it may give pods an identity or change their runtime: use a key without dots, or with a domain of your own"
	case hasDomain && slices.ContainsFunc(reservedDomains, isIn):
		return "keys of " + strings.Join(reservedDomains, ", ") + " are reserved: use a key of your own"
	case hasDomain && slices.ContainsFunc(privilegedDomains, isIn):
		return "it may give pods an identity, further containers or further networks: use a key of your own"
	}
	return ""
}
