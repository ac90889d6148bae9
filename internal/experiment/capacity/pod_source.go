package capacity

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// podSource is an object as the scheduler and the volume provisioner see it.
type podSource struct {
	name     string
	replicas int32
	// template is the pod template of each replica; nil if the object has no pods.
	template *corev1.PodTemplateSpec
	// claims are the volume claims of each replica.
	claims []corev1.PersistentVolumeClaimSpec
	// runsToCompletion reports that the pods run to completion.
	runsToCompletion bool
}

// newPodSource converts an object, which may come from a rendered chart. It fails if an unstructured object
// cannot be converted.
func newPodSource(object client.Object) (podSource, error) {
	if u, ok := object.(*unstructured.Unstructured); ok {
		typed := podSourceKinds[u.GroupVersionKind().GroupKind().String()]
		if typed == nil {
			return podSource{}, nil
		}
		object = typed()
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, object); err != nil {
			return podSource{}, fmt.Errorf("read %s %s: %w", u.GetKind(), u.GetName(), err)
		}
	}
	w := podSource{name: object.GetName(), replicas: 1}
	switch o := object.(type) {
	case *appsv1.StatefulSet:
		w.replicas, w.template = ptr.Deref(o.Spec.Replicas, 1), &o.Spec.Template
		for i := range o.Spec.VolumeClaimTemplates {
			w.claims = append(w.claims, o.Spec.VolumeClaimTemplates[i].Spec)
		}
	case *appsv1.Deployment:
		w.replicas, w.template = ptr.Deref(o.Spec.Replicas, 1), &o.Spec.Template
	case *batchv1.Job:
		w.replicas, w.template, w.runsToCompletion = ptr.Deref(o.Spec.Parallelism, 1), &o.Spec.Template, true
		if c := o.Spec.Completions; c != nil {
			w.replicas = min(w.replicas, *c)
		}
	case *corev1.Pod:
		w.template = &corev1.PodTemplateSpec{ObjectMeta: o.ObjectMeta, Spec: o.Spec}
	case *corev1.PersistentVolumeClaim:
		w.claims = append(w.claims, o.Spec)
	}
	return w, nil
}

// podSourceKinds are the kinds in charts that run pods or claim volumes.
var podSourceKinds = map[string]func() client.Object{
	"StatefulSet.apps":      func() client.Object { return &appsv1.StatefulSet{} },
	"Deployment.apps":       func() client.Object { return &appsv1.Deployment{} },
	"Job.batch":             func() client.Object { return &batchv1.Job{} },
	"Pod":                   func() client.Object { return &corev1.Pod{} },
	"PersistentVolumeClaim": func() client.Object { return &corev1.PersistentVolumeClaim{} },
}

// buildPods returns the pods of the workload as the API server would create them.
func (w podSource) buildPods() []corev1.Pod {
	var pods []corev1.Pod
	for i := range w.replicas {
		if w.template == nil {
			break
		}
		t := w.template.DeepCopy()
		pod := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%d", w.name, i), Labels: t.Labels}, Spec: t.Spec}
		requestLimits(pod.Spec.InitContainers)
		requestLimits(pod.Spec.Containers)
		pods = append(pods, pod)
	}
	return pods
}

// requestLimits sets missing requests to the limits, as the API server does on creation.
func requestLimits(containers []corev1.Container) {
	for i := range containers {
		r := &containers[i].Resources
		for name, limit := range r.Limits {
			if r.Requests == nil {
				r.Requests = corev1.ResourceList{}
			}
			if _, ok := r.Requests[name]; !ok {
				r.Requests[name] = limit
			}
		}
	}
}

// claimedVolumes returns needs with only the volumes of the workload.
func (w podSource) claimedVolumes() Needs {
	claims := w.claims
	if w.template != nil {
		for _, v := range w.template.Spec.Volumes {
			if v.Ephemeral != nil && v.Ephemeral.VolumeClaimTemplate != nil {
				claims = append(claims, v.Ephemeral.VolumeClaimTemplate.Spec)
			}
		}
	}
	var needs Needs
	for range w.replicas {
		for i := range claims {
			needs.Volumes++
			needs.Storage.Add(claims[i].Resources.Requests[corev1.ResourceStorage])
		}
	}
	return needs
}
