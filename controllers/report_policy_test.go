package controllers_test

import (
	"encoding/json"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
)

// bindConfigMaps gives a group and a ServiceAccount of the test's namespace every right on its ConfigMaps.
func (w *testEnv) bindConfigMaps(group, account string) {
	w.t.Helper()
	must(w.t, w.client.Create(w.ctx, &rbacv1.Role{ObjectMeta: w.objectMeta("writers"),
		Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"*"}}}}))
	must(w.t, w.client.Create(w.ctx, &rbacv1.RoleBinding{ObjectMeta: w.objectMeta("writers"), RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "writers"},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "Group", Name: group}, {Kind: "ServiceAccount", Name: account, Namespace: w.namespace}}}))
	w.waitFor("the binding is effective", func() bool { return w.isAllowed(group, "patch configmaps") })
}

// TestOnlyReportersWriteReports has users and foreign accounts with all rights on ConfigMaps write those of an active run and of a
// network. Otherwise they could forge what the operator reads from pods.
func TestOnlyReportersWriteReports(t *testing.T) {
	w := newTestEnv(t)
	w.installPolicies()
	w.createReportingNetworks()
	w.bringUp("banks")
	must(t, w.createFromYAML(twoWorkerRun, &v1alpha1.BenchmarkRun{}))
	w.reconcileNetwork("banks")
	w.reconcileRun("extra")
	const foreign = "benchnet-run-other"
	w.bindConfigMaps("writers", foreign)
	user, worker, other := w.clientAs("writers"), w.clientAsAccount(naming.RunAccount("extra")), w.clientAsAccount(foreign)
	emulation := w.clientAsAccount(naming.LatencyAccount("chain"))

	report, latency, plain := naming.WorkerReport("extra", 0), naming.LatencyStatus("chain"), "plain"
	must(t, w.client.Create(w.ctx, &corev1.ConfigMap{ObjectMeta: w.objectMeta(plain)}))
	runOwner := *metav1.NewControllerRef(w.getRun("extra"), v1alpha1.GroupVersion.WithKind("BenchmarkRun"))
	ownerPatch, err := json.Marshal(map[string]any{"metadata": map[string]any{"ownerReferences": []any{runOwner}}})
	must(t, err)
	patch := func(name, patch string) func(client.Client) error {
		return func(c client.Client) error {
			return c.Patch(w.ctx, &corev1.ConfigMap{ObjectMeta: w.objectMeta(name)}, mergePatch(patch), client.DryRunAll)
		}
	}
	create := func(name string, owner *metav1.OwnerReference) func(client.Client) error {
		return func(c client.Client) error {
			cm := &corev1.ConfigMap{ObjectMeta: w.objectMeta(name), Data: map[string]string{"failure": "forged"}}
			if owner != nil {
				cm.OwnerReferences = []metav1.OwnerReference{*owner}
			}
			return c.Create(w.ctx, cm, client.DryRunAll)
		}
	}
	notController := runOwner
	notController.Controller, notController.BlockOwnerDeletion = nil, nil
	const content, binary = `{"data": {"progress.json": "{}"}}`, `{"binaryData": {"result": "eA=="}}`
	w.waitFor("the API server enforces the policy", func() bool {
		return patch(report, content)(worker) == nil && patch(latency, content)(emulation) == nil && patch(plain, content)(other) == nil &&
			apierrors.IsForbidden(patch(report, content)(user))
	})
	for name, c := range map[string]struct {
		do      func(client.Client) error
		allowed []client.Client
		refused []client.Client
	}{
		"text of a report":        {patch(report, content), []client.Client{worker, w.operatorClient}, []client.Client{user, other}},
		"result in a report":      {patch(report, binary), []client.Client{worker, w.operatorClient}, []client.Client{user, other}},
		"report of the latency":   {patch(latency, content), []client.Client{emulation, w.operatorClient}, []client.Client{user, other}},
		"barrier of a run":        {patch(naming.BarrierConfigMap("extra"), content), []client.Client{w.operatorClient}, []client.Client{user, other}},
		"report before the run's": {create("extra-w7", &runOwner), []client.Client{w.operatorClient}, []client.Client{user, other}},
		"a prepared ConfigMap":    {patch(plain, string(ownerPatch)), []client.Client{w.operatorClient}, []client.Client{user, other}},
		"annotation of a report":  {patch(report, `{"metadata": {"annotations": {"example.com/a": "x"}}}`), []client.Client{user, other}, nil},
		"an own ConfigMap":        {create("own", nil), []client.Client{user, other}, nil},
		"deleted with the run":    {create("own", &notController), []client.Client{user, other}, nil},
		"result from a backup":    {create(naming.ResultConfigMap("extra"), &runOwner), []client.Client{user}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			for i, writer := range c.allowed {
				if err := c.do(writer); err != nil {
					t.Errorf("writer %d may do so, but: %v", i, err)
				}
			}
			for i, writer := range c.refused {
				if err := c.do(writer); !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "ValidatingAdmissionPolicy 'benchnet-") {
					t.Errorf("writer %d should be refused, but: %v", i, err)
				}
			}
		})
	}
}
