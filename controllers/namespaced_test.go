package controllers_test

import (
	"slices"
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
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/controllers"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// useNamespacedOperator gives the reconcilers the account of an operator that the chart installs only for the
// test's namespace.
func (w *testEnv) useNamespacedOperator() {
	w.t.Helper()
	for _, object := range renderOperatorRBAC(w.t, w.namespace, map[string]any{"watchNamespaces": []any{w.namespace}}, "Role", "RoleBinding") {
		must(w.t, w.client.Create(w.ctx, object))
	}
	c, err := startConnection(w.ctx, operatorConfig(w.namespace), w.client.Scheme(), controllers.CacheScope{WatchedNamespaces: []string{w.namespace}})
	must(w.t, err)
	w.useConnection(c)
}

// renderOperatorRBAC returns the operator's RBAC objects as the chart renders them for the namespace: one
// object of each kind.
func renderOperatorRBAC(t *testing.T, namespace string, own map[string]any, kinds ...string) []client.Object {
	t.Helper()
	return renderChartTemplate(t, "rbac_operator.yaml", namespace, own, kinds...)
}

// renderChartTemplate renders one template of the chart for the namespace: one object of each kind.
func renderChartTemplate(t *testing.T, template, namespace string, own map[string]any, kinds ...string) []client.Object {
	t.Helper()
	chart, err := loader.LoadDir("../charts/benchnet")
	must(t, err)
	values, err := util.ToRenderValues(chart, own,
		common.ReleaseOptions{Name: "benchnet", Namespace: namespace, IsInstall: true}, common.DefaultCapabilities)
	must(t, err)
	files, err := engine.Render(chart, values)
	must(t, err)
	var rights []client.Object
	for _, document := range strings.Split(files["benchnet/templates/"+template], "\n---\n") {
		object := &unstructured.Unstructured{}
		must(t, yaml.Unmarshal([]byte(document), &object.Object))
		if object.GetKind() == "" {
			continue // A comment.
		}
		if !slices.Contains(kinds, object.GetKind()) {
			t.Fatalf("the chart creates %s %s, want only %v", object.GetKind(), object.GetName(), kinds)
		}
		rights = append(rights, object)
	}
	if len(rights) != len(kinds) {
		t.Fatalf("%s creates %d objects, want %v", template, len(rights), kinds)
	}
	return rights
}

// TestNamespacedOperatorRights takes a network to its result with an operator that has rights only in its
// namespace.
func TestNamespacedOperatorRights(t *testing.T) {
	w := newTestEnv(t)
	w.podNode = "laboratory"
	w.useNamespacedOperator()
	if err := w.apiReader.List(w.ctx, &corev1.SecretList{}); !apierrors.IsForbidden(err) {
		t.Fatalf("it can list the Secrets of all namespaces: %v", err)
	}
	if err := w.apiReader.List(w.ctx, &rbacv1.ClusterRoleList{}); !apierrors.IsForbidden(err) {
		t.Fatalf("it can list cluster roles: %v", err)
	}
	must(t, w.createFromYAML(cordaNetwork[:strings.Index(cordaNetwork, "  workloads:")], &v1alpha1.BenchmarkNetwork{}))
	w.bringUp("banks")
	if c := meta.FindStatusCondition(w.getNetwork("banks").Status.Conditions, v1alpha1.ConditionReady); c.Status != metav1.ConditionTrue {
		t.Fatalf("the network is not ready: %s: %s", c.Reason, c.Message)
	}
	w.completeTwoWorkerRun()
	s := w.getRun("extra").Status
	if s.Verdict != v1alpha1.VerdictValid {
		t.Fatalf("the verdict is %q: %+v", s.Verdict, s.Conditions)
	}
	cm := &corev1.ConfigMap{}
	w.mustGet(s.Result.ConfigMapName, cm)
	result, err := document.DecodeRunResult(cm.BinaryData[s.Result.Key])
	must(t, err)
	for _, note := range result.Verdict.Notes {
		if note.Code == verdict.ReasonNodesUnknown && strings.Contains(note.Message, "laboratory") {
			return
		}
	}
	t.Errorf("the result should note that the state of node laboratory is unknown, but notes %+v", result.Verdict.Notes)
}

// TestExperimentInOneNamespace checks that an operator that may not check the cluster's capacity reports it,
// and begins the experiment nevertheless.
func TestExperimentInOneNamespace(t *testing.T) {
	w := newTestEnv(t)
	w.useNamespacedOperator()
	must(t, w.createFromYAML(gridExperiment, &v1alpha1.BenchmarkExperiment{}))
	_, err := w.experimentReconciler().Reconcile(w.ctx, w.requestFor("grid"))
	must(t, err)
	c := meta.FindStatusCondition(w.getExperiment("grid").Status.Conditions, v1alpha1.ConditionFits)
	if c.Status != metav1.ConditionUnknown || c.Reason != v1alpha1.ReasonNotChecked || !strings.Contains(c.Message, "nodes") {
		t.Errorf("the condition should report that the nodes were not checked, but is %+v", c)
	}
	w.reconcileUntilComplete("grid")
}
