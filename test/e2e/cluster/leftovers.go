package cluster

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// ignoredObjects exist in every namespace or expire by themselves.
var ignoredObjects = []string{
	"configmap/kube-root-ca.crt", "serviceaccount/default", "event/", "event.events.k8s.io/",
}

// ListObjects returns all objects of the namespace, of every kind that the cluster serves, and the volumes bound to it.
func (n *Namespace) ListObjects() []string {
	n.Helper()
	all, err := listKinds(n.Context())
	if err != nil {
		n.Fatal(err)
	}
	found := strings.Fields(n.RunKubectl("get", all, "--output=name", "--ignore-not-found"))
	var volumes corev1.PersistentVolumeList
	if err := n.Client.List(n.Context(), &volumes); err != nil {
		n.Fatalf("list persistent volumes: %v", err)
	}
	for _, v := range volumes.Items {
		if v.Spec.ClaimRef != nil && v.Spec.ClaimRef.Namespace == n.Name {
			found = append(found, "persistentvolume/"+v.Name)
		}
	}
	var objects []string
	for _, object := range found {
		if !isIgnoredObject(object) {
			objects = append(objects, object)
		}
	}
	sort.Strings(objects)
	return objects
}

func isIgnoredObject(object string) bool {
	for _, prefix := range ignoredObjects {
		if strings.HasPrefix(object, prefix) {
			return true
		}
	}
	return false
}

// WaitRuns waits until no networks are left in the namespace, and no runs except the named ones.
func (n *Namespace) WaitRuns(names ...string) {
	n.Helper()
	var want []string
	for _, name := range slices.Sorted(slices.Values(names)) {
		want = append(want, "benchmarkrun.benchnet.dev/"+name)
	}
	n.Wait("of networks and runs there are just "+strings.Join(want, " "), func() (bool, string) {
		left := strings.Fields(n.RunKubectl("get", "benchmarknetworks,benchmarkruns", "--output=name", "--ignore-not-found"))
		sort.Strings(left)
		return slices.Equal(left, want), strings.Join(left, " ")
	})
}

// WaitEmpty waits until the namespace contains no objects.
func (n *Namespace) WaitEmpty() {
	n.Helper()
	n.Wait("nothing is left in namespace "+n.Name, func() (bool, string) {
		left := n.ListObjects()
		return len(left) == 0, fmt.Sprintf("%d objects, such as %s", len(left), strings.Join(left[:min(len(left), 8)], " "))
	})
}
