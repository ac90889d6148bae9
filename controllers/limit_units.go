package controllers

import (
	"cmp"
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
)

// designsByUID holds designs by the UIDs of their experiments. A design cannot change.
type designsByUID map[types.UID]*experiment.Design

// unitKeyAndSize returns the key and the size of a network's admission unit. A network shares a unit only if
// its controller is an existing experiment with the same UID that plans a network of that name. The
// experiment's design is added to used.
func (l *Limiter) unitKeyAndSize(ctx context.Context, network *v1alpha1.BenchmarkNetwork, used designsByUID) (key string, size int) {
	owner := metav1.GetControllerOfNoCopy(network)
	if owner != nil && owner.Kind == "BenchmarkExperiment" && l.addDesign(ctx, network.Namespace, owner, used) {
		if first, size := used[owner.UID].ConcurrentGroup(network.Name); size > 1 {
			return string(owner.UID) + "/" + first, size
		}
	}
	return string(network.UID), 1
}

// addDesign adds the design of an experiment to used. It returns false if the experiment does not exist or has
// no valid design.
func (l *Limiter) addDesign(ctx context.Context, namespace string, owner *metav1.OwnerReference, used designsByUID) bool {
	e := &v1alpha1.BenchmarkExperiment{}
	err := l.Client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: owner.Name}, e, client.UnsafeDisableDeepCopy)
	if err != nil || e.UID != owner.UID {
		return false
	}
	if used[e.UID] = cmp.Or(used[e.UID], l.lastDesigns[e.UID]); used[e.UID] == nil {
		used[e.UID], err = experiment.NewDesign(e)
	}
	return err == nil
}

// exceededBy returns the limit that this number of networks in one namespace exceeds, or an empty string.
func (l Limits) exceededBy(networks int) string {
	if l.MaxNetworks > 0 && networks > l.MaxNetworks {
		return fmt.Sprintf("maxNetworks %d", l.MaxNetworks)
	}
	if l.MaxNetworksPerNamespace > 0 && networks > l.MaxNetworksPerNamespace {
		return fmt.Sprintf("maxNetworksPerNamespace %d", l.MaxNetworksPerNamespace)
	}
	return ""
}
