package cache

import (
	"maps"
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

func memberPodWithResources(name string) *corev1.Pod {
	size := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2"), corev1.ResourceMemory: resource.MustParse("1Gi")}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "ns", Labels: map[string]string{v1alpha1.LabelNetwork: "n", "a": "1"},
			OwnerReferences: []metav1.OwnerReference{{Kind: "StatefulSet", Name: "s", UID: "1", Controller: new(true)}}},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{Limits: size, Requests: size}}}},
	}
}

// TestCompactorSharesEqualValues compares the identity of the maps, since the purpose is to save memory.
func TestCompactorSharesEqualValues(t *testing.T) {
	c := NewCompactor()
	one, other, different := memberPodWithResources("one"), memberPodWithResources("other"), memberPodWithResources("different")
	different.Labels["a"] = "2"
	different.Spec.Containers[0].Resources.Limits = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("3")}
	for _, pod := range []*corev1.Pod{one, other, different} {
		before := pod.DeepCopy()
		if _, err := c.Compact(pod); err != nil {
			t.Fatal(err)
		}
		if !equality.Semantic.DeepEqual(before, pod) {
			t.Errorf("%s is now %+v, was %+v", pod.Name, pod, before)
		}
	}
	same := func(a, b any) bool { return reflect.ValueOf(a).UnsafePointer() == reflect.ValueOf(b).UnsafePointer() }
	limits := func(pod *corev1.Pod) corev1.ResourceList { return pod.Spec.Containers[0].Resources.Limits }
	if !same(one.Labels, other.Labels) || !same(one.OwnerReferences, other.OwnerReferences) || !same(limits(one), limits(other)) {
		t.Error("equal values are stored twice")
	}
	if same(one.Labels, different.Labels) || same(limits(one), limits(different)) {
		t.Error("different values share one copy")
	}
}

func TestInternPoolIsBounded(t *testing.T) {
	var large internPool[string]
	for i := range uint64(3 * maxPoolBytes >> 20) {
		large.internValue(i, strings.Repeat("x", 1<<20), keepAsIs)
		if n := len(large.values); n > maxPoolBytes>>20 {
			t.Fatalf("the pool holds %d MiB, want at most %d", n, maxPoolBytes>>20)
		}
	}
	var p internPool[map[string]string]
	for i := range uint64(3 * maxPoolSize) {
		p.internValue(i, nil, keepAsIs)
		if len(p.values) > maxPoolSize {
			t.Fatalf("%d values are stored, want at most %d", len(p.values), maxPoolSize)
		}
	}
	first, second := map[string]string{"a": "1"}, map[string]string{"a": "2"}
	p.internValue(7, first, keepAsIs)
	if got := p.internValue(7, second, keepAsIs); !maps.Equal(got, second) {
		t.Errorf("a value with the same hash was returned instead: %v", got)
	}
}
