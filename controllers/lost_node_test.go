package controllers_test

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// TestLostNodeIsReported loses the node of a member as the node controller sees it: first the pod is not ready, then
// it is deleted, which no kubelet confirms.
func TestLostNodeIsReported(t *testing.T) {
	w := newTestEnv(t)
	w.podNode = "lost"
	must(t, w.createFromYAML(cordaNetwork, &v1alpha1.BenchmarkNetwork{}))
	w.bringUp("banks")

	set, pod := &appsv1.StatefulSet{}, &corev1.Pod{}
	w.mustGet("banks-member-1", set)
	w.mustGet("banks-member-1-0", pod)
	before := pod.DeepCopy()
	pod.Status.Conditions[0].Status = corev1.ConditionFalse
	must(t, w.client.Status().Patch(w.ctx, pod, client.MergeFrom(before)))
	was := set.DeepCopy()
	set.Status.ReadyReplicas = 0
	must(t, w.client.Status().Patch(w.ctx, set, client.MergeFrom(was)))
	w.expectNotReady("banks", "pod banks-member-1-0: node lost has stopped reporting it", "kubectl delete node lost")

	must(t, w.client.Delete(w.ctx, pod))
	w.expectNotReady("banks", "pod banks-member-1-0: is being deleted, which node lost has not confirmed yet", "kubectl delete node lost")
}

// expectNotReady reconciles a network, which must become Degraded with a message that contains the parts.
func (w *testEnv) expectNotReady(name string, parts ...string) {
	w.t.Helper()
	w.reconcileNetwork(name)
	network := w.getNetwork(name)
	c := meta.FindStatusCondition(network.Status.Conditions, v1alpha1.ConditionReady)
	if network.Status.Phase != v1alpha1.PhaseDegraded || c.Status != metav1.ConditionFalse {
		w.t.Errorf("the network is %s, Ready is %s", network.Status.Phase, c.Status)
	}
	for _, part := range parts {
		if !strings.Contains(c.Message, part) {
			w.t.Errorf("the message should say %q: %s", part, c.Message)
		}
	}
}
