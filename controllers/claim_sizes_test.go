package controllers

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// TestAddClaimSizes checks which volumes an agent may fill.
func TestAddClaimSizes(t *testing.T) {
	set := func(name, size string) *appsv1.StatefulSet {
		s := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Namespace: "lab", Name: name}}
		if size != "" {
			s.Spec.VolumeClaimTemplates = []corev1.PersistentVolumeClaim{{Spec: corev1.PersistentVolumeClaimSpec{Resources: corev1.VolumeResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse(size)}}}}}
		}
		return s
	}
	r := &RunReconciler{Dependencies{Client: fake.NewClientBuilder().WithScheme(clientgoscheme.Scheme).
		WithObjects(set("banks-member-0", "2Ki"), set("banks-db", "3Ki"), set("banks-notary", "")).Build()}}
	for name, c := range map[string]struct {
		fault measurement.Fault
		want  int64
	}{
		"a member":          {measurement.Fault{Type: measurement.FaultFillDisk, Member: "member-0"}, 2048},
		"a container":       {measurement.Fault{Type: measurement.FaultFillDisk, Member: "member-0/execution"}, 2048},
		"a database":        {measurement.Fault{Type: measurement.FaultFillDisk, Member: "banks-db", Kind: measurement.KindDatabase}, 3072},
		"an emptyDir":       {measurement.Fault{Type: measurement.FaultFillDisk, Member: "notary"}, 0},
		"a missing network": {measurement.Fault{Type: measurement.FaultFillDisk, Member: "member-1"}, 0},
		"another fault":     {measurement.Fault{Type: measurement.FaultPause, Member: "member-0"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			pass := &runPass{run: &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: "lab"}},
				network: &v1alpha1.BenchmarkNetwork{ObjectMeta: metav1.ObjectMeta{Name: "banks"}}}
			pass.driver.Workload.Faults = []measurement.Fault{c.fault}
			if err := r.addClaimSizes(t.Context(), pass); err != nil {
				t.Fatal(err)
			}
			if got := pass.driver.Workload.Faults[0].FillDisk.ClaimBytes; got != c.want {
				t.Errorf("the claim has %d bytes, want %d", got, c.want)
			}
		})
	}
}
