package kinds

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
)

// Bounds of what the cache keeps of an object, in bytes as Size counts them. Anybody can label an object as the operator's own
// and forge its owner.
const (
	maxTextBytes     = 1 << 10  // of the value of an annotation
	maxShortText     = 128      // of the value of an annotation, if all of them exceed their bound
	maxMetadataBytes = 4 << 10  // of all labels or all annotations
	maxOwnerBytes    = 1 << 10  // of the reference to the controller
	maxOwnersBytes   = 2 << 10  // of all references to owners
	maxValueBytes    = 16 << 10 // of a value in a ConfigMap
	maxContentBytes  = 16 << 10 // of all values of a ConfigMap
	maxFieldBytes    = 8 << 10  // of a field of other kinds
	maxItems         = 16       // of containers, volumes and conditions
	maxFinalizers    = 8
)

// digestPrefix marks a digest that stands for a text.
const digestPrefix = "sha256:"

// IsDigest reports whether a text has the form of a digest that stands for a longer text.
func IsDigest(text string) bool {
	return len(text) == len(digestPrefix)+hex.EncodedLen(sha256.Size) && strings.HasPrefix(text, digestPrefix)
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return digestPrefix + hex.EncodeToString(sum[:])
}

// IsForeign reports whether an object of a kind that the operator creates has a controller that cannot be one of the operator's
// objects, or none. A pod with a controller is not foreign: the controllers are of several kinds.
func IsForeign(o metav1.Object) bool {
	if isUserCreated(o) {
		return false
	}
	owner := metav1.GetControllerOfNoCopy(o)
	if owner == nil || Size(owner) > maxOwnerBytes {
		return true
	}
	if _, isPod := o.(*corev1.Pod); isPod {
		return false
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

// boundMetadata bounds labels and annotations, and the owner references and finalizers of objects that users do not create or whose
// spec is omitted. Of the managed fields, it keeps only the digests.
func boundMetadata(o metav1.Object) {
	o.SetSelfLink("")
	o.SetManagedFields(keptDigests(o))
	annotations := o.GetAnnotations()
	digestTexts(annotations, maxTextBytes)
	o.SetAnnotations(boundMap(annotations))
	o.SetLabels(boundMap(o.GetLabels()))
	if isUserCreated(o) && !omitLargeSpec(o) {
		return // The operator patches these lists.
	}
	o.SetFinalizers(firstItems(o.GetFinalizers(), maxFinalizers))
	if Size(o.GetOwnerReferences()) > maxOwnersBytes {
		controller := metav1.GetControllerOf(o)
		kept := []metav1.OwnerReference{{Name: "others"}} // It shows that somebody added owners.
		if controller != nil && Size(controller) <= maxOwnerBytes {
			kept = append(kept, *controller)
		}
		o.SetOwnerReferences(kept)
	}
}

// boundMap returns the map, or only its keys of Kubernetes and this project, with short values, if it exceeds maxMetadataBytes.
func boundMap(all map[string]string) map[string]string {
	if Size(all) <= maxMetadataBytes {
		return all
	}
	kept := map[string]string{}
	for _, key := range ownKeys {
		if value, ok := all[key]; ok {
			kept[key] = value
		}
	}
	digestTexts(kept, maxShortText)
	return kept
}

// ownKeys are the labels and annotations that the operator reads.
var ownKeys = []string{
	naming.LabelName, naming.LabelInstance, naming.LabelComponent, naming.LabelPartOf, naming.LabelManagedBy,
	v1alpha1.LabelPlatform, v1alpha1.LabelNetwork, v1alpha1.LabelMember, v1alpha1.LabelObservation, v1alpha1.LabelRun,
	v1alpha1.LabelExperiment, v1alpha1.LabelPoint, v1alpha1.LabelVariant, v1alpha1.LabelDatabaseInstance,
	v1alpha1.AnnotationGenesisComplete, v1alpha1.AnnotationGenerated, v1alpha1.AnnotationAppliedHash,
	v1alpha1.AnnotationReset, v1alpha1.AnnotationEpoch, v1alpha1.AnnotationQuota, v1alpha1.AnnotationPlannedWorkloads,
	"batch.kubernetes.io/job-name", "batch.kubernetes.io/job-completion-index",
	appsv1.ControllerRevisionHashLabelKey, "kueue.x-k8s.io/queue-name", "kueue.x-k8s.io/priority-class",
}

// boundFields replaces each field of an object besides the metadata that exceeds its bound by a digest, and always the specs that are
// only compared. It applies to the kinds that users do not create. Users fill only the status of their own resources.
func boundFields(o metav1.Object) {
	value := reflect.ValueOf(o).Elem()
	if !boundedTypes[value.Type()] {
		return
	}
	limit := maxFieldBytes
	if configMap, ok := o.(*corev1.ConfigMap); ok {
		limit = maxContentBytes
		digestTexts(configMap.Data, maxValueBytes)
	}
	for i := range value.NumField() {
		field, name := value.Field(i), value.Type().Field(i)
		isCompared := name.Name == "Spec" && comparedSpecs[value.Type()] && !field.IsZero()
		if name.Name == "ObjectMeta" || !isCompared && Size(field.Interface()) <= limit {
			continue
		}
		if name.Name != "Status" {
			jsonName, _, _ := strings.Cut(name.Tag.Get("json"), ",")
			data, _ := json.Marshal(field.Interface()) // Content that was decoded from JSON has a JSON.
			o.SetManagedFields(append(o.GetManagedFields(), metav1.ManagedFieldsEntry{Manager: jsonName, FieldsType: digestOf(data)}))
		}
		field.SetZero()
	}
}

// comparedSpecs are the types whose specs the operator only compares with the plan.
var comparedSpecs = map[reflect.Type]bool{reflect.TypeFor[networkingv1.NetworkPolicy](): true, reflect.TypeFor[policyv1.PodDisruptionBudget](): true}

var boundedTypes = indexBoundedTypes()

func indexBoundedTypes() map[reflect.Type]bool {
	all := map[reflect.Type]bool{}
	for _, k := range Owned() {
		all[reflect.TypeOf(k.Object).Elem()] = !k.UserCreated
	}
	return all
}

// keptDigests returns the digests of the fields that exceed their bounds. They are entries of the managed fields without an
// operation, which the API server never returns.
func keptDigests(o metav1.Object) []metav1.ManagedFieldsEntry {
	var digests []metav1.ManagedFieldsEntry
	for _, entry := range o.GetManagedFields() {
		if entry.Operation == "" {
			digests = append(digests, entry)
		}
	}
	return digests
}

// FieldDigests returns the digests that stand for large fields of a trimmed object, by the names of the fields.
func FieldDigests(o metav1.Object) map[string]string {
	digests := map[string]string{}
	for _, entry := range keptDigests(o) {
		digests[entry.Manager] = entry.FieldsType
	}
	return digests
}

// HasDigests reports whether a trimmed ConfigMap lacks texts, of which it has only digests.
func HasDigests(cm *corev1.ConfigMap) bool {
	return len(keptDigests(cm)) > 0 || slices.ContainsFunc(slices.Collect(maps.Values(cm.Data)), IsDigest)
}

// digestTexts replaces each text longer than the limit by its digest.
func digestTexts(texts map[string]string, limit int) {
	for name, text := range texts {
		if len(text) > limit {
			texts[name] = digestOf([]byte(text))
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
