//go:build e2e

package e2e_test

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/common/model"

	"github.com/benchnet/benchnet/api/v1alpha1"
	dashboardsmodel "github.com/benchnet/benchnet/dashboards/model"
	"github.com/benchnet/benchnet/test/e2e/cluster"
)

// system is a source of metrics. A query for a system that does not run has no data.
type system string

// Systems that queries depend on.
const (
	systemCorda        system = "Corda"
	systemJPaxos       system = "JPaxos"
	systemCometBFT     system = "CometBFT"
	systemKVStore      system = "CometBFT with KVStore"
	systemMalachite    system = "Malachite"
	systemMalachiteEVM system = "MalachiteEVM"
	systemEmerald      system = "Emerald"
	systemReth         system = "Reth"
	systemPostgreSQL   system = "PostgreSQL"
	systemExperiment   system = "an experiment"
)

// systemPatterns match the queries of each system.
var systemPatterns = map[system]*regexp.Regexp{
	systemCorda:        regexp.MustCompile(`\b(corda|jvm)_`),
	systemJPaxos:       regexp.MustCompile(`\bbenchnet_(member_operations|jvm_gc_seconds)_`),
	systemCometBFT:     regexp.MustCompile(`\bcometbft_(bench|consensus|p2p)_`),
	systemKVStore:      regexp.MustCompile(`\bcometbft_mempool_`),
	systemMalachite:    regexp.MustCompile(`\bmalachite(_bench|bft)_`),
	systemMalachiteEVM: regexp.MustCompile(`\b(txpool|p2p|chain)_`),
	systemEmerald:      regexp.MustCompile(`\bapp_channel_`),
	systemReth:         regexp.MustCompile(`\breth_`),
	systemPostgreSQL:   regexp.MustCompile(`\bpg_|\$database`),
	systemExperiment:   regexp.MustCompile(`\$experiment|\bbenchnet_experiment_`),
}

// dashboardSystems maps dashboards to their single system. Other dashboards may have queries of any system.
var dashboardSystems = map[string]system{
	"benchnet-corda": systemCorda, "benchnet-jpaxos": systemJPaxos, "benchnet-cometbft": systemCometBFT,
	"benchnet-malachite": systemMalachite, "benchnet-malachite-evm": systemMalachiteEVM, "benchnet-emerald": systemEmerald,
	"benchnet-postgresql": systemPostgreSQL, "benchnet-experiment": systemExperiment,
}

// optionalParts are what some networks of a dashboard's system lack.
var optionalParts = []system{systemReth, systemKVStore}

// requiredSystems returns the systems that a query needs for data.
func requiredSystems(d *dashboardsmodel.Dashboard, expr string) []system {
	var all []system
	s, found := dashboardSystems[d.UID]
	if found && !slices.ContainsFunc(optionalParts, func(part system) bool { return systemPatterns[part].MatchString(expr) }) {
		return []system{s}
	}
	for s, metrics := range systemPatterns {
		if metrics.MatchString(expr) {
			all = append(all, s)
		}
	}
	return all
}

// percentileQuery matches the queries of a percentile of runs.
var percentileQuery = regexp.MustCompile(`\bbenchnet_run_latency_seconds\{[^}]*quantile="([0-9.]+)"`)

// lacksPercentile reports whether a query needs a percentile that the run is too short to have.
func lacksPercentile(run *v1alpha1.BenchmarkRun, expr string) bool {
	found := percentileQuery.FindStringSubmatch(expr)
	if found == nil || run.Status.LatencyMicroseconds == nil {
		return false
	}
	l := run.Status.LatencyMicroseconds
	percentiles := map[string]*int64{"0.5": l.P50, "0.9": l.P90, "0.95": l.P95, "0.99": l.P99, "0.999": l.P999}
	value, known := percentiles[found[1]]
	return known && value == nil
}

// dueMetric counts the operations that an open loop makes due.
const dueMetric = "benchnet_worker_operations_due_total"

// segmentMetric has the segments of the window, currentSegmentMetric the one that the load is in, and faultMetric the declared faults.
const (
	segmentMetric        = "benchnet_run_segment_start_timestamp_seconds"
	currentSegmentMetric = "benchnet_worker_segment"
	faultMetric          = "benchnet_run_fault_start_timestamp_seconds"
)

