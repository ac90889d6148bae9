package controllers_test

import (
	"fmt"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// TestCommonLabels checks that a policy which requires a label on every object refuses none of a network with databases and of
// its run, also none that Kubernetes makes from a template.
func TestCommonLabels(t *testing.T) {
	w := newTestEnv(t)
	network := strings.Replace(cordaNetwork[:strings.Index(cordaNetwork, "  workloads:")], "spec:\n", "spec:\n  commonLabels: {team: ledgers}\n", 1)
	must(t, w.createFromYAML(network, &v1alpha1.BenchmarkNetwork{}))
	w.bringUp("banks")
	must(t, w.createFromYAML(strings.Replace(twoWorkerRun, "type: Corda\n", "type: Corda\n    sampleLogRetention: Retain\n", 1), &v1alpha1.BenchmarkRun{}))
	w.reconcileNetwork("banks")
	w.reconcileRun("extra")
	kinds, claims := map[string]bool{}, 0
	want := func(labels map[string]string, what string, name string) {
		if labels["team"] != "ledgers" {
			t.Errorf("%s %s has the labels %v", what, name, labels)
		}
	}
	for _, o := range w.listOwnedObjects() {
		kind := fmt.Sprintf("%T", o)
		if o.GetName() == "extra" {
			continue // The user's own run.
		}
		kinds[kind] = true
		want(o.GetLabels(), kind, o.GetName())
		switch object := o.(type) {
		case *appsv1.StatefulSet:
			want(object.Spec.Template.Labels, "pod of", o.GetName())
			for i := range object.Spec.VolumeClaimTemplates {
				claims++
				want(object.Spec.VolumeClaimTemplates[i].Labels, "claim of", o.GetName())
			}
		case *batchv1.Job:
			want(object.Spec.Template.Labels, "pod of", o.GetName())
			for _, v := range object.Spec.Template.Spec.Volumes {
				if v.Ephemeral != nil {
					claims++
					want(v.Ephemeral.VolumeClaimTemplate.Labels, "claim of", o.GetName())
				}
			}
		}
	}
	if len(kinds) < 8 || claims < 3 {
		t.Errorf("only the kinds %v and %d claims were looked at", kinds, claims)
	}
}
