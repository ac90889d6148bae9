package pods

import corev1 "k8s.io/api/core/v1"

const (
	// CommandsTokenKey is the key of the token in the Secret of a network's commands.
	CommandsTokenKey = "token"
	// CommandsTokenFile is the file with the token in the containers of MountCommandsToken.
	CommandsTokenFile = commandsTokenDir + "/" + CommandsTokenKey

	commandsTokenDir    = "/run/benchnet-commands"
	commandsTokenVolume = "commands-token"
)

// MountCommandsToken mounts the Secret with the token of a network's commands in those containers of a pod that serve or send
// them. A pod without such a container does not get the volume.
func MountCommandsToken(pod *corev1.PodSpec, secret string, needsToken func(*corev1.Container) bool) {
	mounted := false
	for i := range pod.Containers {
		if c := &pod.Containers[i]; needsToken(c) {
			c.VolumeMounts = append(c.VolumeMounts, ReadOnlyMount(commandsTokenVolume, commandsTokenDir))
			mounted = true
		}
	}
	if mounted {
		pod.Volumes = append(pod.Volumes, SecretVolume(commandsTokenVolume, secret))
	}
}
