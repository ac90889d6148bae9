package cluster

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// WaitScheduled waits until the scheduler has decided on all of the given number of pods. It returns how many
// it placed, how many it refused, and the message of one refusal. The containers need not start.
func (n *Namespace) WaitScheduled(pods int) (placed, refused int, why string) {
	n.Helper()
	n.Wait(fmt.Sprintf("%d pods are scheduled, or refused", pods), func() (bool, string) {
		var list corev1.PodList
		if err := n.Client.List(n.Context(), &list, client.InNamespace(n.Name)); err != nil {
			return false, err.Error()
		}
		placed, refused, why = 0, 0, ""
		for i := range list.Items {
			for _, c := range list.Items[i].Status.Conditions {
				switch {
				case c.Type != corev1.PodScheduled:
				case c.Status == corev1.ConditionTrue:
					placed++
				default:
					refused, why = refused+1, c.Message
				}
			}
		}
		return len(list.Items) == pods && placed+refused == pods, fmt.Sprintf("%d of %d", placed+refused, pods)
	})
	return placed, refused, why
}
