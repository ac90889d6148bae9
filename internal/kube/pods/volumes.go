package pods

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// WritableMount mounts a volume at path, read-write.
func WritableMount(volume, path string) corev1.VolumeMount {
	return corev1.VolumeMount{Name: volume, MountPath: path}
}

// ReadOnlyMount mounts a volume at path, read-only.
func ReadOnlyMount(volume, path string) corev1.VolumeMount {
	return corev1.VolumeMount{Name: volume, MountPath: path, ReadOnly: true}
}

// EmptyDirVolume returns an emptyDir volume without a size limit.
func EmptyDirVolume(name string) corev1.Volume {
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}
}

// VolumeSize returns the size of a volume of a StatefulSet: the request of its claim template, or the limit of
// its emptyDir. It returns false if the StatefulSet is nil or the volume has no size.
func VolumeSize(set *appsv1.StatefulSet, volume string) (resource.Quantity, bool) {
	if set == nil {
		return resource.Quantity{}, false
	}
	for _, claim := range set.Spec.VolumeClaimTemplates {
		if claim.Name == volume {
			return *claim.Spec.Resources.Requests.Storage(), true
		}
	}
	for _, v := range set.Spec.Template.Spec.Volumes {
		if v.Name == volume && v.EmptyDir != nil && v.EmptyDir.SizeLimit != nil {
			return *v.EmptyDir.SizeLimit, true
		}
	}
	return resource.Quantity{}, false
}

// SecretVolume returns a volume with some keys of a Secret, or with all of them without items, readable by the pod's group.
func SecretVolume(volume, secret string, items ...corev1.KeyToPath) corev1.Volume {
	return corev1.Volume{Name: volume, VolumeSource: corev1.VolumeSource{
		Secret: &corev1.SecretVolumeSource{SecretName: secret, DefaultMode: new(int32(0o440)), Items: items}}}
}

// ConfigMapVolume returns a volume with all keys of a ConfigMap.
func ConfigMapVolume(volume, configMap string) corev1.Volume {
	return corev1.Volume{Name: volume, VolumeSource: corev1.VolumeSource{
		ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: configMap}}}}
}

// EnvFromSecret returns an environment variable with the value of a Secret's key.
func EnvFromSecret(name, secret, key string) corev1.EnvVar {
	return corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
		LocalObjectReference: corev1.LocalObjectReference{Name: secret}, Key: key}}}
}

const (
	// CommandsTokenKey is the key of the token in the Secret of a network's commands. Load workers send it.
	CommandsTokenKey = "token"
	// CommandsDigestKey is the key of the SHA-256 of the token, hexadecimal. Agents check the token by it, so that no pod of a member or
	// database can send commands to another.
	CommandsDigestKey = "token-sha256"
	// CommandsTokenFile and CommandsDigestFile are the files in the containers of MountCommandsKey.
	CommandsTokenFile  = commandsTokenDir + "/" + CommandsTokenKey
	CommandsDigestFile = commandsTokenDir + "/" + CommandsDigestKey

	commandsTokenDir    = "/run/benchnet-commands"
	commandsTokenVolume = "commands-token"
)

// FindCommandsMount returns the mount of the key in a container of the pod, or false if none has it.
func FindCommandsMount(pod *corev1.PodSpec) (corev1.VolumeMount, bool) {
	found := slices.ContainsFunc(pod.Volumes, func(v corev1.Volume) bool { return v.Name == commandsTokenVolume })
	return ReadOnlyMount(commandsTokenVolume, commandsTokenDir), found
}

// MountCommandsKey mounts one key of the Secret of a network's commands in those containers of a pod that serve or send them. A pod
// without such a container does not get the volume.
func MountCommandsKey(pod *corev1.PodSpec, secret, key string, needsKey func(*corev1.Container) bool) {
	mounted := false
	for i := range pod.Containers {
		if c := &pod.Containers[i]; needsKey(c) {
			c.VolumeMounts = append(c.VolumeMounts, ReadOnlyMount(commandsTokenVolume, commandsTokenDir))
			mounted = true
		}
	}
	if mounted {
		pod.Volumes = append(pod.Volumes, SecretVolume(commandsTokenVolume, secret, corev1.KeyToPath{Key: key, Path: key}))
	}
}
