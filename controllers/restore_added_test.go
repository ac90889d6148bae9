package controllers_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/apply"
)

// TestRestoresAddedContent has another client add to objects of each kind what a server-side apply would leave. The objects
// must get their planned content again, also if the managed fields were cleared.
func TestRestoresAddedContent(t *testing.T) {
	w := newTestEnv(t)
	counted := w.startManager()
	must(t, w.client.Create(w.ctx, &corev1.ConfigMap{ObjectMeta: w.objectMeta("mine"), BinaryData: map[string][]byte{"mine.tgz": packChart(t, databaseChart)}}))
	must(t, w.createFromYAML(strings.Replace(cordaNetwork, "topology: Shared", "topology: Shared, provider: Chart, chart: {configMapName: mine, key: mine.tgz}", 1), &v1alpha1.BenchmarkNetwork{}))
	w.waitFor("a run starts", func() bool {
		w.simulateCluster()
		return w.firstOwned("Job", v1alpha1.LabelRun, "banks-issue") != nil
	})
	w.waitUntilQuiet(counted)
	const network, run = v1alpha1.LabelNetwork, v1alpha1.LabelRun
	const addOwner = `[{"op": "add", "path": "/metadata/ownerReferences/-", "value": {"apiVersion": "v1", "kind": "ConfigMap", "name": "mine", "uid": "11111111-1111-1111-1111-111111111111"}}]`
	cases := []struct{ kind, label, owner, patch string }{
		{"Service", network, "banks", addOwner},
		{"StatefulSet", network, "banks", addOwner},
		{"Job", run, "banks-issue", addOwner},
		{"NetworkPolicy", network, "banks", `[{"op": "add", "path": "/spec/ingress", "value": [{}]}, {"op": "add", "path": "/metadata/annotations/benchnet.dev~1applied-generation", "value": "2"}]`},
		{"NetworkPolicy", network, "banks", `[{"op": "add", "path": "/spec/ingress", "value": [{}]}]`},
		{"NetworkPolicy", network, "banks", `[{"op": "add", "path": "/spec/egress", "value": [{}]}]`},
		{"StatefulSet", network, "banks", `[{"op": "add", "path": "/spec/replicas", "value": 0}, {"op": "add", "path": "/metadata/annotations/benchnet.dev~1applied-generation", "value": "2"}]`},
		{"StatefulSet", network, "banks", `[{"op": "add", "path": "/spec/template/spec/containers/-", "value": {"name": "miner", "image": "miner"}}]`},
		{"StatefulSet", network, "banks", `[{"op": "add", "path": "/spec/template/spec/nodeSelector", "value": {"added": "x"}}]`},
		{"Service", network, "banks", `[{"op": "add", "path": "/spec/selector/added", "value": "x"}]`},
		{"Service", network, "banks", `[{"op": "add", "path": "/spec/externalIPs", "value": ["192.0.2.1"]}]`},
		{"PodDisruptionBudget", network, "banks", `[{"op": "add", "path": "/spec/unhealthyPodEvictionPolicy", "value": "AlwaysAllow"}]`},
		{"ConfigMap", network, "banks", `[{"op": "add", "path": "/data/added", "value": "x"}]`},
		{"ConfigMap", network, "banks", `[{"op": "add", "path": "/binaryData", "value": {"added": "eA=="}}]`},
		{"Job", run, "banks-issue", `[{"op": "add", "path": "/spec/parallelism", "value": 0}]`},
		{"Job", run, "banks-issue", `[{"op": "replace", "path": "/spec/parallelism", "value": 9}, {"op": "replace", "path": "/spec/completions", "value": 9}]`},
		{"Job", run, "banks-issue", `[{"op": "add", "path": "/spec/backoffLimit", "value": 7}, {"op": "add", "path": "/spec/ttlSecondsAfterFinished", "value": 9}]`},
		{"Job", run, "banks-issue", `[{"op": "add", "path": "/spec/activeDeadlineSeconds", "value": 7}]`},
		{"Job", run, "banks-issue", `[{"op": "add", "path": "/metadata/labels/benchnet.dev~1member", "value": "x"}]`},
		{"Job", run, "banks-issue", `[{"op": "remove", "path": "/metadata/labels/app.kubernetes.io~1component"}]`},
		{"StatefulSet", network, "banks", `[{"op": "add", "path": "/metadata/labels/app.kubernetes.io~1version", "value": "x"}]`},
		{"Service", network, "banks", `[{"op": "add", "path": "/metadata/annotations/benchnet.dev~1epoch", "value": "x"}]`},
		{"PersistentVolumeClaim", network, "banks", `[{"op": "add", "path": "/metadata/labels/app.kubernetes.io~1part-of", "value": "x"}]`},
		{"RoleBinding", run, "banks-issue", `[{"op": "add", "path": "/subjects/-", "value": {"kind": "User", "name": "x", "apiGroup": "rbac.authorization.k8s.io"}}]`},
		{"Role", run, "banks-issue", `[{"op": "add", "path": "/rules/-", "value": {"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}}]`},
		{"ServiceAccount", run, "banks-issue", `[{"op": "add", "path": "/secrets", "value": [{"name": "x"}]}]`},
		{"ServiceAccount", run, "banks-issue", `[{"op": "add", "path": "/imagePullSecrets", "value": [{"name": "x"}]}]`},
	}
	for _, c := range cases {
		for _, cleared := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s %s cleared managed fields %t", c.kind, c.patch, cleared), func(t *testing.T) {
				patch := c.patch
				if cleared {
					patch = strings.Replace(patch, "[", `[{"op": "replace", "path": "/metadata/managedFields", "value": [{}]}, `, 1)
				}
				w.editAndAwait(t, w.firstPlanned(c.kind, c.label, c.owner), patch)
			})
		}
	}
	w.markStatefulSetsReady() // Each restored spec is another generation, which the controller has to observe.
	w.waitUntilQuiet(counted)
}

