package plan

import (
	"slices"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func mustBuildInput(t *testing.T, edit func(*Input)) *Plan {
	t.Helper()
	p, err := Build(newInput(edit))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestNetworkKeepsImageVersion checks that an operator of another version plans the same network, and that a
// new network gets the operator's own images.
func TestNetworkKeepsImageVersion(t *testing.T) {
	first := mustBuildInput(t, nil)
	later := mustBuildInput(t, func(in *Input) { in.Images.Version, in.EpochRecord = "2", first.EpochRecord })
	if later.Hash != first.Hash || later.EpochRecord.Data[versionKey] != "1" {
		t.Errorf("the network made with version 1 is planned with %s", later.EpochRecord.Data[versionKey])
	}
	if fresh := mustBuildInput(t, func(in *Input) { in.Images.Version = "2" }); fresh.Hash == first.Hash || fresh.EpochRecord.Data[versionKey] != "2" {
		t.Errorf("a new network should have images of version 2, but has %s", fresh.EpochRecord.Data[versionKey])
	}
}

// TestPullSecrets checks that every pod of a network pulls with the Secrets, and that the hash does not depend
// on them.
func TestPullSecrets(t *testing.T) {
	p := mustBuildInput(t, func(in *Input) { in.Images.PullSecrets = []string{"registry"} })
	seen := 0
	for _, object := range p.Objects() {
		var names []string
		switch o := object.(type) {
		case *batchv1.Job:
			for _, s := range o.Spec.Template.Spec.ImagePullSecrets {
				names = append(names, s.Name)
			}
		case *unstructured.Unstructured:
			if o.GetKind() != "StatefulSet" {
				continue
			}
			secrets, _, _ := unstructured.NestedSlice(o.Object, "spec", "template", "spec", "imagePullSecrets")
			for _, s := range secrets {
				names = append(names, s.(map[string]any)["name"].(string))
			}
		default:
			continue
		}
		seen++
		if !slices.Equal(names, []string{"registry"}) {
			t.Errorf("%T %s pulls with %v", object, object.GetName(), names)
		}
	}
	if seen < 2 {
		t.Errorf("found %d objects with pods, want the database and its setup at least", seen)
	}
	if p.Hash != mustBuildInput(t, nil).Hash {
		t.Error("how images are pulled must not change the plan's hash")
	}
}
