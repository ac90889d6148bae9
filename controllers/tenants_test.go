package controllers_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

func decodeManifests(t *testing.T, text []byte) []*unstructured.Unstructured {
	t.Helper()
	var all []*unstructured.Unstructured
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	for {
		object := &unstructured.Unstructured{}
		err := decoder.Decode(object)
		if errors.Is(err, io.EOF) {
			return all
		}
		must(t, err)
		if len(object.Object) > 0 {
			all = append(all, object)
		}
	}
}

// createTenantUsers creates the sample's users in the test's namespace, with the roles that come with the
// operator.
func (w *testEnv) createTenantUsers() {
	w.t.Helper()
	roles, err := os.ReadFile(filepath.Join("..", "config", "rbac", "users.yaml"))
	must(w.t, err)
	for _, role := range decodeManifests(w.t, roles) {
		role.SetName("benchnet-" + role.GetName())
		if err := w.client.Create(w.ctx, role); err != nil && !apierrors.IsAlreadyExists(err) {
			w.t.Fatal(err)
		}
	}
	bindings, err := os.ReadFile(filepath.Join("..", "config", "samples", "tenant", "people.yaml"))
	must(w.t, err)
	for _, binding := range decodeManifests(w.t, bindings) {
		binding.SetNamespace(w.namespace)
		must(w.t, w.client.Create(w.ctx, binding))
	}
	// The API server authorizes from a cache of its own.
	w.waitFor("the bindings are effective", func() bool {
		for _, group := range []string{"team-a", "team-a-engineers", "team-a-leads"} {
			if !w.isAllowed(group, "list benchmarknetworks.benchnet.dev") {
				return false
			}
		}
		return w.isAllowed("team-a-engineers", "create benchmarknetworks.benchnet.dev") && w.isAllowed("team-a-leads", "delete benchmarknetworks.benchnet.dev")
	})
}

// clientAs returns a client of a member of a group.
func (w *testEnv) clientAs(group string) client.Client {
	w.t.Helper()
	c := rest.CopyConfig(config)
	c.Impersonate = rest.ImpersonationConfig{UserName: "somebody", Groups: []string{group}}
	user, err := client.NewWithWatch(c, client.Options{Scheme: w.client.Scheme()})
	must(w.t, err)
	return w.recordWrites(user)
}

// isAllowed returns the API server's decision on what a group may do, given as VERB
// RESOURCE[.GROUP][/SUBRESOURCE].
func (w *testEnv) isAllowed(group, what string) bool {
	w.t.Helper()
	verb, rest, _ := strings.Cut(what, " ")
	rest, sub, _ := strings.Cut(rest, "/")
	kind, apiGroup, _ := strings.Cut(rest, ".")
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{User: "somebody", Groups: []string{group},
		ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: w.namespace, Verb: verb, Group: apiGroup, Resource: kind, Subresource: sub}}}
	must(w.t, w.client.Create(w.ctx, review))
	return review.Status.Allowed
}

func TestUserRoles(t *testing.T) {
	w := newTestEnv(t)
	w.createTenantUsers()
	const viewers, runners, admins = "team-a", "team-a-engineers", "team-a-leads"
	for _, test := range []struct{ groups, what string }{
		{viewers + " " + runners + " " + admins, "list benchmarknetworks.benchnet.dev"},
		{viewers + " " + runners + " " + admins, "watch benchmarkruns.benchnet.dev"},
		{viewers + " " + runners + " " + admins, "get configmaps"},
		{viewers + " " + runners + " " + admins, "get pods/log"},
		{viewers + " " + runners + " " + admins, "list events.events.k8s.io"},
		{viewers + " " + runners + " " + admins, "get resourcequotas"},
		{runners + " " + admins, "create benchmarknetworks.benchnet.dev"},
		{runners + " " + admins, "create benchmarkexperiments.benchnet.dev"},
		{runners + " " + admins, "patch benchmarknetworks.benchnet.dev"},
		{admins, "delete benchmarknetworks.benchnet.dev"},
		{admins, "deletecollection benchmarkruns.benchnet.dev"},
		{admins, "delete configmaps"},
		{"", "get secrets"},
		{"", "list secrets"},
		{"", "create pods/exec"},
		{"", "create pods"},
		{"", "update benchmarknetworks.benchnet.dev/status"},
		{"", "update resourcequotas"},
		{"", "create rolebindings.rbac.authorization.k8s.io"},
	} {
		for _, group := range []string{viewers, runners, admins} {
			want := false
			for _, allowed := range strings.Fields(test.groups) {
				want = want || allowed == group
			}
			if got := w.isAllowed(group, test.what); got != want {
				t.Errorf("%s may %s: %v, want %v", group, test.what, got, want)
			}
		}
	}
}

