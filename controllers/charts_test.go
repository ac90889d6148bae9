package controllers_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/apply"
)

// userChart is a chart with a Secret that has the metadata of an existing one.
const userChart = `
apiVersion: v1
kind: Service
metadata: {name: {{ .Values.fullnameOverride }}, finalizers: [example.org/never], ownerReferences: [{apiVersion: v1, kind: Node, name: n, uid: u}]}
spec: {selector: {app: mine}, ports: [{port: 5432}]}
---
apiVersion: v1
kind: Secret
metadata: {name: {{ .Values.fullnameOverride }}-mine, resourceVersion: "{{ .Values.version }}", uid: "{{ .Values.uid }}"}
stringData: {password: taken}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: {{ .Values.fullnameOverride }}}
spec:
  serviceName: {{ .Values.fullnameOverride }}
  selector: {matchLabels: {app: mine}}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
  template:
    metadata: {labels: {app: mine}}
    spec:
      automountServiceAccountToken: false
      securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}
      containers:
      - name: postgres
        image: example.org/mine:1
        securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
`

// packChart returns a packed chart with one template.
func packChart(t *testing.T, template string) []byte {
	t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	archive := tar.NewWriter(zip)
	for name, content := range map[string]string{"Chart.yaml": "{apiVersion: v2, name: mine, version: 1.0.0}", "templates/a.yaml": template} {
		must(t, archive.WriteHeader(&tar.Header{Name: "mine/" + name, Mode: 0o644, Size: int64(len(content)), Typeflag: tar.TypeReg}))
		_, err := archive.Write([]byte(content))
		must(t, err)
	}
	must(t, errors.Join(archive.Close(), zip.Close()))
	return out.Bytes()
}

// reconcileUntilRendered reconciles until the network's chart is rendered, and returns the error of the pass after that.
func (w *testEnv) reconcileUntilRendered(name string) error {
	w.t.Helper()
	for {
		result, err := w.networkReconciler().Reconcile(w.ctx, w.requestFor(name))
		if err != nil || len(w.getNetwork(name).Status.Conditions) > 0 {
			return err
		}
		time.Sleep(result.RequeueAfter)
	}
}

// TestUserChart creates a network with a user's chart whose Secret claims to be an existing foreign Secret.
func TestUserChart(t *testing.T) {
	w := newTestEnv(t)
	foreign := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "banks-db-mine"}, StringData: map[string]string{"password": "mine"}}
	untouched := w.createForeignObject(foreign)
	must(t, w.client.Create(w.ctx, &corev1.ConfigMap{ObjectMeta: w.objectMeta("chart"), BinaryData: map[string][]byte{"chart.tgz": packChart(t, userChart)}}))
	text := strings.Replace(cordaNetwork[:strings.Index(cordaNetwork, "  workloads:")], "topology: Shared", fmt.Sprintf(
		"topology: Shared, provider: Chart, chart: {configMapName: chart, values: {version: %q, uid: %q}}", foreign.ResourceVersion, foreign.UID), 1)
	must(t, w.createFromYAML(text, &v1alpha1.BenchmarkNetwork{}))
	if err := w.reconcileUntilRendered("banks"); !errors.Is(err, apply.ErrForeign) {
		t.Errorf("got %v, want an error about the foreign Secret", err)
	}
	untouched()
	c := meta.FindStatusCondition(w.getNetwork("banks").Status.Conditions, v1alpha1.ConditionReady)
	if c == nil || !strings.Contains(c.Message, "Secret banks-db-mine already exists") {
		t.Errorf("Ready should name the Secret, but is %+v", c)
	}

	must(t, w.client.Delete(w.ctx, foreign))
	w.reconcileNetwork("banks")
	service, set := &corev1.Service{}, &appsv1.StatefulSet{}
	w.mustGet("banks-db", service)
	if owners := service.OwnerReferences; len(service.Finalizers) > 0 || len(owners) != 1 || owners[0].Name != "banks" {
		t.Errorf("finalizers %v, owners %+v: want no finalizers and the network", service.Finalizers, owners)
	}
	w.mustGet("banks-db", set)
	if p := set.Spec.PersistentVolumeClaimRetentionPolicy; p == nil || p.WhenDeleted != appsv1.DeletePersistentVolumeClaimRetentionPolicyType {
		t.Errorf("volumes are kept: %+v", p)
	}
	w.reconcileNetwork("banks")
	writes := w.writeCount.Load()
	w.reconcileNetwork("banks")
	if n := w.writeCount.Load() - writes; n != 0 {
		t.Errorf("a second pass makes %d writes", n)
	}
}

