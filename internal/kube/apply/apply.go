// Package apply is the only writer of the objects that the operator creates. It uses server-side apply with one
// field manager, skips writes that would change nothing, and deletes objects.
package apply

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/kinds"
	"github.com/benchnet/benchnet/internal/kube/limits"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/naming"
)

// Writer applies and deletes objects on behalf of their owner.
type Writer struct {
	client    client.Client
	apiReader client.Reader
	scheme    *runtime.Scheme
	upToDate  comparisons
	// Recorder records an event on the owner of a restored object, if it is set.
	Recorder events.EventRecorder
}

// ReasonObjectRestored is the reason of the event about an object that another client changed.
const ReasonObjectRestored = "ObjectRestored"

// NewWriter returns a Writer. The direct reader must bypass the cache: it looks up the owner of a conflicting
// object. The scheme must contain the kinds of owners and of typed objects.
func NewWriter(c client.Client, direct client.Reader, scheme *runtime.Scheme) *Writer {
	return &Writer{client: c, apiReader: direct, scheme: scheme, upToDate: newComparisons()}
}

// createOnlyVersion is a resource version that no object has. An apply that carries it creates an object, and
// conflicts with an existing one.
const createOnlyVersion = "1"

// Owner is the owner of the written objects, with the labels that all of them get.
type Owner struct {
	Object client.Object
	Labels map[string]string
	// CommonLabels are the user's labels for every object. Labels and those of the object win.
	CommonLabels map[string]string
	// SkipBlockOwnerDeletion sets blockOwnerDeletion to false, so that a foreground deletion of the owner does
	// not wait for its objects. Set it for objects that the owner needs until it is deleted, or that are created
	// during its deletion. Objects that exist when a foreground deletion starts are deleted nevertheless.
	SkipBlockOwnerDeletion bool
}

// Apply applies desired with server-side apply. A nil live means that the object does not exist yet. Apply
// writes nothing if live was applied from the same desired object and has not drifted, as kinds.Drift says for
// its kind. It never writes the data of a Secret with AnnotationGenerated.
func (w *Writer) Apply(ctx context.Context, owner Owner, desired, live client.Object) error {
	_, err := w.ApplyAndReturn(ctx, owner, desired, live)
	return err
}

// ApplyAndReturn does what Apply does and returns the resulting object. Only its metadata is reliable, which
// suffices to use it as an owner.
func (w *Writer) ApplyAndReturn(ctx context.Context, owner Owner, desired, live client.Object) (client.Object, error) {
	compared, err := w.upToDate.hashComparison(owner, desired, live)
	if err != nil {
		return nil, err
	}
	if live != nil && w.upToDate.hasHash(compared) {
		return live, nil
	}
	intent, err := w.buildIntent(owner, desired)
	if err != nil {
		return nil, err
	}
	if live == nil {
		applied, err := w.applyNew(ctx, owner, intent)
		if err != nil {
			return nil, err
		}
		log.FromContext(ctx).Info("object created", "object", intent.GetKind()+"/"+intent.GetName())
		return applied, nil
	}
	drift, edited := findDrift(intent, live), wasEdited(intent, live)
	if hasDryRun(intent) && hasSameHash(intent, live) {
		differs, err := w.hasOtherSpec(ctx, intent, live)
		if err != nil {
			return nil, err
		}
		if differs {
			drift, edited = append(drift, "spec"), true
		}
	}
	if len(drift) == 0 {
		w.upToDate.addHash(compared)
		return live, nil
	}
	intent.SetUID(live.GetUID()) // The API server refuses to apply to another object of that name.
	if edited || driftOf(intent) == kinds.DriftByMutableFields {
		return w.restoreContent(ctx, owner, desired, intent, drift, live)
	}
	applied, err := w.sendApplyPatch(ctx, intent)
	if err != nil {
		return nil, err
	}
	w.reportApply(ctx, owner, intent, drift, live)
	return applied, nil
}

