package controllers_test

import (
	"context"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// networkKeepingResults is a small network whose results are kept.
const networkKeepingResults = `
apiVersion: benchnet.dev/v1alpha1
kind: BenchmarkNetwork
metadata: {name: kept}
spec:
  platform: {type: Malachite, malachite: {}}
  members: {count: 4, cores: 200m, memory: 200Mi, storage: {type: Ephemeral}}
  resultPolicy: Retain
`

// installDeletionPolicy installs the chart's admission policy, and waits until the API server enforces it.
func (w *testEnv) installDeletionPolicy(runner client.Client) {
	w.t.Helper()
	for _, object := range renderChartTemplate(w.t, "admissionpolicy.yaml", operatorNamespace, nil, "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding") {
		must(w.t, w.client.Create(w.ctx, object))
		w.t.Cleanup(func() { _ = w.client.Delete(context.Background(), object) })
	}
	w.waitFor("the API server enforces the policy", func() bool {
		return apierrors.IsForbidden(runner.Patch(w.ctx, w.getNetwork("kept"), mergePatch(`{"spec": {"ttlSecondsAfterFinished": 0}}`), client.DryRunAll))
	})
}

func mergePatch(patch string) client.Patch {
	return client.RawPatch(types.MergePatchType, []byte(patch))
}

// TestDeletionPolicyRestrictsRunners tries every update that leads to a deletion as each role that may update.
func TestDeletionPolicyRestrictsRunners(t *testing.T) {
	w := newTestEnv(t)
	w.createTenantUsers()
	must(t, w.createFromYAML(networkKeepingResults, &v1alpha1.BenchmarkNetwork{}))
	must(t, w.createFromYAML(gridExperiment, &v1alpha1.BenchmarkExperiment{}))
	must(t, w.createFromYAML(twoWorkerRun, &v1alpha1.BenchmarkRun{}))
	runner, admin := w.clientAs("team-a-engineers"), w.clientAs("team-a-leads")
	w.installDeletionPolicy(runner)
	const owner = `{"metadata": {"ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "gone", "uid": "11111111-1111-1111-1111-111111111111"}]}}`
	network := func(c client.Client, patch string) error {
		return c.Patch(w.ctx, w.getNetwork("kept"), mergePatch(patch), client.DryRunAll)
	}
	run := func(c client.Client, patch string) error {
		return c.Patch(w.ctx, w.getRun("extra"), mergePatch(patch), client.DryRunAll)
	}
	created := func(c client.Client, replaced, by string) error {
		text := strings.Replace(networkKeepingResults, "name: kept", "name: another", 1)
		return c.Create(w.ctx, w.decodeYAML(strings.Replace(text, replaced, by, 1)), client.DryRunAll)
	}
	for name, c := range map[string]struct {
		do func(client.Client) error
		// refused is a part of the message to a runner; empty if a runner may do it.
		refused string
	}{
		"the TTL of a network":    {func(c client.Client) error { return network(c, `{"spec": {"ttlSecondsAfterFinished": 0}}`) }, "spec.ttlSecondsAfterFinished"},
		"the owners of a network": {func(c client.Client) error { return network(c, owner) }, "metadata.ownerReferences"},
		"finalizers of a network": {func(c client.Client) error { return network(c, `{"metadata": {"finalizers": ["example.com/a"]}}`) }, "metadata.finalizers"},
		"results that are kept":   {func(c client.Client) error { return network(c, `{"spec": {"resultPolicy": "Delete"}}`) }, "spec.resultPolicy"},
		"the TTL of an experiment": {func(c client.Client) error {
			return c.Patch(w.ctx, w.getExperiment("grid"), mergePatch(`{"spec": {"ttlSecondsAfterFinished": 0}}`), client.DryRunAll)
		}, "spec.ttlSecondsAfterFinished"},
		"a network with owners": {func(c client.Client) error {
			return created(c, "name: another", `name: another, ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: gone, uid: "1"}]`)
		}, "metadata.ownerReferences"},
		"a network with a TTL": {func(c client.Client) error { return created(c, "spec:", "spec:\n  ttlSecondsAfterFinished: 0") }, ""},
		"a network":            {func(c client.Client) error { return created(c, "", "") }, ""},
		"the reset of a network": {func(c client.Client) error {
			return network(c, `{"metadata": {"annotations": {"benchnet.dev/reset": "1"}}}`)
		}, ""},
		"the TTL of a run":          {func(c client.Client) error { return run(c, `{"spec": {"ttlSecondsAfterFinished": 0}}`) }, "spec.ttlSecondsAfterFinished"},
		"the end of a run":          {func(c client.Client) error { return run(c, `{"spec": {"cancelled": true}}`) }, ""},
		"the hold on a network":     {func(c client.Client) error { return network(c, `{"spec": {"suspend": true}}`) }, ""},
		"the priority of a network": {func(c client.Client) error { return network(c, `{"spec": {"priority": 1}}`) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.do(runner)
			if c.refused == "" && err != nil {
				t.Errorf("a runner may do so, but: %v", err)
			}
			if c.refused != "" && (!apierrors.IsForbidden(err) || !strings.Contains(err.Error(), c.refused)) {
				t.Errorf("a runner should be refused with %q, but: %v", c.refused, err)
			}
			for who, able := range map[string]client.Client{"an admin": admin, "the operator": w.operatorClient} {
				if err := c.do(able); err != nil {
					t.Errorf("%s may do so, but: %v", who, err)
				}
			}
		})
	}
}
