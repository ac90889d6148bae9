//go:build e2e

package e2e_test

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/prometheus/common/model"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/run/verdict"
	"github.com/benchnet/benchnet/test/e2e/cluster"
)

// Series that users build dashboards on, by the member's port that serves them.
var (
	agentSeries = []string{"benchnet_container_cpu_usage_seconds_total", "benchnet_container_cpu_periods_total",
		"benchnet_container_cpu_throttled_periods_total", "benchnet_container_cpu_throttled_seconds_total",
		"benchnet_container_memory_working_set_bytes"}
	cordaSeries = map[string][]string{"agent": agentSeries, "jmx": {"corda_flows_started_total", "corda_flows_finished_total",
		"corda_flows_in_flight", "corda_database_pool_connections", "corda_broker_messages",
		"corda_queue_messages", "corda_queue_unacknowledged_messages", "jvm_memory_used_bytes"}}
	malachiteSeries = map[string][]string{"agent": agentSeries, "metrics": {"malachite_bench_height", "malachite_bench_blocks_total",
		"malachite_bench_block_time_seconds_bucket", "malachitebft_core_consensus_connected_peers"}}
	databaseSeries = map[string][]string{"agent": agentSeries, "metrics": {"pg_up", "pg_stat_database_xact_commit", "pg_database_size_bytes"}}
	operatorSeries = []string{"controller_runtime_reconcile_total", "workqueue_depth", "process_resident_memory_bytes"}
)

// assertScraped fails unless Prometheus scrapes each member at the ports in members, and each database, all
// targets are up, and the series exist with labels that identify their source.
func assertScraped(ns *cluster.Namespace, network *v1alpha1.BenchmarkNetwork, members map[string][]string) {
	ns.Helper()
	prometheus := ns.ConnectPrometheus()
	var targets []string
	var pods []scrapedPod
	for _, m := range network.Status.Members {
		pods = append(pods, scrapedPod{naming.MemberPod(network.Name, m.Name), "member", m.Name, members})
	}
	for _, d := range network.Status.Databases {
		pods = append(pods, scrapedPod{d.Name + "-0", "database", d.Name, databaseSeries})
	}
	for _, pod := range pods {
		for port := range pod.series {
			targets = append(targets, pod.name+"/"+port)
		}
	}
	of := model.LabelSet{"job": "benchnet", "namespace": model.LabelValue(ns.Name), "network": model.LabelValue(network.Name)}
	prometheus.WaitTargetsUp(of, targets...)
	for _, pod := range pods {
		assertSeries(prometheus, pod, network)
	}
}

// scrapedPod is a pod with the series of its ports and its identifying label.
type scrapedPod struct {
	name, label, value string
	series             map[string][]string
}

func assertSeries(prometheus cluster.Prometheus, pod scrapedPod, network *v1alpha1.BenchmarkNetwork) {
	prometheus.Helper()
	for _, port := range slices.Sorted(maps.Keys(pod.series)) {
		for _, series := range pod.series[port] {
			selector := fmt.Sprintf(`%s{job="benchnet",namespace=%q,pod=%q,endpoint=%q,network=%q,platform=%q,%s=%q}`, series, prometheus.Name,
				pod.name, port, network.Name, network.Spec.Platform.Type, pod.label, pod.value)
			prometheus.Wait(selector+" is there", func() (bool, string) {
				return len(prometheus.Query(selector)) > 0, "no such series"
			})
		}
	}
}

// assertOperatorScraped fails unless Prometheus scrapes the operator's metrics over HTTPS, as an authorized account.
func assertOperatorScraped(ns *cluster.Namespace) {
	ns.Helper()
	prometheus := ns.ConnectPrometheus()
	operator := ns.OperatorPod().Name
	prometheus.WaitTargetsUp(model.LabelSet{"namespace": cluster.OperatorNamespace, "pod": model.LabelValue(operator)}, operator+"/metrics")
	for _, series := range operatorSeries {
		var vector model.Vector
		prometheus.Wait("the operator's metrics have "+series, func() (bool, string) {
			vector = prometheus.Query(fmt.Sprintf(`%s{namespace=%q,pod=%q}`, series, cluster.OperatorNamespace, operator))
			return len(vector) > 0, "no such series"
		})
		if series == "process_resident_memory_bytes" && len(vector) > 0 {
			ns.Logf("operator: %s %.1f MiB", series, float64(vector[0].Value)/(1<<20))
		}
	}
}

// assertRunScraped fails unless the series of a run's workers can be selected by run.
func assertRunScraped(ns *cluster.Namespace, run *v1alpha1.BenchmarkRun) {
	ns.Helper()
	expression := fmt.Sprintf(`benchnet_container_cpu_usage_seconds_total{namespace=%q,run=%q,network=%q}`, ns.Name, run.Name, run.Spec.NetworkName)
	matrix := ns.ConnectPrometheus().QueryRange(expression, run.CreationTimestamp.Time, time.Now(), time.Second)
	if workers := int(run.Spec.Workload.Workers.Count); len(matrix) != workers {
		ns.Errorf("%s has %d series, want one for each of %d workers", expression, len(matrix), workers)
	}
	for _, series := range matrix {
		ns.Logf("run %s: %d seconds with samples of %s, %.2f s of CPU in the end", run.Name, len(series.Values), series.Metric["pod"],
			float64(series.Values[len(series.Values)-1].Value))
	}
}

// assertQueryObjectives fails unless the run's query objectives have their values and, if the run is valid, their outcomes.
func assertQueryObjectives(ns *cluster.Namespace, run *v1alpha1.BenchmarkRun) {
	ns.Helper()
	want := map[string]string{"cpu": verdict.ObjectivePassed, "no-blocks": verdict.ObjectiveFailed}
	judged := readResult(ns, run).Objectives
	if len(judged) != len(want) {
		ns.Errorf("the objectives are %+v, want %v", judged, want)
	}
	for _, o := range judged {
		ns.Logf("objective %s: %s", o.Metric, o.Message)
		if o.Query == nil || o.Query.Value == nil || run.Status.Verdict == v1alpha1.VerdictValid && o.Outcome != want[o.Metric] {
			ns.Errorf("objective %s is %s (%s), want %s", o.Metric, o.Outcome, o.Message, want[o.Metric])
		}
	}
}