// IsOutdated reports whether the live object was applied from another desired object.
func (w *Writer) IsOutdated(owner Owner, desired, live client.Object) (bool, error) {
	intent, err := w.buildIntent(owner, desired)
	if err != nil {
		return false, err
	}
	return live.GetAnnotations()[v1alpha1.AnnotationAppliedHash] != intent.GetAnnotations()[v1alpha1.AnnotationAppliedHash], nil
}

// sendApplyPatch sends the intent to the API server and returns the metadata of the result. It requests only
// metadata, so that the rest is neither transferred nor decoded.
func (w *Writer) sendApplyPatch(ctx context.Context, intent *unstructured.Unstructured) (*metav1.PartialObjectMetadata, error) {
	name := fmt.Sprintf("%s %s", intent.GetKind(), client.ObjectKeyFromObject(intent))
	data, err := intent.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", name, err)
	}
	applied := &metav1.PartialObjectMetadata{}
	applied.SetGroupVersionKind(intent.GroupVersionKind())
	applied.SetNamespace(intent.GetNamespace())
	applied.SetName(intent.GetName())
	// Without FieldValidationIgnore, the API server parses the patch twice, to find duplicate fields. It refuses unknown
	// fields in any case.
	err = w.client.Patch(ctx, applied, client.RawPatch(types.ApplyPatchType, data), client.FieldOwner(v1alpha1.ManagedBy), client.ForceOwnership,
		client.FieldValidation(metav1.FieldValidationIgnore))
	if apierrors.HasStatusCause(err, metav1.CauseTypeFieldValueInvalid) && strings.Contains(err.Error(), "metadata.uid") {
		err = apierrors.NewConflict(schema.GroupResource{Group: intent.GroupVersionKind().Group, Resource: intent.GetKind()}, intent.GetName(), err)
	}
	if err != nil {
		return nil, fmt.Errorf("apply %s: %w", name, err)
	}
	return applied, nil
}

// applyNew applies an object that is not in the cache. If it exists nevertheless, it was created a moment ago
// or is foreign. The resource version of the intent is used only for an object that the owner controls.
// Otherwise an intent with the version of a foreign object would take it over.
func (w *Writer) applyNew(ctx context.Context, owner Owner, intent *unstructured.Unstructured) (*metav1.PartialObjectMetadata, error) {
	if err := w.checkClaims(ctx, intent); err != nil {
		return nil, err
	}
	version := intent.GetResourceVersion()
	intent.SetResourceVersion(createOnlyVersion)
	applied, err := w.sendApplyPatch(ctx, intent)
	if err == nil && hasDryRun(intent) {
		w.upToDate.addHash(w.upToDate.hashSpec(intent, applied))
	}
	if !apierrors.IsConflict(err) {
		return applied, err
	}
	if err := w.CheckOwnership(ctx, owner.Object, intent); err != nil {
		return nil, err
	}
	intent.SetResourceVersion(version)
	return w.sendApplyPatch(ctx, intent)
}

// ErrForeign means that an object that does not belong to the owner has a name that the owner's object needs. Only the user
// can fix this.
var ErrForeign = errors.New("delete it, or choose another name")

// CheckOwnership fails if the owner does not control the object of that kind and name. It reads from the API
// server, not from the cache.
func (w *Writer) CheckOwnership(ctx context.Context, owner, object client.Object) error {
	gvk, err := apiutil.GVKForObject(object, w.scheme)
	if err != nil {
		return fmt.Errorf("kind of %T %s: %w", object, object.GetName(), err)
	}
	found := &metav1.PartialObjectMetadata{}
	found.SetGroupVersionKind(gvk)
	if err := w.apiReader.Get(ctx, client.ObjectKeyFromObject(object), found); err != nil {
		return fmt.Errorf("get owner of %s %s: %w", gvk.Kind, object.GetName(), err)
	}
	holder := metav1.GetControllerOf(found)
	switch {
	case holder == nil && found.DeletionTimestamp == nil:
		return fmt.Errorf("%s %s already exists and was not created by the operator: %w", gvk.Kind, object.GetName(), ErrForeign)
	case holder == nil:
		return fmt.Errorf("%s %s already exists and is being deleted", gvk.Kind, object.GetName())
	case holder.UID == owner.GetUID():
		return nil
	}
	belongs := fmt.Sprintf("%s %s already exists and belongs to %s %s (%s)", gvk.Kind, object.GetName(), holder.Kind, holder.Name, holder.UID)
	if holder.Name == owner.GetName() || found.DeletionTimestamp != nil { // Garbage collection deletes the object of an earlier owner.
		return fmt.Errorf("%s, not to this %s: wait until that is deleted, or choose another name", belongs, owner.GetName())
	}
	return fmt.Errorf("%s, not to %s: %w", belongs, owner.GetName(), ErrForeign)
}

