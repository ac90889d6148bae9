package controllers_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/document"
)

// TestZonesAreRecordedAsRegions takes a network with regions from zones through a run on a node in a zone.
func TestZonesAreRecordedAsRegions(t *testing.T) {
	w := newTestEnv(t)
	w.createNode("zoned", "64", "256Gi")
	must(t, w.client.Patch(w.ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "zoned"}},
		client.RawPatch(types.MergePatchType, []byte(`{"metadata": {"labels": {"topology.kubernetes.io/zone": "eu-west-1a"}}}`))))
	w.podNode = "zoned"
	must(t, w.createFromYAML(cordaNetwork[:strings.Index(cordaNetwork, "  workloads:")]+"  regions: {source: NodeZone}\n", &v1alpha1.BenchmarkNetwork{}))
	w.bringUp("banks")
	w.expectEmulated(metav1.ConditionFalse, v1alpha1.ReasonNotRequested, "regions.source is NodeZone")
	w.completeTwoWorkerRun()

	status, cm := w.getRun("extra").Status, &corev1.ConfigMap{}
	w.mustGet(status.Result.ConfigMapName, cm)
	result, err := document.DecodeRunResult(cm.BinaryData[status.Result.Key])
	must(t, err)
	for _, member := range []string{"notary", "member-0", "member-1"} {
		if got := result.Environment.Regions[member]; got != "eu-west-1a" {
			t.Errorf("%s is in region %q, want the zone of its node; regions: %v", member, got, result.Environment.Regions)
		}
	}
	if result.Environment.EmulatedLatency != nil {
		t.Errorf("the result has the emulation %+v", result.Environment.EmulatedLatency)
	}
}
