package controllers_test

import (
	"context"
	"maps"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// generatedSecrets returns the network's generated Secrets by name, with their content.
func (w *testEnv) generatedSecrets() map[string]corev1.Secret {
	w.t.Helper()
	var list corev1.SecretList
	must(w.t, w.client.List(w.ctx, &list, client.InNamespace(w.namespace)))
	all := map[string]corev1.Secret{}
	for _, s := range list.Items {
		if s.Annotations[v1alpha1.AnnotationGenerated] != "" {
			all[s.Name] = s
		}
	}
	return all
}

// wantLost checks that the network reports the Secret, that it is as the test left it, and that no other was made again.
func (w *testEnv) wantLost(name, advice string, before map[string]corev1.Secret) {
	w.t.Helper()
	c := w.networkReady()
	if c.Status != metav1.ConditionFalse || c.Reason != v1alpha1.ReasonSecretLost || !strings.Contains(c.Message, "Secret "+name+" was ") ||
		!strings.Contains(c.Message, advice) {
		w.t.Errorf("Ready should name Secret %s and say %q, but is %+v", name, advice, c)
	}
	now := w.generatedSecrets()
	for other, secret := range before {
		if other != name && now[other].ResourceVersion != secret.ResourceVersion {
			w.t.Errorf("Secret %s was changed when %s was lost", other, name)
		}
	}
	if _, regenerated := now[name]; regenerated && now[name].UID != before[name].UID {
		w.t.Errorf("Secret %s was made again", name)
	}
	if err := w.client.Get(w.ctx, client.ObjectKey{Namespace: w.namespace, Name: naming.GenesisJob("banks")}, &batchv1.Job{}); err == nil {
		w.t.Error("the genesis must not run again")
	}
}

// TestGeneratedSecretsAreNotMadeAgain deletes each generated Secret of a ready network. It must be reported and not made
// again, members must go on running, and a restored Secret must make the network ready.
func TestGeneratedSecretsAreNotMadeAgain(t *testing.T) {
	w := newTestEnv(t)
	must(t, w.createFromYAML(cordaNetwork[:strings.Index(cordaNetwork, "  workloads:")], &v1alpha1.BenchmarkNetwork{}))
	w.bringUp("banks")
	secrets := w.generatedSecrets()
	if len(secrets) < 8 {
		t.Fatalf("the network has only the generated Secrets %v", maps.Keys(secrets))
	}
	sets := w.statefulSetGenerations()
	for name, secret := range secrets {
		advice := "kubectl benchnet reset banks"
		if name == naming.DatabaseSuperuserSecret("banks") {
			advice = "delete the network and create it again"
		}
		t.Run(name, func(t *testing.T) {
			w.t = t
			before := w.generatedSecrets()
			w.removeObject(&secret)
			w.reconcileNetwork("banks")
			w.reconcileNetwork("banks")
			w.wantLost(name, advice, before)
			if now := w.statefulSetGenerations(); !maps.Equal(sets, now) {
				t.Errorf("StatefulSets changed from %v to %v", sets, now)
			}
			w.wantNoWrites()
			restored := secret.DeepCopy()
			restored.ObjectMeta = w.objectMeta(name) // As from a backup without metadata.
			must(t, w.client.Create(w.ctx, restored))
			w.reconcileNetwork("banks")
			w.reconcileNetwork("banks")
			if c := w.networkReady(); c.Status != metav1.ConditionTrue {
				t.Errorf("the restored Secret should make the network ready, but: %+v", c)
			}
		})
	}
}

// TestChangedSecrets changes generated Secrets of a ready network in other ways than by deletion.
func TestChangedSecrets(t *testing.T) {
	const password = "banks-db-superuser"
	for name, c := range map[string]struct {
		change func(*testEnv, *corev1.Secret)
		lost   bool
	}{
		"another content": {func(w *testEnv, s *corev1.Secret) { w.mergePatch(s, `{"data": {"password": "eA=="}}`) }, true},
		"a further key":   {func(w *testEnv, s *corev1.Secret) { w.mergePatch(s, `{"data": {"more": "eA=="}}`) }, true},
		"no content":      {func(w *testEnv, s *corev1.Secret) { w.mergePatch(s, `{"data": null}`) }, true},
		"somebody's own": {func(w *testEnv, s *corev1.Secret) {
			w.removeObject(s)
			must(w.t, w.client.Create(w.ctx, &corev1.Secret{ObjectMeta: w.objectMeta(s.Name), StringData: map[string]string{"password": "x"}}))
		}, true},
		"no labels":        {func(w *testEnv, s *corev1.Secret) { w.mergePatch(s, `{"metadata": {"labels": null}}`) }, false},
		"no owner":         {func(w *testEnv, s *corev1.Secret) { w.mergePatch(s, `{"metadata": {"ownerReferences": null}}`) }, false},
		"no common labels": {func(w *testEnv, s *corev1.Secret) { w.mergePatch(s, `{"metadata": {"labels": {"team": null}}}`) }, false},
		"no annotations":   {func(w *testEnv, s *corev1.Secret) { w.mergePatch(s, `{"metadata": {"annotations": null}}`) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newTestEnv(t)
			network := strings.Replace(cordaNetwork[:strings.Index(cordaNetwork, "  workloads:")], "spec:\n", "spec:\n  commonLabels: {team: ledgers}\n", 1)
			must(t, w.createFromYAML(network, &v1alpha1.BenchmarkNetwork{}))
			w.bringUp("banks")
			secret := w.generatedSecrets()[password]
			c.change(w, &secret)
			w.reconcileNetwork("banks")
			w.reconcileNetwork("banks")
			lost := w.networkReady().Reason == v1alpha1.ReasonSecretLost
			if lost != c.lost {
				t.Errorf("Ready is %+v", w.networkReady())
			}
			if labels := w.generatedSecrets()[password].Labels; !lost && labels["team"] != "ledgers" {
				t.Errorf("the common labels are not restored: %v", labels)
			}
			w.wantNoWrites()
		})
	}
}

// TestSecretsDuringProvisioning deletes each generated Secret while the genesis runs. Identities may be made again, since
// nothing has used them. A password may not, since a server may have been created with it.
func TestSecretsDuringProvisioning(t *testing.T) {
	w := newTestEnv(t)
	must(t, w.createFromYAML(cordaNetwork[:strings.Index(cordaNetwork, "  workloads:")], &v1alpha1.BenchmarkNetwork{}))
	w.reconcileNetwork("banks")
	w.reconcileNetwork("banks")
	for name, secret := range w.generatedSecrets() {
		w.removeObject(&secret)
		w.reconcileNetwork("banks")
		w.reconcileNetwork("banks")
		_, exists := w.generatedSecrets()[name]
		if identity := secret.Annotations[v1alpha1.AnnotationGenerated] == string(v1alpha1.GeneratedGenesis); exists != identity {
			t.Errorf("Secret %s exists: %t, want %t", name, exists, identity)
		}
		if exists {
			continue
		}
		if c := w.networkReady(); c.Reason != v1alpha1.ReasonSecretLost || !strings.Contains(c.Message, name) {
			t.Errorf("Secret %s is lost, but: %+v", name, c)
		}
		secret.ObjectMeta = metav1.ObjectMeta{Namespace: w.namespace, Name: name}
		must(t, w.client.Create(w.ctx, &secret))
		w.reconcileNetwork("banks")
	}
}

// TestResetGeneratesLostSecrets checks the advice: after a reset the network is ready with a complete new genesis.
func TestResetGeneratesLostSecrets(t *testing.T) {
	w := newTestEnvWithUsedNetwork(t)
	identity := ""
	for name, s := range w.generatedSecrets() {
		if s.Annotations[v1alpha1.AnnotationGenerated] == string(v1alpha1.GeneratedGenesis) {
			identity = name
		}
	}
	lost := []string{identity, naming.MemberDatabaseSecret("banks", "member-0")}
	for _, name := range lost {
		w.removeObject(&corev1.Secret{ObjectMeta: w.objectMeta(name)})
	}
	w.reconcileNetwork("banks")
	w.annotateReset("1")
	for range 6 {
		w.reconcileNetwork("banks")
		w.stopPods()
		w.fillGenesisSecrets()
		w.completeJobs()
		w.markStartedSetsReady()
	}
	w.reconcileNetwork("banks")
	if c := w.networkReady(); c.Status != metav1.ConditionTrue {
		t.Errorf("the network should be ready after the reset, but: %+v", c)
	}
	for _, name := range lost {
		if len(w.generatedSecrets()[name].Data) == 0 {
			t.Errorf("Secret %s should exist after the reset", name)
		}
	}
	w.collectGarbage()
	before := w.generatedSecrets()
	w.removeObject(&corev1.Secret{ObjectMeta: w.objectMeta(identity)})
	w.reconcileNetwork("banks")
	w.wantLost(identity, "kubectl benchnet reset", before)
}

// deletedReader reads every network as if it were being deleted.
type deletedReader struct{ client.Reader }

func (r deletedReader) Get(ctx context.Context, key client.ObjectKey, o client.Object, options ...client.GetOption) error {
	err := r.Reader.Get(ctx, key, o, options...)
	if _, ok := o.(*v1alpha1.BenchmarkNetwork); ok {
		o.SetDeletionTimestamp(new(metav1.Now()))
	}
	return err
}

// TestDeletedNetworkLosesNoSecrets checks a pass whose cache has the deletion of a Secret, but not yet that of its network.
func TestDeletedNetworkLosesNoSecrets(t *testing.T) {
	w := newTestEnvWithReadyRun(t)
	w.removeObject(&corev1.Secret{ObjectMeta: w.objectMeta(naming.DatabaseSuperuserSecret("banks"))})
	reader := w.apiReader
	w.apiReader = deletedReader{reader}
	w.reconcileNetwork("banks")
	if n := w.getNetwork("banks"); n.Status.Phase != v1alpha1.PhaseReady && n.Status.Phase != v1alpha1.PhaseRunning {
		t.Errorf("a network that is being deleted is %s", n.Status.Phase)
	}
	w.apiReader = reader
	w.reconcileNetwork("banks")
	if n := w.getNetwork("banks"); n.Status.Phase != v1alpha1.PhaseFailed {
		t.Errorf("a network without its Secret is %s", n.Status.Phase)
	}
}

// TestLostSecretsInvalidateRuns checks a run in progress and a run that has not begun.
func TestLostSecretsInvalidateRuns(t *testing.T) {
	w := newTestEnvWithReadyRun(t)
	w.reconcileRun("extra")
	w.removeObject(&corev1.Secret{ObjectMeta: w.objectMeta(naming.DatabaseSuperuserSecret("banks"))})
	w.reconcileNetwork("banks")
	for worker := range int32(2) {
		w.reportResult(w.getRun("extra"), worker, 100, 20_000)
	}
	w.reconcileRun("extra")
	w.reconcileRun("extra")
	s := w.getRun("extra").Status
	if s.Verdict != v1alpha1.VerdictInvalid || s.Reasons[0].Reason != string(verdict.ReasonSecretLost) {
		t.Errorf("verdict %s with %+v", s.Verdict, s.Reasons)
	}
	must(t, w.createFromYAML(strings.Replace(twoWorkerRun, "name: extra}", "name: later}", 1), &v1alpha1.BenchmarkRun{}))
	w.reconcileNetwork("banks")
	w.reconcileRun("later")
	w.wantReason("later", v1alpha1.ReasonWaitingForNetwork, "was deleted")
}

// TestSecretOfLaterVersion checks a network whose operator is upgraded to a version that generates a further Secret. It gets that
// Secret, and the record of the others stays valid.
func TestSecretOfLaterVersion(t *testing.T) {
	w := newTestEnv(t)
	must(t, w.createFromYAML(cordaNetwork[:strings.Index(cordaNetwork, "  workloads:")], &v1alpha1.BenchmarkNetwork{}))
	w.bringUp("banks")
	network, token := w.getNetwork("banks"), naming.CommandsSecret("banks")
	before := network.DeepCopy()
	digests := before.Status.GeneratedSecrets.Digests
	network.Status.GeneratedSecrets.Digests = digests[:len(digests)-8]
	must(t, w.client.Status().Patch(w.ctx, network, client.MergeFrom(before)))
	secrets := w.generatedSecrets()
	lost := naming.IdentitySecret("banks", "member-0")
	for _, name := range []string{token, lost} {
		w.removeObject(&corev1.Secret{ObjectMeta: w.objectMeta(name)})
	}
	delete(secrets, token)
	w.reconcileNetwork("banks")
	w.reconcileNetwork("banks")
	w.wantLost(lost, "kubectl benchnet reset banks", secrets)
	if got := w.generatedSecrets()[token]; len(got.Data["token"]) < 26 {
		t.Errorf("Secret %s has %d bytes of token", token, len(got.Data["token"]))
	}
	if got, want := len(w.getNetwork("banks").Status.GeneratedSecrets.Digests), len(digests); got != want {
		t.Errorf("the record has %d digits, want %d", got, want)
	}
	w.removeObject(&corev1.Secret{ObjectMeta: w.objectMeta(token)})
	w.reconcileNetwork("banks")
	if c := w.networkReady(); !strings.Contains(c.Message, "Secret "+token+" was deleted") {
		t.Errorf("the lost token should be reported, but: %+v", c)
	}
}
