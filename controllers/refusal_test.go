package controllers_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
)

// refusals are answers of the API server to a write that no retry changes.
var refusals = map[string]error{
	"a policy": apierrors.NewForbidden(schema.GroupResource{Resource: "things"}, "x", errors.New("policy labels: label team is required")),
	"invalid":  apierrors.NewInvalid(schema.GroupKind{Kind: "Thing"}, "x", nil),
}

// refuseWrites makes the API server refuse every object of a kind. It returns the object that was refused last.
func (w *testEnv) refuseWrites(kind string, answer error) (refused *string, allow func()) {
	refused = new(string)
	w.t.Helper()
	before := w.operatorClient
	check := func(o client.Object) error {
		gvk, err := before.GroupVersionKindFor(o)
		if err != nil || gvk.Kind != kind || o.GetResourceVersion() != "" {
			return err
		}
		*refused = o.GetName()
		return answer
	}
	w.interceptOperator(interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			if err := check(o); err != nil {
				return err
			}
			return c.Create(ctx, o, opts...)
		},
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
			if err := check(o); err != nil {
				return err
			}
			return c.Patch(ctx, o, p, opts...)
		},
	})
	return refused, func() { w.operatorClient = before }
}

// TestRefusedWritesOfNetworksAreReported refuses each kind of object of a network, in whatever stage, and checks that Ready and
// Stalled name the kind and the answer, and that the network becomes ready when the objects are admitted.
func TestRefusedWritesOfNetworksAreReported(t *testing.T) {
	for _, kind := range []string{"ConfigMap", "Secret", "ServiceAccount", "Role", "RoleBinding", "Service", "NetworkPolicy", "Job", "StatefulSet", "BenchmarkRun"} {
		for name, answer := range refusals {
			t.Run(kind+" "+name, func(t *testing.T) {
				w := newTestEnv(t)
				must(t, w.createFromYAML(cordaNetwork, &v1alpha1.BenchmarkNetwork{}))
				if kind == "BenchmarkRun" {
					w.bringUp("banks")
					must(t, w.client.DeleteAllOf(w.ctx, &v1alpha1.BenchmarkRun{}, client.InNamespace(w.namespace)))
				}
				refused, allow := w.refuseWrites(kind, answer)
				if _, err := w.networkReconciler().Reconcile(w.ctx, w.requestFor("banks")); err == nil || *refused == "" {
					t.Fatalf("nothing was refused: %v", err)
				}
				for _, condition := range []string{v1alpha1.ConditionReady, v1alpha1.ConditionStalled} {
					c := meta.FindStatusCondition(w.getNetwork("banks").Status.Conditions, condition)
					if c == nil || c.Reason != v1alpha1.ReasonStageFailed || !strings.Contains(c.Message, answer.Error()) {
						t.Errorf("%s is %+v", condition, c)
					}
				}
				allow()
				w.bringUp("banks")
				if !meta.IsStatusConditionTrue(w.getNetwork("banks").Status.Conditions, v1alpha1.ConditionReady) {
					t.Errorf("the network should be ready: %+v", w.getNetwork("banks").Status.Conditions)
				}
			})
		}
	}
}

// TestRefusedWritesOfRunsEndThem refuses each kind of object of a run that has not begun. The run ends, says why, leaves nothing
// and the next run on the network begins.
func TestRefusedWritesOfRunsEndThem(t *testing.T) {
	for _, kind := range []string{"ConfigMap", "ServiceAccount", "Role", "RoleBinding", "Job"} {
		for name, answer := range refusals {
			t.Run(kind+" "+name, func(t *testing.T) {
				w := newTestEnvWithRun(t, twoWorkerRun)
				_, allow := w.refuseWrites(kind, answer)
				w.reconcileRun("extra")
				w.wantReason("extra", v1alpha1.ReasonProblem, answer.Error())
				if conditions := w.getRun("extra").Status.Conditions; !meta.IsStatusConditionTrue(conditions, v1alpha1.ConditionStalled) {
					t.Errorf("the run should be stalled: %+v", conditions)
				}
				allow()
				w.reconcileRun("extra")
				w.wantNothingLeft("extra")
				w.wantNextRunBegins()
			})
		}
	}
}

// wantNextRunBegins creates another run on the network, which must have its turn.
func (w *testEnv) wantNextRunBegins() {
	w.t.Helper()
	must(w.t, w.createFromYAML(strings.Replace(twoWorkerRun, "name: extra}", "name: later}", 1), &v1alpha1.BenchmarkRun{}))
	w.reconcileNetwork("banks")
	w.reconcileRun("later")
	w.wantReason("later", v1alpha1.ReasonWaitingForWorkers, "0 of 2 workers")
}

// wantNothingLeft checks that a run that has ended has no objects but its Job and its result.
func (w *testEnv) wantNothingLeft(run string) {
	w.t.Helper()
	for _, list := range []client.ObjectList{&corev1.ConfigMapList{}, &corev1.ServiceAccountList{}, &rbacv1.RoleList{}, &rbacv1.RoleBindingList{}} {
		must(w.t, w.client.List(w.ctx, list, client.InNamespace(w.namespace), client.MatchingLabels(naming.RunSelector(run))))
		objects, err := meta.ExtractList(list)
		must(w.t, err)
		for _, o := range objects {
			if name := o.(client.Object).GetName(); name != naming.ResultConfigMap(run) {
				w.t.Errorf("%T %s is left", o, name)
			}
		}
	}
}

