package kinds

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
)

// Bounds of what the cache keeps of an object. Anybody can label an object as the operator's own and forge its owner.
const (
	maxTextBytes     = 1 << 10   // of the value of an annotation
	maxMetadataBytes = 16 << 10  // of all labels or all annotations
	maxValueBytes    = 256 << 10 // of a value in a ConfigMap: the baseline of a run on a thousand members has the most
	maxContentBytes  = 256 << 10 // of all values of a ConfigMap
	maxSpecBytes     = 16 << 10  // of the content of other kinds
	maxItems         = 64        // of containers, volumes and conditions
	maxReferences    = 8         // of owner references and finalizers
)

// digestAnnotation holds, in the cache only, the digest of content that exceeds its bound.
const digestAnnotation = "benchnet.dev/content-digest"

// digestPrefix marks a digest that stands for a text.
const digestPrefix = "sha256:"

// IsForeign reports whether an object of a kind that the operator creates has a controller that cannot be one of the operator's
// objects, or none. Pods are never foreign: their controllers are of many kinds.
func IsForeign(o metav1.Object) bool {
	switch o.(type) {
	case *corev1.Pod, *v1alpha1.BenchmarkNetwork, *v1alpha1.BenchmarkRun, *v1alpha1.BenchmarkExperiment:
		return false
	}
	owner := metav1.GetControllerOfNoCopy(o)
	if owner == nil {
		return true
	}
	group, _, _ := strings.Cut(owner.APIVersion, "/")
	return group != v1alpha1.GroupVersion.Group && owner.Kind != "Role" && owner.Kind != "StatefulSet"
}

// StripForeign removes everything from an object but its identity and the label that the cache selects by.
func StripForeign(o metav1.Object) {
	name, namespace, uid, version, labels := o.GetName(), o.GetNamespace(), o.GetUID(), o.GetResourceVersion(), o.GetLabels()
	deleted := o.GetDeletionTimestamp()
	value := reflect.ValueOf(o).Elem()
	value.SetZero()
	o.SetName(name)
	o.SetNamespace(namespace)
	o.SetUID(uid)
	o.SetResourceVersion(version)
	o.SetDeletionTimestamp(deleted)
	if manager, ok := labels[naming.LabelManagedBy]; ok {
		o.SetLabels(map[string]string{naming.LabelManagedBy: strings.Clone(manager)})
	}
}

// boundMetadata bounds labels and annotations, and the owner references and finalizers of kinds that users do not create.
func boundMetadata(o metav1.Object) {
	annotations := o.GetAnnotations()
	digestTexts(annotations, maxTextBytes)
	o.SetAnnotations(boundMap(annotations))
	o.SetLabels(boundMap(o.GetLabels()))
	switch o.(type) {
	case *v1alpha1.BenchmarkNetwork, *v1alpha1.BenchmarkRun, *v1alpha1.BenchmarkExperiment:
		return // The operator patches these lists.
	}
	o.SetOwnerReferences(firstItems(o.GetOwnerReferences(), maxReferences))
	o.SetFinalizers(firstItems(o.GetFinalizers(), maxReferences))
}

// boundMap returns the map, or only its keys of Kubernetes and this project if it exceeds maxMetadataBytes.
func boundMap(all map[string]string) map[string]string {
	size := 0
	for key, value := range all {
		size += len(key) + len(value)
	}
	if size <= maxMetadataBytes {
		return all
	}
	kept := map[string]string{}
	for _, key := range ownKeys {
		if value, ok := all[key]; ok {
			kept[key] = value
		}
	}
	return kept
}

// ownKeys are the labels and annotations that the operator reads.
var ownKeys = []string{
	naming.LabelName, naming.LabelInstance, naming.LabelComponent, naming.LabelPartOf, naming.LabelManagedBy,
	v1alpha1.LabelPlatform, v1alpha1.LabelNetwork, v1alpha1.LabelMember, v1alpha1.LabelObservation, v1alpha1.LabelRun,
	v1alpha1.LabelExperiment, v1alpha1.LabelPoint, v1alpha1.LabelVariant, v1alpha1.LabelDatabaseInstance,
	v1alpha1.AnnotationGenesisComplete, v1alpha1.AnnotationGenerated, v1alpha1.AnnotationAppliedHash,
	v1alpha1.AnnotationAppliedGeneration, v1alpha1.AnnotationReset, v1alpha1.AnnotationEpoch, v1alpha1.AnnotationNetwork,
	v1alpha1.AnnotationQuota, "batch.kubernetes.io/job-name", "batch.kubernetes.io/job-completion-index",
	"kueue.x-k8s.io/queue-name", "kueue.x-k8s.io/priority-class",
}

// boundConfigMap replaces values that exceed maxValueBytes by their digests, and all values if they exceed maxContentBytes.
func boundConfigMap(o *corev1.ConfigMap) {
	digestTexts(o.Data, maxValueBytes)
	size := 0
	for key, value := range o.Data {
		size += len(key) + len(value)
	}
	for key, value := range o.BinaryData {
		size += len(key) + len(value)
	}
	if size > maxContentBytes {
		keepDigest(o, []any{o.Data, o.BinaryData})
		o.Data, o.BinaryData = nil, nil
	}
}

// boundContent replaces the content of an object by a digest if it exceeds maxSpecBytes.
func boundContent(object any) {
	switch o := object.(type) {
	case *corev1.Secret:
		replaceLarge(o, &o.Data)
	case *corev1.Service:
		replaceLarge(o, &o.Spec)
	case *corev1.ServiceAccount:
		replaceLarge(o, &o.Secrets)
		replaceLarge(o, &o.ImagePullSecrets)
	case *corev1.PersistentVolumeClaim:
		replaceLarge(o, &o.Spec)
	case *rbacv1.Role:
		replaceLarge(o, &o.Rules)
	case *rbacv1.RoleBinding:
		replaceLarge(o, &o.Subjects)
	case *policyv1.PodDisruptionBudget:
		o.Spec = policyv1.PodDisruptionBudgetSpec{}
	}
}

// replaceLarge empties a content that exceeds maxSpecBytes and keeps its digest.
func replaceLarge[T any](o metav1.Object, content *T) {
	if data, err := json.Marshal(content); err == nil && len(data) > maxSpecBytes {
		keepDigest(o, content)
		*content = *new(T)
	}
}

// keepDigest stores the digest of a content and of an earlier digest.
func keepDigest(o metav1.Object, content any) {
	annotations := maps.Clone(o.GetAnnotations())
	if annotations == nil {
		annotations = map[string]string{}
	}
	data, _ := json.Marshal([]any{annotations[digestAnnotation], content}) // Content that was decoded from JSON has a JSON.
	sum := sha256.Sum256(data)
	annotations[digestAnnotation] = digestPrefix + hex.EncodeToString(sum[:])
	o.SetAnnotations(annotations)
}

// digestTexts replaces each text longer than the limit by its digest.
func digestTexts(texts map[string]string, limit int) {
	for name, text := range texts {
		if len(text) > limit {
			sum := sha256.Sum256([]byte(text))
			texts[name] = digestPrefix + hex.EncodeToString(sum[:])
		}
	}
}

// firstItems returns at most n items of a list. It copies a longer list, so that the rest is not retained.
func firstItems[T any](list []T, n int) []T {
	if len(list) <= n {
		return list
	}
	return append([]T(nil), list[:n]...)
}
