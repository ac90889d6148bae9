package pods

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// maxSchedulingBytes limits the JSON of affinity and topology spread constraints together, since every pod of the
// role has a copy.
const maxSchedulingBytes = 8 << 10

// maxAffinityTerms limits the terms of each list about pods. A preflight compares each with all pods.
const maxAffinityTerms = 16

// ValidateScheduling rejects what the API server would reject in a pod, terms about pods of other namespaces, and
// classes of the cluster's own pods. The scheduler applies a required anti-affinity in both directions, so such a
// term could keep the pods of other namespaces off all nodes.
func ValidateScheduling(s *v1alpha1.Scheduling, path *field.Path) field.ErrorList {
	if s == nil {
		return nil
	}
	if n := rawSize(s); n > maxSchedulingBytes {
		return field.ErrorList{field.Invalid(path, field.OmitValueType{},
			fmt.Sprintf("affinity and topologySpreadConstraints have %d bytes of JSON together, at most %d are allowed", n, maxSchedulingBytes))}
	}
	problems := metav1validation.ValidateLabels(s.NodeSelector, path.Child("nodeSelector"))
	for i := range s.Tolerations {
		problems = append(problems, validateToleration(&s.Tolerations[i], path.Child("tolerations").Index(i))...)
	}
	if s.Affinity != nil {
		problems = append(problems, validateAffinity(s.Affinity, path.Child("affinity"))...)
	}
	for i := range s.TopologySpreadConstraints {
		problems = append(problems, validateSpreadConstraint(&s.TopologySpreadConstraints[i], path.Child("topologySpreadConstraints").Index(i))...)
	}
	if strings.HasPrefix(s.PriorityClassName, "system-") {
		problems = append(problems, field.Invalid(path.Child("priorityClassName"), s.PriorityClassName,
			"must not begin with system-, which is for the cluster's own pods"))
	}
	problems = append(problems, validateName(s.PriorityClassName, path.Child("priorityClassName"))...)
	problems = append(problems, validateName(s.RuntimeClassName, path.Child("runtimeClassName"))...)
	return append(problems, validateName(s.SchedulerName, path.Child("schedulerName"))...)
}

func rawSize(s *v1alpha1.Scheduling) int {
	n := 0
	if s.Affinity != nil {
		n = len(s.Affinity.Raw)
	}
	for _, constraint := range s.TopologySpreadConstraints {
		n += len(constraint.Raw)
	}
	return n
}

// validateName rejects what cannot be the name of an object. It accepts an empty name.
func validateName(name string, path *field.Path) field.ErrorList {
	if name == "" {
		return nil
	}
	var problems field.ErrorList
	for _, problem := range validation.IsDNS1123Subdomain(name) {
		problems = append(problems, field.Invalid(path, name, problem))
	}
	return problems
}

func validateToleration(t *v1alpha1.Toleration, path *field.Path) field.ErrorList {
	var problems field.ErrorList
	exists := t.Operator == corev1.TolerationOpExists
	if t.Key == "" && !exists {
		problems = append(problems, field.Required(path.Child("key"), "needed unless operator is Exists, which then tolerates every taint"))
	}
	if t.Key != "" {
		problems = append(problems, metav1validation.ValidateLabelName(t.Key, path.Child("key"))...)
	}
	if exists && t.Value != "" {
		problems = append(problems, field.Invalid(path.Child("value"), t.Value, "must be empty when operator is Exists"))
	}
	for _, problem := range validation.IsValidLabelValue(t.Value) {
		problems = append(problems, field.Invalid(path.Child("value"), t.Value, problem))
	}
	if t.TolerationSeconds != nil && t.Effect != corev1.TaintEffectNoExecute {
		problems = append(problems, field.Invalid(path.Child("tolerationSeconds"), *t.TolerationSeconds, "needs effect NoExecute"))
	}
	return problems
}

func validateAffinity(raw *apiextensionsv1.JSON, path *field.Path) field.ErrorList {
	var a corev1.Affinity
	if err := decodeStrictly(raw.Raw, &a); err != nil {
		return field.ErrorList{field.Invalid(path, field.OmitValueType{}, err.Error())}
	}
	var problems field.ErrorList
	if a.NodeAffinity != nil {
		problems = validateNodeAffinity(a.NodeAffinity, path.Child("nodeAffinity"))
	}
	if a.PodAffinity != nil {
		problems = append(problems, validatePodAffinity(a.PodAffinity, path.Child("podAffinity"))...)
	}
	if a.PodAntiAffinity != nil {
		problems = append(problems, validatePodAffinity((*corev1.PodAffinity)(a.PodAntiAffinity), path.Child("podAntiAffinity"))...)
	}
	return problems
}

// Fields of node and pod affinity.
const (
	fieldRequired  = "requiredDuringSchedulingIgnoredDuringExecution"
	fieldPreferred = "preferredDuringSchedulingIgnoredDuringExecution"
)

