package registry_test

import (
	"path"
	"slices"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
)

// checkGenesisSteps checks that at most one container writes each folder of the genesis Job, because a step
// may run a user's image. The service account token may be mounted only in a container without writable
// mounts.
func checkGenesisSteps(t *testing.T, b platformtest.BuildOutput) {
	t.Helper()
	for _, o := range b.Genesis.JobObjects {
		job, ok := o.(*batchv1.Job)
		if !ok {
			continue
		}
		writers := map[string]string{}
		for _, c := range allContainers(job.Spec.Template.Spec) {
			for _, m := range c.VolumeMounts {
				if m.ReadOnly {
					continue
				}
				checkOnlyWriter(t, writers, c.Name, path.Join(m.Name, m.SubPath))
				if slices.ContainsFunc(c.VolumeMounts, isTokenMount) {
					t.Errorf("container %s of Job %s has a token and can write %s", c.Name, job.Name, m.MountPath)
				}
			}
		}
	}
}

// checkOnlyWriter records that a container writes a folder. It fails if another container writes the same
// folder, a parent or a child.
func checkOnlyWriter(t *testing.T, writers map[string]string, container, folder string) {
	t.Helper()
	for other, by := range writers {
		if isFolderWithin(folder, other) || isFolderWithin(other, folder) {
			t.Errorf("containers %s and %s of genesis both write %s", by, container, folder)
		}
	}
	writers[folder] = container
}

// isFolderWithin reports whether a folder equals other or lies below it.
func isFolderWithin(folder, other string) bool {
	return folder == other || len(folder) > len(other) && folder[:len(other)+1] == other+"/"
}

func isTokenMount(m corev1.VolumeMount) bool { return m.Name == pods.TokenVolumeName }
