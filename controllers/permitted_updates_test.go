package controllers_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// permittedUpdate is a change that the API server accepts on an existing object.
type permittedUpdate struct {
	name string
	// field is the field that changes: spec.x, metadata.labels or metadata.annotations.
	field string
	// patch is a JSON merge patch of the object.
	patch string
	// endsRun marks an update of a network that needs the run under way to end first, or of a run that ends it.
	endsRun bool
	// restarts marks an update whose purpose is to restart the members.
	restarts bool
}

// platformWorkloads are a first workload of each platform, and a second one that needs larger volumes if
// volumes depend on the workloads at all.
var platformWorkloads = map[string][2]string{
	"Corda": {`{"name": "first", "type": "Corda", "corda": {"finance": {"operation": "Issue"}}, "load": {"clients": 4}, "measure": {"warmUp": "1s", "window": "10s"}}`,
		`{"name": "long", "type": "Corda", "corda": {"finance": {"operation": "Pay"}}, "load": {"clients": 4}, "measure": {"warmUp": "1s", "window": "10h"}}`},
	"JPaxos": {`{"name": "first", "type": "JPaxos", "jpaxos": {"requestBytes": 128}, "load": {"clients": 10}, "measure": {"warmUp": "1s", "window": "10s"}}`,
		`{"name": "long", "type": "JPaxos", "jpaxos": {"requestBytes": 128}, "load": {"clients": 10}, "measure": {"warmUp": "1s", "window": "10h"}}`},
	"Malachite": {`{"name": "first", "type": "Blocks", "blocks": {}, "measure": {"warmUp": "1s", "window": "10s"}}`,
		`{"name": "long", "type": "Blocks", "blocks": {}, "measure": {"warmUp": "1s", "window": "10h"}}`},
	"CometBFT": {`{"name": "first", "type": "CometBFT", "cometBFT": {"batchSize": 200}, "load": {"model": "Open", "ratePerSecond": "800", "clients": 10}, "measure": {"warmUp": "1s", "window": "10s"}}`,
		`{"name": "long", "type": "CometBFT", "cometBFT": {"batchSize": 200}, "load": {"model": "Open", "ratePerSecond": "800", "clients": 10}, "measure": {"warmUp": "1s", "window": "10h"}}`},
	"MalachiteEVM": evmWorkloads,
	"Emerald":      evmWorkloads,
}

var evmWorkloads = [2]string{
	`{"name": "first", "type": "EVM", "evm": {"batchSize": 200}, "load": {"model": "Open", "ratePerSecond": "800", "clients": 10}, "measure": {"warmUp": "1s", "window": "10s"}}`,
	`{"name": "long", "type": "EVM", "evm": {"batchSize": 200}, "load": {"model": "Open", "ratePerSecond": "800", "clients": 10}, "measure": {"warmUp": "1s", "window": "10h"}}`,
}

