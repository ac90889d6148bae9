package apply

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/internal/naming"
)

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
