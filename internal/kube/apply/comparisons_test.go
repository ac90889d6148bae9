package apply

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// TestComparisonsAreRemembered checks what makes the writer compare an object again after it found no drift.
func TestComparisonsAreRemembered(t *testing.T) {
	network := &v1alpha1.BenchmarkNetwork{ObjectMeta: metav1.ObjectMeta{Name: "n", Namespace: "ns", UID: "1"}}
	owner := Owner{Object: network, Labels: map[string]string{v1alpha1.LabelNetwork: "n"}}
	drift := func(s *corev1.Service) { s.Spec.Ports[0].Port = 1 }
	cases := []struct {
		name    string
		owner   Owner
		desired *corev1.Service
		edit    func(*corev1.Service)
		applied bool
	}{
		{"nothing", owner, newService(nil), nil, false},
		{"the same version of the live object", owner, newService(nil), drift, false},
		{"another version of the live object", owner, newService(nil), func(s *corev1.Service) { drift(s); s.ResourceVersion = "8" }, true},
		{"another live object", owner, newService(nil), func(s *corev1.Service) { drift(s); s.UID = "other" }, true},
		{"another desired object", owner, newService(drift), nil, true},
		{"another owner", Owner{Object: &v1alpha1.BenchmarkNetwork{ObjectMeta: metav1.ObjectMeta{Name: "n", Namespace: "ns", UID: "2"}},
			Labels: owner.Labels}, newService(nil), nil, true},
		{"other common labels", Owner{Object: network, Labels: owner.Labels, CommonLabels: map[string]string{"team": "x"}}, newService(nil), nil, true},
		{"other labels", Owner{Object: network}, newService(nil), nil, true},
		{"no blocking of the deletion", Owner{Object: network, Labels: owner.Labels, SkipBlockOwnerDeletion: true}, newService(nil), nil, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := newOfflineWriter(t)
			patches := 0
			w.client = fake.NewClientBuilder().WithScheme(w.scheme).WithInterceptorFuncs(interceptor.Funcs{
				Patch: func(context.Context, client.WithWatch, client.Object, client.Patch, ...client.PatchOption) error {
					patches++
					return nil
				}}).Build()
			intent, err := w.buildIntent(owner, newService(nil))
			if err != nil {
				t.Fatal(err)
			}
			live := &corev1.Service{}
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(intent.Object, live); err != nil {
				t.Fatal(err)
			}
			live.UID, live.ResourceVersion = "live", "7"
			if err := w.Apply(t.Context(), owner, newService(nil), live); err != nil || patches != 0 {
				t.Fatalf("the first apply sent %d patches and returned %v", patches, err)
			}
			if c.edit != nil {
				c.edit(live)
			}
			if err := w.Apply(t.Context(), c.owner, c.desired, live); err != nil {
				t.Fatal(err)
			}
			if applied := patches > 0; applied != c.applied {
				t.Errorf("the second apply sent %d patches", patches)
			}
		})
	}
}
