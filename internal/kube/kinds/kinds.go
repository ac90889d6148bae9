// Package kinds declares every kind of object that the operator creates: what the cache keeps of an object, and
// how the operator detects that another client changed it.
package kinds

import (
	"reflect"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// Drift is the way to detect that a live object differs from the applied one.
type Drift int

const (
	// DriftByFields compares every applied field.
	DriftByFields Drift = iota
	// DriftByDryRun compares the metadata, and each generation of the spec by a dry run that replaces it. It is for
	// kinds with large specs, which the cache drops.
	DriftByDryRun
	// DriftByMutableFields compares the labels, the owner and the fields in MutableJobFields. It keeps the template of an
	// existing object, since its pods do work that must not happen twice.
	DriftByMutableFields
)

// MutableJobFields are the fields of a Job's spec that can change and that the operator restores. It reports a suspended Job instead,
// since Kueue may suspend it.
var MutableJobFields = []string{"parallelism", "completions", "backoffLimit", "activeDeadlineSeconds", "ttlSecondsAfterFinished"}

// Kind is a kind that the operator creates.
type Kind struct {
	schema.GroupVersion
	// Object is an empty object of the kind.
	Object client.Object
	Drift  Drift
	// UserCreated marks a kind whose objects users create too. Of other kinds, the cache holds only the
	// operator's own objects.
	UserCreated bool
}

// Owned returns the kinds that the operator creates and owns. Snapshots read them, the controllers watch them,
// and the roles of the operator cover them. A user's chart may contain no other kinds. Trim must keep what Drift
// compares.
func Owned() []Kind {
	return []Kind{
		{GroupVersion: corev1.SchemeGroupVersion, Object: &corev1.Secret{}},
		{GroupVersion: corev1.SchemeGroupVersion, Object: &corev1.ConfigMap{}},
		{GroupVersion: corev1.SchemeGroupVersion, Object: &corev1.Service{}},
		{GroupVersion: corev1.SchemeGroupVersion, Object: &corev1.ServiceAccount{}},
		{GroupVersion: corev1.SchemeGroupVersion, Object: &corev1.PersistentVolumeClaim{}},
		{GroupVersion: rbacv1.SchemeGroupVersion, Object: &rbacv1.Role{}},
		{GroupVersion: rbacv1.SchemeGroupVersion, Object: &rbacv1.RoleBinding{}},
		{GroupVersion: appsv1.SchemeGroupVersion, Object: &appsv1.StatefulSet{}, Drift: DriftByDryRun},
		{GroupVersion: batchv1.SchemeGroupVersion, Object: &batchv1.Job{}, Drift: DriftByMutableFields},
		{GroupVersion: networkingv1.SchemeGroupVersion, Object: &networkingv1.NetworkPolicy{}},
		{GroupVersion: policyv1.SchemeGroupVersion, Object: &policyv1.PodDisruptionBudget{}},
		{GroupVersion: v1alpha1.GroupVersion, Object: &v1alpha1.BenchmarkRun{}, UserCreated: true},
	}
}

// GroupKind returns the group and the name of the kind.
func (k Kind) GroupKind() schema.GroupKind {
	return k.GroupVersionKind().GroupKind()
}

// GroupVersionKind returns the kind with its group and version.
func (k Kind) GroupVersionKind() schema.GroupVersionKind {
	return k.WithKind(reflect.TypeOf(k.Object).Elem().Name())
}

var driftByKind = indexDrift()

func indexDrift() map[schema.GroupKind]Drift {
	all := map[schema.GroupKind]Drift{}
	for _, k := range Owned() {
		all[k.GroupKind()] = k.Drift
	}
	return all
}

// DriftOf returns how to detect drift of a kind. Kinds that Owned does not list, such as those of an
// experiment's objects, are compared by fields.
func DriftOf(kind schema.GroupKind) Drift { return driftByKind[kind] }