// existingNetworks are one network per platform, database topology and storage type: the spec without its
// workloads.
var existingNetworks = []struct{ name, platform, spec string }{
	{"Corda, PostgreSQL Shared", "Corda", `{"members": {"count": 2}, "database": {"engine": "PostgreSQL", "topology": "Shared"}}`},
	{"Corda, PostgreSQL PerMember, ephemeral", "Corda", `{"members": {"count": 2, "storage": {"type": "Ephemeral"}},
		"database": {"engine": "PostgreSQL", "topology": "PerMember", "managed": {"storage": {"type": "Ephemeral"}}}}`},
	{"Corda, PostgreSQL PerHost", "Corda", `{"members": {"count": 2}, "database": {"engine": "PostgreSQL", "topology": "PerHost", "membersPerInstance": 2}}`},
	{"Corda, PostgreSQL PerHost, database of the notary", "Corda", `{"platform": {"corda": {"notary": {"database": {"cores": "2", "storage": {"type": "Ephemeral"}}}}},
		"members": {"count": 2}, "database": {"engine": "PostgreSQL", "topology": "PerHost", "membersPerInstance": 2}}`},
	{"Corda, external PostgreSQL", "Corda", `{"members": {"count": 2},
		"database": {"engine": "PostgreSQL", "topology": "Shared", "provider": "External", "external": {"servers": [{"host": "db.example", "adminSecret": {"name": "admin"}}]}}}`},
	{"Corda, schemas of the user", "Corda", `{"platform": {"corda": {"distribution": "Enterprise", "image": "example.com/corda:1"}}, "members": {"count": 2},
		"database": {"engine": "SQLServer", "topology": "Shared", "provider": "External", "external": {"servers": [{"host": "db.example"}], "jdbcSecret": {"name": "admin"}}}}`},
	{"Corda, H2", "Corda", `{"members": {"count": 2}}`},
	{"Corda, H2, nodes of several sizes", "Corda", `{"platform": {"corda": {"notary": {"size": "Medium"}}},
		"members": {"count": 2, "overrides": [{"members": ["member-1"], "cores": "500m"}]}}`},
	{"Corda, H2, ephemeral", "Corda", `{"members": {"count": 2, "storage": {"type": "Ephemeral"}}}`},
	{"JPaxos, FullSS", "JPaxos", `{"platform": {"jpaxos": {"crashModel": "FullSS"}}, "members": {"count": 3}}`},
	{"JPaxos, FullSS, ephemeral", "JPaxos", `{"platform": {"jpaxos": {"crashModel": "FullSS"}}, "members": {"count": 3, "storage": {"type": "Ephemeral"}}}`},
	{"JPaxos, no log", "JPaxos", `{"members": {"count": 3}}`},
	{"Malachite", "Malachite", `{"members": {"count": 4}}`},
	{"Malachite, ephemeral", "Malachite", `{"members": {"count": 4, "storage": {"type": "Ephemeral"}}}`},
	{"CometBFT", "CometBFT", `{"members": {"count": 4, "memory": "1Gi"}}`},
	{"CometBFT, ephemeral", "CometBFT", `{"members": {"count": 4, "memory": "1Gi", "storage": {"type": "Ephemeral"}}}`},
	{"MalachiteEVM", "MalachiteEVM", `{"members": {"count": 4, "cores": "2", "memory": "4Gi"}}`},
	{"MalachiteEVM, ephemeral", "MalachiteEVM", `{"members": {"count": 4, "cores": "2", "memory": "4Gi", "storage": {"type": "Ephemeral"}}}`},
	{"Emerald", "Emerald", `{"members": {"count": 4, "cores": "2", "memory": "4Gi"}}`},
	{"Emerald, ephemeral", "Emerald", `{"members": {"count": 4, "cores": "2", "memory": "4Gi", "storage": {"type": "Ephemeral"}}}`},
}

// platformSpecs are the fields that every network of a platform has.
var platformSpecs = map[string]string{
	"Corda":        `{"platform": {"type": "Corda", "corda": {"version": "4.10"}}}`,
	"JPaxos":       `{"platform": {"type": "JPaxos", "jpaxos": {"image": "example.com/jpaxos:1"}}}`,
	"Malachite":    `{"platform": {"type": "Malachite", "malachite": {"blockSize": "1Ki"}}}`,
	"CometBFT":     `{"platform": {"type": "CometBFT", "cometBFT": {"application": "KVStore"}}}`,
	"MalachiteEVM": `{"platform": {"type": "MalachiteEVM", "malachiteEVM": {}}}`,
	"Emerald":      `{"platform": {"type": "Emerald", "emerald": {"image": "x/emerald:1", "execution": {"image": "x/reth:1"}}}}`,
}

// networkUpdates are applied one after the other. FIRST and LONG are the platform's workloads.
var networkUpdates = []permittedUpdate{
	{name: "label of an experiment", field: "metadata.labels", patch: `{"metadata": {"labels": {"benchnet.dev/experiment": "other", "team": "a"}}}`},
	{name: "annotation", field: "metadata.annotations", patch: `{"metadata": {"annotations": {"team": "a"}}}`},
	{name: "webhook", field: "spec.delivery", patch: `{"spec": {"delivery": {"webhook": {"url": "https://ci.example.org"}}}}`},
	{name: "no webhook", field: "spec.delivery", patch: `{"spec": {"delivery": null}}`},
	{name: "pause in a run", field: "spec.pauseRuns", patch: `{"spec": {"pauseRuns": true}}`},
	{name: "append a workload to a paused network", field: "spec.workloads", patch: `{"spec": {"workloads": [FIRST, LONG]}}`},
	{name: "resume", field: "spec.pauseRuns", patch: `{"spec": {"pauseRuns": null}}`},
	{name: "members not paused", field: "spec.pause", patch: `{"spec": {"pause": "Never"}}`},
	{name: "list a workload before others", field: "spec.workloads", patch: `{"spec": {"workloads": [` +
		`{"name": "before", REST_OF_FIRST, FIRST, LONG]}}`},
	{name: "keep results in a run", field: "spec.resultRetention", patch: `{"spec": {"resultRetention": "Retain"}}`},
	{name: "append a workload between runs", field: "spec.workloads", endsRun: true, patch: `{"spec": {"workloads": [` +
		`{"name": "before", REST_OF_FIRST, FIRST, LONG, {"name": "longer", REST_OF_LONG]}}`},
	{name: "pause between runs", field: "spec.pauseRuns", endsRun: true, patch: `{"spec": {"pauseRuns": true}}`},
	{name: "delete results", field: "spec.resultRetention", patch: `{"spec": {"resultRetention": "Delete"}}`},
	{name: "time to live", field: "spec.ttlSecondsAfterFinished", patch: `{"spec": {"ttlSecondsAfterFinished": 3600}}`},
	{name: "no time to live", field: "spec.ttlSecondsAfterFinished", patch: `{"spec": {"ttlSecondsAfterFinished": null}}`},
	{name: "remove labels", field: "metadata.labels", patch: `{"metadata": {"labels": null}}`},
	{name: "reset", field: "metadata.annotations", restarts: true, patch: `{"metadata": {"annotations": {"benchnet.dev/reset": "1"}}}`},
}

