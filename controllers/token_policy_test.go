package controllers_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
)

// installPolicies installs the chart's admission policies until the test ends.
func (w *testEnv) installPolicies() {
	w.t.Helper()
	const policy, binding = "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"
	kinds := []string{policy, binding, policy, binding, policy, binding}
	for _, object := range renderChartTemplate(w.t, "admissionpolicy.yaml", operatorNamespace, nil, kinds...) {
		must(w.t, w.client.Create(w.ctx, object))
		w.t.Cleanup(func() { _ = w.client.Delete(context.Background(), object) })
	}
}

// clientAsAccount returns a client with the rights of a ServiceAccount of the test's namespace.
func (w *testEnv) clientAsAccount(name string) client.Client {
	w.t.Helper()
	c := rest.CopyConfig(config)
	c.Impersonate = rest.ImpersonationConfig{UserName: "system:serviceaccount:" + w.namespace + ":" + name,
		Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + w.namespace, "system:authenticated"}}
	account, err := client.New(c, client.Options{Scheme: w.client.Scheme()})
	must(w.t, err)
	return account
}

// createReportingNetworks creates network chain, whose members are planned and report their emulated latency, and network banks.
func (w *testEnv) createReportingNetworks() {
	w.t.Helper()
	must(w.t, w.createFromYAML(strings.Replace(validRegionsNetwork, "name: banks", "name: chain", 1), &v1alpha1.BenchmarkNetwork{}))
	w.reconcileTwice("chain")
	for range 2 { // Until the members are planned.
		w.fillGenesisSecrets()
		w.markStatefulSetsReady()
		w.completeJobs()
		w.reconcileTwice("chain")
	}
	must(w.t, w.createFromYAML(cordaNetwork[:strings.Index(cordaNetwork, "  workloads:")], &v1alpha1.BenchmarkNetwork{}))
}

// TestPodTokensCannotChangeMetadata uses the tokens of each kind of pod that may write an object. They may write what the
// agent writes, but not who deletes or finds the object. The operator and others are not affected.
func TestPodTokensCannotChangeMetadata(t *testing.T) {
	w := newTestEnv(t)
	w.installPolicies()
	w.createReportingNetworks()
	w.reconcileTwice("banks")
	secret := ""
	for name, s := range w.generatedSecrets() {
		if strings.HasPrefix(name, "banks-") && s.Annotations[v1alpha1.AnnotationGenerated] == string(v1alpha1.GeneratedGenesis) {
			secret = name
		}
	}
	w.try("genesis", w.clientAsAccount(naming.GenesisJob("banks")), &corev1.Secret{ObjectMeta: w.objectMeta(secret)},
		`{"data": {"file": "eA=="}, "metadata": {"annotations": {"benchnet.dev/genesis-complete": "done"}}}`)
	w.try("latency emulation", w.clientAsAccount(naming.LatencyAccount("chain")), &corev1.ConfigMap{ObjectMeta: w.objectMeta(naming.LatencyStatus("chain"))},
		`{"data": {"member-0": "{}"}}`)
	w.bringUp("banks")
	must(t, w.createFromYAML(twoWorkerRun, &v1alpha1.BenchmarkRun{}))
	w.reconcileNetwork("banks")
	w.reconcileRun("extra")
	w.try("worker", w.clientAsAccount(naming.RunAccount("extra")), &corev1.ConfigMap{ObjectMeta: w.objectMeta(naming.WorkerReport("extra", 0))},
		`{"data": {"progress.json": "{}"}}`)
}

// try patches an object with what the account must write, and with metadata that it may not change.
func (w *testEnv) try(who string, account client.Client, object client.Object, written string) {
	patch := func(c client.Client, patch string) error {
		return c.Patch(w.ctx, object.DeepCopyObject().(client.Object), mergePatch(patch), client.DryRunAll)
	}
	const owner = `{"metadata": {"ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "gone", "uid": "11111111-1111-1111-1111-111111111111"}]}}`
	forbidden := map[string]string{"ownerReferences": owner, "no ownerReferences": `{"metadata": {"ownerReferences": null}}`,
		"finalizers": `{"metadata": {"finalizers": ["example.com/a"]}}`, "labels": `{"metadata": {"labels": {"app.kubernetes.io/managed-by": "x"}}}`}
	// The API server authorizes from a cache of its own, and enforces new policies after a moment.
	var err error
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if err = patch(account, written); err == nil && patch(account, forbidden["labels"]) != nil {
			break
		}
	}
	if err != nil {
		w.t.Fatalf("%s must write %s, but: %v", who, object.GetName(), err)
	}
	for what, change := range forbidden {
		w.t.Run(fmt.Sprintf("%s changes %s", who, what), func(t *testing.T) {
			field := what[strings.LastIndex(what, " ")+1:]
			if err := patch(account, change); !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "pods may not change metadata."+field) {
				t.Errorf("it should be refused, but: %v", err)
			}
			if err := patch(w.operatorClient, change); err != nil {
				t.Errorf("the operator may do so, but: %v", err)
			}
		})
	}
}
