package pods

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// AddImagePullSecrets adds Secrets of the namespace to the image pull secrets of the pods of StatefulSets and
// Jobs. It also handles the objects of a chart, which are unstructured.
func AddImagePullSecrets(objects []client.Object, secrets []string) {
	if len(secrets) == 0 {
		return
	}
	for _, object := range objects {
		switch o := object.(type) {
		case *appsv1.StatefulSet:
			addPullSecrets(&o.Spec.Template.Spec, secrets)
		case *batchv1.Job:
			addPullSecrets(&o.Spec.Template.Spec, secrets)
		case *unstructured.Unstructured:
			addPullSecretsUnstructured(o, secrets)
		}
	}
}

func addPullSecrets(pod *corev1.PodSpec, secrets []string) {
	for _, name := range secrets {
		pod.ImagePullSecrets = append(pod.ImagePullSecrets, corev1.LocalObjectReference{Name: name})
	}
}

func addPullSecretsUnstructured(object *unstructured.Unstructured, secrets []string) {
	pod, ok, err := unstructured.NestedMap(object.Object, "spec", "template", "spec")
	if !ok || err != nil {
		return // It has no pods.
	}
	named, _ := pod["imagePullSecrets"].([]any)
	for _, name := range secrets {
		named = append(named, map[string]any{"name": name})
	}
	pod["imagePullSecrets"] = named
	object.Object["spec"].(map[string]any)["template"].(map[string]any)["spec"] = pod
}
