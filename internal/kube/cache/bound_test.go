package cache

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/kinds"
)

// repeat returns n items made of their indices.
func repeat[T any](n int, item func(i int) T) []T {
	all := make([]T, n)
	for i := range all {
		all[i] = item(i)
	}
	return all
}

// hostileObjects returns an object of each watched kind with close to a mebibyte of content.
func hostileObjects() []client.Object {
	megabyte := strings.Repeat("x", 1<<20)
	texts := map[string]string{}
	for i := range 20000 {
		texts[fmt.Sprintf("key-%d", i)] = "a short value"
	}
	containers := repeat(5000, func(i int) corev1.Container {
		return corev1.Container{Name: fmt.Sprintf("c-%d", i), Env: []corev1.EnvVar{{Name: "E", Value: "a value"}}}
	})
	volumes := repeat(5000, func(i int) corev1.Volume { return corev1.Volume{Name: fmt.Sprintf("v-%d", i)} })
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Annotations: texts}, Spec: corev1.PodSpec{Containers: containers, Volumes: volumes}}
	all := []client.Object{
		&corev1.ConfigMap{Data: map[string]string{"text": megabyte}},
		&corev1.ConfigMap{Data: texts},
		&corev1.ConfigMap{BinaryData: map[string][]byte{"binary": []byte(megabyte)}},
		&corev1.Secret{Data: map[string][]byte{"key": []byte(megabyte)}},
		&corev1.Pod{Spec: corev1.PodSpec{Containers: containers, Volumes: volumes}},
		&appsv1.StatefulSet{Spec: appsv1.StatefulSetSpec{Template: template, VolumeClaimTemplates: repeat(5000, func(int) corev1.PersistentVolumeClaim {
			return corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "v"}}
		})}},
		&batchv1.Job{Spec: batchv1.JobSpec{Template: template}},
		&rbacv1.Role{Rules: repeat(10000, func(int) rbacv1.PolicyRule { return rbacv1.PolicyRule{Verbs: []string{"get"}} })},
		&rbacv1.RoleBinding{Subjects: repeat(10000, func(i int) rbacv1.Subject { return rbacv1.Subject{Name: fmt.Sprint(i)} })},
		&corev1.ServiceAccount{Secrets: repeat(10000, func(i int) corev1.ObjectReference { return corev1.ObjectReference{Name: fmt.Sprint(i)} })},
		&corev1.Service{Spec: corev1.ServiceSpec{Selector: texts}},
		&corev1.PersistentVolumeClaim{Spec: corev1.PersistentVolumeClaimSpec{Selector: &metav1.LabelSelector{MatchLabels: texts}}},
	}
	for _, kind := range kinds.Owned() { // Each kind with metadata of that size.
		all = append(all, kind.Object.DeepCopyObject().(client.Object))
		o := all[len(all)-1]
		o.SetAnnotations(map[string]string{"a": megabyte})
		all = append(all, kind.Object.DeepCopyObject().(client.Object))
		o = all[len(all)-1]
		o.SetAnnotations(texts)
		o.SetLabels(texts)
	}
	return all
}

// TestHostileObjectsAreBounded checks what the cache keeps of objects that only a forged label, or a forged owner too, marks as
// the operator's: a hundredth of a mebibyte with an owner, and no more than the identity without.
func TestHostileObjectsAreBounded(t *testing.T) {
	for owned, limit := range map[bool]int{false: 400, true: 24 << 10} {
		for i, o := range hostileObjects() {
			t.Run(fmt.Sprintf("%d %T controlled %t", i, o, owned), func(t *testing.T) {
				o.SetName("o")
				o.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: "x"}})
				labels := map[string]string{"app.kubernetes.io/managed-by": "benchnet"}
				for k, v := range o.GetLabels() {
					labels[k] = v
				}
				o.SetLabels(labels)
				if owned {
					o.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: v1alpha1.GroupVersion.String(), Kind: "BenchmarkNetwork", UID: "made-up", Controller: new(true)}})
				}
				kept, err := NewCompactor().Compact(o)
				if err != nil {
					t.Fatal(err)
				}
				data, err := json.Marshal(kept)
				if err != nil {
					t.Fatal(err)
				}
				bound := limit
				switch o.(type) {
				case *corev1.Pod, *v1alpha1.BenchmarkRun:
					bound = 24 << 10
				}
				if len(data) > bound {
					t.Errorf("the cache keeps %d bytes, want at most %d: %.300s", len(data), bound, data)
				}
				if o.GetLabels()["app.kubernetes.io/managed-by"] == "" || o.GetName() == "" {
					t.Errorf("the identity is lost: %.300s", data)
				}
			})
		}
	}
}
