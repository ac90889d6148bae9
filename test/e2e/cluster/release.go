package cluster

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Release is a separate operator, installed by Helm in the namespace and limited to it.
type Release struct {
	*Namespace
	name, helmPath string
	// userArguments make Helm impersonate the installing user.
	userArguments []string
}

// chartPath is the path of the operator's chart, relative to the folder of the tests.
const chartPath = "../../charts/benchnet"

// NewRelease returns a release that user installs, who needs no rights beyond an admin of the namespace. It
// installs nothing yet.
func (n *Namespace) NewRelease(name, user string) *Release {
	n.Helper()
	tool, err := exec.CommandContext(n.Context(), filepath.Join("..", "..", "hack", "tools", "get"), "helm").Output()
	if err != nil {
		n.Fatalf("get Helm: %v", err)
	}
	r := &Release{Namespace: n, name: name, helmPath: strings.TrimSpace(string(tool)),
		userArguments: []string{"--kube-as-user", user, "--kube-as-group", "system:authenticated"}}
	n.Cleanup(func() {
		out, err := r.helmOutput(context.Background(), "uninstall", name, "--ignore-not-found", "--wait")
		if err != nil {
			n.Errorf("uninstall %s: %v: %s", name, err, out)
		}
	})
	return r
}

// ForSubtest returns the release for a subtest.
func (r *Release) ForSubtest(t testing.TB) *Release {
	return &Release{Namespace: r.Namespace.ForSubtest(t), name: r.name, helmPath: r.helmPath, userArguments: r.userArguments}
}

// helmOutput runs Helm in the namespace and returns its output.
func (r *Release) helmOutput(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, r.helmPath, append(append(args, "--namespace", r.Name), r.userArguments...)...).CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// RunHelm runs Helm, which must succeed.
func (r *Release) RunHelm(args ...string) string {
	r.Helper()
	out, err := r.helmOutput(r.Context(), args...)
	if err != nil {
		r.Fatalf("helm %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return out
}

// Upgrade installs or upgrades the release and waits until it is ready. The release watches only its namespace
// and has no CRDs or monitors, because an admin of a namespace may not create those.
func (r *Release) Upgrade(values ...string) {
	r.Helper()
	args := []string{"upgrade", "--install", r.name, chartPath, "--wait", "--timeout", "15m"}
	narrow := []string{"watchNamespaces={" + r.Name + "}", "crds.install=false", "monitoring.enabled=false"}
	for _, v := range append(narrow, values...) {
		args = append(args, "--set", v)
	}
	r.RunHelm(args...)
}

// ListOperatorPods returns the release's operator pods by UID.
func (r *Release) ListOperatorPods() map[string]*corev1.Pod {
	r.Helper()
	var list corev1.PodList
	if err := r.Client.List(r.Context(), &list, client.InNamespace(r.Name),
		client.MatchingLabels{"app.kubernetes.io/instance": r.name, "app.kubernetes.io/component": "operator"}); err != nil {
		r.Fatalf("list the operator's pods: %v", err)
	}
	all := map[string]*corev1.Pod{}
	for i := range list.Items {
		if list.Items[i].DeletionTimestamp == nil {
			all[string(list.Items[i].UID)] = &list.Items[i]
		}
	}
	return all
}

// WaitLeader waits until one of the release's pods holds the lease, and returns the pod.
func (r *Release) WaitLeader() *corev1.Pod {
	r.Helper()
	var leader *corev1.Pod
	r.Wait("an operator leads", func() (bool, string) {
		lease := &coordinationv1.Lease{}
		if err := r.Client.Get(r.Context(), client.ObjectKey{Namespace: r.Name, Name: "benchnet.dev"}, lease); err != nil {
			return false, err.Error()
		}
		if lease.Spec.HolderIdentity == nil {
			return false, "the lease has no holder"
		}
		for _, pod := range r.ListOperatorPods() {
			if strings.HasPrefix(*lease.Spec.HolderIdentity, pod.Name+"_") {
				leader = pod
				return true, ""
			}
		}
		return false, "the lease is held by " + *lease.Spec.HolderIdentity
	})
	return leader
}