// CheckUnused fails if an object of that kind and name exists that the owner does not control.
func (w *Writer) CheckUnused(ctx context.Context, owner, object client.Object) error {
	object.SetNamespace(owner.GetNamespace())
	if err := w.CheckOwnership(ctx, owner, object); !apierrors.IsNotFound(err) {
		return err
	}
	return nil
}

// Delete deletes an object and, in the background, its dependants. It does not fail if the object does not
// exist. The UID precondition protects another object that was created under the same name.
func (w *Writer) Delete(ctx context.Context, object client.Object) error {
	return w.deleteObject(ctx, object, metav1.DeletePropagationBackground)
}

// DeleteForeground deletes an object with foreground propagation: the object exists until its dependants are
// deleted.
func (w *Writer) DeleteForeground(ctx context.Context, object client.Object) error {
	return w.deleteObject(ctx, object, metav1.DeletePropagationForeground)
}

func (w *Writer) deleteObject(ctx context.Context, object client.Object, dependants metav1.DeletionPropagation) error {
	if object.GetDeletionTimestamp() != nil {
		return nil
	}
	err := w.client.Delete(ctx, object, client.PropagationPolicy(dependants), client.Preconditions{UID: new(object.GetUID())})
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		return fmt.Errorf("delete %T %s: %w", object, client.ObjectKeyFromObject(object), err)
	}
	log.FromContext(ctx).Info("object deleted", "object", w.kindAndName(object), "propagation", dependants)
	return nil
}

// kindAndName returns the kind and name of an object as kubectl takes them, such as Job/pay.
func (w *Writer) kindAndName(object client.Object) string {
	gvk, err := apiutil.GVKForObject(object, w.scheme)
	if err != nil {
		return fmt.Sprintf("%T/%s", object, object.GetName())
	}
	return gvk.Kind + "/" + object.GetName()
}

// reportApply logs that the intent was applied to an object with the given drift. If the intent is the same as before, another client
// changed the object, and an event says so.
func (w *Writer) reportApply(ctx context.Context, owner Owner, intent *unstructured.Unstructured, drift []string, live client.Object) {
	name := intent.GetKind() + "/" + intent.GetName()
	log.FromContext(ctx).V(1).Info("object applied", "object", name, "changed", drift)
	if w.Recorder != nil && hasSameHash(intent, live) {
		w.Recorder.Eventf(owner.Object, nil, corev1.EventTypeWarning, ReasonObjectRestored, "Restore", "%s", limits.Truncate(fmt.Sprintf(
			"%s was changed by another client (%s) and is restored", name, strings.Join(drift, ", ")), limits.MaxNote))
	}
}

var appliedMetadataFields = []string{"name", "namespace", "labels", "annotations", "resourceVersion"}

