//go:build e2e

package e2e_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/common/model"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/hack/metrics/reference"
	"github.com/benchnet/benchnet/test/e2e/cluster"
)

// systemOpenLoad is what a rule needs that compares a run with its requested rate.
const systemOpenLoad system = "an open load"

// systemRulePatterns match the recording rules of each system by name. Other rules apply to all systems.
var systemRulePatterns = map[system]*regexp.Regexp{
	systemCorda:      regexp.MustCompile(`:(corda|jvm)_`),
	systemJPaxos:     regexp.MustCompile(`:jpaxos_`),
	systemCometBFT:   regexp.MustCompile(`:cometbft_`),
	systemMalachite:  regexp.MustCompile(`:malachite_`),
	systemEmerald:    regexp.MustCompile(`:emerald_`),
	systemPostgreSQL: regexp.MustCompile(`^(run_)?database:`),
	systemOpenLoad:   regexp.MustCompile(`_per_offered:`),
}

// systemSources lists the tables of docs/metrics.md whose metrics a network of the system serves completely.
var systemSources = map[system][]reference.Source{
	systemCorda:      {reference.Corda, reference.JVM},
	systemCometBFT:   {reference.CometBFT, reference.CometBFTEngine},
	systemMalachite:  {reference.Malachite, reference.Consensus},
	systemPostgreSQL: {reference.PostgreSQL},
}

// ownMetricPattern matches the names of the project's own metrics.
var ownMetricPattern = regexp.MustCompile(`^(benchnet|corda|cometbft_bench|malachite_bench)_`)

func readMetricsReference(ns *cluster.Namespace) *reference.Reference {
	ns.Helper()
	all, err := reference.Collect(os.DirFS("../.."))
	if err != nil {
		ns.Fatal(err)
	}
	return all
}

// assertRules fails unless every recording rule of the systems in here has recorded numbers during the run, for
// the network or run, or for each of its members or databases.
func assertRules(ns *cluster.Namespace, run *v1alpha1.BenchmarkRun, here ...system) {
	ns.Helper()
	prometheus, network := ns.ConnectPrometheus(), ns.GetNetwork(run.Spec.NetworkName)
	asked, left := 0, 0
	for _, rule := range readMetricsReference(ns).Rules {
		if isOtherSystemsRule(rule.Name, here) {
			left++
			continue
		}
		asked++
		selector := fmt.Sprintf(`%s{namespace=%q,network=%q}`, rule.Name, ns.Name, network.Name)
		if strings.HasPrefix(rule.Name, "run") {
			selector = fmt.Sprintf(`%s{namespace=%q,run=%q}`, rule.Name, ns.Name, run.Name)
		}
		label, want := expectedSeries(rule.Name, network)
		prometheus.Wait(selector+" is recorded", func() (bool, string) {
			got := numericLabelValues(prometheus.QueryRange(selector, run.Status.StartTime.Time, time.Now(), 5*time.Second), label)
			return len(got) == want, fmt.Sprintf("numbers of %d %s (%v), want %d", len(got), label, got, want)
		})
	}
	ns.Logf("%d recording rules gave data over the time of %s; %d are of other systems", asked, run.Name, left)
}

func isOtherSystemsRule(rule string, here []system) bool {
	for s, names := range systemRulePatterns {
		if names.MatchString(rule) && !slices.Contains(here, s) {
			return true
		}
	}
	return false
}

// expectedSeries returns the label that distinguishes a rule's series, and their expected number.
func expectedSeries(rule string, network *v1alpha1.BenchmarkNetwork) (label model.LabelName, want int) {
	level, _, _ := strings.Cut(rule, ":")
	switch strings.TrimPrefix(level, "run_") {
	case "member":
		return "member", len(network.Status.Members)
	case "database":
		return "database", len(network.Status.Databases)
	case "run", "workers":
		return "run", 1
	default:
		return "network", 1
	}
}

