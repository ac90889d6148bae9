package database

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/internal/kube/snapshot"
)

// TestChartKindsAreWatched compares the kinds that a chart may contain with those that the operator watches.
func TestChartKindsAreWatched(t *testing.T) {
	for kind, allowed := range chartKinds {
		t.Run(kind, func(t *testing.T) {
			gvk := schema.FromAPIVersionAndKind(allowed.apiVersion, kind)
			watched := func(object client.Object) bool {
				known, _, err := scheme.Scheme.ObjectKinds(object)
				return err == nil && slices.Contains(known, gvk)
			}
			if !slices.ContainsFunc(snapshot.OwnedKinds(), watched) {
				t.Errorf("a chart may contain %s, which the operator does not watch", gvk)
			}
		})
	}
}
