package controllers_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
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
  resultRetention: Retain
`

// installDeletionPolicy installs the chart's admission policies, and waits until the API server enforces it.
func (w *testEnv) installDeletionPolicy(runner client.Client) {
	w.t.Helper()
	w.installPolicies()
	w.waitFor("the API server enforces the policy", func() bool {
		return apierrors.IsForbidden(runner.Patch(w.ctx, w.getNetwork("kept"), mergePatch(`{"spec": {"ttlSecondsAfterFinished": 0}}`), client.DryRunAll))
	})
}

func mergePatch(patch string) client.Patch {
	return client.RawPatch(types.MergePatchType, []byte(patch))
}

// specField says what the operator does when a field of the spec of an existing resource changes. A field has one of
// the three.
type specField struct {
	// immutable is true if a rule of the CRD refuses each change.
	immutable bool
	// permitted are changes by which the operator deletes nothing, or only what docs/tenants.md grants to a runner.
	permitted []string
	// deletes are changes by which the operator deletes the resource or something that it would keep otherwise.
	deletes []string
}

var immutable = specField{immutable: true}

// guardedKind is a kind whose specs the policy guards, with every field of its spec.
type guardedKind struct {
	spec   reflect.Type
	plural string
	fields map[string]specField
}

var (
	runDelivery        = specField{permitted: []string{`{"webhook": {"url": "https://ci.example.org"}}`, `null`}}
	experimentDelivery = specField{permitted: []string{`{"runs": {"webhook": {"url": "https://ci.example.org"}}}`, `null`}}
)

var timeToLive = specField{deletes: []string{`0`, `3600`}}

var guardedKinds = map[string]guardedKind{
	"BenchmarkNetwork": {reflect.TypeFor[v1alpha1.BenchmarkNetworkSpec](), "benchmarknetworks", map[string]specField{
		"platform": immutable, "members": immutable, "database": immutable, "regions": immutable, "networkFaults": immutable,
		"observation": immutable, "purpose": immutable,
		"podTemplate": immutable, "commonLabels": immutable, "imagePullSecrets": immutable,
		"workloads":               {permitted: []string{`[{"name": "blocks", "type": "Blocks", "blocks": {}, "measure": {"warmUp": "1s", "window": "10s"}}]`}},
		"delivery":                runDelivery,
		"pauseRuns":               {permitted: []string{`true`}},
		"pause":                   {permitted: []string{`"Never"`}},
		"resultRetention":         {deletes: []string{`"Delete"`, `null`}},
		"ttlSecondsAfterFinished": timeToLive,
	}},
	"BenchmarkRun": {reflect.TypeFor[v1alpha1.BenchmarkRunSpec](), "benchmarkruns", map[string]specField{
		"networkName": immutable, "workload": immutable, "startTimeout": immutable,
		"delivery":                runDelivery,
		"cancelled":               {permitted: []string{`true`}},
		"ttlSecondsAfterFinished": timeToLive,
	}},
	"BenchmarkExperiment": {reflect.TypeFor[v1alpha1.BenchmarkExperimentSpec](), "benchmarkexperiments", map[string]specField{
		"template": immutable, "axes": immutable, "variants": immutable, "strategy": immutable, "saturation": immutable, "compare": immutable,
		"repetitions": immutable, "deployments": immutable, "order": immutable, "failures": immutable,
		"delivery":                experimentDelivery,
		"parallelism":             {permitted: []string{`1`, `3`}},
		"pauseRuns":               {permitted: []string{`true`}},
		"networkRetention":        {deletes: []string{`"Delete"`, `null`}},
		"ttlSecondsAfterFinished": timeToLive,
	}},
}

// TestDeletionPolicyKnowsEveryField walks the Go types of the specs: each field is classified above, those that are
// called immutable are so by a rule of the CRD, and the policy guards those that delete.
func TestDeletionPolicyKnowsEveryField(t *testing.T) {
	policy, err := os.ReadFile(filepath.Join("..", "config", "admission", "policy.yaml"))
	must(t, err)
	for kind, guarded := range guardedKinds {
		mutable := mutableFields(t, guarded.plural)
		for _, f := range reflect.VisibleFields(guarded.spec) {
			if f.Anonymous {
				continue
			}
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			t.Run(kind+"/"+name, func(t *testing.T) {
				f, known := guarded.fields[name]
				switch {
				case !known:
					t.Fatal("say in guardedKinds whether its change makes the operator delete anything, and guard it in config/admission if so")
				case f.immutable == slices.Contains(mutable, "spec."+name):
					t.Errorf("immutable is %v, but the rules of the CRD say otherwise", f.immutable)
				case len(f.deletes) > 0 && !strings.Contains(string(policy), "object.spec."+name):
					t.Error("config/admission/policy.yaml does not guard it")
				case !f.immutable && len(f.deletes)+len(f.permitted) == 0:
					t.Error("no change of it is tried")
				}
			})
		}
	}
}

// deletingUpdate is an update of an existing resource, or a creation, with the message that a runner gets.
type deletingUpdate struct {
	do func(client.Client) error
	// refused is a part of the message to a runner; empty if a runner may do it.
	refused string
	// onlyOperator is true if an admin may not do it either.
	onlyOperator bool
}

// deletingUpdates returns every change of guardedKinds, and those of metadata.
func (w *testEnv) deletingUpdates() map[string]deletingUpdate {
	w.t.Helper()
	const owner = `{"metadata": {"ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "gone", "uid": "11111111-1111-1111-1111-111111111111"}]}}`
	objects := map[string]client.Object{"BenchmarkNetwork": w.getNetwork("kept"), "BenchmarkRun": w.getRun("extra"), "BenchmarkExperiment": w.getExperiment("grid")}
	all := map[string]deletingUpdate{}
	add := func(kind, patch, refused string) {
		all[kind+" "+patch] = deletingUpdate{func(c client.Client) error {
			return c.Patch(w.ctx, objects[kind].DeepCopyObject().(client.Object), mergePatch(patch), client.DryRunAll)
		}, refused, false}
	}
	for kind, guarded := range guardedKinds {
		for name, f := range guarded.fields {
			for _, value := range f.permitted {
				add(kind, fmt.Sprintf(`{"spec": {%q: %s}}`, name, value), "")
			}
			for _, value := range f.deletes {
				add(kind, fmt.Sprintf(`{"spec": {%q: %s}}`, name, value), "spec."+name)
			}
		}
		add(kind, owner, "metadata.ownerReferences")
		add(kind, `{"metadata": {"finalizers": ["example.com/a"]}}`, "metadata.finalizers")
	}
	add("BenchmarkNetwork", `{"metadata": {"annotations": {"benchnet.dev/reset": "1"}}}`, "")
	created := func(replaced, by, refused string) {
		text := strings.Replace(networkKeepingResults, "name: kept", "name: another", 1)
		all["create with "+by] = deletingUpdate{func(c client.Client) error {
			return c.Create(w.ctx, w.decodeYAML(strings.Replace(text, replaced, by, 1)), client.DryRunAll)
		}, refused, strings.Contains(by, "benchnet.dev")}
	}
	created("name: another", `name: another, ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: gone, uid: "1"}]`, "metadata.ownerReferences")
	for _, kind := range []string{"BenchmarkExperiment", "BenchmarkNetwork"} {
		created("name: another", `name: another, ownerReferences: [{apiVersion: benchnet.dev/v1alpha1, kind: `+kind+`, name: grid, uid: "1", controller: true}]`,
			"metadata.ownerReferences")
	}
	created("spec:", "spec:\n  ttlSecondsAfterFinished: 0", "")
	created("", "", "")
	return all
}

// TestDeletionPolicyRestrictsRunners tries every update that leads to a deletion, and those that do not, as each role that may update.
func TestDeletionPolicyRestrictsRunners(t *testing.T) {
	w := newTestEnv(t)
	w.createTenantUsers()
	must(t, w.createFromYAML(networkKeepingResults, &v1alpha1.BenchmarkNetwork{}))
	must(t, w.createFromYAML(strings.Replace(gridExperiment, "spec:", "spec:\n  networkRetention: Retain\n  parallelism: 2", 1), &v1alpha1.BenchmarkExperiment{}))
	must(t, w.createFromYAML(twoWorkerRun, &v1alpha1.BenchmarkRun{}))
	runner, admin := w.clientAs("team-a-engineers"), w.clientAs("team-a-leads")
	w.installDeletionPolicy(runner)
	for name, u := range w.deletingUpdates() {
		t.Run(name, func(t *testing.T) {
			err := u.do(runner)
			if u.refused == "" && err != nil {
				t.Errorf("a runner may do so, but: %v", err)
			}
			if u.refused != "" && (!apierrors.IsForbidden(err) || !strings.Contains(err.Error(), u.refused)) {
				t.Errorf("a runner should be refused with %q, but: %v", u.refused, err)
			}
			if err := u.do(admin); (err != nil) != u.onlyOperator {
				t.Errorf("an admin may do so: %t, but: %v", !u.onlyOperator, err)
			}
			if err := u.do(w.operatorClient); err != nil {
				t.Errorf("the operator may do so, but: %v", err)
			}
		})
	}
}
