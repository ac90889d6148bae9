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
	"github.com/benchnet/benchnet/internal/dashboard"
	"github.com/benchnet/benchnet/test/e2e/cluster"
)

// system is what makes the metrics that a query asks for. A query of one that does not run here has no answer.
type system string

// The systems.
const (
	onCorda      system = "Corda"
	onJPaxos     system = "JPaxos"
	onMalachite  system = "Malachite"
	onEmerald    system = "Emerald"
	onReth       system = "Reth"
	onPostgreSQL system = "PostgreSQL"
	inExperiment system = "an experiment"
)

// systems by what their queries hold.
var systems = map[system]*regexp.Regexp{
	onCorda:      regexp.MustCompile(`\b(corda|jvm)_`),
	onJPaxos:     regexp.MustCompile(`\bbenchnet_(member_operations|jvm_gc_seconds)_`),
	onMalachite:  regexp.MustCompile(`\bmalachite(_bench|bft)_`),
	onEmerald:    regexp.MustCompile(`\bapp_channel_`),
	onReth:       regexp.MustCompile(`\breth_`),
	onPostgreSQL: regexp.MustCompile(`\bpg_|\$database`),
	inExperiment: regexp.MustCompile(`\$experiment|\bbenchnet_experiment_`),
}

// ofPlatform are the dashboards of single systems. On the others every system may have a query in a panel of all.
var ofPlatform = map[string]system{
	"benchnet-corda": onCorda, "benchnet-jpaxos": onJPaxos, "benchnet-malachite": onMalachite, "benchnet-emerald": onEmerald,
	"benchnet-postgresql": onPostgreSQL, "benchnet-experiment": inExperiment,
}

// needs are the systems without which a query gives nothing.
func needs(d *dashboard.Dashboard, expr string) []system {
	var all []system
	if s, found := ofPlatform[d.UID]; found && !systems[onReth].MatchString(expr) {
		return []system{s}
	}
	for s, metrics := range systems {
		if metrics.MatchString(expr) {
			all = append(all, s)
		}
	}
	return all
}

// assertDashboards runs what the dashboards ask, over the time since shortly before the run: every query of the systems that were
// there has to give data. It tells how many queries were of other systems, and so were not run.
func assertDashboards(ns *cluster.Namespace, run *v1alpha1.BenchmarkRun, here ...system) {
	ns.Helper()
	prometheus := ns.Prometheus()
	// The operator is scraped each 30 s, and says whether a run is valid when all else is over.
	ns.Wait("Prometheus knows the verdict on run "+run.Name, func() (bool, string) {
		valid := prometheus.Query(`benchnet_run_valid{namespace="` + ns.Name + `",run="` + run.Name + `"}`)
		return len(valid) > 0, "no benchnet_run_valid yet"
	})
	all, err := dashboard.Read(os.DirFS("../../charts/benchnet/dashboards"))
	if err != nil {
		ns.Fatal(err)
	}
	from := run.Status.StartTime.Add(-time.Minute)
	// A rate needs two scrapes of what may have just been started. All queries share the time for that, which is ample.
	patience := time.Now().Add(5 * time.Minute)
	left, asked := map[system]int{}, 0
	for _, d := range all {
		queries, err := d.Queries()
		if err != nil {
			ns.Fatal(err)
		}
		for _, q := range queries {
			missing := slices.DeleteFunc(needs(&d, q.Expr), func(s system) bool { return slices.Contains(here, s) })
			if len(missing) > 0 {
				left[missing[0]]++
				continue
			}
			asked++
			expr, err := dashboard.Fill(q.Expr, chosenFor(ns, &d, run))
			if err != nil {
				ns.Fatal(err)
			}
			assertData(ns, prometheus, q.Where, expr, from, patience)
		}
	}
	ns.Logf("%d queries of dashboards were run and gave data over the time of %s", asked, run.Name)
	for _, s := range slices.Sorted(maps.Keys(left)) {
		ns.Logf("%d queries were not run, since %s was not there", left[s], s)
	}
}

// assertData fails unless there is something to draw since from, at the latest when the patience is over.
func assertData(ns *cluster.Namespace, prometheus cluster.Prometheus, where, expr string, from, patience time.Time) {
	ns.Helper()
	// The last step is the present: what the operator says of a run that is over has been there for a moment only.
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

// chosenFor is what a user would choose to look at the run.
func chosenFor(ns *cluster.Namespace, d *dashboard.Dashboard, run *v1alpha1.BenchmarkRun) map[string]string {
	values := map[string]string{"__rate_interval": "2m", "__range": "30m", "namespace": ns.Name, "network": run.Spec.NetworkName, "run": run.Name,
		"experiment": run.Labels[v1alpha1.LabelExperiment], "member": ".+", "platform": ".+", "database": ".+", "pod": ".+", "controller": ".+"}
	if d.UID == "benchnet-operator" {
		values["namespace"] = cluster.OperatorNamespace
	}
	return values
}

// hasNumber tells whether there is anything to draw. A mean of nothing is no number.
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
