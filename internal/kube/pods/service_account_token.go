package pods

import corev1 "k8s.io/api/core/v1"

const (
	// TokenVolumeName is the volume of ServiceAccountTokenVolume.
	TokenVolumeName = "token"
	// TokenDir is where in-cluster clients look for the token.
	TokenDir = "/var/run/secrets/kubernetes.io/serviceaccount"
)

// ServiceAccountTokenVolume returns the volume that admission would mount into every container of a pod. A pod
// that declares it can mount it into a single container.
func ServiceAccountTokenVolume() corev1.Volume {
	return corev1.Volume{Name: TokenVolumeName, VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{
		DefaultMode: new(int32(0o440)),
		Sources: []corev1.VolumeProjection{
			{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Path: "token", ExpirationSeconds: new(int64(3600))}},
			{ConfigMap: &corev1.ConfigMapProjection{
				LocalObjectReference: corev1.LocalObjectReference{Name: "kube-root-ca.crt"},
				Items:                []corev1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}}}},
		},
	}}}
}
