package database

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/benchnet/benchnet/internal/kube/kinds"
)

// TestChartKindsAreWatched compares the kinds that a chart may contain with those that the operator watches.
func TestChartKindsAreWatched(t *testing.T) {
	for kind, allowed := range chartKinds {
		t.Run(kind, func(t *testing.T) {
			gvk := schema.FromAPIVersionAndKind(allowed.apiVersion, kind)
			if !slices.ContainsFunc(kinds.Owned(), func(owned kinds.Kind) bool { return owned.GroupKind() == gvk.GroupKind() }) {
				t.Errorf("a chart may contain %s, which the operator does not watch", gvk)
			}
		})
	}
}
