package controllers_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/controllers"
)

// writeKubeconfig writes a kubeconfig of the test's API server to a directory.
func (w *testEnv) writeKubeconfig(directory string) string {
	w.t.Helper()
	access := clientcmdapi.Config{CurrentContext: "test",
		Clusters:  map[string]*clientcmdapi.Cluster{"test": {Server: config.Host, CertificateAuthorityData: config.CAData}},
		AuthInfos: map[string]*clientcmdapi.AuthInfo{"test": {ClientCertificateData: config.CertData, ClientKeyData: config.KeyData}},
		Contexts:  map[string]*clientcmdapi.Context{"test": {Cluster: "test", AuthInfo: "test"}}}
	path := filepath.Join(directory, "kubeconfig")
	must(w.t, clientcmd.WriteToFile(access, path))
	return path
}

// startProgram runs a program until the test ends. Its last output is logged if the test fails.
func (w *testEnv) startProgram(program string, arguments ...string) {
	w.t.Helper()
	var output bytes.Buffer
	c := exec.CommandContext(w.ctx, program, arguments...)
	c.Stdout, c.Stderr = &output, &output
	must(w.t, c.Start())
	w.t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait() // It was killed.
		if w.t.Failed() {
			text := output.String()
			w.t.Logf("%s said:\n%s", filepath.Base(program), text[max(0, len(text)-6000):])
		}
	})
}

// waitFor waits up to ten minutes until the condition holds; what describes it.
func (w *testEnv) waitFor(what string, is func() bool) {
	w.t.Helper()
	for deadline := time.Now().Add(10 * time.Minute); !is(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			var list v1alpha1.BenchmarkNetworkList
			must(w.t, w.client.List(w.ctx, &list))
			for i := range list.Items {
				w.t.Logf("%s: %s %+v", list.Items[i].Name, list.Items[i].Status.Phase, meta.FindStatusCondition(list.Items[i].Status.Conditions, v1alpha1.ConditionAdmitted))
			}
			w.t.Fatalf("never: %s", what)
		}
	}
}

// startControllers runs the Kubernetes controllers of these names. They also work off what earlier tests left, which the default limit
// of 20 requests per second would make a matter of minutes.
func (w *testEnv) startControllers(names ...string) {
	w.t.Helper()
	w.startProgram(filepath.Join(os.Getenv("KUBEBUILDER_ASSETS"), "kube-controller-manager"), "--kubeconfig", w.writeKubeconfig(w.t.TempDir()),
		"--controllers="+strings.Join(names, ","), "--leader-elect=false", "--secure-port=0",
		"--kube-api-qps=1000", "--kube-api-burst=1000")
}

// TestQuotaWithRealControllers uses the real quota admission, the real count of usage, and the real Job
// controller, whose pod is rejected.
func TestQuotaWithRealControllers(t *testing.T) {
	w := newTestEnv(t)
	w.startControllers("resourcequota-controller", "job-controller")
	q := &corev1.ResourceQuota{ObjectMeta: w.objectMeta("lab"), Spec: corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{corev1.ResourceRequestsCPU: resource.MustParse("1m")}}}
	must(t, w.client.Create(w.ctx, q))
	w.waitFor("the quota counts", func() bool {
		w.mustGet("lab", q)
		return len(q.Status.Used) > 0
	})
	w.startLimitedManager(controllers.Limits{MaxNetworks: 1})
	w.createSmallNetwork("a")
	ready := func() (reason, message string) {
		if c := meta.FindStatusCondition(w.getNetwork("a").Status.Conditions, v1alpha1.ConditionReady); c != nil {
			return c.Reason, c.Message
		}
		return "", ""
	}
	w.waitFor("the quota is reported", func() bool {
		reason, message := ready()
		return reason == v1alpha1.ReasonQuotaExceeded && strings.Contains(message, "exceeded quota: lab") && strings.Contains(message, "limited: requests.cpu=1m")
	})
	_, message := ready()
	t.Log(message)
	must(t, w.client.Patch(w.ctx, q, client.RawPatch("application/merge-patch+json", []byte(`{"spec": {"hard": {"requests.cpu": "4"}}}`))))
	w.waitFor("the pod is created", func() bool {
		var pods corev1.PodList
		must(t, w.client.List(w.ctx, &pods, client.InNamespace(w.namespace)))
		return len(pods.Items) > 0
	})
	w.waitFor("the quota is no longer reported", func() bool {
		reason, _ := ready()
		return reason == v1alpha1.ReasonStageNotReady
	})
}

// TestRepairedImageWithRealControllers uses the real StatefulSet controller, which by itself keeps a pod of an older template that
// never becomes ready.
func TestRepairedImageWithRealControllers(t *testing.T) {
	w := newTestEnv(t)
	w.startControllers("statefulset-controller")
	w.createSmallNetwork("a")
	w.reconcileWith(badRegistry, "a")
	w.fillGenesisSecrets()
	w.completeJobs()
	w.reconcileWith(badRegistry, "a")
	image := func() string {
		pod := &corev1.Pod{}
		if w.isGone("a-member-0-0", pod) {
			return ""
		}
		return pod.Spec.Containers[0].Image
	}
	w.waitFor("the pod has the bad image", func() bool { return strings.HasPrefix(image(), badRegistry) })
	w.waitFor("the pod has the good image", func() bool {
		w.reconcileWith(goodRegistry, "a")
		return strings.HasPrefix(image(), goodRegistry)
	})
}

// TestRoleAggregation uses the real controller: a subject with the built-in role view is a viewer, and so on.
func TestRoleAggregation(t *testing.T) {
	w := newTestEnv(t)
	w.createTenantUsers()
	w.startControllers("clusterrole-aggregation-controller")
	for _, role := range []string{"view", "edit"} {
		must(t, w.client.Create(w.ctx, &rbacv1.RoleBinding{ObjectMeta: w.objectMeta("built-in-" + role), RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
			Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: "built-in-" + role}}}))
	}
	for _, group := range []string{"built-in-view", "built-in-edit"} {
		w.waitFor(group+" lists networks", func() bool { return w.isAllowed(group, "list benchmarknetworks.benchnet.dev") })
	}
	w.waitFor("editors create networks", func() bool { return w.isAllowed("built-in-edit", "create benchmarknetworks.benchnet.dev") })
	if !w.isAllowed("built-in-edit", "delete benchmarknetworks.benchnet.dev") {
		t.Error("editors should be able to delete networks")
	}
	for _, what := range []string{"create benchmarknetworks.benchnet.dev", "patch benchmarkruns.benchnet.dev", "delete benchmarkexperiments.benchnet.dev"} {
		if w.isAllowed("built-in-view", what) {
			t.Errorf("viewers may %s", what)
		}
	}
}
