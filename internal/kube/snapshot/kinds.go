package snapshot

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// OwnedKinds returns an empty object of each kind that the operator creates and owns. Snapshots read these
// kinds, the controllers watch them, and the cache holds only the operator's own objects of them. A user's
// chart may contain no other kinds.
func OwnedKinds() []client.Object {
	return []client.Object{
		&corev1.Secret{}, &corev1.ConfigMap{}, &corev1.Service{}, &corev1.ServiceAccount{}, &corev1.PersistentVolumeClaim{},
		&rbacv1.Role{}, &rbacv1.RoleBinding{}, &appsv1.StatefulSet{}, &batchv1.Job{},
		&networkingv1.NetworkPolicy{}, &policyv1.PodDisruptionBudget{},
		&v1alpha1.BenchmarkRun{},
	}
}

// NewList returns an empty typed list of objects of the kind.
func NewList(kind client.Object, scheme *runtime.Scheme) (client.ObjectList, error) {
	gvk, err := apiutil.GVKForObject(kind, scheme)
	if err != nil {
		return nil, fmt.Errorf("find the kind of %T: %w", kind, err)
	}
	list, err := scheme.New(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	if err != nil {
		return nil, fmt.Errorf("create list of %s: %w", gvk.Kind, err)
	}
	typed, ok := list.(client.ObjectList)
	if !ok {
		return nil, fmt.Errorf("create list of %s: %T is not a list of objects", gvk.Kind, list)
	}
	return typed, nil
}