// TestUserChartIsRejected: a hostile chart is rejected, and the next chart in the same ConfigMap is accepted.
func TestUserChartIsRejected(t *testing.T) {
	w := newTestEnv(t)
	hostile := packChart(t, strings.Replace(userChart, "      containers:", "      nodeName: node-1\n      containers:", 1))
	cm := &corev1.ConfigMap{ObjectMeta: w.objectMeta("chart"), BinaryData: map[string][]byte{"chart.tgz": hostile}}
	must(t, w.client.Create(w.ctx, cm))
	text := strings.Replace(cordaNetwork[:strings.Index(cordaNetwork, "  workloads:")], "topology: Shared", "topology: Shared, provider: Chart, chart: {configMapName: chart}", 1)
	must(t, w.createFromYAML(text, &v1alpha1.BenchmarkNetwork{}))
	must(t, w.reconcileUntilRendered("banks"))
	c := meta.FindStatusCondition(w.getNetwork("banks").Status.Conditions, v1alpha1.ConditionAccepted)
	const want = "spec.database: database instance banks-db: StatefulSet banks-db: spec.template.spec.nodeName is not allowed"
	if c == nil || c.Status != metav1.ConditionFalse || c.Message != want {
		t.Errorf("Accepted is %+v, want False: %s", c, want)
	}
	if result := w.reconcileNetwork("banks"); result.RequeueAfter == 0 {
		t.Error("the network is not requeued to detect a changed chart")
	}
	cm.BinaryData["chart.tgz"] = packChart(t, userChart)
	must(t, w.client.Update(w.ctx, cm))
	for meta.IsStatusConditionFalse(w.getNetwork("banks").Status.Conditions, v1alpha1.ConditionAccepted) {
		time.Sleep(w.reconcileNetwork("banks").RequeueAfter / 100)
	}
}

// TestUserChartUsesOnlyLabelledObjects refuses a chart that mounts an object of the namespace, of each kind, until the
// object has the label. The CorDapps' claim needs a label as well.
func TestUserChartUsesOnlyLabelledObjects(t *testing.T) {
	w := newTestEnv(t)
	mounting := strings.Replace(userChart, "      containers:", `      volumes:
      - {name: keys, secret: {secretName: deployer}}
      - {name: conf, configMap: {name: settings}}
      - {name: data-of-others, persistentVolumeClaim: {claimName: disk}}
      containers:`, 1)
	must(t, w.client.Create(w.ctx, &corev1.ConfigMap{ObjectMeta: w.objectMeta("chart"), BinaryData: map[string][]byte{"chart.tgz": packChart(t, mounting)}}))
	text := strings.Replace(cordaNetwork[:strings.Index(cordaNetwork, "  workloads:")], "topology: Shared", "topology: Shared, provider: Chart, chart: {configMapName: chart}", 1)
	must(t, w.createFromYAML(text, &v1alpha1.BenchmarkNetwork{}))
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: w.objectMeta("disk"), Spec: corev1.PersistentVolumeClaimSpec{
		AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
		Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}}}}
	must(t, w.reconcileUntilRendered("banks"))
	for _, step := range []struct {
		object client.Object
		want   string
	}{
		{&corev1.ConfigMap{ObjectMeta: w.objectMeta("settings")}, "ConfigMap settings"},
		{claim, "PersistentVolumeClaim disk"},
		{&corev1.Secret{ObjectMeta: w.objectMeta("deployer")}, "Secret deployer"},
	} {
		must(t, w.client.Create(w.ctx, step.object))
		w.reconcileNetwork("banks")
		c := meta.FindStatusCondition(w.getNetwork("banks").Status.Conditions, v1alpha1.ConditionAccepted)
		if c == nil || c.Status != metav1.ConditionFalse || !strings.Contains(c.Message, "StatefulSet banks-db: "+step.want+" lacks the label") ||
			!strings.Contains(c.Message, "benchnet.dev/database-chart=true") {
			t.Errorf("Accepted is %+v, want False: %s", c, step.want)
		}
		must(t, w.client.Patch(w.ctx, step.object, mergePatch(`{"metadata": {"labels": {"benchnet.dev/database-chart": "true"}}}`)))
		w.reconcileNetwork("banks")
	}
	if !meta.IsStatusConditionTrue(w.getNetwork("banks").Status.Conditions, v1alpha1.ConditionAccepted) {
		t.Errorf("with its labels, the network should be accepted: %+v", w.getNetwork("banks").Status.Conditions)
	}
}

// TestClaimOfCorDappsNeedsLabel refuses a network that mounts an arbitrary claim into an image of its choice.
func TestClaimOfCorDappsNeedsLabel(t *testing.T) {
	w := newTestEnv(t)
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: w.objectMeta("jars"), Spec: corev1.PersistentVolumeClaimSpec{
		AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
		Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}}}}
	must(t, w.client.Create(w.ctx, claim))
	must(t, w.createFromYAML(`{"apiVersion": "benchnet.dev/v1alpha1", "kind": "BenchmarkNetwork", "metadata": {"name": "net"}, "spec": {
		"platform": {"type": "Corda", "corda": {"version": "4.10", "cordapps": {"type": "Volume", "claimName": "jars"}}}, "members": {"count": 2}}}`,
		&v1alpha1.BenchmarkNetwork{}))
	w.reconcileNetwork("net")
	c := meta.FindStatusCondition(w.getNetwork("net").Status.Conditions, v1alpha1.ConditionAccepted)
	if c == nil || !strings.Contains(c.Message, "spec.platform.corda.cordapps.claimName: PersistentVolumeClaim jars lacks the label") {
		t.Errorf("Accepted is %+v", c)
	}
	must(t, w.client.Patch(w.ctx, claim, mergePatch(`{"metadata": {"labels": {"benchnet.dev/cordapps": "true"}}}`)))
	w.reconcileNetwork("net")
	if !meta.IsStatusConditionTrue(w.getNetwork("net").Status.Conditions, v1alpha1.ConditionAccepted) {
		t.Errorf("the labelled claim should be accepted: %+v", w.getNetwork("net").Status.Conditions)
	}
}