// firstPlanned returns the first object of the kind with planned content: pods fill some ConfigMaps.
func (w *testEnv) firstPlanned(kind, label, owner string) client.Object {
	for _, o := range w.listOwnedObjects() {
		cm, isConfigMap := o.(*corev1.ConfigMap)
		if gvk, err := apiutil.GVKForObject(o, w.client.Scheme()); err == nil && gvk.Kind == kind && o.GetLabels()[label] == owner && (!isConfigMap || len(cm.Data) > 0) {
			return o
		}
	}
	w.t.Fatalf("%s has no %s with content", owner, kind)
	return nil
}

// editAndAwait applies the JSON patch and waits until the content of the object is what it was before.
func (w *testEnv) editAndAwait(t *testing.T, object client.Object, patch string) {
	t.Helper()
	before, labels, annotations := w.contentOf(t, object), object.GetLabels(), object.GetAnnotations()
	uid, owners := object.GetUID(), object.GetOwnerReferences()
	must(t, w.client.Patch(w.ctx, object, client.RawPatch(types.JSONPatchType, []byte(patch)), client.FieldOwner("somebody")))
	w.waitFor(fmt.Sprintf("%T %s is restored", object, object.GetName()), func() bool {
		must(t, w.client.Get(w.ctx, client.ObjectKeyFromObject(object), object))
		return equality.Semantic.DeepEqual(w.contentOf(t, object), before) && maps.Equal(object.GetLabels(), labels) &&
			maps.Equal(object.GetAnnotations(), annotations) && equality.Semantic.DeepEqual(object.GetOwnerReferences(), owners)
	})
	if object.GetUID() != uid {
		t.Errorf("%s was replaced, want it restored", object.GetName())
	}
}

// contentOf returns everything but the metadata and the status of an object.
func (w *testEnv) contentOf(t *testing.T, object client.Object) map[string]any {
	t.Helper()
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	must(t, err)
	unstructured.RemoveNestedField(fields, "metadata")
	maps.DeleteFunc(fields, func(field string, _ any) bool {
		return slices.Contains([]string{"kind", "apiVersion", "status"}, field)
	})
	return fields
}

// TestStaleCacheNeverTakesOver applies a drifted object from a stale cache after a user has created another one of its name.
func TestStaleCacheNeverTakesOver(t *testing.T) {
	w := newTestEnv(t)
	owner := &corev1.ConfigMap{ObjectMeta: w.objectMeta("owner")}
	must(t, w.client.Create(w.ctx, owner))
	writer := apply.NewWriter(w.client, w.client, w.client.Scheme())
	for name, data := range map[string]map[string]string{"changed": {"a": "2"}, "added": {"a": "1", "b": "x"}} {
		t.Run(name, func(t *testing.T) {
			stale := &corev1.ConfigMap{ObjectMeta: w.objectMeta(name), Data: data}
			stale.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name, UID: owner.UID, Controller: new(true)}}
			must(t, w.client.Create(w.ctx, stale))
			must(t, w.client.Delete(w.ctx, stale.DeepCopy()))
			users := &corev1.ConfigMap{ObjectMeta: w.objectMeta(name), Data: map[string]string{"users": "x"}}
			must(t, w.client.Create(w.ctx, users))
			desired := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"a": "1"}}
			if err := writer.Apply(w.ctx, apply.Owner{Object: owner}, desired, stale); !apierrors.IsConflict(err) {
				t.Errorf("got %v, want a conflict", err)
			}
			must(t, w.client.Get(w.ctx, client.ObjectKeyFromObject(users), users))
			if len(users.Data) != 1 || len(users.OwnerReferences) > 0 {
				t.Errorf("the user's object was taken over: %+v", users)
			}
		})
	}
}

// TestRolloutRestartIsReported restarts a member as kubectl rollout restart does. The template is restored, and an event says so.
func TestRolloutRestartIsReported(t *testing.T) {
	w := newTestEnv(t)
	counted := w.startManager()
	w.createReadyNetwork("validators")
	w.waitUntilQuiet(counted)
	set := w.firstPlanned("StatefulSet", v1alpha1.LabelNetwork, "validators")
	w.editAndAwait(t, set, `[{"op": "add", "path": "/spec/template/metadata/annotations/kubectl.kubernetes.io~1restartedAt", "value": "2026-01-01T00:00:00Z"}]`)
	want := fmt.Sprintf("StatefulSet/%s was changed by another client (spec) and is restored", set.GetName())
	w.waitFor("event "+want, func() bool {
		var events eventsv1.EventList
		must(t, w.client.List(w.ctx, &events, client.InNamespace(w.namespace)))
		return slices.ContainsFunc(events.Items, func(e eventsv1.Event) bool {
			return e.Reason == apply.ReasonObjectRestored && e.Note == want && e.Regarding.Name == "validators"
		})
	})
}
