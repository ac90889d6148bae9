package controllers_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/kinds"
)

// databaseChart is a user's chart with the kinds that the operator's own networks do not have.
const databaseChart = `
apiVersion: v1
kind: Service
metadata: {name: {{ .Values.fullnameOverride }}}
spec: {selector: {app: mine}, ports: [{port: 5432}]}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: {{ .Values.fullnameOverride }}-backup}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: {{ .Values.fullnameOverride }}}
spec: {minAvailable: 1, selector: {matchLabels: {app: mine}}}
`

// TestRestoresDeletedObjects deletes one object of each kind that the operator creates. Nothing else happens to
// the network, so only a watch of the kind restores the object.
func TestRestoresDeletedObjects(t *testing.T) {
	w := newTestEnv(t)
	counted := w.startManager()
	must(t, w.client.Create(w.ctx, &corev1.ConfigMap{ObjectMeta: w.objectMeta("mine"), BinaryData: map[string][]byte{"mine.tgz": packChart(t, databaseChart)}}))
	must(t, w.createFromYAML(strings.Replace(cordaNetwork, "topology: Shared", "topology: Shared, provider: Chart, chart: {configMapName: mine, key: mine.tgz}", 1), &v1alpha1.BenchmarkNetwork{}))
	restored := map[string]bool{}
	restore := func(label, owner string, names ...string) {
		for _, kind := range names {
			t.Run(kind+" of "+owner, func(t *testing.T) { w.deleteAndAwait(t, kind, label, owner) })
			restored[kind] = true
		}
	}
	w.waitFor("genesis starts", func() bool { return w.firstOwned("Job", v1alpha1.LabelNetwork, "banks") != nil })
	restore(v1alpha1.LabelNetwork, "banks", "Role", "RoleBinding", "ServiceAccount", "Job")
	w.waitFor("a run starts", func() bool {
		w.simulateCluster()
		return w.firstOwned("Job", v1alpha1.LabelRun, "banks-issue") != nil
	})
	w.waitUntilQuiet(counted) // So that no event of an earlier write hides a missing watch.
	restore(v1alpha1.LabelNetwork, "banks", "PodDisruptionBudget", "NetworkPolicy", "PersistentVolumeClaim", "Service", "ConfigMap")
	restored["Secret"] = true // Only before anything uses it: see TestGeneratedSecretsAreNotMadeAgain.
	restore(v1alpha1.LabelRun, "banks-issue", "Role", "RoleBinding", "ServiceAccount", "ConfigMap", "Job")
	restore(v1alpha1.LabelNetwork, "banks", "BenchmarkRun", "StatefulSet")
	for _, kind := range kinds.Owned() {
		if name := kind.GroupKind().Kind; !restored[name] {
			t.Errorf("the operator creates objects of kind %s, but this test restores none", name)
		}
	}
}

// firstOwned returns the first object of the kind with the label, or nil.
func (w *testEnv) firstOwned(kind, label, owner string) client.Object {
	w.t.Helper()
	for _, o := range w.listOwnedObjects() {
		if reflect.TypeOf(o).Elem().Name() == kind && o.GetLabels()[label] == owner {
			return o
		}
	}
	return nil
}

// deleteAndAwait deletes the first object of the kind and waits until another one with its name exists.
func (w *testEnv) deleteAndAwait(t *testing.T, kind, label, owner string) {
	t.Helper()
	var object client.Object
	// The object deleted before may own this one, which is then created again too.
	w.waitFor(owner+" has a "+kind, func() bool {
		object = w.firstOwned(kind, label, owner)
		return object != nil
	})
	before := object.GetUID()
	// There is no controller here that removes the finalizer which protects volumes.
	must(t, w.client.Patch(w.ctx, object, client.RawPatch(types.MergePatchType, []byte(`{"metadata": {"finalizers": null}}`))))
	must(t, w.client.Delete(w.ctx, object, client.PropagationPolicy(metav1.DeletePropagationBackground)))
	for deadline := time.Now().Add(10 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		w.collectGarbage()
		err := w.client.Get(w.ctx, client.ObjectKeyFromObject(object), object)
		if err == nil && object.GetUID() != before && object.GetDeletionTimestamp() == nil {
			return
		}
		must(t, client.IgnoreNotFound(err))
		if time.Now().After(deadline) {
			t.Fatalf("%s %s was deleted and not recreated: %+v", kind, object.GetName(),
				meta.FindStatusCondition(w.getNetwork("banks").Status.Conditions, v1alpha1.ConditionReady))
		}
	}
}
