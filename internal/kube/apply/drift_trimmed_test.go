package apply

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/kinds"
)

// TestDriftOfTrimmedObjects compares desired objects with their trimmed form in the cache. If trimming caused a
// difference, the operator would apply them without end.
func TestDriftOfTrimmedObjects(t *testing.T) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	w := NewWriter(nil, nil, scheme)
	owner := Owner{Object: &v1alpha1.BenchmarkNetwork{ObjectMeta: metav1.ObjectMeta{Name: "n", Namespace: "ns", UID: "1"}}}
	named := metav1.ObjectMeta{Name: "o", Labels: map[string]string{"a": "1"}}
	file := metav1.ObjectMeta{Name: "o", Labels: map[string]string{"app.kubernetes.io/component": "member"}}
	template := corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}}
	for _, desired := range []client.Object{
		&appsv1.StatefulSet{ObjectMeta: named, Spec: appsv1.StatefulSetSpec{Replicas: new(int32(1)), ServiceName: "s", Template: template}},
		&networkingv1.NetworkPolicy{ObjectMeta: named, Spec: networkingv1.NetworkPolicySpec{Ingress: []networkingv1.NetworkPolicyIngressRule{{}}}},
		&corev1.ConfigMap{ObjectMeta: file, Data: map[string]string{"k": "v", "long": strings.Repeat("x", 1000)}},
		&corev1.ConfigMap{ObjectMeta: named, BinaryData: map[string][]byte{"short": {1}, "long": []byte(strings.Repeat("x", 1000))}},
		&corev1.ConfigMap{ObjectMeta: named, Data: manyTexts("v")},
		newService(nil),
	} {
		applied, err := w.buildIntent(owner, desired)
		if err != nil {
			t.Fatal(err)
		}
		kind := applied.GetKind()
		live := desired.DeepCopyObject().(client.Object)
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(applied.Object, live); err != nil {
			t.Fatal(err)
		}
		kinds.Trim(live)
		intent, err := w.buildIntent(owner, desired)
		if err != nil {
			t.Fatal(err)
		}
		if len(findDrift(intent, live)) > 0 {
			t.Errorf("%s: unchanged, but it would be applied again", kind)
		}
		live.SetLabels(nil)
		if len(findDrift(intent, live)) == 0 {
			t.Errorf("%s: the removal of a label is not detected", kind)
		}
	}
}

// manyTexts returns more texts than the cache keeps.
func manyTexts(value string) map[string]string {
	texts := map[string]string{}
	for i := range 1000 {
		texts[fmt.Sprint(i)] = value
	}
	return texts
}

// TestDriftOfDigests edits a ConfigMap of which the cache keeps only a digest. The difference must be detected and removed,
// except from a ConfigMap that pods fill.
func TestDriftOfDigests(t *testing.T) {
	w := newOfflineWriter(t)
	owner := Owner{Object: &v1alpha1.BenchmarkNetwork{ObjectMeta: metav1.ObjectMeta{Name: "n", Namespace: "ns", UID: "1"}}}
	binary := map[string][]byte{}
	for key := range manyTexts("") {
		binary[key] = []byte("added")
	}
	for name, c := range map[string]struct {
		planned map[string]string
		edit    func(*corev1.ConfigMap)
		want    []string
	}{
		"untouched":                   {manyTexts("v"), func(*corev1.ConfigMap) {}, nil},
		"added text":                  {manyTexts("v"), func(cm *corev1.ConfigMap) { cm.Data["added"] = "x" }, []string{"data"}},
		"changed text":                {manyTexts("v"), func(cm *corev1.ConfigMap) { cm.Data["0"] = "x" }, []string{"data"}},
		"removed texts":               {manyTexts("v"), func(cm *corev1.ConfigMap) { cm.Data = map[string]string{"0": "v"} }, []string{"data", "data.0"}},
		"removed all":                 {manyTexts("v"), func(cm *corev1.ConfigMap) { cm.Data = nil }, []string{"data"}},
		"added large field":           {map[string]string{"k": "v"}, func(cm *corev1.ConfigMap) { cm.BinaryData = binary }, []string{"binaryData"}},
		"both":                        {manyTexts("v"), func(cm *corev1.ConfigMap) { cm.BinaryData = binary }, []string{"binaryData"}},
		"planned empty, pods fill it": {nil, func(cm *corev1.ConfigMap) { cm.Data = manyTexts("w") }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			desired := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "o"}, Data: c.planned}
			intent, err := w.buildIntent(owner, desired)
			if err != nil {
				t.Fatal(err)
			}
			live := &corev1.ConfigMap{}
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(intent.DeepCopy().Object, live); err != nil {
				t.Fatal(err)
			}
			live.ResourceVersion = "7"
			c.edit(live)
			kinds.Trim(live)
			drift := findDrift(intent, live)
			slices.Sort(drift)
			if drift = slices.Compact(drift); !slices.Equal(drift, c.want) {
				t.Errorf("drift is %v, want %v", drift, c.want)
			}
			if len(drift) == 0 {
				return
			}
			patch, err := contentPatch(intent, live, live.ResourceVersion)
			if err != nil {
				t.Fatal(err)
			}
			if want := `"path":"/` + c.want[0]; !strings.Contains(string(patch), want) {
				t.Errorf("the patch lacks %s: %.300s", want, patch)
			}
			if edited := wasEdited(intent, live); !edited && name != "removed texts" && name != "removed all" {
				t.Error("the edit would not be undone")
			}
		})
	}
}