func validateNodeAffinity(a *corev1.NodeAffinity, path *field.Path) field.ErrorList {
	var problems field.ErrorList
	if required := a.RequiredDuringSchedulingIgnoredDuringExecution; required != nil {
		at := path.Child(fieldRequired)
		if len(required.NodeSelectorTerms) == 0 {
			problems = append(problems, field.Required(at.Child("nodeSelectorTerms"), "at least one term"))
		}
		if _, err := nodeaffinity.NewNodeSelector(required); err != nil {
			problems = append(problems, field.Invalid(at, field.OmitValueType{}, err.Error()))
		}
	}
	at := path.Child(fieldPreferred)
	for i, term := range a.PreferredDuringSchedulingIgnoredDuringExecution {
		problems = append(problems, validateWeight(term.Weight, at.Index(i))...)
	}
	if _, err := nodeaffinity.NewPreferredSchedulingTerms(a.PreferredDuringSchedulingIgnoredDuringExecution); err != nil {
		problems = append(problems, field.Invalid(at, field.OmitValueType{}, err.Error()))
	}
	return problems
}

func validatePodAffinity(a *corev1.PodAffinity, path *field.Path) field.ErrorList {
	problems := validateLength(len(a.RequiredDuringSchedulingIgnoredDuringExecution), path.Child(fieldRequired))
	problems = append(problems, validateLength(len(a.PreferredDuringSchedulingIgnoredDuringExecution), path.Child(fieldPreferred))...)
	for i := range a.RequiredDuringSchedulingIgnoredDuringExecution {
		problems = append(problems, validatePodTerm(&a.RequiredDuringSchedulingIgnoredDuringExecution[i], path.Child(fieldRequired).Index(i))...)
	}
	for i := range a.PreferredDuringSchedulingIgnoredDuringExecution {
		term, at := &a.PreferredDuringSchedulingIgnoredDuringExecution[i], path.Child(fieldPreferred).Index(i)
		problems = append(problems, validateWeight(term.Weight, at)...)
		problems = append(problems, validatePodTerm(&term.PodAffinityTerm, at.Child("podAffinityTerm"))...)
	}
	return problems
}

func validatePodTerm(term *corev1.PodAffinityTerm, path *field.Path) field.ErrorList {
	var problems field.ErrorList
	if len(term.Namespaces) > 0 || term.NamespaceSelector != nil {
		problems = append(problems, field.Forbidden(path, "namespaces and namespaceSelector are not allowed: a term applies to the pods of the network's namespace"))
	}
	problems = append(problems, validateTopologyKey(term.TopologyKey, path.Child("topologyKey"))...)
	return append(problems, validateSelector(term.LabelSelector, path)...)
}

func validateTopologyKey(key string, path *field.Path) field.ErrorList {
	if key == "" {
		return field.ErrorList{field.Required(path, "the label of a node, such as kubernetes.io/hostname")}
	}
	return metav1validation.ValidateLabelName(key, path)
}

func validateSelector(selector *metav1.LabelSelector, path *field.Path) field.ErrorList {
	return metav1validation.ValidateLabelSelector(selector, metav1validation.LabelSelectorValidationOptions{}, path.Child("labelSelector"))
}

func validateLength(n int, path *field.Path) field.ErrorList {
	if n <= maxAffinityTerms {
		return nil
	}
	return field.ErrorList{field.TooMany(path, n, maxAffinityTerms)}
}

func validateWeight(weight int32, path *field.Path) field.ErrorList {
	if weight >= 1 && weight <= 100 {
		return nil
	}
	return field.ErrorList{field.Invalid(path.Child("weight"), weight, "must be in the range 1-100")}
}

func validateSpreadConstraint(raw *apiextensionsv1.JSON, path *field.Path) field.ErrorList {
	var c corev1.TopologySpreadConstraint
	if err := decodeStrictly(raw.Raw, &c); err != nil {
		return field.ErrorList{field.Invalid(path, field.OmitValueType{}, err.Error())}
	}
	problems := validateTopologyKey(c.TopologyKey, path.Child("topologyKey"))
	if c.MaxSkew < 1 {
		problems = append(problems, field.Invalid(path.Child("maxSkew"), c.MaxSkew, "must be at least 1"))
	}
	if c.WhenUnsatisfiable != corev1.DoNotSchedule && c.WhenUnsatisfiable != corev1.ScheduleAnyway {
		problems = append(problems, field.NotSupported(path.Child("whenUnsatisfiable"), c.WhenUnsatisfiable,
			[]corev1.UnsatisfiableConstraintAction{corev1.DoNotSchedule, corev1.ScheduleAnyway}))
	}
	if c.LabelSelector == nil {
		problems = append(problems, field.Required(path.Child("labelSelector"), "selects the pods to spread: without it the constraint has no effect"))
	}
	return append(problems, validateSelector(c.LabelSelector, path)...)
}
