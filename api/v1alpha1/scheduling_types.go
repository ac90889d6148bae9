package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Scheduling says on which nodes the pods of one role run, in the fields of a pod's spec.
type Scheduling struct {
	// nodeSelector is as in a pod.
	// +kubebuilder:validation:MaxProperties=16
	// +optional
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`
	// tolerations are as in a pod.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +optional
	Tolerations []Toleration `json:"tolerations,omitempty"`
	// affinity is as in a pod, without namespaces and namespaceSelector, at most 16 terms in a list about pods.
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	// +optional
	Affinity *apiextensionsv1.JSON `json:"affinity,omitempty"`
	// topologySpreadConstraints are as in a pod, at most 16; with affinity 8 KiB of JSON.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:Type=object
	// +optional
	TopologySpreadConstraints []apiextensionsv1.JSON `json:"topologySpreadConstraints,omitempty"`
	// priorityClassName is as in a pod.
	// +kubebuilder:validation:MaxLength=253
	// +optional
	PriorityClassName string `json:"priorityClassName,omitempty"`
	// runtimeClassName is as in a pod.
	// +kubebuilder:validation:MaxLength=253
	// +optional
	RuntimeClassName string `json:"runtimeClassName,omitempty"`
	// schedulerName is as in a pod.
	// +kubebuilder:validation:MaxLength=253
	// +optional
	SchedulerName string `json:"schedulerName,omitempty"`
}

// Toleration is as in a pod.
type Toleration struct {
	// key is as in a pod.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=317
	// +optional
	Key string `json:"key,omitempty"`
	// operator is as in a pod. Default: Equal.
	// +kubebuilder:validation:Enum=Exists;Equal
	// +optional
	Operator corev1.TolerationOperator `json:"operator,omitempty"`
	// value is as in a pod.
	// +kubebuilder:validation:MaxLength=63
	// +optional
	Value string `json:"value,omitempty"`
	// effect is as in a pod.
	// +kubebuilder:validation:Enum=NoSchedule;PreferNoSchedule;NoExecute
	// +optional
	Effect corev1.TaintEffect `json:"effect,omitempty"`
	// tolerationSeconds is as in a pod.
	// +kubebuilder:validation:Minimum=0
	// +optional
	TolerationSeconds *int64 `json:"tolerationSeconds,omitempty"`
}

// PodTemplate holds metadata that is added to every pod of a network and of its runs.
type PodTemplate struct {
	// metadata holds labels and annotations of the pods.
	// +optional
	Metadata PodMetadata `json:"metadata,omitzero"`
}

// PodMetadata holds labels and annotations. Keys that may give a pod an identity, further containers or further networks are
// rejected. docs/security.md lists the keys that are allowed.
type PodMetadata struct {
	// labels are added to the pods. Default: none.
	// +kubebuilder:validation:MaxProperties=16
	// +optional
	Labels map[string]string `json:"labels,omitempty"`
	// annotations are added to the pods, with values of at most 1 KiB. Default: none.
	// +kubebuilder:validation:MaxProperties=16
	// +optional
	Annotations map[string]string `json:"annotations,omitempty"`
}
