package apply

import (
	"maps"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// TestIntentMetadata checks that the desired object decides only about its name, labels and annotations.
func TestIntentMetadata(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	owner := Owner{Object: &v1alpha1.BenchmarkNetwork{ObjectMeta: metav1.ObjectMeta{Name: "n", Namespace: "ns", UID: "1"}}}
	desired := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Secret",
		"metadata": map[string]any{
			"name": "s", "namespace": "kube-system", "labels": map[string]any{"a": "b"}, "annotations": map[string]any{"c": "d"},
			"generateName": "x-", "uid": "2", "generation": int64(7), "creationTimestamp": "2020-01-01T00:00:00Z",
			"deletionTimestamp": "2020-01-01T00:00:00Z", "deletionGracePeriodSeconds": int64(1), "selfLink": "/x",
			"finalizers":      []any{"example.org/never"},
			"ownerReferences": []any{map[string]any{"apiVersion": "v1", "kind": "Node", "name": "node", "uid": "3"}},
			"managedFields":   []any{map[string]any{"manager": "other"}},
		},
	}}
	intent, err := NewWriter(nil, nil, scheme).buildIntent(owner, desired)
	if err != nil {
		t.Fatal(err)
	}
	metadata := intent.Object["metadata"].(map[string]any)
	want := []string{"annotations", "labels", "name", "namespace", "ownerReferences"}
	if got := slices.Sorted(maps.Keys(metadata)); !slices.Equal(got, want) {
		t.Errorf("the intent has metadata %v, want %v", got, want)
	}
	if owners := intent.GetOwnerReferences(); len(owners) != 1 || owners[0].UID != "1" || intent.GetNamespace() != "ns" {
		t.Errorf("owners %+v in namespace %s, want the network in its own namespace", owners, intent.GetNamespace())
	}
}

// TestIntentLeavesGeneratedData checks that the writer never sends the data of a Secret with generated keys.
func TestIntentLeavesGeneratedData(t *testing.T) {
	owner := Owner{Object: &v1alpha1.BenchmarkNetwork{ObjectMeta: metav1.ObjectMeta{Name: "n", Namespace: "ns", UID: "1"}}}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "s",
		Annotations: map[string]string{v1alpha1.AnnotationGenerated: string(v1alpha1.GeneratedGenesis)}},
		Data: map[string][]byte{"key": {1}}, StringData: map[string]string{"other": "x"}}
	intent, err := newOfflineWriter(t).buildIntent(owner, secret)
	if err != nil {
		t.Fatal(err)
	}
	if intent.Object["data"] != nil || intent.Object["stringData"] != nil {
		t.Errorf("the intent writes generated data: %v", intent.Object)
	}
}
