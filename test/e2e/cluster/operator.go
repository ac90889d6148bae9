package cluster

import (
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const operatorDeployment = "benchnet-operator"

// OperatorPod returns the operator's pod. It fails the test unless there is exactly one.
func (n *Namespace) OperatorPod() *corev1.Pod {
	n.Helper()
	deployment := &appsv1.Deployment{}
	if err := n.Client.Get(n.Context(), client.ObjectKey{Namespace: OperatorNamespace, Name: operatorDeployment}, deployment); err != nil {
		n.Fatalf("the operator is not installed: %v; make install does that", err)
	}
	var pods corev1.PodList
	if err := n.Client.List(n.Context(), &pods, client.InNamespace(OperatorNamespace),
		client.MatchingLabels(deployment.Spec.Selector.MatchLabels)); err != nil {
		n.Fatalf("list the operator's pods: %v", err)
	}
	live := slices.DeleteFunc(pods.Items, func(pod corev1.Pod) bool { return pod.DeletionTimestamp != nil })
	if len(live) != 1 {
		n.Fatalf("the operator has %d pods, want 1", len(live))
	}
	return &live[0]
}

// KillOperator deletes the operator's pod without a grace period, as if its node failed, and waits for its replacement.
func (n *Namespace) KillOperator() {
	n.Helper()
	old := n.OperatorPod()
	if err := n.Client.Delete(n.Context(), old, client.GracePeriodSeconds(0)); err != nil {
		n.Fatalf("delete the operator's pod: %v", err)
	}
	n.Wait("another operator is ready", func() (bool, string) {
		var pods corev1.PodList
		if err := n.Client.List(n.Context(), &pods, client.InNamespace(OperatorNamespace), client.MatchingLabels(stableLabels(old.Labels))); err != nil {
			return false, err.Error()
		}
		for i := range pods.Items {
			if pods.Items[i].UID != old.UID && isPodReady(&pods.Items[i]) {
				return true, ""
			}
		}
		return false, "not yet"
	})
}

// stableLabels returns the labels that do not change with the pod template.
func stableLabels(labels map[string]string) map[string]string {
	kept := map[string]string{}
	for key, value := range labels {
		if strings.HasPrefix(key, "app.kubernetes.io/") {
			kept[key] = value
		}
	}
	return kept
}
