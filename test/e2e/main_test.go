//go:build e2e

package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"text/template"

	corev1 "k8s.io/api/core/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/verdict"
	"github.com/benchnet/benchnet/test/e2e/cluster"
)

// TestMain locks the cluster for one process of this machine, because two would delete each other's namespaces.
func TestMain(m *testing.M) {
	lock, err := os.OpenFile(filepath.Join(os.TempDir(), "benchnet-e2e.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil {
		fmt.Println("waiting for other end-to-end tests on this machine to end, if there are any")
		err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "lock the end-to-end tests:", err)
		os.Exit(1)
	}
	code := m.Run()
	lock.Close() // Not earlier, because closing the file releases the lock.
	os.Exit(code)
}

// smallMachineReasons are findings that only mean that the machine was too small or too busy.
// measure.environmentPolicy does not cover them, because they may have other causes than the environment.
var smallMachineReasons = []string{string(verdict.ReasonWorkerThrottled), string(verdict.ReasonWorkerBehindSchedule), string(verdict.ReasonOfferedNotAchieved),
	string(verdict.ReasonThroughputUnstable), string(verdict.ReasonLatencyUnstable)}

// readResult returns the result of a run that has ended.
func readResult(ns *cluster.Namespace, run *v1alpha1.BenchmarkRun) *document.RunResult {
	ns.Helper()
	if run.Status.Result == nil {
		ns.Fatalf("run %s names no result: %s", run.Name, cluster.RunSummary(run))
	}
	var cm corev1.ConfigMap
	ns.Get(run.Status.Result.ConfigMapName, &cm)
	result, err := document.DecodeRunResult(cm.BinaryData[run.Status.Result.Key])
	if err != nil {
		ns.Fatalf("result of run %s: %v", run.Name, err)
	}
	return result
}

// assertMeasured fails unless the run is valid, its ledger agrees with the clients, and its document with its status.
func assertMeasured(ns *cluster.Namespace, run *v1alpha1.BenchmarkRun) {
	ns.Helper()
	result := readResult(ns, run)
	for _, reason := range run.Status.Reasons {
		if reason.Severity == "Invalid" && !slices.Contains(smallMachineReasons, reason.Reason) {
			ns.Errorf("run %s is invalid: %s: %s", run.Name, reason.Reason, reason.Message)
		}
	}
	if result.Summary.ThroughputPerSecond <= 0 || run.Status.ThroughputMilliPerSecond == nil {
		ns.Errorf("run %s has no throughput", run.Name)
	}
	if l := result.Ledger; !l.Checked || l.Expected == 0 || l.Expected != l.Recorded {
		ns.Errorf("run %s: the ledger should agree with the clients: %+v", run.Name, l)
	}
	histogram, err := result.DecodeHistogram()
	if err != nil {
		ns.Fatalf("histogram of run %s: %v", run.Name, err)
	}
	if succeeded := result.Summary.Requests - result.Summary.Errors; histogram.Count() != succeeded || run.Status.Operations.Completed != succeeded {
		ns.Errorf("run %s: the histogram holds %d latencies, the status has %d, but %d requests succeeded",
			run.Name, histogram.Count(), run.Status.Operations.Completed, succeeded)
	}
	if workers := int(run.Spec.Workload.Workers.Count); len(result.Workers) != workers {
		ns.Errorf("run %s: %d workers reported, want %d", run.Name, len(result.Workers), workers)
	}
	assertMembersObserved(ns, run, result)
}

// assertMembersObserved fails unless the result has the CPU of each member over the window, every observed container
// has evidence of its limit, host and clock, and the bottleneck has evidence.
func assertMembersObserved(ns *cluster.Namespace, run *v1alpha1.BenchmarkRun, result *document.RunResult) {
	ns.Helper()
	members, seen := map[string]bool{}, 0
	for _, m := range ns.GetNetwork(run.Spec.NetworkName).Status.Members {
		members[m.Name] = true
	}
	for _, m := range result.Members {
		if members[m.Member] { // Neither a database nor a member's second container.
			seen++
		}
		if m.CPULimit <= 0 || m.Host == nil || m.Clock == nil {
			ns.Errorf("run %s, %s: no evidence of its limit, host and clock: %+v", run.Name, m.Member, m.Evidence)
		}
		if len(m.CPUSeconds) != result.Times.WindowSeconds || m.MissedScrapes > result.Times.WindowSeconds {
			ns.Errorf("run %s, %s: CPU of %d seconds, %d samples missed, window %d s",
				run.Name, m.Member, len(m.CPUSeconds), m.MissedScrapes, result.Times.WindowSeconds)
		}
	}
	if seen != len(members) {
		ns.Errorf("run %s observed %d members, want %d", run.Name, seen, len(members))
	}
	if result.Bottleneck == nil || len(result.Bottleneck.Evidence) == 0 {
		ns.Errorf("run %s has no evidence of a bottleneck: %+v", run.Name, result.Bottleneck)
	}
}

// logStages logs how long each stage of the network took.
func logStages(ns *cluster.Namespace, network *v1alpha1.BenchmarkNetwork) {
	ns.Helper()
	for _, s := range network.Status.Stages {
		if s.StartedAt != nil && s.ReadyAt != nil {
			ns.Logf("stage %s: %.1f s", s.Name, s.ReadyAt.Sub(s.StartedAt.Time).Seconds())
		}
	}
}

// assertDeletedCompletely deletes the network and fails if any object remains except the runs created by hand.
// Those have results, and are deleted with all their objects afterwards.
func assertDeletedCompletely(ns *cluster.Namespace, network string, byHand ...string) {
	ns.Helper()
	if made := ns.ListObjects(); len(made) < 10 {
		ns.Fatalf("the network should have made more than %v", made)
	}
	ns.RunKubectl("delete", "benchmarknetwork", network, "--wait=false")
	if len(byHand) > 0 {
		ns.WaitRuns(byHand...)
		ns.RunKubectl(append([]string{"delete", "benchmarkrun", "--wait=false"}, byHand...)...)
	}
	ns.WaitEmpty()
}

// getMemberPod returns the pod of a member.
func getMemberPod(ns *cluster.Namespace, network, member string) *corev1.Pod {
	ns.Helper()
	return ns.GetPod(naming.MemberPod(network, member))
}

func mustPass(t *testing.T, name string, test func(t *testing.T)) {
	t.Helper()
	if !t.Run(name, test) {
		t.FailNow()
	}
}

func renderTemplate(t testing.TB, manifest string, values any) string {
	t.Helper()
	var text strings.Builder
	if err := template.Must(template.New("manifest").Parse(manifest)).Execute(&text, values); err != nil {
		t.Fatal(err)
	}
	return text.String()
}
