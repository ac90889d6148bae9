package snapshot

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/benchnet/benchnet/internal/kube/kinds"
)

// TestLoadTexts checks that texts which the cache replaced by digests are read from the API server, and only from the same object.
func TestLoadTexts(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", 20<<10)
	newMap := func(text string) *corev1.ConfigMap {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "m", Namespace: "ns", UID: "1"}, Data: map[string]string{"text": text}}
	}
	many := newMap("")
	for i := range 1000 {
		many.Data[strings.Repeat("k", i+1)] = "v"
	}
	other := newMap(long)
	other.UID = "2"
	for name, c := range map[string]struct {
		cached, live *corev1.ConfigMap
		loaded       bool
	}{
		"short":    {newMap("short"), newMap("newer"), false},
		"long":     {newMap(long), newMap(long), true},
		"many":     {many, many, true},
		"deleted":  {newMap(long), nil, false},
		"replaced": {newMap(long), other, false},
	} {
		t.Run(name, func(t *testing.T) {
			var stored []client.Object
			if c.live != nil {
				stored = append(stored, c.live.DeepCopy())
			}
			cached := c.cached.DeepCopy()
			kinds.Trim(cached)
			s := New(scheme, []client.Object{cached}, nil)
			if err := s.LoadTexts(t.Context(), fake.NewClientBuilder().WithScheme(scheme).WithObjects(stored...).Build(), "m"); err != nil {
				t.Fatal(err)
			}
			if loaded := s.ConfigMap("m") != cached; loaded != c.loaded {
				t.Fatalf("it was read from the API server: %t, want %t", loaded, c.loaded)
			}
			if got := s.ConfigMap("m").Data["text"]; c.loaded && got != c.live.Data["text"] {
				t.Errorf("the text is %.80q", got)
			}
		})
	}
}
