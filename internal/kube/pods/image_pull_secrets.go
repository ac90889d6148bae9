package pods

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// AddImagePullSecrets adds Secrets of the namespace to the image pull secrets of a pod that does not have them.
func AddImagePullSecrets(pod *corev1.PodSpec, secrets []string) {
	for _, name := range secrets {
		if ref := (corev1.LocalObjectReference{Name: name}); !slices.Contains(pod.ImagePullSecrets, ref) {
			pod.ImagePullSecrets = append(pod.ImagePullSecrets, ref)
		}
	}
}