// TestEndedRunsLeaveNothing ends a run in each way.
func TestEndedRunsLeaveNothing(t *testing.T) {
	for name, end := range map[string]func(*testEnv){
		"cancelled before its release": func(w *testEnv) { w.cancelRun("extra") },
		"failed":                       func(w *testEnv) { w.failJob("extra", 1) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newTestEnvWithRun(t, twoWorkerRun)
			w.reconcileRun("extra")
			w.mustGet(naming.RunAccount("extra"), &corev1.ServiceAccount{})
			end(w)
			for range 3 {
				w.reconcileRun("extra")
			}
			if !w.getRun("extra").IsComplete() {
				t.Fatalf("the run has not ended: %+v", w.getRun("extra").Status.Conditions)
			}
			w.wantNothingLeft("extra")
		})
	}
}

// TestForeignResultEndsRun checks that a run whose result could not be written does not begin.
func TestForeignResultEndsRun(t *testing.T) {
	w := newTestEnvWithRun(t, twoWorkerRun)
	untouched := w.createForeignObject(&corev1.ConfigMap{ObjectMeta: w.objectMeta(naming.ResultConfigMap("extra")), Data: map[string]string{"mine": "1"}})
	w.reconcileRun("extra")
	w.reconcileRun("extra")
	untouched()
	w.wantReason("extra", v1alpha1.ReasonProblem, "ConfigMap extra-result already exists and was not created by the operator: delete it, or choose another name")
	w.wantNextRunBegins()
}

// TestRunsOfTwoNetworksWithOneName checks that of two networks whose workloads have runs of one name, the younger is refused at
// once, and that it is accepted when the other is deleted.
func TestRunsOfTwoNetworksWithOneName(t *testing.T) {
	for _, c := range []struct{ name, first, workload, second, other string }{
		{"a prefix", "banks", "eu-blocks", "banks-eu", "blocks"},
		{"a longer one first", "banks-eu", "blocks", "banks", "eu-blocks"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newTestEnv(t)
			create := func(network, workload string) {
				spec := fmt.Sprintf("spec:\n  workloads: [{name: %s, type: Blocks, blocks: {observe: member-0}, measure: {warmUp: 1s, window: 10s}}]", workload)
				w.createSmallNetwork(network, "spec:", spec)
			}
			create(c.first, c.workload)
			w.reconcileNetwork(c.first)
			create(c.second, c.other)
			if w.getNetwork(c.first).CreationTimestamp.Equal(&w.getNetwork(c.second).CreationTimestamp) && c.second < c.first {
				c.first, c.second = c.second, c.first // Created in one second: the order of their names decides.
			}
			if result := w.reconcileNetwork(c.second); result.RequeueAfter == 0 {
				t.Error("the network should look again whether the name is free")
			}
			ready := meta.FindStatusCondition(w.getNetwork(c.second).Status.Conditions, v1alpha1.ConditionStalled)
			if ready == nil || ready.Status != metav1.ConditionTrue || !strings.Contains(ready.Message, "BenchmarkRun banks-eu-blocks is that of workload ") ||
				!strings.Contains(ready.Message, "BenchmarkNetwork "+c.first) {
				t.Errorf("Stalled is %+v", ready)
			}
			must(t, w.client.Delete(w.ctx, w.getNetwork(c.first)))
			w.reconcileNetwork(c.second)
			if conditions := w.getNetwork(c.second).Status.Conditions; !meta.IsStatusConditionTrue(conditions, v1alpha1.ConditionAccepted) {
				t.Errorf("the network should be accepted: %+v", conditions)
			}
		})
	}
}

// TestRefusedExperimentIsStalled checks that an experiment names the network or the run that the API server refuses.
func TestRefusedExperimentIsStalled(t *testing.T) {
	for _, kind := range []string{"BenchmarkNetwork", "BenchmarkRun"} {
		for name, answer := range refusals {
			t.Run(kind+" "+name, func(t *testing.T) {
				w := newTestEnv(t)
				w.createNode("laboratory", "64", "256Gi")
				must(t, w.createFromYAML(gridExperiment, &v1alpha1.BenchmarkExperiment{}))
				w.refuseWrites(kind, answer)
				_, err := w.experimentReconciler().Reconcile(w.ctx, w.requestFor("grid"))
				conditions := w.getExperiment("grid").Status.Conditions
				c := meta.FindStatusCondition(conditions, v1alpha1.ConditionStalled)
				known := []string{v1alpha1.ReasonProblem, v1alpha1.ReasonInvalidSpec} // Preflight finds an invalid network.
				if c == nil || !slices.Contains(known, c.Reason) || !strings.Contains(c.Message, answer.Error()) {
					t.Errorf("the pass returned %v, the conditions are %+v", err, conditions)
				}
			})
		}
	}
}

// TestRefusedWorkloadOfKueueIsReported checks that a network says that the API server refuses its Workload.
func TestRefusedWorkloadOfKueueIsReported(t *testing.T) {
	w := newTestEnvWithKueue(t)
	w.createSmallNetwork("a", withQueueLabel("a", "ours")...)
	w.refuseWrites("Workload", refusals["a policy"])
	if _, err := w.networkReconciler().Reconcile(w.ctx, w.requestFor("a")); err == nil {
		t.Error("the pass should end with an error")
	}
	c := meta.FindStatusCondition(w.getNetwork("a").Status.Conditions, v1alpha1.ConditionStalled)
	if c == nil || !strings.Contains(c.Message, "policy labels") {
		t.Errorf("the conditions are %+v", w.getNetwork("a").Status.Conditions)
	}
}
