package database

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

// TestForeignReferences checks which objects a chart may use without asking.
func TestForeignReferences(t *testing.T) {
	for name, c := range map[string]struct {
		pod string
		// want are the foreign references as kind/name.
		want string
	}{
		"nothing":                   {`containers: [{name: a}]`, ""},
		"volume of a Secret":        {`volumes: [{name: v, secret: {secretName: other}}]`, "Secret/other"},
		"optional Secret":           {`volumes: [{name: v, secret: {secretName: other, optional: true}}]`, "Secret/other"},
		"volume of a ConfigMap":     {`volumes: [{name: v, configMap: {name: other}}]`, "ConfigMap/other"},
		"projected Secret":          {`volumes: [{name: v, projected: {sources: [{downwardAPI: {}}, {secret: {name: other}}]}}]`, "Secret/other"},
		"projected ConfigMap":       {`volumes: [{name: v, projected: {sources: [{configMap: {name: other}}]}}]`, "ConfigMap/other"},
		"claim":                     {`volumes: [{name: v, persistentVolumeClaim: {claimName: other}}]`, "PersistentVolumeClaim/other"},
		"variable":                  {`containers: [{name: a, env: [{name: A, valueFrom: {secretKeyRef: {name: other, key: k}}}]}]`, "Secret/other"},
		"variable of a ConfigMap":   {`containers: [{name: a, env: [{name: A, valueFrom: {configMapKeyRef: {name: other, key: k}}}]}]`, "ConfigMap/other"},
		"variables":                 {`containers: [{name: a, envFrom: [{secretRef: {name: other}}, {configMapRef: {name: cm}}]}]`, "ConfigMap/cm Secret/other"},
		"init container":            {`initContainers: [{name: a, envFrom: [{secretRef: {name: other}}]}]`, "Secret/other"},
		"ephemeral container":       {`ephemeralContainers: [{name: a, envFrom: [{secretRef: {name: other}}]}]`, "Secret/other"},
		"pull secret":               {`imagePullSecrets: [{name: other}, {name: registry}]`, "Secret/other"},
		"mounted pull secret":       {`volumes: [{name: v, secret: {secretName: registry}}]`, "Secret/registry"},
		"CSI driver":                {`volumes: [{name: v, csi: {driver: d, nodePublishSecretRef: {name: other}}}]`, "Secret/other"},
		"Ceph":                      {`volumes: [{name: v, cephfs: {monitors: [m], secretRef: {name: other}}}]`, "Secret/other"},
		"Azure":                     {`volumes: [{name: v, azureFile: {secretName: other, shareName: s}}]`, "Secret/other"},
		"the chart's own":           {`volumes: [{name: v, secret: {secretName: two-banks-db-own}}, {name: w, configMap: {name: two-banks-db-conf}}]`, ""},
		"another kind of that name": {`volumes: [{name: v, configMap: {name: two-banks-db-own}}]`, "ConfigMap/two-banks-db-own"},
		"the superuser's":           {`volumes: [{name: v, secret: {secretName: two-banks-db-superuser}}]`, ""},
		"keys of a member":          {`volumes: [{name: v, secret: {secretName: two-banks-member-0-identity}}]`, "Secret/two-banks-member-0-identity"},
		"the API server's":          {`volumes: [{name: v, configMap: {name: kube-root-ca.crt}}]`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			objects := parseObjects(t, `{kind: Secret, metadata: {name: two-banks-db-own}}`, `{kind: ConfigMap, metadata: {name: two-banks-db-conf}}`,
				`{kind: StatefulSet, metadata: {name: two-banks-db}, spec: {template: {spec: {`+c.pod+`}}}}`)
			if got := foreignNames(t, objects); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	t.Run("account", func(t *testing.T) {
		objects := parseObjects(t, `{kind: ServiceAccount, metadata: {name: a}, secrets: [{name: s}], imagePullSecrets: [{name: p}, {name: registry}]}`)
		if got := foreignNames(t, objects); got != "Secret/p Secret/s" {
			t.Errorf("got %q", got)
		}
	})
}

func parseObjects(t *testing.T, texts ...string) []*unstructured.Unstructured {
	t.Helper()
	var all []*unstructured.Unstructured
	for _, text := range texts {
		o := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
			t.Fatal(err)
		}
		all = append(all, o)
	}
	return all
}

func foreignNames(t *testing.T, objects []*unstructured.Unstructured) string {
	t.Helper()
	network := newInput().Network.DeepCopy()
	network.Spec.ImagePullSecrets = []string{"registry"}
	found, err := ForeignReferences(network, [][]*unstructured.Unstructured{objects})
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, 0, len(found))
	for _, r := range found {
		names = append(names, r.Kind+"/"+r.Name)
	}
	return strings.Join(names, " ")
}

// TestForeignReferencesFindsEveryField fills every field of a StatefulSet: each reference that Kubernetes' types
// declare is found.
func TestForeignReferencesFindsEveryField(t *testing.T) {
	var set appsv1.StatefulSet
	filler := referenceFiller{depth: map[reflect.Type]int{}}
	filler.fill(reflect.ValueOf(&set.Spec).Elem(), "spec")
	set.Name = "two-banks-db"
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&set)
	if err != nil {
		t.Fatal(err)
	}
	content["kind"] = "StatefulSet"
	references, err := objectReferences(&unstructured.Unstructured{Object: content}, nil)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, r := range references {
		found[r.Name] = true
	}
	if len(filler.names) < 25 {
		t.Errorf("only %d references were filled in", len(filler.names))
	}
	for name, path := range filler.names {
		if !found[name] {
			t.Errorf("%s is not found", path)
		}
	}
}

// referenceFiller sets all fields of a value, and gives those that name a Secret, ConfigMap or claim a unique name.
type referenceFiller struct {
	depth map[reflect.Type]int
	names map[string]string
}

func (f *referenceFiller) fill(value reflect.Value, path string) {
	if f.depth[value.Type()] > 1 {
		return
	}
	f.depth[value.Type()]++
	defer func() { f.depth[value.Type()]-- }()
	switch value.Interface().(type) {
	case metav1.Time, *metav1.Time, resource.Quantity, metav1.ObjectMeta:
		return
	}
	switch value.Kind() {
	case reflect.Pointer:
		value.Set(reflect.New(value.Type().Elem()))
		f.fill(value.Elem(), path)
	case reflect.Slice:
		if value.Type().Elem().Kind() == reflect.Struct {
			value.Set(reflect.MakeSlice(value.Type(), 1, 1))
			f.fill(value.Index(0), path+"[0]")
		}
	case reflect.Struct:
		for i := range value.NumField() {
			if field := value.Type().Field(i); field.IsExported() {
				f.fillField(value, value.Field(i), field.Name, path+"."+field.Name)
			}
		}
	}
}

func (f *referenceFiller) fillField(parent, value reflect.Value, name, path string) {
	isReference := name == "Name" && parent.Type() == reflect.TypeFor[corev1.LocalObjectReference]()
	isReference = isReference || name == "Name" && parent.Type() == reflect.TypeFor[corev1.SecretReference]()
	lower := strings.ToLower(name)
	isReference = isReference || value.Kind() == reflect.String && (lower == "secretname" || lower == "claimname" || lower == "configmapname")
	if !isReference {
		f.fill(value, path)
		return
	}
	if f.names == nil {
		f.names = map[string]string{}
	}
	unique := fmt.Sprintf("ref-%d", len(f.names))
	value.SetString(unique)
	f.names[unique] = path
}
