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

// ownDomains are the domains, with their subdomains, of the keys that the operator reads. No cluster's owner can give them away.
var ownDomains = []string{"benchnet.dev", "app.kubernetes.io"}

// allowedDomains are the domains of keys that only describe a pod.
var allowedDomains = []string{"prometheus.io"}

// allowedPairs are the allowed keys of other domains, with their only allowed value. They keep evictions and injected
// containers away from a measurement.
var allowedPairs = map[string]string{
	"admission.datadoghq.com/enabled":                "false",
	"cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
	"dapr.io/enabled":                                "false",
	"istio.io/dataplane-mode":                        "none",
	"karpenter.sh/do-not-disrupt":                    "true",
}

// optOutValues are the values with which a key such as sidecar.istio.io/inject or linkerd.io/inject keeps an injector away.
var optOutValues = []string{"false", "disabled"}

// AddMetadata adds labels and annotations to a pod. Those that the pod already has stay. A nil template adds none.
func AddMetadata(pod *corev1.PodTemplateSpec, from *v1alpha1.PodTemplate) {
	if from == nil {
		return
	}
	pod.Labels = AddMissing(pod.Labels, from.Metadata.Labels)
	pod.Annotations = AddMissing(pod.Annotations, from.Metadata.Annotations)
}

// AddCommonLabels adds labels to a pod and to the claims that Kubernetes makes with it. Those that they already have stay.
func AddCommonLabels(pod *corev1.PodTemplateSpec, labels map[string]string) {
	pod.Labels = AddMissing(pod.Labels, labels)
	for i := range pod.Spec.Volumes {
		if e := pod.Spec.Volumes[i].Ephemeral; e != nil && e.VolumeClaimTemplate != nil {
			e.VolumeClaimTemplate.Labels = AddMissing(e.VolumeClaimTemplate.Labels, labels)
		}
	}
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

// ValidateMetadata rejects what the API server would reject, and keys that are not known to be harmless: others may give a pod
// an identity, further containers or further networks. The domains, with their subdomains, are those of keys that the
// cluster's owner allows.
func ValidateMetadata(template *v1alpha1.PodTemplate, domains []string, path *field.Path) field.ErrorList {
	if template == nil {
		return nil
	}
	path = path.Child("metadata")
	labels, annotations := template.Metadata.Labels, template.Metadata.Annotations
	problems := validateLabels(labels, domains, path.Child("labels"))
	problems = append(problems, apivalidation.ValidateAnnotations(annotations, path.Child("annotations"))...)
	problems = append(problems, validateKeys(annotations, domains, path.Child("annotations"))...)
	for _, key := range slices.Sorted(maps.Keys(annotations)) {
		if n := len(annotations[key]); n > maxAnnotationBytes {
			problems = append(problems, field.Invalid(path.Child("annotations").Key(key), field.OmitValueType{},
				fmt.Sprintf("has %d bytes, at most %d are allowed", n, maxAnnotationBytes)))
		}
	}
	return problems
}

// ValidateNetworkMetadata rejects labels and annotations of a network's pods and objects as ValidateMetadata does.
func ValidateNetworkMetadata(network *v1alpha1.NetworkTemplate, domains []string, path *field.Path) field.ErrorList {
	return append(ValidateMetadata(network.PodTemplate, domains, path.Child("podTemplate")),
		validateLabels(network.CommonLabels, domains, path.Child("commonLabels"))...)
}

func validateLabels(labels map[string]string, domains []string, path *field.Path) field.ErrorList {
	return append(metav1validation.ValidateLabels(labels, path), validateKeys(labels, domains, path)...)
}

func validateKeys(pairs map[string]string, domains []string, path *field.Path) field.ErrorList {
	var problems field.ErrorList
	for _, key := range slices.Sorted(maps.Keys(pairs)) {
		if isAllowed(key, pairs[key], domains) {
			continue
		}
		problem := fmt.Sprintf(`the key is reserved, or may give pods an identity, further containers or further networks, or change their runtime; `+
			`allowed are keys without a domain and without dots, such as team, keys of %s and of the domains in the chart value podTemplateDomains, `+
			`and opt-outs such as sidecar.istio.io/inject: "false" (docs/security.md)`, strings.Join(allowedDomains, ", "))
		if value, known := allowedPairs[key]; known {
			problem = fmt.Sprintf("its only allowed value is %q", value)
		}
		problems = append(problems, field.Forbidden(path.Key(key), problem))
	}
	return problems
}

// isAllowed reports whether a pod may have the key with the value. Kubernetes leaves keys without a domain to users, but
// container runtimes read some that have dots, such as io.katacontainers.config.
func isAllowed(key, value string, domains []string) bool {
	domain, name, hasDomain := strings.Cut(key, "/")
	if !hasDomain {
		return key != IdentityLabel && !strings.Contains(key, ".")
	}
	isIn := func(parent string) bool { return domain == parent || strings.HasSuffix(domain, "."+parent) }
	switch {
	case slices.ContainsFunc(ownDomains, isIn):
		return false
	case slices.ContainsFunc(allowedDomains, isIn), slices.ContainsFunc(domains, isIn):
		return true
	case strings.Contains(strings.ToLower(name), "inject"):
		return slices.Contains(optOutValues, value)
	}
	only, known := allowedPairs[key]
	return known && value == only
}