// numericLabelValues returns the label's values of the series that have a number.
func numericLabelValues(matrix model.Matrix, label model.LabelName) []string {
	var found []string
	for _, series := range matrix {
		if hasNumber(model.Matrix{series}) {
			found = append(found, string(series.Metric[label]))
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// assertMetricsDocumented compares the metadata of a network's metrics in Prometheus with docs/metrics.md. All of the
// project's own metrics must be documented, kinds must match, and no metric of the systems in here may be missing.
func assertMetricsDocumented(ns *cluster.Namespace, here ...system) {
	ns.Helper()
	page := readMetricsReference(ns)
	kinds := map[string]string{}
	for _, metrics := range page.Sources {
		for _, m := range metrics {
			kinds[m.Name] = m.Kind
		}
	}
	served := ns.ConnectPrometheus().MetricKinds(model.LabelSet{"job": "benchnet", "namespace": model.LabelValue(ns.Name)})
	for name, kind := range served {
		own := ownMetricPattern.MatchString(name)
		if want := kinds[name]; want != kind && (want != "" || own) {
			ns.Errorf("%s is served as a %s, docs/metrics.md says %q", name, kind, want)
		}
	}
	for _, s := range here {
		for _, source := range systemSources[s] {
			for _, m := range page.Sources[source] {
				if served[m.Name] == "" {
					ns.Errorf("%s of docs/metrics.md is not served", m.Name)
				}
			}
		}
	}
	ns.Logf("%d metrics are served, and those of docs/metrics.md as it says", len(served))
}

// hostAlerts are alerts about the machine of the test rather than the network. Its disk may be small, and its
// CPUs may be so busy that scrapes take seconds (which looks like clock skew) or time out.
var hostAlerts = []string{"BenchnetVolumeNearlyFull", "BenchnetClockSkew", "BenchnetTargetDown"}

// assertNoAlerts fails if an alert of severity warning or critical, other than hostAlerts, has fired on a healthy
// network since the run began.
func assertNoAlerts(ns *cluster.Namespace, run *v1alpha1.BenchmarkRun) {
	ns.Helper()
	excused := slices.Clone(hostAlerts)
	if isInvalidByMachineOnly(run) {
		excused = append(excused, "BenchnetRunInvalid")
	}
	selector := fmt.Sprintf(`ALERTS{namespace=%q,alertname=~"Benchnet.+",alertstate="firing",severity=~"warning|critical"}`, ns.Name)
	for _, series := range ns.ConnectPrometheus().QueryRange(selector, run.Status.StartTime.Time, time.Now(), 5*time.Second) {
		if slices.Contains(excused, string(series.Metric["alertname"])) {
			ns.Logf("the machine is to blame for %s", series.Metric)
			continue
		}
		ns.Errorf("the network is well, and yet there was %s, for %d steps of 5 s", series.Metric, len(series.Values))
	}
}

// isInvalidByMachineOnly reports whether a run is invalid only because of the machine.
func isInvalidByMachineOnly(run *v1alpha1.BenchmarkRun) bool {
	for _, r := range run.Status.Reasons {
		if r.Severity == "Invalid" && !slices.Contains(smallMachineReasons, r.Reason) {
			return false
		}
	}
	return run.Status.Verdict == v1alpha1.VerdictInvalid
}

// waitAlert waits until an alert fires on a member, or has stopped firing.
func waitAlert(ns *cluster.Namespace, alert, member string, firing bool) {
	ns.Helper()
	prometheus := ns.ConnectPrometheus()
	selector := fmt.Sprintf(`ALERTS{alertname=%q,namespace=%q,member=%q}`, alert, ns.Name, member)
	what := fmt.Sprintf("%s fires on %s", alert, member)
	if !firing {
		what = fmt.Sprintf("%s is over on %s", alert, member)
	}
	ns.Wait(what, func() (bool, string) {
		state := "quiet"
		for _, series := range prometheus.Query(selector) {
			state = string(series.Metric["alertstate"])
		}
		return (state == "firing") == firing, "it is " + state
	})
}