// TestViewerReadsResultsOnly checks the rights by real requests.
func TestViewerReadsResultsOnly(t *testing.T) {
	w := newTestEnv(t)
	w.createTenantUsers()
	must(t, w.createFromYAML(cordaNetwork, &v1alpha1.BenchmarkNetwork{}))
	w.reconcileNetwork("banks")
	viewer, runner := w.clientAs("team-a"), w.clientAs("team-a-engineers")
	must(t, w.client.Create(w.ctx, &corev1.ConfigMap{ObjectMeta: w.objectMeta("some-result")}))
	if err := viewer.Get(w.ctx, client.ObjectKey{Namespace: w.namespace, Name: "some-result"}, &corev1.ConfigMap{}); err != nil {
		t.Errorf("a viewer reads results: %v", err)
	}
	for _, user := range []client.Client{viewer, runner} {
		if err := user.Get(w.ctx, client.ObjectKey{Namespace: w.namespace, Name: "banks-credentials"}, &corev1.Secret{}); !apierrors.IsForbidden(err) {
			t.Errorf("neither viewer nor runner may read the passwords of a network, but: %v", err)
		}
		if err := user.Delete(w.ctx, w.getNetwork("banks")); !apierrors.IsForbidden(err) {
			t.Errorf("neither may delete a network, but: %v", err)
		}
	}
	reset := client.RawPatch("application/merge-patch+json", []byte(`{"metadata": {"annotations": {"benchnet.dev/reset": "1"}}}`))
	if err := viewer.Patch(w.ctx, w.getNetwork("banks"), reset); !apierrors.IsForbidden(err) {
		t.Errorf("a viewer must not reset a network, but: %v", err)
	}
	if err := runner.Patch(w.ctx, w.getNetwork("banks"), reset); err != nil {
		t.Errorf("a runner resets networks: %v", err)
	}
}

// TestSampleTenant applies the whole sample unchanged.
func TestSampleTenant(t *testing.T) {
	w := newTestEnv(t)
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), filepath.Join("..", "config", "samples", "tenant"))
	must(t, err)
	text, err := built.AsYaml()
	must(t, err)
	all := decodeManifests(t, text)
	if len(all) != 7 {
		t.Errorf("the sample has %d objects, want 7", len(all))
	}
	for _, object := range all {
		must(t, client.IgnoreAlreadyExists(w.client.Create(w.ctx, object, client.FieldValidation(metav1.FieldValidationStrict))))
		if object.GetKind() == "RoleBinding" {
			role, _, _ := unstructured.NestedString(object.Object, "roleRef", "name")
			if !strings.HasPrefix(role, "benchnet-") {
				t.Errorf("%s binds %s, which is not one of the operator's roles", object.GetName(), role)
			}
		}
	}
}

// applyQuota creates or changes a ResourceQuota, sets its status as the quota controller does, and waits until
// the API server enforces it. The API server reads quotas from a cache, so each version also has its own limit
// on LimitRanges, which a rejection names.
func (w *testEnv) applyQuota(hard corev1.ResourceList) {
	w.t.Helper()
	const probe = corev1.ResourceName("count/limitranges")
	q := &corev1.ResourceQuota{ObjectMeta: w.objectMeta("lab")}
	if err := w.client.Get(w.ctx, client.ObjectKeyFromObject(q), q); err != nil {
		must(w.t, w.client.Create(w.ctx, q))
	}
	version := q.Status.Hard[probe]
	version.Add(resource.MustParse("1"))
	q.Spec.Hard = maps.Clone(hard)
	q.Spec.Hard[probe] = version
	must(w.t, w.client.Update(w.ctx, q))
	q.Status.Hard = q.Spec.Hard
	used := corev1.ResourceList{probe: version}
	for name := range hard {
		used[name] = q.Status.Used[name]
	}
	q.Status.Used = used
	must(w.t, w.client.Status().Update(w.ctx, q))
	w.waitFor("the API server applies the quota", func() bool {
		err := w.client.Create(w.ctx, &corev1.LimitRange{ObjectMeta: w.objectMeta("probe")}, client.DryRunAll)
		return err != nil && strings.Contains(err.Error(), fmt.Sprintf("limited: %s=%s", probe, version.String()))
	})
}

