package controllers_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/apply"
	"github.com/benchnet/benchnet/internal/naming"
)

// createForeignObject creates an object that the operator does not own. untouched fails the test if the object
// has changed since.
func (w *testEnv) createForeignObject(object client.Object) (untouched func()) {
	w.t.Helper()
	object.SetNamespace(w.namespace)
	must(w.t, w.client.Create(w.ctx, object))
	return func() {
		w.t.Helper()
		now := object.DeepCopyObject().(client.Object)
		must(w.t, w.client.Get(w.ctx, client.ObjectKeyFromObject(object), now))
		if !equality.Semantic.DeepEqual(object, now) {
			w.t.Errorf("%T %s is a foreign object and must not change, but became %+v", object, object.GetName(), now)
		}
	}
}

// TestForeignObjectsStay checks that a foreign object with a name that the operator needs is reported and not
// changed, and that the network becomes ready after its deletion.
func TestForeignObjectsStay(t *testing.T) {
	cases := map[string]client.Object{
		"the network's first ConfigMap": &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: naming.EpochConfigMap("banks")}, Data: map[string]string{"mine": "1"}},
		"the account of its genesis":    &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: naming.GenesisJob("banks")}, AutomountServiceAccountToken: new(true)},
		"its password":                  &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: naming.DatabaseSuperuserSecret("banks")}, StringData: map[string]string{"mine": "1"}},
		"its database's Service": &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "banks-db"}, Spec: corev1.ServiceSpec{
			Ports: []corev1.ServicePort{{Port: 80}}}},
		"its database's claim": newForeignClaim("data-banks-db-0"),
	}
	for name, object := range cases {
		t.Run(name, func(t *testing.T) {
			w := newTestEnv(t)
			untouched := w.createForeignObject(object)
			must(t, w.createFromYAML(cordaNetwork[:strings.Index(cordaNetwork, "  workloads:")], &v1alpha1.BenchmarkNetwork{}))
			for range 2 {
				if _, err := w.networkReconciler().Reconcile(w.ctx, w.requestFor("banks")); err == nil {
					t.Error("the pass should end with an error")
				}
				untouched()
			}
			for _, kind := range []string{v1alpha1.ConditionReady, v1alpha1.ConditionStalled} {
				c := meta.FindStatusCondition(w.getNetwork("banks").Status.Conditions, kind)
				if c == nil || c.Reason != v1alpha1.ReasonStageFailed || !strings.Contains(c.Message, object.GetName()+" already exists") {
					t.Errorf("%s should name %s, but is %+v", kind, object.GetName(), c)
				}
			}
			w.loseObject(object)
			w.bringUp("banks")
			if s := w.getNetwork("banks").Status; !meta.IsStatusConditionTrue(s.Conditions, v1alpha1.ConditionReady) {
				t.Errorf("the network should be ready now, but is %+v", s.Conditions)
			}
		})
	}
}

// newForeignClaim returns a claim of somebody else.
func newForeignClaim(name string) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PersistentVolumeClaimSpec{
		AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
		Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}}}}
}

// TestForeignClaimsOfMembersStay checks that no member uses a claim of somebody else, but that a StatefulSet which was deleted
// finds its own claim again.
func TestForeignClaimsOfMembersStay(t *testing.T) {
	for name, c := range map[string]struct {
		labels  map[string]string
		refused bool
	}{
		"foreign":              {nil, true},
		"of another member":    {naming.MemberSelector("banks", "member-1"), true},
		"of an earlier member": {naming.MemberSelector("banks", "member-0"), false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newTestEnv(t)
			must(t, w.createFromYAML(cordaNetwork, &v1alpha1.BenchmarkNetwork{}))
			w.reconcileNetwork("banks")
			w.fillGenesisSecrets()
			w.markStatefulSetsReady()
			w.completeJobs()
			claim := newForeignClaim("base-banks-member-0-0")
			claim.Labels = c.labels
			untouched := w.createForeignObject(claim)
			var err error
			for range 2 { // The first pass creates the schemas.
				_, err = w.networkReconciler().Reconcile(w.ctx, w.requestFor("banks"))
				w.completeJobs()
			}
			if errors.Is(err, apply.ErrForeign) != c.refused {
				t.Errorf("got %v", err)
			}
			if exists := slices.Contains(w.statefulSetNames(), "banks-member-0"); exists == c.refused {
				t.Errorf("the member exists: %v", exists)
			}
			if message := w.networkReady().Message; strings.Contains(message, claim.Name+" already exists") != c.refused {
				t.Errorf("Ready is %q", message)
			}
			untouched()
		})
	}
}

// TestForeignObjectsOfRunStay checks that a run ends if a foreign object has a name that it needs, and that the next run begins.
func TestForeignObjectsOfRunStay(t *testing.T) {
	for name, object := range map[string]client.Object{
		"its barrier": &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: naming.BarrierConfigMap("extra")}, Data: map[string]string{"mine": "1"}},
		"its account": &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: naming.RunAccount("extra")}, AutomountServiceAccountToken: new(true)},
		"its Job":     &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: naming.WorkerJob("extra")}, Spec: batchv1.JobSpec{Suspend: new(true), Template: foreignPod}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newTestEnvWithRun(t, twoWorkerRun)
			untouched := w.createForeignObject(object)
			w.reconcileRun("extra")
			w.reconcileRun("extra")
			untouched()
			w.wantReason("extra", v1alpha1.ReasonProblem, object.GetName()+" already exists and was not created by the operator: delete it, or choose another name")
			w.wantNextRunBegins()
		})
	}
}

// foreignPod is the template of a Job of somebody else.
var foreignPod = corev1.PodTemplateSpec{Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "a", Image: "b"}}}}

// TestObjectsOfAnotherNetworkStay checks that the operator waits for the deletion of objects that belong to an
// earlier network of the same name.
func TestObjectsOfAnotherNetworkStay(t *testing.T) {
	w := newTestEnv(t)
	untouched := w.createForeignObject(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: naming.EpochConfigMap("banks"), OwnerReferences: []metav1.OwnerReference{
		{APIVersion: v1alpha1.GroupVersion.String(), Kind: "BenchmarkNetwork", Name: "banks", UID: "gone", Controller: new(true)}}}})
	must(t, w.createFromYAML(cordaNetwork, &v1alpha1.BenchmarkNetwork{}))
	_, err := w.networkReconciler().Reconcile(w.ctx, w.requestFor("banks"))
	if err == nil || !strings.Contains(err.Error(), "belongs to BenchmarkNetwork banks (gone)") {
		t.Errorf("the error should name the owner, but is %v", err)
	}
	untouched()
}

// TestWriterLeavesForeignObjects checks that a resource version in a desired object does not take over a
// foreign object.
func TestWriterLeavesForeignObjects(t *testing.T) {
	w := newTestEnv(t)
	foreign := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "s"}, StringData: map[string]string{"password": "mine"}}
	untouched := w.createForeignObject(foreign)
	must(t, w.createFromYAML(cordaNetwork, &v1alpha1.BenchmarkNetwork{}))
	desired := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "s", ResourceVersion: foreign.ResourceVersion}, StringData: map[string]string{"password": "taken"}}
	err := w.newDependencies().Writer.Apply(w.ctx, apply.Owner{Object: w.getNetwork("banks")}, desired, nil)
	if !errors.Is(err, apply.ErrForeign) {
		t.Errorf("got %v", err)
	}
	untouched()
}
