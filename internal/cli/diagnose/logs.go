package diagnose

import (
	"context"
	"fmt"
	"io"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// maxLogLines is the number of lines of each container's log that are collected, the latest ones.
const maxLogLines int64 = 10_000

// addPodLogs adds the logs of all started containers of a pod, and those before their last restarts.
func (c *Collector) addPodLogs(ctx context.Context, directory string, object *unstructured.Unstructured) error {
	var pod corev1.Pod
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &pod); err != nil {
		return fmt.Errorf("decode pod %s: %w", object.GetName(), err)
	}
	for _, container := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if container.ContainerID == "" {
			continue
		}
		name := directory + "/" + pod.Name + "/" + container.Name
		if err := c.addLog(ctx, &pod, container.Name, name+".log", false); err != nil {
			return err
		}
		if container.RestartCount == 0 {
			continue
		}
		if err := c.addLog(ctx, &pod, container.Name, name+".previous.log", true); err != nil {
			return err
		}
	}
	return nil
}

func (c *Collector) addLog(ctx context.Context, pod *corev1.Pod, container, file string, previous bool) error {
	log, err := c.OpenLog(ctx, pod.Namespace, pod.Name, &corev1.PodLogOptions{
		Container: container, Previous: previous, Timestamps: true, TailLines: new(maxLogLines),
	})
	if err != nil {
		c.addProblem("log "+file, err)
		return ctx.Err()
	}
	defer log.Close()
	content, err := io.ReadAll(log)
	if err != nil {
		c.addProblem("the end of log "+file, err)
	}
	return c.archive.addFile(file, string(content))
}
