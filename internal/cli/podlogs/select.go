// Package podlogs merges the logs of several containers into one stream of lines.
package podlogs

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/benchnet/benchnet/internal/naming"
)

// defaultContainerAnnotation names the container that kubectl logs shows by default.
const defaultContainerAnnotation = "kubectl.kubernetes.io/default-container"

// Source identifies the log of one instance of a container.
type Source struct {
	Pod, Container string
	// ID is the ID of the container instance. It changes when the container restarts.
	ID string
}

// linePrefix returns the prefix of the source's lines, as kubectl logs --prefix writes it.
func (s Source) linePrefix() string { return "[pod/" + s.Pod + "/" + s.Container + "] " }

// Selection selects pods by their role and containers by their name.
type Selection struct {
	// Role is the value of the pods' component label; empty for all pods.
	Role string
	// Container is the name of a container; empty for the default container of each pod.
	Container string
	// AllContainers selects all containers, including init containers.
	AllContainers bool
}

// FindSources returns the selected containers that have started, sorted by pod. It fails if the selection fits none
// of the pods, and names the existing roles and containers.
func (s Selection) FindSources(pods []corev1.Pod) ([]Source, error) {
	var sources []Source
	roles, containers := map[string]bool{}, map[string]bool{}
	matches := 0
	for i := range pods {
		pod := &pods[i]
		roles[pod.Labels[naming.LabelComponent]] = true
		if s.Role != "" && s.Role != pod.Labels[naming.LabelComponent] {
			continue
		}
		for _, name := range containerNames(pod) {
			containers[name] = true
			if !s.includesContainer(pod, name) {
				continue
			}
			matches++
			if id := containerID(pod, name); id != "" {
				sources = append(sources, Source{Pod: pod.Name, Container: name, ID: id})
			}
		}
	}
	switch {
	case len(pods) == 0:
		return nil, errors.New("it has no pods")
	case len(containers) == 0:
		return nil, fmt.Errorf("no pod has the role %q; there are: %s", s.Role, strings.Join(slices.Sorted(maps.Keys(roles)), ", "))
	case matches == 0:
		return nil, fmt.Errorf("no pod has a container %q; there are: %s", s.Container, strings.Join(slices.Sorted(maps.Keys(containers)), ", "))
	}
	slices.SortStableFunc(sources, func(a, b Source) int { return cmp.Compare(a.Pod, b.Pod) })
	return sources, nil
}

func (s Selection) includesContainer(pod *corev1.Pod, name string) bool {
	if s.AllContainers {
		return true
	}
	return name == cmp.Or(s.Container, pod.Annotations[defaultContainerAnnotation], pod.Spec.Containers[0].Name)
}

func containerNames(pod *corev1.Pod) []string {
	var names []string
	for _, c := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		names = append(names, c.Name)
	}
	return names
}

// containerID returns the ID of the last started instance of a container, or an empty string.
func containerID(pod *corev1.Pod, name string) string {
	for _, s := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if s.Name == name {
			return s.ContainerID
		}
	}
	return ""
}
