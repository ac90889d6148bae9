package snapshot

import (
	"fmt"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/internal/kube/kinds"
)

func TestOutdatedPod(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(*appsv1.StatefulSet, *corev1.Pod)
		want bool
	}{
		"never ready":              {func(*appsv1.StatefulSet, *corev1.Pod) {}, true},
		"the present template":     {func(_ *appsv1.StatefulSet, p *corev1.Pod) { p.Labels[appsv1.ControllerRevisionHashLabelKey] = "new" }, false},
		"no revision observed yet": {func(s *appsv1.StatefulSet, _ *corev1.Pod) { s.Status.UpdateRevision = "" }, false},
		"with many labels": {func(_ *appsv1.StatefulSet, p *corev1.Pod) {
			for i := range 500 {
				p.Labels[fmt.Sprintf("%063d", i)] = "x"
			}
		}, true},
		"without a revision": {func(_ *appsv1.StatefulSet, p *corev1.Pod) { p.Labels = nil }, false},
		"being deleted":      {func(_ *appsv1.StatefulSet, p *corev1.Pod) { p.DeletionTimestamp = new(metav1.Now()) }, false},
		"ready": {func(_ *appsv1.StatefulSet, p *corev1.Pod) {
			p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			set, pod := outdatedStatefulSet()
			c.edit(set, &pod)
			kinds.Trim(set)
			kinds.Trim(&pod)
			if got := New(nil, nil, []corev1.Pod{pod}).OutdatedPod(set); (got != nil) != c.want {
				t.Errorf("the outdated pod is %v, want one: %v", got, c.want)
			}
		})
	}
}

// outdatedStatefulSet returns a StatefulSet with a pod of an older template.
func outdatedStatefulSet() (*appsv1.StatefulSet, corev1.Pod) {
	set := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: "db", Namespace: "ns", UID: "set"}, Spec: appsv1.StatefulSetSpec{Replicas: new(int32(1))}}
	set.Status.UpdateRevision = "new"
	return set, corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "db-0", Namespace: "ns", Labels: map[string]string{appsv1.ControllerRevisionHashLabelKey: "old"},
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind("StatefulSet"))}}}
}

// TestOutdatedPodThatIsNotReplaced: scaling a StatefulSet to zero would stop its other pods, or delete its volumes, so the status has the command.
func TestOutdatedPodThatIsNotReplaced(t *testing.T) {
	fromChart := func(spec map[string]any) client.Object {
		o := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
		o.SetGroupVersionKind(appsv1.SchemeGroupVersion.WithKind("StatefulSet"))
		o.SetName("db")
		return o
	}
	for name, c := range map[string]struct {
		planned  client.Object
		replaced bool
	}{
		"a member":                 {&appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: "db"}, Spec: appsv1.StatefulSetSpec{Replicas: new(int32(1))}}, true},
		"a chart without replicas": {fromChart(map[string]any{}), true},
		"a chart that keeps volumes": {fromChart(map[string]any{"replicas": int64(1),
			"persistentVolumeClaimRetentionPolicy": map[string]any{"whenScaled": "Retain"}}), true},
		"a chart that deletes volumes": {fromChart(map[string]any{"replicas": int64(1),
			"persistentVolumeClaimRetentionPolicy": map[string]any{"whenScaled": "Delete"}}), false},
		"a chart of two pods": {fromChart(map[string]any{"replicas": int64(2)}), false},
		"a stopped member":    {&appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: "db"}, Spec: appsv1.StatefulSetSpec{Replicas: new(int32(0))}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			live, pod := outdatedStatefulSet()
			live.Spec.Replicas = new(plannedReplicas(c.planned))
			scheme := runtime.NewScheme()
			if err := appsv1.AddToScheme(scheme); err != nil {
				t.Fatal(err)
			}
			got := New(scheme, []client.Object{live}, []corev1.Pod{pod}).Readiness(c.planned)
			scaled := ScaleToZero(c.planned)
			if (scaled != nil) != c.replaced {
				t.Errorf("scaled to zero it is %v, want a StatefulSet: %v", scaled, c.replaced)
			}
			if hint := strings.Contains(got.Message, "kubectl --namespace ns delete pod db-0"); hint == c.replaced && plannedReplicas(c.planned) > 0 {
				t.Errorf("the message has the command: %v: %s", hint, got.Message)
			}
		})
	}
	t.Run("a chart's database scaled to zero is not ready", func(t *testing.T) {
		live, _ := outdatedStatefulSet()
		live.Spec.Replicas = new(int32(0))
		scheme := runtime.NewScheme()
		if err := appsv1.AddToScheme(scheme); err != nil {
			t.Fatal(err)
		}
		if got := New(scheme, []client.Object{live}, nil).Readiness(fromChart(map[string]any{"replicas": int64(1)})); got.State != StateWaiting {
			t.Errorf("it is %+v", got)
		}
	})
}

func TestIsStuck(t *testing.T) {
	waiting := corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ErrImagePull"}}
	running := corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	for name, c := range map[string]struct {
		containers []corev1.ContainerState
		condition  batchv1.JobConditionType
		want       bool
	}{
		"no image":               {[]corev1.ContainerState{waiting}, "", true},
		"another container runs": {[]corev1.ContainerState{waiting, running}, "", false},
		"starting":               {[]corev1.ContainerState{{}}, "", false},
		"no pods yet":            {nil, "", false},
		"failed":                 {nil, batchv1.JobFailed, true},
		"complete":               {[]corev1.ContainerState{waiting}, batchv1.JobComplete, false},
	} {
		t.Run(name, func(t *testing.T) {
			job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "genesis", UID: "job"}}
			if c.condition != "" {
				job.Status.Conditions = []batchv1.JobCondition{{Type: c.condition, Status: corev1.ConditionTrue}}
			}
			pod := corev1.Pod{ObjectMeta: metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{
				*metav1.NewControllerRef(job, batchv1.SchemeGroupVersion.WithKind("Job"))}}}
			for _, state := range c.containers {
				pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, corev1.ContainerStatus{State: state})
			}
			if got := New(nil, nil, []corev1.Pod{pod}).IsStuck(job); got != c.want {
				t.Errorf("it is stuck: %v, want %v", got, c.want)
			}
		})
	}
}
