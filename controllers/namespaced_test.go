package controllers_test

import (
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/yaml"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/results"
)

// confine gives the reconcilers the account of an operator that the chart installs for the world's namespace alone.
func (w *world) confine() {
	w.t.Helper()
	for _, object := range w.namespacedRights() {
		must(w.t, w.client.Create(w.ctx, object))
	}
	confined := rest.CopyConfig(config)
	confined.Impersonate = rest.ImpersonationConfig{UserName: "system:serviceaccount:" + w.namespace + ":benchnet-operator",
		Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + w.namespace, "system:authenticated"}}
	c, err := client.NewWithWatch(confined, client.Options{Scheme: w.client.Scheme()})
	must(w.t, err)
	w.operator, w.direct = interceptor.NewClient(c, w.counting()), c
}

// namespacedRights are what the chart makes of kind Role and RoleBinding.
func (w *world) namespacedRights() []client.Object {
	w.t.Helper()
	chart, err := loader.LoadDir("../charts/benchnet")
	must(w.t, err)
	values, err := util.ToRenderValues(chart, map[string]any{"watchNamespaces": []any{w.namespace}},
		common.ReleaseOptions{Name: "benchnet", Namespace: w.namespace, IsInstall: true}, common.DefaultCapabilities)
	must(w.t, err)
	files, err := engine.Render(chart, values)
	must(w.t, err)
	var rights []client.Object
	for _, document := range strings.Split(files["benchnet/templates/rbac_operator.yaml"], "\n---\n") {
		object := &unstructured.Unstructured{}
		must(w.t, yaml.Unmarshal([]byte(document), &object.Object))
		switch object.GetKind() {
		case "":
		case "Role", "RoleBinding":
			rights = append(rights, object)
		default:
			w.t.Fatalf("the chart makes %s %s for an operator of one namespace", object.GetKind(), object.GetName())
		}
	}
	if len(rights) != 2 {
		w.t.Fatalf("the chart makes %d objects of rights, want a role and its binding", len(rights))
	}
	return rights
}

// TestRightsInOneNamespace takes a network to its result by an operator that has no rights but in its namespace.
func TestRightsInOneNamespace(t *testing.T) {
	w := newWorld(t)
	w.host = "laboratory"
	w.confine()
	if err := w.direct.List(w.ctx, &corev1.SecretList{}); !apierrors.IsForbidden(err) {
		t.Fatalf("it can list the Secrets of all namespaces: %v", err)
	}
	if err := w.direct.List(w.ctx, &rbacv1.ClusterRoleList{}); !apierrors.IsForbidden(err) {
		t.Fatalf("it can list cluster roles: %v", err)
	}
	must(t, w.create(twoBanks[:strings.Index(twoBanks, "  workloads:")], &v1alpha1.BenchmarkNetwork{}))
	w.bringUp("banks")
	if c := meta.FindStatusCondition(w.network("banks").Status.Conditions, v1alpha1.ConditionReady); c.Status != metav1.ConditionTrue {
		t.Fatalf("the network is not ready: %s: %s", c.Reason, c.Message)
	}
	must(t, w.create(twoWorkers, &v1alpha1.BenchmarkRun{}))
	w.reconcileNetwork("banks")
	w.reconcileRun("extra")
	w.readyWorkers("extra")
	w.reconcileRun("extra")
	for worker := range int32(2) {
		w.reportResult(w.run("extra"), worker, 100, 20_000)
	}
	w.reconcileRun("extra")
	w.reconcileRun("extra")
	s := w.run("extra").Status
	if s.Verdict != v1alpha1.VerdictValid {
		t.Fatalf("the verdict is %q: %+v", s.Verdict, s.Conditions)
	}
	cm := &corev1.ConfigMap{}
	w.get(s.Result.ConfigMapName, cm)
	result, err := results.Decode(cm.BinaryData[s.Result.Key])
	must(t, err)
	for _, note := range result.Verdict.Notes {
		if note.Code == results.NodesUnknown && strings.Contains(note.Message, "laboratory") {
			return
		}
	}
	t.Errorf("the result should note that nothing is known of node laboratory, but notes %+v", result.Verdict.Notes)
}

// TestExperimentInOneNamespace makes sure that an operator that may not look for room says so, and begins all the same.
func TestExperimentInOneNamespace(t *testing.T) {
	w := newWorld(t)
	w.confine()
	must(t, w.create(grid, &v1alpha1.BenchmarkExperiment{}))
	_, err := w.experiments().Reconcile(w.ctx, w.request("grid"))
	must(t, err)
	c := meta.FindStatusCondition(w.experiment("grid").Status.Conditions, v1alpha1.ConditionFits)
	if c.Status != metav1.ConditionUnknown || c.Reason != v1alpha1.ReasonNotChecked || !strings.Contains(c.Message, "nodes") {
		t.Errorf("the condition should say that nobody looked at the nodes, but is %+v", c)
	}
	w.carryOut("grid")
}
