//go:build e2e

package e2e_test

import (
	"fmt"
	"os/exec"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/names"
	"github.com/benchnet/benchnet/test/e2e/cluster"
)

// Series that users build their dashboards on, by the port that serves them.
var (
	nodeSeries = []string{"corda_flows_started_total", "corda_flows_finished_total", "corda_flows_in_flight",
		"corda_database_pool_connections", "corda_broker_messages", "jvm_memory_used_bytes"}
	agentSeries = []string{"benchnet_container_cpu_usage_seconds_total", "benchnet_container_cpu_periods_total",
		"benchnet_container_cpu_throttled_periods_total", "benchnet_container_cpu_throttled_seconds_total",
		"benchnet_container_memory_working_set_bytes"}
	databaseSeries = []string{"pg_up", "pg_stat_database_xact_commit", "pg_database_size_bytes"}
	operatorSeries = []string{"controller_runtime_reconcile_total", "workqueue_depth", "process_resident_memory_bytes"}
)

func assertMetrics(ns *cluster.Namespace, network *v1alpha1.BenchmarkNetwork) {
	ns.Helper()
	for _, m := range network.Status.Members {
		pod := names.Pod(network.Name, m.Name)
		assertSeries(ns, pod+" of the node", ns.Scrape(ns.Name, pod, 9100), nodeSeries)
		assertSeries(ns, pod+" of the agent", ns.Scrape(ns.Name, pod, 9101), agentSeries)
	}
	for _, d := range network.Status.Databases {
		metrics := ns.Scrape(ns.Name, d.Name+"-0", 9187)
		assertSeries(ns, d.Name, metrics, databaseSeries)
		if !strings.Contains(metrics, "\npg_up 1") {
			ns.Errorf("the exporter of %s cannot ask its server", d.Name)
		}
	}
	assertOperatorMetrics(ns)
}

func assertSeries(ns *cluster.Namespace, of, metrics string, wanted []string) {
	ns.Helper()
	if lacking := cluster.Lacking(metrics, wanted...); len(lacking) > 0 {
		ns.Errorf("the metrics of %s lack %v", of, lacking)
	}
}

// assertOperatorMetrics reads the operator's own metrics as Prometheus does: with a token of an account that may.
func assertOperatorMetrics(ns *cluster.Namespace) {
	ns.Helper()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "scraper", Namespace: ns.Name}}
	binding := &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: ns.Name + "-scraper"},
		RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "benchnet-metrics-reader"},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: account.Name, Namespace: ns.Name}}}
	for _, object := range []client.Object{account, binding} {
		if err := ns.Client.Create(ns.Context(), object); err != nil && !apierrors.IsAlreadyExists(err) {
			ns.Fatal(err)
		}
		defer func() {
			if err := ns.Client.Delete(ns.Context(), object); err != nil {
				ns.Error(err)
			}
		}()
	}
	token := strings.TrimSpace(ns.Kubectl("create", "token", account.Name))
	metrics := ns.ScrapeSecure(cluster.OperatorNamespace, ns.Operator().Name, 8443, token)
	assertSeries(ns, "the operator", metrics, operatorSeries)
	for line := range strings.Lines(metrics) {
		if strings.HasPrefix(line, "process_resident_memory_bytes") {
			ns.Logf("operator: %s", strings.TrimSpace(line))
		}
	}
}

const podMonitorCRD = "podmonitors.monitoring.coreos.com"

// assertPodMonitor follows a network from a cluster without the Prometheus Operator's API to one with it. It wakes the
// network up. A cluster that has the API already is left as it is.
func assertPodMonitor(ns *cluster.Namespace, network string) {
	ns.Helper()
	if !isInstalled(ns) {
		assertCondition(ns, network, "False", v1alpha1.ReasonAPIMissing)
		manifest, err := exec.CommandContext(ns.Context(), "testdata/podmonitor-crd.sh").Output()
		if err != nil {
			ns.Fatalf("generate the CRD: %v", err)
		}
		ns.MustApply(string(manifest))
		removeAtEnd(ns)
		ns.Kubectl("wait", "--for=condition=Established", "crd/"+podMonitorCRD)
	}
	operator := ns.Operator()
	ns.Kubectl("patch", "benchmarknetwork", network, "--type=merge", "--patch", `{"spec":{"suspend":false}}`)
	assertCondition(ns, network, "True", v1alpha1.ReasonApplied)
	ports := strings.Fields(ns.Kubectl("get", "podmonitor", network, "--output", "jsonpath={.spec.podMetricsEndpoints[*].port}"))
	if strings.Join(ports, " ") != "jmx agent metrics" {
		ns.Errorf("the PodMonitor scrapes the ports %v", ports)
	}
	if now := ns.Operator(); now.UID != operator.UID || restarts(now) != restarts(operator) {
		ns.Error("the operator should see the new API without a restart")
	}
}

func isInstalled(ns *cluster.Namespace) bool {
	ns.Helper()
	return strings.Contains(ns.Kubectl("get", "crd", "--output=name"), "/"+podMonitorCRD)
}

// removeAtEnd takes the CRD away when the scenario is over. An operator that has seen a kind counts on it, so it starts anew.
func removeAtEnd(ns *cluster.Namespace) {
	ns.AtEnd(func(ns *cluster.Namespace) {
		ns.Kubectl("delete", "crd", podMonitorCRD)
		ns.KillOperator()
	})
}

func restarts(pod *corev1.Pod) int32 { return pod.Status.ContainerStatuses[0].RestartCount }

func assertCondition(ns *cluster.Namespace, network, state, reason string) {
	ns.Helper()
	ns.Wait(fmt.Sprintf("Monitored is %s with %s", state, reason), time.Minute, func() (bool, string) {
		c := meta.FindStatusCondition(ns.Network(network).Status.Conditions, v1alpha1.ConditionMonitored)
		if c == nil {
			return false, "no condition Monitored yet"
		}
		return string(c.Status) == state && c.Reason == reason, fmt.Sprintf("%s %s: %s", c.Status, c.Reason, c.Message)
	})
}
