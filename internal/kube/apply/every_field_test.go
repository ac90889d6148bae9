package apply

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/kinds"
)

// unseenAdditions are the fields in which an addition is not seen, with the reason.
var unseenAdditions = map[string]string{
	"Service.spec.clusterIP":  "allocated by the API server, and immutable",
	"Service.spec.clusterIPs": "allocated by the API server; a second one needs another ipFamilyPolicy, which is seen",
	"Service.spec.ipFamilies": "set from the cluster's; a second one needs another ipFamilyPolicy, which is seen",

	"Service.spec.type": "the planned value is the default",

	"RoleBinding.subjects.apiGroup": "set from the kind of the subject, with one valid value",

	"PersistentVolumeClaim.spec.storageClassName": "set from the default class, and immutable",
	"PersistentVolumeClaim.spec.volumeName":       "set by the controller of volumes, and immutable",

	"Job.spec.backoffLimit": "its default depends on other fields; the operator's own Jobs set it",
}

// TestEveryFieldIsCompared changes, removes and adds each field of an object of each kind that the operator creates. TestStatefulSetsAreComparedByDryRun
// covers the specs of StatefulSets.
func TestEveryFieldIsCompared(t *testing.T) {
	owner := Owner{Object: &v1alpha1.BenchmarkNetwork{ObjectMeta: metav1.ObjectMeta{Name: "n", Namespace: "ns", UID: "1"}}}
	w := newOfflineWriter(t)
	for _, kind := range kinds.Owned() {
		if kind.Drift == kinds.DriftByDryRun {
			continue
		}
		name := kind.GroupKind().Kind
		intent, err := w.buildIntent(owner, newFullObject(kind))
		if err != nil {
			t.Fatal(err)
		}
		drift := func(t *testing.T, planned, live map[string]any) []string {
			t.Helper()
			object := reflect.New(reflect.TypeOf(kind.Object).Elem()).Interface().(client.Object)
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(live, object); err != nil {
				t.Fatal(err)
			}
			object.SetResourceVersion("7")
			kinds.Trim(object)
			return findDrift(&unstructured.Unstructured{Object: planned}, object)
		}
		t.Run(name+" unchanged", func(t *testing.T) {
			if paths := drift(t, intent.Object, runtime.DeepCopyJSON(intent.Object)); len(paths) > 0 {
				t.Errorf("it differs in %v", paths)
			}
		})
		for _, leaf := range leavesOf(contentOf(intent.Object), nil) {
			path := name + "." + leaf.name()
			if kind.Drift == kinds.DriftByMutableFields && !slices.Contains(kinds.MutableJobFields, leaf[1].(string)) {
				continue // Immutable, or reported.
			}
			t.Run("change "+path, func(t *testing.T) {
				if live := leaf.edit(intent.Object, changedValue); len(drift(t, intent.Object, live)) == 0 {
					t.Error("the change is not seen")
				}
			})
			without := leaf.edit(intent.Object, nil)
			t.Run("remove "+path, func(t *testing.T) {
				if len(drift(t, intent.Object, without)) == 0 {
					t.Error("the removal is not seen")
				}
			})
			if kind.UserCreated {
				continue // Users may cancel and expire runs.
			}
			t.Run("add "+path, func(t *testing.T) {
				seen, reason := len(drift(t, without, runtime.DeepCopyJSON(intent.Object))) > 0, unseenReason(path)
				if seen == (reason != "") {
					t.Errorf("the addition is seen: %t, although: %q", seen, reason)
				}
			})
		}
	}
}