// lacksLoad reports whether a query needs the offered load of an open loop, a profile or faults, which the run has not.
func lacksLoad(run *v1alpha1.BenchmarkRun, expr string) bool {
	load, faults := run.Spec.Workload.Load, run.Spec.Workload.Faults
	ofSegment := strings.Contains(expr, segmentMetric) || strings.Contains(expr, currentSegmentMetric)
	return strings.Contains(expr, dueMetric) && (load == nil || load.Model != v1alpha1.LoadOpen) ||
		ofSegment && (load == nil || len(load.Profile) == 0) && len(faults) == 0 ||
		strings.Contains(expr, faultMetric) && len(faults) == 0
}

// assertDashboards runs the dashboards' queries from shortly before the run on. Every query of the systems in
// here must return data, unless it is of a percentile, an offered load, segments or faults that the run lacks. It logs how many were skipped.
func assertDashboards(ns *cluster.Namespace, run *v1alpha1.BenchmarkRun, here ...system) {
	ns.Helper()
	prometheus := ns.ConnectPrometheus()
	// The operator is scraped every 30 s and publishes the verdict last.
	ns.Wait("Prometheus knows the verdict on run "+run.Name, func() (bool, string) {
		valid := prometheus.Query(`benchnet_run_valid{namespace="` + ns.Name + `",run="` + run.Name + `"}`)
		return len(valid) > 0, "no benchnet_run_valid yet"
	})
	all, err := dashboardsmodel.ReadFolder(os.DirFS("../../charts/benchnet/dashboards"))
	if err != nil {
		ns.Fatal(err)
	}
	from := run.Status.StartTime.Add(-time.Minute)
	// A rate needs two scrapes, possibly of a pod that just started. All queries share this ample time.
	patience := time.Now().Add(5 * time.Minute)
	left, asked, blank := map[system]int{}, 0, 0
	for _, d := range all {
		queries, err := d.Queries()
		if err != nil {
			ns.Fatal(err)
		}
		for _, q := range queries {
			missing := slices.DeleteFunc(requiredSystems(&d, q.Expr), func(s system) bool { return slices.Contains(here, s) })
			if len(missing) > 0 {
				left[missing[0]]++
				continue
			}
			if lacksPercentile(run, q.Expr) || lacksLoad(run, q.Expr) {
				blank++
				continue
			}
			asked++
			expr, err := dashboardsmodel.InterpolateVariables(q.Expr, dashboardVariables(ns, &d, run))
			if err != nil {
				ns.Fatal(err)
			}
			assertQueryData(ns, prometheus, q.Where, expr, from, patience)
		}
	}
	ns.Logf("%d queries of dashboards were run over the time of %s; %d of percentiles of few latencies, of offered load or of segments were not", asked, run.Name, blank)
	for _, s := range slices.Sorted(maps.Keys(left)) {
		ns.Logf("%d queries were not run, since %s was not there", left[s], s)
	}
}

// assertQueryData fails unless the query has returned data for the time since from before patience has passed.
func assertQueryData(ns *cluster.Namespace, prometheus cluster.Prometheus, where, expr string, from, patience time.Time) {
	ns.Helper()
	// The last step is now, because the operator's metrics of an ended run are only moments old.
	const step = 5 * time.Second
	for ; ; time.Sleep(step) {
		now := time.Now()
		if hasNumber(prometheus.QueryRange(expr, now.Add(-now.Sub(from).Truncate(step)), now, step)) {
			return
		}
		if now.After(patience) {
			ns.Errorf("%s: no data for %s", where, strings.Join(strings.Fields(expr), " "))
			return
		}
	}
}

// dashboardVariables returns the variables that a user would select to view the run.
func dashboardVariables(ns *cluster.Namespace, d *dashboardsmodel.Dashboard, run *v1alpha1.BenchmarkRun) map[string]string {
	values := map[string]string{"__rate_interval": "2m", "__range": "30m", "namespace": ns.Name, "network": run.Spec.NetworkName, "run": run.Name,
		"experiment": run.Labels[v1alpha1.LabelExperiment], "member": ".+", "platform": ".+", "database": ".+", "pod": ".+", "controller": ".+"}
	if d.UID == "benchnet-operator" {
		values["namespace"] = cluster.OperatorNamespace
	}
	return values
}

// hasNumber reports whether there is a sample to draw, that is, one that is not NaN.
func hasNumber(matrix model.Matrix) bool {
	for _, series := range matrix {
		for _, sample := range series.Values {
			if sample.Value == sample.Value {
				return true
			}
		}
	}
	return false
}
