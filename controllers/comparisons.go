package controllers

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
)

// comparisons are the designs of experiments by UID. Designs cannot change. The zero value is ready for use.
type comparisons map[types.UID]*experiment.Design

// unitOf returns the key and the size of the set of networks with which a network begins. Only an experiment that exists,
// has the UID of the network's controller and plans a network of that name joins it with others.
func (c *comparisons) unitOf(ctx context.Context, reader client.Reader, network *v1alpha1.BenchmarkNetwork) (key string, size int) {
	alone := string(network.UID)
	owner := metav1.GetControllerOfNoCopy(network)
	if owner == nil || owner.Kind != "BenchmarkExperiment" {
		return alone, 1
	}
	e := &v1alpha1.BenchmarkExperiment{}
	err := reader.Get(ctx, client.ObjectKey{Namespace: network.Namespace, Name: owner.Name}, e, client.UnsafeDisableDeepCopy)
	if err != nil || e.UID != owner.UID {
		delete(*c, owner.UID)
		return alone, 1
	}
	if *c == nil {
		*c = comparisons{}
	}
	if (*c)[e.UID] == nil {
		design, err := experiment.Expand(e)
		if err != nil {
			return alone, 1
		}
		(*c)[e.UID] = design
	}
	first, size := (*c)[e.UID].Together(network.Name)
	if size < 2 {
		return alone, 1
	}
	return string(e.UID) + "/" + first, size
}

// exceededBy returns the limit that so many networks of one namespace exceed, or an empty string.
func (l Limits) exceededBy(networks int) string {
	if l.MaxNetworks > 0 && networks > l.MaxNetworks {
		return fmt.Sprintf("maxNetworks %d", l.MaxNetworks)
	}
	if l.MaxNetworksPerNamespace > 0 && networks > l.MaxNetworksPerNamespace {
		return fmt.Sprintf("maxNetworksPerNamespace %d", l.MaxNetworksPerNamespace)
	}
	return ""
}