// TestMetadataIsCompared changes, removes and adds labels, annotations and owners of an object of each kind.
func TestMetadataIsCompared(t *testing.T) {
	owner := Owner{Object: &v1alpha1.BenchmarkNetwork{ObjectMeta: metav1.ObjectMeta{Name: "n", Namespace: "ns", UID: "1"}}}
	w := newOfflineWriter(t)
	for _, kind := range kinds.Owned() {
		isRun, isJob := kind.UserCreated, kind.Drift == kinds.DriftByMutableFields
		for name, c := range map[string]struct {
			edit func(client.Object)
			seen bool
		}{
			"nothing":             {func(client.Object) {}, false},
			"other domain":        {func(o client.Object) { o.GetLabels()["example.com/a"] = "x" }, false},
			"changed label":       {func(o client.Object) { o.GetLabels()["a"] = "x" }, true},
			"removed label":       {func(o client.Object) { delete(o.GetLabels(), "a") }, true},
			"added label":         {func(o client.Object) { o.GetLabels()[v1alpha1.LabelMember] = "x" }, !isRun},
			"added common label":  {func(o client.Object) { o.GetLabels()["app.kubernetes.io/instance"] = "x" }, !isRun},
			"changed annotation":  {func(o client.Object) { o.GetAnnotations()["b"] = "x" }, !isJob},
			"added annotation":    {func(o client.Object) { o.GetAnnotations()[v1alpha1.AnnotationReset] = "x" }, !isRun && !isJob},
			"record of the quota": {func(o client.Object) { o.GetAnnotations()[v1alpha1.AnnotationQuota] = "x" }, false},
			"no owner":            {func(o client.Object) { o.SetOwnerReferences(nil) }, true},
			"added owner":         {func(o client.Object) { addOwners(o, 1) }, !isRun},
			"many added owners":   {func(o client.Object) { addOwners(o, 100) }, !isRun},
			"added finalizer":     {func(o client.Object) { o.SetFinalizers([]string{"example.com/a"}) }, false}, // Only who added it may remove it.
		} {
			t.Run(kind.GroupKind().Kind+" "+name, func(t *testing.T) {
				intent, err := w.buildIntent(owner, newFullObject(kind))
				if err != nil {
					t.Fatal(err)
				}
				live := reflect.New(reflect.TypeOf(kind.Object).Elem()).Interface().(client.Object)
				if err := runtime.DefaultUnstructuredConverter.FromUnstructured(intent.DeepCopy().Object, live); err != nil {
					t.Fatal(err)
				}
				c.edit(live)
				kinds.Trim(live)
				if paths := findDrift(intent, live); len(paths) > 0 != c.seen {
					t.Errorf("drift is %v, want some: %t", paths, c.seen)
				}
			})
		}
	}
}

// addOwners adds owners to those of an object.
func addOwners(o client.Object, n int) {
	for i := range n {
		o.SetOwnerReferences(append(o.GetOwnerReferences(), metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: fmt.Sprint(i), UID: "x"}))
	}
}

// TestMetadataOfFilledObjectsIsRestored edits objects whose content pods write. The patch must undo the edit and leave the content.
func TestMetadataOfFilledObjectsIsRestored(t *testing.T) {
	owner := Owner{Object: &v1alpha1.BenchmarkNetwork{ObjectMeta: metav1.ObjectMeta{Name: "n", Namespace: "ns", UID: "1"}}}
	w := newOfflineWriter(t)
	generated := map[string]string{v1alpha1.AnnotationGenerated: string(v1alpha1.GeneratedGenesis)}
	for kind, planned := range map[string]client.Object{
		"report of a pod":   &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "o"}},
		"generated Secret":  &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "o", Annotations: generated}},
		"planned ConfigMap": &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "o"}, Data: map[string]string{"a": "planned"}},
	} {
		for name, c := range map[string]struct {
			edit func(client.Object)
			want string
		}{
			"nothing":            {func(client.Object) {}, ""},
			"record of the pod":  {func(o client.Object) { o.GetAnnotations()[v1alpha1.AnnotationGenesisComplete] = "x" }, ""},
			"added label":        {func(o client.Object) { o.SetLabels(map[string]string{v1alpha1.LabelMember: "x"}) }, "/metadata/labels/benchnet.dev~1member"},
			"added annotation":   {func(o client.Object) { o.GetAnnotations()[v1alpha1.AnnotationReset] = "x" }, "/metadata/annotations/benchnet.dev~1reset"},
			"added owner":        {func(o client.Object) { addOwners(o, 1) }, "/metadata/ownerReferences"},
			"very many of those": {func(o client.Object) { addOwners(o, 100) }, "/metadata/ownerReferences"},
		} {
			t.Run(kind+" "+name, func(t *testing.T) {
				intent, err := w.buildIntent(owner, planned)
				if err != nil {
					t.Fatal(err)
				}
				live := reflect.New(reflect.TypeOf(planned).Elem()).Interface().(client.Object)
				if err := runtime.DefaultUnstructuredConverter.FromUnstructured(intent.DeepCopy().Object, live); err != nil {
					t.Fatal(err)
				}
				live.SetResourceVersion("7")
				isFilled := kind != "planned ConfigMap"
				switch o := live.(type) {
				case *corev1.ConfigMap:
					if isFilled {
						o.Data = map[string]string{"a": "content"}
					}
				case *corev1.Secret:
					o.Data = map[string][]byte{"a": []byte("content")}
				}
				c.edit(live)
				kinds.Trim(live)
				if seen := len(findDrift(intent, live)) > 0 && wasEdited(intent, live); seen != (c.want != "") {
					t.Fatalf("the edit is seen: %t", seen)
				}
				patch, err := contentPatch(intent, live, "7")
				if err != nil || !strings.Contains(string(patch), c.want) {
					t.Errorf("the patch lacks %s: %s, %v", c.want, patch, err)
				}
				if strings.Contains(string(patch), `"/data"`) == isFilled {
					t.Errorf("the patch writes the content of a filled object, or leaves that of a planned one: %s", patch)
				}
			})
		}
	}
}