// TestEveryPermittedUpdate applies each update to an existing network of each kind with a run under way: no
// member or database restarts, no run is deleted, no write is rejected, and the status converges.
func TestEveryPermittedUpdate(t *testing.T) {
	wantUpdateOfEveryField(t, "benchmarknetworks", networkUpdates)
	for _, network := range existingNetworks {
		t.Run(network.name, func(t *testing.T) {
			t.Parallel()
			workloads := platformWorkloads[network.platform]
			first, long := workloads[0], workloads[1]
			w := newTestEnv(t)
			w.createAdminSecret(databaseAdminLabels)
			spec := mergeJSON(t, mergeJSON(t, platformSpecs[network.platform], network.spec), `{"workloads": [`+first+`]}`)
			must(t, w.createFromYAML(`{"apiVersion": "benchnet.dev/v1alpha1", "kind": "BenchmarkNetwork", "metadata": {"name": "net"}, "spec": `+spec+`}`,
				&v1alpha1.BenchmarkNetwork{}))
			w.convergeNetwork("net")
			w.wantConverged("net")
			texts := strings.NewReplacer("REST_OF_FIRST", strings.TrimPrefix(first, `{"name": "first", `), "FIRST", first,
				"REST_OF_LONG", strings.TrimPrefix(long, `{"name": "long", `), "LONG", long)
			for _, u := range networkUpdates {
				u.patch = texts.Replace(u.patch)
				w.applyUpdate("net", u)
			}
		})
	}
}

// applyUpdate applies an update to a network and checks its effects.
func (w *testEnv) applyUpdate(network string, u permittedUpdate) {
	w.t.Helper()
	if u.endsRun {
		w.completeAllRuns(100)
		w.convergeNetwork(network)
	}
	sets, runs := w.statefulSetGenerations(), w.runUIDs()
	must(w.t, w.client.Patch(w.ctx, w.getNetwork(network), client.RawPatch(types.MergePatchType, []byte(u.patch))))
	w.convergeNetwork(network)
	w.wantConverged(network)
	if got := w.statefulSetGenerations(); !u.restarts && !maps.Equal(got, sets) {
		w.t.Errorf("%s: StatefulSets changed: %v, before %v", u.name, got, sets)
	}
	for name, uid := range runs {
		if now := w.runUIDs()[name]; now != uid {
			w.t.Errorf("%s: run %s is %q, before %q", u.name, name, now, uid)
		}
	}
	if w.t.Failed() {
		w.t.FailNow()
	}
}

// convergeNetwork makes passes, and simulates the cluster, until one writes nothing. No write may be rejected.
func (w *testEnv) convergeNetwork(network string) {
	w.t.Helper()
	for range 20 {
		before := w.writeCount.Load()
		w.reconcileNetwork(network)
		if w.writeCount.Load() == before {
			return
		}
		w.fillGenesisSecretsIfAny()
		w.stopPods()
		w.completeJobs()
		w.markStartedSetsReady()
		w.collectGarbage()
	}
	w.t.Fatalf("the network does not converge: %v", w.getNetwork(network).Status.Conditions)
}