func TestQuotaRejectingObjectsIsReported(t *testing.T) {
	w := newTestEnv(t)
	w.applyQuota(corev1.ResourceList{"count/secrets": resource.MustParse("1")})
	must(t, w.createFromYAML(cordaNetwork, &v1alpha1.BenchmarkNetwork{}))
	result, err := w.networkReconciler().Reconcile(w.ctx, w.requestFor("banks"))
	if err != nil || result.RequeueAfter <= 0 || result.RequeueAfter > time.Minute {
		t.Errorf("a write rejected by a quota should be retried soon, without an error: %v, %v", result, err)
	}
	c := meta.FindStatusCondition(w.getNetwork("banks").Status.Conditions, v1alpha1.ConditionReady)
	if c.Reason != v1alpha1.ReasonQuotaExceeded || !strings.Contains(c.Message, "exceeded quota: lab") || !strings.Contains(c.Message, "Secret") && !strings.Contains(c.Message, "secrets") {
		t.Fatalf("Ready should name the object and the quota: %+v", c)
	}
	w.applyQuota(corev1.ResourceList{"count/secrets": resource.MustParse("100")})
	w.bringUp("banks")
	if c := meta.FindStatusCondition(w.getNetwork("banks").Status.Conditions, v1alpha1.ConditionReady); c.Status != metav1.ConditionTrue {
		t.Errorf("the network should be ready after the quota is raised: %+v", c)
	}
}

func TestQuotaRejectingPodsIsReported(t *testing.T) {
	w := newTestEnv(t)
	w.createSmallNetwork("a")
	w.reconcileNetwork("a")
	w.fillGenesisSecretsIfAny()
	w.completeJobs()
	w.reconcileNetwork("a")
	var sets appsv1.StatefulSetList
	must(t, w.client.List(w.ctx, &sets, client.InNamespace(w.namespace)))
	if len(sets.Items) == 0 {
		t.Fatal("there should be StatefulSets")
	}
	set := &sets.Items[0]
	set.Status.ObservedGeneration = set.Generation
	must(t, w.client.Status().Update(w.ctx, set))
	must(t, w.client.Create(w.ctx, &corev1.Event{ObjectMeta: w.objectMeta("refused"), Reason: "FailedCreate", Type: corev1.EventTypeWarning,
		InvolvedObject: corev1.ObjectReference{Kind: "StatefulSet", Namespace: w.namespace, Name: set.Name, UID: set.UID},
		Message:        `create Pod failed error: pods "x" is forbidden: exceeded quota: lab, requested: pods=1, used: pods=4, limited: pods=4`}))
	w.applyQuota(corev1.ResourceList{"pods": resource.MustParse("4")})
	w.now = w.now.Add(time.Minute) // Events are not read for a new StatefulSet.
	w.reconcileNetwork("a")
	c := meta.FindStatusCondition(w.getNetwork("a").Status.Conditions, v1alpha1.ConditionReady)
	if c.Reason != v1alpha1.ReasonQuotaExceeded || !strings.Contains(c.Message, set.Name) || !strings.Contains(c.Message, "exceeded quota: lab") {
		t.Errorf("Ready should name the StatefulSet and the quota: %+v", c)
	}
	tried := func() string {
		w.mustGet(set.Name, set)
		return set.Annotations[v1alpha1.AnnotationQuota]
	}
	before := tried()
	writes := w.writeCount.Load()
	w.reconcileNetwork("a")
	if w.writeCount.Load() != writes || before == "" {
		t.Errorf("an unchanged network must cause no write; the annotation is %q", before)
	}
	w.applyQuota(corev1.ResourceList{"pods": resource.MustParse("10")})
	w.reconcileNetwork("a")
	if tried() == before {
		t.Error("after the quota is raised the StatefulSet should be annotated for its controller")
	}
}

// fillGenesisSecretsIfAny calls fillGenesisSecrets if there are genesis Secrets.
func (w *testEnv) fillGenesisSecretsIfAny() {
	var secrets corev1.SecretList
	must(w.t, w.client.List(w.ctx, &secrets, client.InNamespace(w.namespace), client.MatchingLabels{"app.kubernetes.io/component": "genesis"}))
	if len(secrets.Items) > 0 {
		w.fillGenesisSecrets()
	}
}

// TestExperimentWaitsForNetworkQuota: an experiment that exceeds a quota is checked again after delays that double, and continues
// once there is quota.
func TestExperimentWaitsForNetworkQuota(t *testing.T) {
	w := newTestEnv(t)
	w.createNode("laboratory", "64", "256Gi")
	kinds := corev1.ResourceName("count/benchmarknetworks.benchnet.dev")
	w.applyQuota(corev1.ResourceList{kinds: resource.MustParse("0")})
	must(t, w.createFromYAML(gridExperiment, &v1alpha1.BenchmarkExperiment{}))
	reconciler := w.experimentReconciler()
	pass := func() time.Duration {
		t.Helper()
		result, err := reconciler.Reconcile(w.ctx, w.requestFor("grid"))
		must(t, err)
		return result.RequeueAfter
	}
	wait := pass()
	c := meta.FindStatusCondition(w.getExperiment("grid").Status.Conditions, v1alpha1.ConditionReady)
	if c == nil || c.Reason != v1alpha1.ReasonQuotaExceeded || !strings.Contains(c.Message, "exceeded quota: lab") || wait != 15*time.Second {
		t.Fatalf("Ready should name the quota, and the next check should be after 15 s, not %s: %+v", wait, c)
	}
	checks := w.dryRunCount.Load()
	w.now = w.now.Add(5 * time.Second)
	if wait = pass(); wait != 10*time.Second || w.dryRunCount.Load() != checks {
		t.Errorf("an event within the delay should check nothing, but the next check is after %s", wait)
	}
	w.now = w.now.Add(wait)
	if wait = pass(); wait != 30*time.Second || w.dryRunCount.Load() == checks {
		t.Errorf("the second delay is %s, want 30 s after another check", wait)
	}
	w.applyQuota(corev1.ResourceList{kinds: resource.MustParse("2")})
	w.now = w.now.Add(wait)
	pass()
	if n := w.getNetwork("grid-n1"); n.Name == "" {
		t.Error("the experiment should continue")
	}
}