// immutableJobFields are the fields of a Job's spec that are not restored, with the reason.
var immutableJobFields = map[string]string{
	"completionMode": "immutable", "podFailurePolicy": "immutable", "successPolicy": "immutable", "backoffLimitPerIndex": "immutable",
	"selector": "immutable", "managedBy": "immutable", "scheduling": "cannot be added, and the operator does not set it",
	"template":             "immutable; while the Job is suspended, its scheduling may change, and the operator reports that it is suspended",
	"suspend":              "reported, since Kueue may suspend a Job",
	"manualSelector":       "has no effect after the creation",
	"maxFailedIndexes":     "refused without backoffLimitPerIndex, which the operator does not set",
	"podReplacementPolicy": "has no effect on a Job whose pods are not replaced, and its default depends on podFailurePolicy",
}

// TestEveryJobFieldIsClassified names each field of a Job's spec that another client can change.
func TestEveryJobFieldIsClassified(t *testing.T) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[batchv1.JobSpec]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if _, immutable := immutableJobFields[name]; immutable == slices.Contains(kinds.MutableJobFields, name) {
			t.Errorf("%s: say whether the operator restores it, or why it need not", name)
		}
	}
}

// TestServiceDefaults compares the fields of a Service that the API server sets with other values.
func TestServiceDefaults(t *testing.T) {
	w := newOfflineWriter(t)
	owner := Owner{Object: &v1alpha1.BenchmarkNetwork{ObjectMeta: metav1.ObjectMeta{Name: "n", Namespace: "ns", UID: "1"}}}
	plan := func(kind corev1.ServiceType) *corev1.Service {
		return newService(func(s *corev1.Service) { s.Spec.Type = kind })
	}
	headless := newService(func(s *corev1.Service) { s.Spec.ClusterIP, s.Spec.Selector = "None", nil })
	policy := func(p corev1.IPFamilyPolicy) func(*corev1.Service) {
		return func(s *corev1.Service) { s.Spec.IPFamilyPolicy = &p }
	}
	for name, c := range map[string]struct {
		planned *corev1.Service
		edit    func(*corev1.Service)
		seen    bool
	}{
		"the port":                {plan(""), func(s *corev1.Service) { s.Spec.Ports[0].TargetPort = intstr.FromInt32(10200) }, false},
		"another port":            {plan(""), func(s *corev1.Service) { s.Spec.Ports[0].TargetPort = intstr.FromInt32(1) }, true},
		"a named port":            {plan(""), func(s *corev1.Service) { s.Spec.Ports[0].TargetPort = intstr.FromString("x") }, true},
		"node port":               {plan(""), func(s *corev1.Service) { s.Spec.Ports[0].NodePort = 30000 }, true},
		"node port of its type":   {plan(corev1.ServiceTypeNodePort), func(s *corev1.Service) { s.Spec.Ports[0].NodePort = 30000 }, false},
		"one family":              {plan(""), policy(corev1.IPFamilyPolicySingleStack), false},
		"both families":           {plan(""), policy(corev1.IPFamilyPolicyRequireDualStack), true},
		"both families, headless": {headless, policy(corev1.IPFamilyPolicyRequireDualStack), false},
		"type":                    {plan(""), func(s *corev1.Service) { s.Spec.Type = corev1.ServiceTypeNodePort }, true},
		"external traffic":        {plan(""), func(s *corev1.Service) { s.Spec.ExternalTrafficPolicy = "Local" }, true},
		"internal traffic":        {plan(""), func(s *corev1.Service) { s.Spec.InternalTrafficPolicy = new(corev1.ServiceInternalTrafficPolicyLocal) }, true},
		"internal traffic, the API server's": {plan(""), func(s *corev1.Service) {
			s.Spec.InternalTrafficPolicy = new(corev1.ServiceInternalTrafficPolicyCluster)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			intent, err := w.buildIntent(owner, c.planned)
			if err != nil {
				t.Fatal(err)
			}
			live := &corev1.Service{}
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(intent.DeepCopy().Object, live); err != nil {
				t.Fatal(err)
			}
			c.edit(live)
			if paths := findDrift(intent, live); len(paths) > 0 != c.seen {
				t.Errorf("drift is %v, want some: %t", paths, c.seen)
			}
		})
	}
}

