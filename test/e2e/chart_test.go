//go:build e2e

package e2e_test

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/verdict"
	"github.com/benchnet/benchnet/test/e2e/cluster"
)

var (
	//go:embed testdata/chart-network.yaml
	pairManifest string
	//go:embed testdata/chart-run.yaml.tmpl
	pairRunManifest string
	//go:embed testdata/chart-installer.yaml.tmpl
	installerManifest string
)

// TestChart installs a second operator in one namespace, by a user who has rights only there. hack/install makes the
// first operator ignore it. A network survives upgrade, rollback, leader change, uninstall and reinstall, and each
// operator measures it.
func TestChart(t *testing.T) {
	t.Parallel()
	ns := cluster.NewNamespace(t, "chart")
	ns.MustApply(fmt.Sprintf(installerManifest, ns.Name))
	r := ns.NewRelease("lab", "installer")
	var before map[string]string

	mustPass(t, "it is installed without cluster roles, and works", func(t *testing.T) {
		r := r.ForSubtest(t)
		r.Upgrade("replicas=2")
		if wide := r.RunKubectl("get", "clusterroles,clusterrolebindings", "--selector=app.kubernetes.io/instance=lab", "--output=name"); wide != "" {
			t.Errorf("it made %s", wide)
		}
		if len(r.ListOperatorPods()) != 2 {
			t.Errorf("there are %d operators, want 2", len(r.ListOperatorPods()))
		}
		t.Log(r.RunHelm("test", "lab", "--logs"))
		if left := r.RunKubectl("get", "pods,serviceaccounts,services,networkpolicies,roles", "--selector=app.kubernetes.io/component=test", "--output=name"); left != "" {
			t.Errorf("helm test left %s", left)
		}
		r.MustApply(pairManifest)
		r.WaitReady("pair")
		before = recordMemberObjects(r.Namespace)
		applyAndAssertRun(r, "first")
	})
	mustPass(t, "a network stands through an upgrade", func(t *testing.T) {
		r := r.ForSubtest(t)
		old := r.ListOperatorPods()
		r.Upgrade("replicas=2", "logLevel=debug", "maxConcurrentReconciles=2", "podLabels.example\\.com/team=a")
		assertOperatorsReplaced(r, old)
		applyAndAssertRun(r, "upgraded")
		assertUntouched(r.Namespace, before)
	})
	mustPass(t, "and through a rollback", func(t *testing.T) {
		r := r.ForSubtest(t)
		old := r.ListOperatorPods()
		r.RunHelm("rollback", "lab", "1", "--wait", "--timeout", "15m")
		assertOperatorsReplaced(r, old)
		applyAndAssertRun(r, "back")
		assertUntouched(r.Namespace, before)
	})
	mustPass(t, "and through a change of leaders", func(t *testing.T) {
		r := r.ForSubtest(t)
		leader := r.WaitLeader()
		r.RunKubectl("delete", "pod", leader.Name, "--grace-period=0", "--force")
		if next := r.WaitLeader(); next.UID == leader.UID {
			t.Errorf("%s still leads", next.Name)
		}
		applyAndAssertRun(r, "led")
		assertUntouched(r.Namespace, before)
	})
	mustPass(t, "an uninstall leaves networks and results", func(t *testing.T) {
		r := r.ForSubtest(t)
		r.RunHelm("uninstall", "lab", "--wait")
		r.Wait("nothing of the release is left", func() (bool, string) {
			left := r.RunKubectl("get", "all,roles,rolebindings,networkpolicies,serviceaccounts", "--selector=app.kubernetes.io/instance=lab", "--output=name")
			return left == "", "it left " + left
		})
		r.RunKubectl("wait", "--for=condition=Established", "customresourcedefinition/benchmarknetworks.benchnet.dev")
		assertUntouched(r.Namespace, before)
		readResult(r.Namespace, r.GetRun("first"))
	})
	mustPass(t, "and another install picks them up", func(t *testing.T) {
		r := r.ForSubtest(t)
		r.Upgrade()
		applyAndAssertRun(r, "again")
		assertUntouched(r.Namespace, before)
		r.RunKubectl("delete", "benchmarknetwork", "pair")
		r.Wait("nothing of the members is left", func() (bool, string) {
			of := "--selector=" + v1alpha1.LabelNetwork + "=pair," + v1alpha1.LabelMember
			left := r.RunKubectl("get", "pods,statefulsets,services,secrets,persistentvolumeclaims", of, "--output=name")
			return left == "", left + " is left"
		})
	})
}

// recordMemberObjects returns the network's pods and StatefulSets with values that change if an object is modified.
func recordMemberObjects(ns *cluster.Namespace) map[string]string {
	ns.Helper()
	all := map[string]string{}
	var pods corev1.PodList
	var sets appsv1.StatefulSetList
	scope := []client.ListOption{client.InNamespace(ns.Name), client.MatchingLabels{v1alpha1.LabelNetwork: "pair"}, client.HasLabels{v1alpha1.LabelMember}}
	for _, list := range []client.ObjectList{&pods, &sets} {
		if err := ns.Client.List(ns.Context(), list, scope...); err != nil {
			ns.Fatalf("list what is of the network: %v", err)
		}
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		restarts := int32(0)
		for _, c := range pod.Status.ContainerStatuses {
			restarts += c.RestartCount
		}
		all["pod "+pod.Name] = fmt.Sprintf("%s, %d restarts", pod.UID, restarts)
	}
	for i := range sets.Items {
		all["set "+sets.Items[i].Name] = fmt.Sprintf("%s, generation %d", sets.Items[i].UID, sets.Items[i].Generation)
	}
	if len(all) != 4 {
		ns.Fatalf("two members should have a pod and a StatefulSet each, but there are %v", slices.Sorted(maps.Keys(all)))
	}
	return all
}

func assertUntouched(ns *cluster.Namespace, before map[string]string) {
	ns.Helper()
	if diff := cmp.Diff(before, recordMemberObjects(ns)); diff != "" {
		ns.Errorf("the network was touched (-before +after):\n%s", diff)
	}
}

// assertOperatorsReplaced fails unless all operator pods are new.
func assertOperatorsReplaced(r *cluster.Release, old map[string]*corev1.Pod) {
	r.Helper()
	for uid, pod := range r.ListOperatorPods() {
		if old[uid] != nil {
			r.Errorf("%s is as old as before", pod.Name)
		}
	}
}

// applyAndAssertRun applies a run and fails unless its result is sound and notes what the operator may not read.
func applyAndAssertRun(r *cluster.Release, run string) {
	r.Helper()
	r.WaitLeader()
	r.MustApply(fmt.Sprintf(pairRunManifest, run))
	found := readResult(r.Namespace, r.WaitEnded(run))
	if found.Summary.Completed == 0 {
		r.Errorf("run %s saw no blocks", run)
	}
	unknown := slices.ContainsFunc(found.Verdict.Notes, func(n verdict.Reason) bool {
		return n.Code == verdict.ReasonNodesUnknown && strings.Contains(n.Message, "forbidden")
	})
	if !unknown || len(found.Environment.Nodes) > 0 {
		r.Errorf("run %s should note that nodes are unknown: %+v", run, found.Verdict.Notes)
	}
}
