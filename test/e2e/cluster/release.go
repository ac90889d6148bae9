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

// Release is an operator of its own, installed with Helm in the namespace and for the namespace alone.
type Release struct {
	*Namespace
	name, helmPath string
	// userArguments are the arguments that make Helm the user who installs it.
	userArguments []string
}

// chartPath of the operator's chart, from the folder of the tests.
const chartPath = "../../charts/benchnet"

// NewRelease is a release that the user installs, who need not be more than the namespace's admin. It is not installed yet.
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

// ForSubtest is the same release in a subtest.
func (r *Release) ForSubtest(t testing.TB) *Release {
	return &Release{Namespace: r.Namespace.ForSubtest(t), name: r.name, helmPath: r.helmPath, userArguments: r.userArguments}
}

// helmOutput lets Helm do something in the namespace.
func (r *Release) helmOutput(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, r.helmPath, append(append(args, "--namespace", r.Name), r.userArguments...)...).CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// RunHelm does something that must succeed.
func (r *Release) RunHelm(args ...string) string {
	r.Helper()
	out, err := r.helmOutput(r.Context(), args...)
	if err != nil {
		r.Fatalf("helm %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return out
}

// Upgrade installs or upgrades the release and waits until it is ready. It watches its namespace alone; it makes no CRDs, and no monitors,
// which a namespace's admin may not.
func (r *Release) Upgrade(values ...string) {
	r.Helper()
	args := []string{"upgrade", "--install", r.name, chartPath, "--wait", "--timeout", "15m"}
	narrow := []string{"watchNamespaces={" + r.Name + "}", "crds.install=false", "monitoring.podMonitors.enabled=false",
		"monitoring.rules.enabled=false", "serviceMonitor.enabled=false"}
	for _, v := range append(narrow, values...) {
		args = append(args, "--set", v)
	}
	r.RunHelm(args...)
}

// ListOperatorPods are those of the operator, by UID.
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

// WaitLeader is the pod that holds the lease, once one of those that there are does.
func (r *Release) WaitLeader() *corev1.Pod {
	r.Helper()
	var leader *corev1.Pod
	r.Wait("an operator leads", func() (bool, string) {
		lease := &coordinationv1.Lease{}
		if err := r.Client.Get(r.Context(), client.ObjectKey{Namespace: r.Name, Name: "benchnet.dev"}, lease); err != nil {
			return false, err.Error()
		}
		if lease.Spec.HolderIdentity == nil {
			return false, "nobody holds the lease"
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