// wantConverged checks that a network is ready and its status up to date.
func (w *testEnv) wantConverged(network string) {
	w.t.Helper()
	n := w.getNetwork(network)
	if n.Status.ObservedGeneration != n.Generation {
		w.t.Errorf("the status is of generation %d, want %d", n.Status.ObservedGeneration, n.Generation)
	}
	for _, kind := range []string{v1alpha1.ConditionAccepted, v1alpha1.ConditionReady} {
		if c := meta.FindStatusCondition(n.Status.Conditions, kind); c == nil || c.Status != "True" || c.ObservedGeneration != n.Generation {
			w.t.Errorf("%s should be True at generation %d: %+v", kind, n.Generation, c)
		}
	}
	if n.Status.Phase == "Degraded" || n.Status.Phase == "Failed" {
		w.t.Errorf("the phase is %s", n.Status.Phase)
	}
}

// statefulSetGenerations returns the UID and generation of each StatefulSet: a changed pod template increases
// the generation.
func (w *testEnv) statefulSetGenerations() map[string]string {
	w.t.Helper()
	var list appsv1.StatefulSetList
	must(w.t, w.client.List(w.ctx, &list, client.InNamespace(w.namespace)))
	all := map[string]string{}
	for _, s := range list.Items {
		all[s.Name] = fmt.Sprintf("%s/%d", s.UID, s.Generation)
	}
	return all
}

func (w *testEnv) runUIDs() map[string]types.UID {
	w.t.Helper()
	all := map[string]types.UID{}
	for _, run := range w.listRuns() {
		all[run.Name] = run.UID
	}
	return all
}

// TestEveryPermittedUpdateOfARun changes a run that is under way: its Job stays, and a second pass writes
// nothing. Only the last update ends the run.
func TestEveryPermittedUpdateOfARun(t *testing.T) {
	updates := []permittedUpdate{
		{name: "label", field: "metadata.labels", patch: `{"metadata": {"labels": {"benchnet.dev/experiment": "other", "team": "a"}}}`},
		{name: "annotation", field: "metadata.annotations", patch: `{"metadata": {"annotations": {"team": "a"}}}`},
		{name: "time to live", field: "spec.ttlSecondsAfterFinished", patch: `{"spec": {"ttlSecondsAfterFinished": 3600}}`},
		{name: "no time to live", field: "spec.ttlSecondsAfterFinished", patch: `{"spec": {"ttlSecondsAfterFinished": null}}`},
		{name: "webhook", field: "spec.delivery", patch: `{"spec": {"delivery": {"webhook": {"url": "https://ci.example.org"}}}}`},
		{name: "no webhook", field: "spec.delivery", patch: `{"spec": {"delivery": null}}`},
		{name: "cancel", field: "spec.cancelled", endsRun: true, patch: `{"spec": {"cancelled": true}}`},
	}
	wantUpdateOfEveryField(t, "benchmarkruns", updates)
	w := newTestEnv(t)
	must(t, w.createFromYAML(cordaNetwork, &v1alpha1.BenchmarkNetwork{}))
	w.bringUp("banks")
	w.reconcileRun("banks-issue")
	w.reconcileRun("banks-issue")
	for _, u := range updates {
		t.Run(u.name, func(t *testing.T) {
			job := &batchv1.Job{}
			w.mustGet("banks-issue", job)
			must(t, w.client.Patch(w.ctx, w.getRun("banks-issue"), client.RawPatch(types.MergePatchType, []byte(u.patch))))
			for range 3 {
				w.reconcileNetwork("banks")
				w.reconcileRun("banks-issue")
			}
			before := w.writeCount.Load()
			w.reconcileNetwork("banks")
			w.reconcileRun("banks-issue")
			if wrote := w.writeCount.Load() - before; wrote != 0 {
				t.Errorf("unchanged since, it was written %d times", wrote)
			}
			if now := w.jobUID("banks-issue"); now != job.UID {
				t.Errorf("its Job is %q, before %q", now, job.UID)
			}
			run := w.getRun("banks-issue")
			complete := meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionComplete)
			if run.Status.ObservedGeneration != run.Generation || complete != u.endsRun {
				t.Errorf("the status should be up to date and complete only after the cancellation: %+v", run.Status)
			}
		})
	}
}

