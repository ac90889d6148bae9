package snapshot

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// TestResumedMemberInLateCache checks that a resumed member is not ready while the cache shows it as before the pause.
func TestResumedMemberInLateCache(t *testing.T) {
	member := func(pauses string) *appsv1.StatefulSet {
		return &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: "m", Annotations: map[string]string{v1alpha1.AnnotationPauses: pauses}},
			Spec: appsv1.StatefulSetSpec{Replicas: new(int32(1))}, Status: appsv1.StatefulSetStatus{Replicas: 1, ReadyReplicas: 1}}
	}
	for pauses, want := range map[string]ReadinessState{"": StateWaiting, "2": StateReady} {
		got := New(scheme.Scheme, []client.Object{member(pauses)}, nil).Readiness(member("2"))
		if got.State != want || want == StateWaiting && !strings.Contains(got.Message, "have not started yet") {
			t.Errorf("with the number %q in the cache, the member is %+v", pauses, got)
		}
	}
}
