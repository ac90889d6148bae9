package database

import (
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/json"
)

// FuzzChart renders a user's chart with arbitrary text as its only template and an arbitrary value. It must be
// rejected, or contain only allowed kinds in the network's namespace.
func FuzzChart(f *testing.F) {
	for _, text := range []string{
		userService + "---" + userServer, "{{ .Values.value }}", "{{ include \"nothing\" . }}", "{{ tpl .Values.value . }}",
		"apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: a}", "kind: Service\nmetadata: {namespace: kube-system}", "[]", "a: b\n---\n- c",
		"kind: Service\nmetadata: []\nspec: 1", userService + "---\nkind: StatefulSet\nmetadata: {name: x}\nspec: {template: 5}",
		"{{ range until 3 }}a{{ end }}", "kind: Service\napiVersion: v1\nmetadata: {name: net-db}\nspec: {ports: [1]}",
	} {
		f.Add(text, "{{ .Release.Name }}")
	}
	f.Fuzz(func(t *testing.T, template, value string) {
		// Templates may loop within Helm's limits. That takes time and finds nothing here.
		if strings.Contains(template+value, "until") || strings.Contains(template+value, "repeat") || strings.Contains(template+value, "gen") {
			return
		}
		in := withChart(t, map[string]string{"templates/all.yaml": template})
		in.Chart.Values["value"] = value
		p, err := Build(in)
		if err != nil {
			return
		}
		for _, o := range p.Instances[0].ServerObjects {
			if ns := o.GetNamespace(); ns != "" && ns != in.Network.Namespace {
				t.Errorf("%T %s is in namespace %s", o, o.GetName(), ns)
			}
		}
	})
}

// FuzzChartArchive opens arbitrary bytes as a packed chart.
func FuzzChartArchive(f *testing.F) {
	f.Add([]byte(""))
	f.Add([]byte("\x1f\x8b"))
	f.Fuzz(func(_ *testing.T, archive []byte) {
		in := newInput()
		in.Chart = newUserChart(archive)
		_, _ = Build(in)
	})
}

// FuzzChartObject admits arbitrary objects. Each must be rejected, or have an allowed kind, only allowed
// metadata, and no field that gives its pods an identity or a node.
func FuzzChartObject(f *testing.F) {
	for _, text := range []string{
		`{"apiVersion":"v1","kind":"Service","metadata":{"name":"net-db"},"spec":{"ports":[5432]}}`,
		`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"net-db","resourceVersion":"7","finalizers":["a/b"]},"stringData":{"a":"b"}}`,
		`{"apiVersion":"v1","kind":"ConfigMap","metadata":[],"data":5}`,
		`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"net-db-c","annotations":{"a":1},"labels":{"benchnet.dev/network":"x"}}}`,
		`{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"net-db-v"},"spec":{"resources":{"requests":{"storage":"1e9999"}}}}`,
		`{"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"net-db"},"spec":{"replicas":-1,"template":{"metadata":{"labels":{"a":"b"}},` +
			`"spec":{"automountServiceAccountToken":false,"nodeName":"n","volumes":[{"name":"v","projected":{"sources":[{"serviceAccountToken":{"path":"t"}}]}}]}}}}`,
		`{"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"net-db"},"spec":{"volumeClaimTemplates":[{"spec":{"volumeName":"v"}}],"template":{}}}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		given := &unstructured.Unstructured{}
		if err := json.Unmarshal([]byte(text), &given.Object); err != nil {
			return
		}
		rebuilt, err := helmRelease{name: "net-db", namespace: "bench"}.admitObject(given)
		if err != nil {
			return
		}
		for key := range rebuilt.Object["metadata"].(map[string]any) {
			if key != "name" && key != "labels" && key != "annotations" {
				t.Errorf("metadata.%s stays", key)
			}
		}
		for key := range rebuilt.GetLabels() {
			if strings.HasPrefix(key, "benchnet.dev/") {
				t.Errorf("label %s stays", key)
			}
		}
		var set appsv1.StatefulSet
		if rebuilt.GetKind() != "StatefulSet" {
			return
		}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(rebuilt.Object, &set); err != nil {
			t.Fatal(err)
		}
		pod := set.Spec.Template.Spec
		if pod.NodeName != "" || pod.PriorityClassName != "" || pod.AutomountServiceAccountToken == nil || *pod.AutomountServiceAccountToken {
			t.Errorf("the pod has a node, a priority or a token: %+v", pod)
		}
		for _, v := range pod.Volumes {
			if v.Projected != nil && slices.ContainsFunc(v.Projected.Sources, func(s corev1.VolumeProjection) bool { return s.ServiceAccountToken != nil }) {
				t.Errorf("volume %s has a token", v.Name)
			}
		}
	})
}