// buildIntent returns the object that is sent to the API server: the desired fields with kind, namespace,
// labels, owner reference and a hash of all these. From the desired metadata it keeps name, labels, annotations
// and the resource version of a conditional write. Only the operator sets finalizers, owner references and the
// like.
func (w *Writer) buildIntent(owner Owner, desired client.Object) (*unstructured.Unstructured, error) {
	gvk, err := apiutil.GVKForObject(desired, w.scheme)
	if err != nil {
		return nil, fmt.Errorf("kind of %T %s: %w", desired, desired.GetName(), err)
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(desired)
	if err != nil {
		return nil, fmt.Errorf("convert %s %s: %w", gvk.Kind, desired.GetName(), err)
	}
	intent := &unstructured.Unstructured{Object: content}
	intent.SetGroupVersionKind(gvk)
	intent.SetNamespace(owner.Object.GetNamespace())
	intent.SetLabels(pods.AddMissing(pods.AddMissing(owner.Labels, intent.GetLabels()), owner.CommonLabels))
	unstructured.RemoveNestedField(content, "status")
	if intent.GetAnnotations()[v1alpha1.AnnotationGenerated] != "" {
		unstructured.RemoveNestedField(content, "data")
		unstructured.RemoveNestedField(content, "stringData")
	}
	maps.DeleteFunc(content["metadata"].(map[string]any), func(field string, _ any) bool {
		return !slices.Contains(appliedMetadataFields, field)
	})
	blocks := controllerutil.WithBlockOwnerDeletion(!owner.SkipBlockOwnerDeletion)
	if err := controllerutil.SetControllerReference(owner.Object, intent, w.scheme, blocks); err != nil {
		return nil, fmt.Errorf("own %s %s: %w", gvk.Kind, desired.GetName(), err)
	}
	// A resource version makes the write conditional and is not part of the hash.
	version := intent.GetResourceVersion()
	intent.SetResourceVersion("")
	hash, err := HashJSON(content)
	if err != nil {
		return nil, fmt.Errorf("hash %s %s: %w", gvk.Kind, desired.GetName(), err)
	}
	intent.SetResourceVersion(version)
	intent.SetAnnotations(pods.AddMissing(map[string]string{v1alpha1.AnnotationAppliedHash: hash}, intent.GetAnnotations()))
	return intent, nil
}

// HashJSON returns a hash of the JSON of a value: 16 hexadecimal digits.
func HashJSON(value any) (string, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8]), nil
}

// checkClaims fails if a claim exists that a new StatefulSet would use, but that was not created for it. Kubernetes would write
// to that claim and delete it with the StatefulSet.
func (w *Writer) checkClaims(ctx context.Context, intent *unstructured.Unstructured) error {
	if intent.GetKind() != "StatefulSet" {
		return nil
	}
	set := &appsv1.StatefulSet{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(intent.Object, set); err != nil {
		return fmt.Errorf("decode StatefulSet %s: %w", intent.GetName(), err)
	}
	selector, err := metav1.LabelSelectorAsSelector(set.Spec.Selector)
	if err != nil {
		return fmt.Errorf("selector of StatefulSet %s: %w", set.Name, err)
	}
	for _, name := range claimNames(set) {
		found := &metav1.PartialObjectMetadata{}
		found.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim"))
		err := w.apiReader.Get(ctx, client.ObjectKey{Namespace: set.Namespace, Name: name}, found)
		switch {
		case apierrors.IsNotFound(err):
		case err != nil:
			return fmt.Errorf("get PersistentVolumeClaim %s of StatefulSet %s: %w", name, set.Name, err)
		case !selector.Matches(labels.Set(found.Labels)):
			return fmt.Errorf("PersistentVolumeClaim %s already exists and was not created for StatefulSet %s: %w", name, set.Name, ErrForeign)
		}
	}
	return nil
}

// claimNames returns the names that Kubernetes gives the claims of a StatefulSet.
func claimNames(set *appsv1.StatefulSet) []string {
	replicas, start := ptr.Deref(set.Spec.Replicas, 1), ptr.Deref(set.Spec.Ordinals, appsv1.StatefulSetOrdinals{}).Start
	var names []string
	for _, template := range set.Spec.VolumeClaimTemplates {
		for ordinal := start; ordinal < start+replicas; ordinal++ {
			names = append(names, naming.StatefulSetClaim(template.Name, set.Name, ordinal))
		}
	}
	return names
}
