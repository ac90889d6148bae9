package apply

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// newOfflineWriter returns a writer that knows all kinds and reaches no API server.
func newOfflineWriter(t *testing.T) *Writer {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	return NewWriter(nil, nil, scheme)
}

func newService(edit func(*corev1.Service)) *corev1.Service {
	s := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "s", Labels: map[string]string{"a": "1"}},
		Spec:       corev1.ServiceSpec{Selector: map[string]string{"app": "x"}, Ports: []corev1.ServicePort{{Name: "p2p", Port: 10200}}},
	}
	if edit != nil {
		edit(s)
	}
	return s
}

// TestDrift compares desired objects with what an API server would hold after an apply and later edits.
func TestDrift(t *testing.T) {
	w := newOfflineWriter(t)
	owner := Owner{Object: &v1alpha1.BenchmarkNetwork{ObjectMeta: metav1.ObjectMeta{Name: "n", Namespace: "ns", UID: "1"}},
		Labels: map[string]string{v1alpha1.LabelNetwork: "n"}}
	cases := []struct {
		name    string
		desired client.Object
		edit    func(*corev1.Service)
		want    bool
	}{
		{"untouched", newService(nil), nil, true},
		{"defaults of the API server", newService(nil), func(s *corev1.Service) {
			s.CreationTimestamp = metav1.Now()
			s.Spec.ClusterIP = "10.0.0.1"
			s.Spec.Ports[0].Protocol = "TCP"
		}, true},
		{"foreign labels", newService(nil), func(s *corev1.Service) { s.Labels["other"] = "x" }, true},
		{"a changed port", newService(nil), func(s *corev1.Service) { s.Spec.Ports[0].Port = 1 }, false},
		{"a port of another field owner", newService(nil), func(s *corev1.Service) { s.Spec.Ports = append(s.Spec.Ports, corev1.ServicePort{Port: 2}) }, false},
		{"a key added to the selector", newService(nil), func(s *corev1.Service) { s.Spec.Selector["added"] = "x" }, false},
		{"another type", newService(nil), func(s *corev1.Service) { s.Spec.Type = "NodePort" }, false},
		{"an external address", newService(nil), func(s *corev1.Service) { s.Spec.ExternalIPs = []string{"192.0.2.1"} }, false},
		{"a removed selector", newService(nil), func(s *corev1.Service) { s.Spec.Selector = nil }, false},
		{"a lost owner", newService(nil), func(s *corev1.Service) { s.OwnerReferences = nil }, false},
		{"another plan", newService(func(s *corev1.Service) { s.Spec.Selector = nil }), nil, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			applied, err := w.buildIntent(owner, newService(nil))
			if err != nil {
				t.Fatal(err)
			}
			live := &corev1.Service{}
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(applied.Object, live); err != nil {
				t.Fatal(err)
			}
			if c.edit != nil {
				c.edit(live)
			}
			intent, err := w.buildIntent(owner, c.desired)
			if err != nil {
				t.Fatal(err)
			}
			if got := len(findDrift(intent, live)) == 0; got != c.want {
				t.Errorf("up to date is %t, want %t", got, c.want)
			}
		})
	}
}

// TestDriftNamesFields names the fields in which a live Service and ConfigMap differ from what is desired, by path only.
func TestDriftNamesFields(t *testing.T) {
	w := newOfflineWriter(t)
	owner := Owner{Object: &v1alpha1.BenchmarkNetwork{ObjectMeta: metav1.ObjectMeta{Name: "n", Namespace: "ns", UID: "1"}}}
	configMap := func(data map[string]string) *corev1.ConfigMap {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "c"}, Data: data}
	}
	cases := []struct {
		name          string
		desired, live client.Object
		want          []string
	}{
		{"a label and a port", newService(nil), newService(func(s *corev1.Service) { s.Labels["a"], s.Spec.Ports[0].Port = "2", 1 }),
			[]string{"metadata.labels.a", "spec.ports"}},
		{"one of two keys", configMap(map[string]string{"a": "1", "b": "new"}), configMap(map[string]string{"a": "1", "b": "old"}), []string{"data.b"}},
		{"no data yet", configMap(map[string]string{"a": "1"}), configMap(nil), []string{"data"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			intent, err := w.buildIntent(owner, c.desired)
			if err != nil {
				t.Fatal(err)
			}
			c.live.SetNamespace("ns")
			got := findDrift(intent, c.live)
			got = slices.DeleteFunc(got, func(path string) bool { return path == "metadata.ownerReferences" })
			if !slices.Equal(got, c.want) {
				t.Errorf("changed fields are %v, want %v", got, c.want)
			}
		})
	}
}
