package pods_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/internal/kube/pods"
)

func TestRaiseRequests(t *testing.T) {
	for name, c := range map[string]struct {
		ratio                 float64
		request, limit, wants string
	}{
		"any":              {0, "10m", "1", "10m"},
		"too small":        {2, "10m", "1", "500m"},
		"large enough":     {2, "600m", "1", "600m"},
		"equal":            {1, "10m", "1", "1"},
		"rounded up":       {3, "10m", "1", "334m"},
		"ratio of a third": {1.5, "10m", "3", "2"},
		"no request":       {2, "", "1", ""},
		"no limit":         {2, "10m", "", "10m"},
	} {
		t.Run(name, func(t *testing.T) {
			pod := &corev1.PodSpec{InitContainers: []corev1.Container{{Resources: corev1.ResourceRequirements{
				Requests: cpuList(c.request), Limits: cpuList(c.limit)}}}}
			pods.Constraints{MaxLimitRequestRatio: c.ratio}.RaiseRequests(pod)
			if diff := cmp.Diff(cpuList(c.wants), pod.InitContainers[0].Resources.Requests); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func cpuList(quantity string) corev1.ResourceList {
	if quantity == "" {
		return nil
	}
	return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(quantity)}
}

// TestRemoveUserIDs keeps the user of containers that run as root.
func TestRemoveUserIDs(t *testing.T) {
	build := func() *corev1.PodSpec {
		return &corev1.PodSpec{SecurityContext: pods.PodSecurityContext(), Containers: []corev1.Container{
			{Name: "own", SecurityContext: &corev1.SecurityContext{RunAsUser: new(int64(5)), RunAsGroup: new(int64(5))}},
			{Name: "root", SecurityContext: &corev1.SecurityContext{RunAsUser: new(int64(0)), RunAsGroup: new(int64(0))}},
			{Name: "none"}}}
	}
	assigned := build()
	assigned.SecurityContext.RunAsUser, assigned.SecurityContext.RunAsGroup, assigned.SecurityContext.FSGroup = nil, nil, nil
	assigned.Containers[0].SecurityContext = &corev1.SecurityContext{}
	for name, c := range map[string]struct {
		constraints pods.Constraints
		want        *corev1.PodSpec
	}{"fixed": {want: build()}, "assigned": {pods.Constraints{AssignedUserIDs: true}, assigned}} {
		t.Run(name, func(t *testing.T) {
			pod := build()
			c.constraints.RemoveUserIDs(pod)
			if diff := cmp.Diff(c.want, pod); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
