package plan

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
)

// TestPodLabelsNamePlatformAndExperiment checks the labels of the database pods in a network of an experiment,
// and that the hash does not depend on the experiment.
func TestPodLabelsNamePlatformAndExperiment(t *testing.T) {
	alone, err := Build(newInput(nil))
	if err != nil {
		t.Fatal(err)
	}
	p, err := Build(newInput(func(in *Input) {
		in.Network.Labels = map[string]string{v1alpha1.LabelExperiment: "sizes"}
		in.Network.Spec.Platform.Type = v1alpha1.PlatformCorda
	}))
	if err != nil {
		t.Fatal(err)
	}
	if p.Hash != alone.Hash {
		t.Error("the hash should not depend on the network's experiment, which does not affect results")
	}
	looked := 0
	for _, o := range p.findStage(StageDatabases).Objects {
		set, ok := o.(*unstructured.Unstructured)
		if !ok || set.GetKind() != "StatefulSet" {
			continue
		}
		looked++
		labels, _, _ := unstructured.NestedStringMap(set.Object, "spec", "template", "metadata", "labels")
		for key, want := range map[string]string{v1alpha1.LabelPlatform: "Corda", v1alpha1.LabelExperiment: "sizes", v1alpha1.LabelNetwork: "net"} {
			if labels[key] != want {
				t.Errorf("pods of %s have %s=%q, want %q", set.GetName(), key, labels[key], want)
			}
		}
		selector, _, _ := unstructured.NestedStringMap(set.Object, "spec", "selector", "matchLabels")
		if selector[v1alpha1.LabelPlatform] != "" || selector[v1alpha1.LabelExperiment] != "" {
			t.Errorf("%s selects its pods by %v, which can never change", set.GetName(), selector)
		}
	}
	if looked == 0 {
		t.Error("the plan has no database")
	}
}

// TestPlanWithoutObservation checks that Prometheus leaves out the pods, that databases have no exporter, and that the
// hash differs, because observation affects results.
func TestPlanWithoutObservation(t *testing.T) {
	full, err := Build(newInput(nil))
	if err != nil {
		t.Fatal(err)
	}
	none, err := Build(newInput(func(in *Input) { in.Network.Spec.Observation = v1alpha1.ObservationNone }))
	if err != nil {
		t.Fatal(err)
	}
	if none.Hash == full.Hash {
		t.Error("both plans have the same hash")
	}
	for _, c := range []struct {
		name       string
		plan       *Plan
		label      string
		containers int
	}{{"Full", full, "", 2}, {"None", none, "None", 1}} {
		t.Run(c.name, func(t *testing.T) {
			looked := 0
			err := pods.EditTemplates(c.plan.findStage(StageDatabases).Objects, func(owner client.Object, template *corev1.PodTemplateSpec) error {
				if owner.GetObjectKind().GroupVersionKind().Kind != "StatefulSet" {
					return nil
				}
				looked++
				if got := template.Labels[v1alpha1.LabelObservation]; got != c.label {
					t.Errorf("%s has the label %q, want %q", owner.GetName(), got, c.label)
				}
				if got := len(template.Spec.Containers); got != c.containers {
					t.Errorf("%s has %d containers, want %d", owner.GetName(), got, c.containers)
				}
				return nil
			})
			if err != nil || looked == 0 {
				t.Errorf("%d databases, error %v", looked, err)
			}
		})
	}
}

func TestLabelPodsKeepsExistingLabels(t *testing.T) {
	set := &appsv1.StatefulSet{}
	set.Spec.Template.Labels = map[string]string{v1alpha1.LabelPlatform: "Mine", "app": "mine"}
	p := &Plan{Stages: []Stage{{}}}
	p.Stages[0].Objects = append(p.Stages[0].Objects, set)
	in := newInput(func(in *Input) { in.Network.Spec.Platform.Type = v1alpha1.PlatformMalachite })
	if err := labelPods(in, p); err != nil {
		t.Fatal(err)
	}
	if got := set.Spec.Template.Labels; len(got) != 2 || got[v1alpha1.LabelPlatform] != "Mine" || got["app"] != "mine" {
		t.Errorf("labels %v: the pod's own labels must stay", got)
	}
}