// TestEveryPermittedUpdateOfAnExperiment changes an experiment that is under way: its networks and runs stay, and the status converges.
func TestEveryPermittedUpdateOfAnExperiment(t *testing.T) {
	updates := []permittedUpdate{
		{name: "label", field: "metadata.labels", patch: `{"metadata": {"labels": {"team": "a"}}}`},
		{name: "annotation", field: "metadata.annotations", patch: `{"metadata": {"annotations": {"team": "a"}}}`},
		{name: "more at a time", field: "spec.parallelism", patch: `{"spec": {"parallelism": 2}}`},
		{name: "fewer at a time", field: "spec.parallelism", patch: `{"spec": {"parallelism": 1}}`},
		{name: "webhook of the runs", field: "spec.delivery", patch: `{"spec": {"delivery": {"runs": {"webhook": {"url": "https://ci.example.org"}}}}}`},
		{name: "keep the networks", field: "spec.networkRetention", patch: `{"spec": {"networkRetention": "Retain"}}`},
		{name: "pause", field: "spec.pauseRuns", patch: `{"spec": {"pauseRuns": true}}`},
		{name: "resume", field: "spec.pauseRuns", patch: `{"spec": {"pauseRuns": false}}`},
		{name: "time to live", field: "spec.ttlSecondsAfterFinished", patch: `{"spec": {"ttlSecondsAfterFinished": 3600}}`},
	}
	wantUpdateOfEveryField(t, "benchmarkexperiments", updates)
	w := newTestEnvWithExperiment(t, gridExperiment)
	settle := func() {
		t.Helper()
		for range 10 {
			before := w.writeCount.Load()
			w.reconcileExperiment("grid")
			if w.writeCount.Load() == before {
				return
			}
		}
		t.Fatalf("the experiment does not converge: %+v", w.getExperiment("grid").Status.Conditions)
	}
	settle()
	for _, u := range updates {
		t.Run(u.name, func(t *testing.T) {
			runs := w.runUIDs()
			if len(runs) == 0 {
				t.Fatal("the experiment should have runs")
			}
			must(t, w.client.Patch(w.ctx, w.getExperiment("grid"), client.RawPatch(types.MergePatchType, []byte(u.patch))))
			settle()
			for name, uid := range runs {
				if now := w.runUIDs()[name]; now != uid {
					t.Errorf("run %s is %q, before %q", name, now, uid)
				}
			}
			e := w.getExperiment("grid")
			if e.Status.ObservedGeneration != e.Generation || !meta.IsStatusConditionTrue(e.Status.Conditions, v1alpha1.ConditionAccepted) {
				t.Errorf("the status should be up to date and the spec accepted: generation %d, %+v", e.Generation, e.Status)
			}
		})
	}
}

// wantUpdateOfEveryField checks that there is an update of every field that the schema allows to change on an
// existing object.
func wantUpdateOfEveryField(t *testing.T, plural string, updates []permittedUpdate) {
	t.Helper()
	want := append(mutableFields(t, plural), "metadata.annotations", "metadata.labels")
	got := map[string]bool{}
	for _, u := range updates {
		got[u.field] = true
	}
	slices.Sort(want)
	if have := slices.Sorted(maps.Keys(got)); !slices.Equal(have, want) {
		t.Fatalf("%s: updates cover %v, want every field that may change: %v", plural, have, want)
	}
}

// mutableFields returns the fields of the spec that may change, such as spec.pauseRuns. A field is immutable if a
// rule of the CRD compares it, or its parts (TestEveryFieldIsImmutable), with its old value.
func mutableFields(t *testing.T, plural string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "config", "crd", "bases", "benchnet.dev_"+plural+".yaml"))
	must(t, err)
	var crd apiextensionsv1.CustomResourceDefinition
	must(t, yaml.Unmarshal(text, &crd))
	spec := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	var mutable []string
	for field := range spec.Properties {
		if !slices.ContainsFunc(spec.XValidations, func(r apiextensionsv1.ValidationRule) bool {
			return r.Rule == "self == oldSelf" || strings.Contains(r.Rule, "self."+field+" == oldSelf."+field) || strings.Contains(r.Rule, "== oldSelf."+field+".")
		}) {
			mutable = append(mutable, "spec."+field)
		}
	}
	return mutable
}

// mergeJSON applies a JSON merge patch to a text.
func mergeJSON(t *testing.T, text, patch string) string {
	t.Helper()
	var into, over map[string]any
	must(t, json.Unmarshal([]byte(text), &into))
	must(t, json.Unmarshal([]byte(patch), &over))
	mergeInto(into, over)
	merged, err := json.Marshal(into)
	must(t, err)
	return string(merged)
}