// TestKeptResults: with resultRetention Keep, a run with its result outlives its network.
func TestKeptResults(t *testing.T) {
	w := newTestEnv(t)
	must(t, w.createFromYAML(strings.Replace(cordaNetwork, "spec:", "spec:\n  resultRetention: Retain", 1), &v1alpha1.BenchmarkNetwork{}))
	w.bringUp("banks")
	w.markRunComplete("banks-issue")
	w.reconcileNetwork("banks")
	run := w.getRun("banks-issue")
	run.Status.Result = &v1alpha1.ResultReference{ConfigMapName: "banks-issue-result", Key: "result.json.gz"}
	must(t, w.client.Status().Update(w.ctx, run))
	must(t, w.client.Delete(w.ctx, w.getNetwork("banks")))
	w.reconcileNetwork("banks")
	if err := w.client.Get(w.ctx, w.requestFor("banks").NamespacedName, &v1alpha1.BenchmarkNetwork{}); !apierrors.IsNotFound(err) {
		t.Errorf("the network should be deleted, but: %v", err)
	}
	if owners := w.getRun("banks-issue").OwnerReferences; len(owners) != 0 {
		t.Errorf("the run with a result should have no owner, but has %+v", owners)
	}
	if owners := w.getRun("banks-pay").OwnerReferences; len(owners) != 1 {
		t.Errorf("the run without a result should be owned by its network, but has owners %+v", owners)
	}
	must(t, w.createFromYAML(cordaNetwork, &v1alpha1.BenchmarkNetwork{}))
	w.reconcileNetwork("banks")
	c := meta.FindStatusCondition(w.getNetwork("banks").Status.Conditions, v1alpha1.ConditionAccepted)
	if c.Status != metav1.ConditionFalse || !strings.Contains(c.Message, `spec.workloads[0].name: Invalid value: "issue"`) || !strings.Contains(c.Message, "banks-issue") {
		t.Errorf("another network must not adopt the kept result: %+v", c)
	}
}

// TestRunWithResultIsOrphaned: a user's run is deleted with its network until it has a result; then its owner
// reference is removed.
func TestRunWithResultIsOrphaned(t *testing.T) {
	w := newTestEnvWithReadyRun(t)
	w.reconcileRun("extra")
	if owners := w.getRun("extra").OwnerReferences; len(owners) != 1 || owners[0].Name != "banks" {
		t.Errorf("a measuring run should be owned by its network, but has owners %+v", owners)
	}
	run := w.getRun("extra")
	w.reportResult(run, 0, 1000, 20_000)
	w.reportResult(run, 1, 1000, 20_000)
	w.reconcileRun("extra")
	w.reconcileRun("extra")
	run = w.getRun("extra")
	if run.Status.Result == nil || len(run.OwnerReferences) != 0 {
		t.Errorf("a run with a result should have no owner, but has result %+v and owners %+v", run.Status.Result, run.OwnerReferences)
	}
}

func TestExpiredRunIsDeleted(t *testing.T) {
	w := newTestEnvWithRun(t, strings.Replace(twoWorkerRun, "spec:", "spec:\n  ttlSecondsAfterFinished: 60", 1))
	w.markRunComplete("extra")
	result, err := w.runReconciler().Reconcile(w.ctx, w.requestFor("extra"))
	must(t, err)
	if result.RequeueAfter <= 0 || result.RequeueAfter > time.Minute {
		t.Errorf("the run should be requeued within its time to live, but is requeued after %s", result.RequeueAfter)
	}
	w.now = w.now.Add(2 * time.Minute)
	w.reconcileRun("extra")
	if err := w.client.Get(w.ctx, w.requestFor("extra").NamespacedName, &v1alpha1.BenchmarkRun{}); !apierrors.IsNotFound(err) {
		t.Errorf("the run should be deleted, but: %v", err)
	}
}