func unseenReason(path string) string {
	for prefix, reason := range unseenAdditions {
		if path == prefix || strings.HasPrefix(path, prefix+".") {
			return reason
		}
	}
	return ""
}

// newFullObject returns an object of the kind with a value in every field.
func newFullObject(kind kinds.Kind) client.Object {
	object := reflect.New(reflect.TypeOf(kind.Object).Elem())
	for i := range object.Elem().NumField() {
		switch object.Elem().Type().Field(i).Name {
		case "TypeMeta", "ObjectMeta", "Status":
		default:
			fillValue(object.Elem().Field(i))
		}
	}
	full := object.Interface().(client.Object)
	full.SetName("o")
	full.SetLabels(map[string]string{"a": "1"})
	full.SetAnnotations(map[string]string{"b": "1"})
	switch o := full.(type) {
	case *corev1.Secret:
		o.StringData = nil // The API server never returns it.
	case *corev1.Service:
		o.Spec.Type, o.Spec.Ports[0].Port = "ClusterIP", 8
	}
	return full
}

// fillValue sets every field at any depth, lists and maps to one item.
func fillValue(v reflect.Value) {
	switch v.Interface().(type) {
	case resource.Quantity:
		v.Set(reflect.ValueOf(resource.MustParse("7")))
		return
	case intstr.IntOrString:
		v.Set(reflect.ValueOf(intstr.FromInt32(7)))
		return
	case metav1.Duration:
		v.Set(reflect.ValueOf(metav1.Duration{Duration: 7e9}))
		return
	case v1alpha1.Seconds, v1alpha1.Timeout, v1alpha1.Wait, v1alpha1.Delay, v1alpha1.Latency:
		v.FieldByName("Duration").SetInt(7e9)
		return
	case metav1.Time, metav1.MicroTime:
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillValue(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fillValue(v.Field(i))
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fillValue(v.Index(0))
	case reflect.Map:
		item := reflect.New(v.Type().Elem()).Elem()
		fillValue(item)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("k").Convert(v.Type().Key()), item)
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(7)
	case reflect.Uint8:
		v.SetUint('7') // Some bytes are JSON.
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(7)
	}
}

// contentOf returns the fields besides the metadata.
func contentOf(object map[string]any) map[string]any {
	content := maps.Clone(object)
	for _, field := range []string{"apiVersion", "kind", "metadata", "status"} {
		delete(content, field)
	}
	return content
}

// leafPath leads to a value that is neither map nor list: names of fields, and indices of lists.
type leafPath []any

func leavesOf(value any, path leafPath) []leafPath {
	var all []leafPath
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			all = append(all, leavesOf(v[name], append(slices.Clone(path), name))...)
		}
	case []any:
		for i := range v {
			all = append(all, leavesOf(v[i], append(slices.Clone(path), i))...)
		}
	case nil:
	default:
		all = append(all, path)
	}
	return all
}

// name returns the names of the fields.
func (p leafPath) name() string {
	var names []string
	for _, step := range p {
		if name, ok := step.(string); ok {
			names = append(names, name)
		}
	}
	return strings.Join(names, ".")
}

// edit returns a copy of the object with another value, or without the leaf if change is nil.
func (p leafPath) edit(object map[string]any, change func(any) any) map[string]any {
	edited := runtime.DeepCopyJSON(object)
	var current any = edited
	for i, step := range p {
		last := i == len(p)-1
		switch holder := current.(type) {
		case map[string]any:
			switch {
			case last && change == nil:
				delete(holder, step.(string))
			case last:
				holder[step.(string)] = change(holder[step.(string)])
			}
			current = holder[step.(string)]
		case []any:
			if last && change != nil {
				holder[step.(int)] = change(holder[step.(int)])
			} else if last {
				p[:i].edit(edited, func(any) any { return []any{} })
				return p[:i].edit(object, func(any) any { return []any{} })
			}
			current = holder[step.(int)]
		}
	}
	return edited
}

func changedValue(value any) any {
	switch v := value.(type) {
	case bool:
		return !v
	case int64:
		return v + 1
	case float64:
		return v + 1
	case string:
		if n, err := strconv.Atoi(v); err == nil {
			return strconv.Itoa(n + 1)
		}
		if strings.HasSuffix(v, "=") {
			return "Ag=="
		}
		if v == "7s" {
			return "8s"
		}
		return v + "y"
	}
	panic(fmt.Sprintf("value of type %T", value))
}
