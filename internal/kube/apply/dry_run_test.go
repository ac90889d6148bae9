package apply

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
)

// specServer stands for an API server with one StatefulSet. It counts the generation up when a patch changes the spec.
type specServer struct {
	live    appsv1.StatefulSet
	edited  bool // The spec is not the planned one.
	patches []string
}

// edit changes the spec, as another client does, and forges the annotations.
func (s *specServer) edit(annotations map[string]string) {
	s.edited = true
	s.live.Generation++
	s.live.ResourceVersion += "e"
	s.live.Annotations = pods.AddMissing(annotations, s.live.Annotations)
}

func (s *specServer) patch(_ context.Context, _ client.WithWatch, o client.Object, p client.Patch, options ...client.PatchOption) error {
	data, err := p.Data(o)
	if err != nil {
		return err
	}
	isDryRun := slices.Contains(options, client.PatchOption(client.DryRunAll))
	generation := s.live.Generation
	switch {
	case s.live.UID == "":
		s.live.UID, generation = "set", 1
		s.patches = append(s.patches, "create")
	case p.Type() == types.ApplyPatchType:
		s.live.ResourceVersion += "a"
		s.patches = append(s.patches, "apply")
	default:
		if s.edited {
			generation++
		}
		if !isDryRun && !strings.Contains(string(data), fmt.Sprintf("%q", s.live.ResourceVersion)) {
			return fmt.Errorf("the patch does not name version %s: %s", s.live.ResourceVersion, data)
		}
		s.patches = append(s.patches, map[bool]string{true: "dry run", false: "replace"}[isDryRun])
	}
	o.SetUID(s.live.UID)
	o.SetGeneration(generation)
	if !isDryRun {
		s.edited, s.live.Generation = s.edited && p.Type() == types.ApplyPatchType, generation
	}
	return nil
}

// TestStatefulSetsAreComparedByDryRun applies a StatefulSet whose spec another client edits. No annotation can hide the edit, an
// unchanged one is compared once, and a new writer, as after a restart of the operator, only sends a dry run.
func TestStatefulSetsAreComparedByDryRun(t *testing.T) {
	owner := Owner{Object: &v1alpha1.BenchmarkNetwork{ObjectMeta: metav1.ObjectMeta{Name: "n", Namespace: "ns", UID: "1"}}}
	planned := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: "s"}, Spec: appsv1.StatefulSetSpec{
		Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}}}}
	forged := map[string]string{"benchnet.dev/applied-generation": "2"}
	for name, c := range map[string]struct {
		before  func(*specServer) // what happens after the creation
		restart bool
		want    []string
	}{
		"unchanged":                {nil, false, nil},
		"unchanged, restart":       {nil, true, []string{"dry run"}},
		"status":                   {func(s *specServer) { s.live.ResourceVersion += "s" }, false, nil},
		"edited":                   {func(s *specServer) { s.edit(nil) }, false, []string{"dry run", "replace", "apply"}},
		"edited, forged":           {func(s *specServer) { s.edit(forged) }, false, []string{"dry run", "replace", "apply"}},
		"edited, forged, restart":  {func(s *specServer) { s.edit(forged) }, true, []string{"dry run", "replace", "apply"}},
		"edited, the hash removed": {func(s *specServer) { s.edit(map[string]string{v1alpha1.AnnotationAppliedHash: ""}) }, false, []string{"apply", "dry run", "replace", "apply"}},
	} {
		t.Run(name, func(t *testing.T) {
			server := &specServer{}
			w := newOfflineWriter(t)
			connect := func() {
				w.client = fake.NewClientBuilder().WithScheme(w.scheme).WithInterceptorFuncs(interceptor.Funcs{Patch: server.patch}).Build()
			}
			connect()
			if err := w.Apply(t.Context(), owner, planned, nil); err != nil {
				t.Fatal(err)
			}
			intent, err := w.buildIntent(owner, planned)
			if err != nil {
				t.Fatal(err)
			}
			server.live.SetName("s")
			server.live.SetNamespace("ns")
			server.live.SetResourceVersion("7")
			server.live.SetAnnotations(intent.GetAnnotations())
			server.live.SetOwnerReferences(intent.GetOwnerReferences())
			if c.before != nil {
				c.before(server)
			}
			if c.restart {
				w = newOfflineWriter(t)
				connect()
			}
			server.patches = nil
			for range 3 {
				if err := w.Apply(t.Context(), owner, planned, server.live.DeepCopy()); err != nil {
					t.Fatal(err)
				}
				server.live.SetAnnotations(intent.GetAnnotations())
			}
			if !slices.Equal(server.patches, c.want) {
				t.Errorf("patches are %q, want %q", server.patches, c.want)
			}
		})
	}
}
