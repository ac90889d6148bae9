package cluster

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// WaitScheduled waits until the scheduler has looked at each of the namespace's pods, of which there are to be so many: how many it
// placed, how many it could not place, and what it says of one of these. Whether their containers start does not matter.
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
