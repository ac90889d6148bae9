package controllers

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/status"
)

// comparisons caches the designs of experiments, which cannot change. The zero value is ready for use.
type comparisons struct {
	designs map[types.UID]*experiment.Design
	// used are the designs that were looked up since the last prune.
	used map[types.UID]*experiment.Design
}

// unitOf returns the key and the size of the set of networks that begin together with a network. Only an experiment that exists, has
// the UID of the network's controller and plans a network of that name puts it into a set with others.
func (c *comparisons) unitOf(ctx context.Context, reader client.Reader, network *v1alpha1.BenchmarkNetwork) (key string, size int) {
	owner := metav1.GetControllerOfNoCopy(network)
	if owner == nil || owner.Kind != "BenchmarkExperiment" {
		return string(network.UID), 1
	}
	design := c.designOf(ctx, reader, network.Namespace, owner)
	if design == nil {
		return string(network.UID), 1
	}
	first, size := design.Together(network.Name)
	if size < 2 {
		return string(network.UID), 1
	}
	return string(owner.UID) + "/" + first, size
}

// designOf returns the design of an experiment, or nil if it does not exist or has none.
func (c *comparisons) designOf(ctx context.Context, reader client.Reader, namespace string, owner *metav1.OwnerReference) *experiment.Design {
	e := &v1alpha1.BenchmarkExperiment{}
	err := reader.Get(ctx, client.ObjectKey{Namespace: namespace, Name: owner.Name}, e, client.UnsafeDisableDeepCopy)
	if err != nil || e.UID != owner.UID {
		return nil
	}
	design := c.designs[e.UID]
	if design == nil {
		if design, err = experiment.Expand(e); err != nil {
			return nil
		}
	}
	if c.used == nil {
		c.used = map[types.UID]*experiment.Design{}
	}
	c.used[e.UID] = design
	return design
}

// prune drops the designs that were not looked up since it was called last.
func (c *comparisons) prune() { c.designs, c.used = c.used, nil }

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

// limitReached returns the decision about a network that waits for a place.
func limitReached(limit string, taken, places, wanted int) status.AdmissionDecision {
	return status.AdmissionDecision{Reason: v1alpha1.ReasonLimitReached, Message: fmt.Sprintf(
		"the operator's limit %s is reached: %d of %d places are taken, %d wanted; networks that were created earlier go first", limit, taken, places, wanted)}
}
