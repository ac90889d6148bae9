package pods

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

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
