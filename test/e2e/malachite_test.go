//go:build e2e

package e2e_test

import (
	_ "embed"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/test/e2e/cluster"
)

var (
	//go:embed testdata/validators.yaml
	validatorsManifest string
	//go:embed testdata/validators-run.yaml
	validatorsRunManifest string
)

const (
	blockBytes           = 256 << 10
	validatorMetricsPort = 29001
	lostValidator        = "member-3"
	otherValidator       = "member-0"
	memberDownAlert      = "BenchnetMemberDown"
)

// TestValidators measures the blocks of four Malachite validators and compares the stream with a validator's
// own counters. The network continues without a lost validator, which catches up when it is back.
func TestValidators(t *testing.T) {
	t.Parallel()
	ns := cluster.NewNamespace(t, "malachite")
	ns.MustApply(validatorsManifest)
	network := ns.WaitReady("val")
	logStages(ns, network)
	t.Run("Prometheus scrapes all of it", func(t *testing.T) { assertScraped(ns.ForSubtest(t), network, malachiteSeries) })
	mustPass(t, "blocks are measured", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		run := ns.WaitEnded("val-blocks")
		assertBlocks(ns, run, 128)
		assertCountersAgree(ns, readResult(ns, run))
		if s := readResult(ns, run).Summary; s.Finality == nil || s.Finality.Mean <= 0 || s.Finality.Mean > s.Latency.Mean {
			ns.Errorf("run %s: the finality is %+v, the time between blocks %v ms", run.Name, s.Finality, s.Latency.Mean)
		}
		assertRunScraped(ns, run)
		assertQueryObjectives(ns, run)
	})
	t.Run("every query of the dashboards gives data", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		assertDashboards(ns, ns.WaitEnded("val-blocks"), systemMalachite)
	})
	t.Run("every recording rule gives data, no alert fires, the page of metrics is right", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		run := ns.WaitEnded("val-blocks")
		assertRules(ns, run, systemMalachite)
		assertNoAlerts(ns, run)
		assertMetricsDocumented(ns, systemMalachite)
	})
	mustPass(t, "a lost validator is reported, and catches up", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		pod := getMemberPod(ns, "val", lostValidator)
		// A stopped process does not end on request, so the validator is away long enough.
		signalAll(ns, pod.Name, "STOP")
		ns.RunKubectl("delete", "pod", pod.Name, "--wait=false", "--grace-period=900")
		waitAlert(ns, memberDownAlert, lostValidator, true)
		signalAll(ns, pod.Name, "CONT")
		ns.WaitReplaced(pod)
		assertCatchesUp(ns)
		waitAlert(ns, memberDownAlert, lostValidator, false)
	})
	mustPass(t, "and decides with the others again", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		ns.MustApply(validatorsRunManifest)
		assertBlocks(ns, ns.WaitEnded("val-again"), 110)
	})
	mustPass(t, "a deleted network leaves nothing but results", func(t *testing.T) { assertDeletedCompletely(ns.ForSubtest(t), "val", "val-again") })
}

// signalAll sends a signal to all processes of a pod except the first.
func signalAll(ns *cluster.Namespace, pod, signal string) {
	ns.Helper()
	ns.RunKubectl("exec", pod, "--container=malachite", "--", "bash", "-c", "kill -"+signal+" -1")
}

// assertBlocks fails unless the run is valid and its numbers match its blocks.
func assertBlocks(ns *cluster.Namespace, run *v1alpha1.BenchmarkRun, transactionBytes float64) {
	ns.Helper()
	for _, reason := range run.Status.Reasons {
		if reason.Severity == "Invalid" && !slices.Contains(smallMachineReasons, reason.Reason) {
			ns.Errorf("run %s is invalid: %s: %s", run.Name, reason.Reason, reason.Message)
		}
	}
	r := readResult(ns, run)
	if r.Summary.Completed == 0 || r.Summary.Unit != "blocks" || run.Status.Unit != "blocks" || r.Ledger != nil {
		ns.Fatalf("run %s should count blocks and no ledger: %+v, ledger %+v", run.Name, r.Summary, r.Ledger)
	}
	histogram, err := r.DecodeHistogram()
	if err != nil {
		ns.Fatalf("histogram of run %s: %v", run.Name, err)
	}
	blocks := int64(len(r.Blocks)) + r.BlocksOmitted
	if blocks != r.Summary.Completed || histogram.Count() != blocks || run.Status.Operations.Completed != blocks {
		ns.Errorf("run %s: %d blocks, %d completed, %d latencies, %d in the status: they should be the same",
			run.Name, blocks, r.Summary.Completed, histogram.Count(), run.Status.Operations.Completed)
	}
	left := int64(0)
	for i, b := range r.Blocks {
		if b.Bytes != blockBytes || b.Proposer == "" {
			ns.Errorf("run %s, block %d: %+v, want %d bytes and a proposer", run.Name, i, b, blockBytes)
		}
		if i > 0 {
			left += b.Height - r.Blocks[i-1].Height - 1
		}
	}
	// Only blocks that the observed validator got from a peer, which count as errors, may be missing between
	// two others.
	if left < 0 || left > r.Summary.Errors {
		ns.Errorf("run %s: %d heights are missing between the blocks, with %d errors", run.Name, left, r.Summary.Errors)
	}
	perSecond := float64(blocks) / float64(r.Times.WindowSeconds)
	want := map[string]float64{
		"blocksPerSecond": perSecond, "bytesPerSecond": perSecond * blockBytes, "transactionsPerSecond": perSecond * blockBytes / transactionBytes,
		"blockTimeMean": r.Summary.Latency.Mean, "blockTimeMax": r.Summary.Latency.Max,
	}
	if p99 := r.Summary.Latency.P99; p99 != nil {
		want["blockTimeP99"] = *p99
	}
	for name, want := range want {
		if got := measureValue(ns, r, name); math.Abs(got-want) > want/1e6 {
			ns.Errorf("run %s: %s is %v, want %v", run.Name, name, got, want)
		}
	}
	ns.Logf("run %s: %.2f blocks/s, block time mean %.1f, p99 %.1f, max %.1f ms", run.Name, perSecond, r.Summary.Latency.Mean,
		measurement.ValueOrMissing(r.Summary.Latency.P99), r.Summary.Latency.Max)
	assertMembersObserved(ns, run, r)
}

func measureValue(ns *cluster.Namespace, r *document.RunResult, name string) float64 {
	ns.Helper()
	i := slices.IndexFunc(r.Summary.Measures, func(m measurement.PlatformMetric) bool { return m.Name == name })
	if i < 0 {
		ns.Fatalf("there is no measure %s: %+v", name, r.Summary.Measures)
	}
	return r.Summary.Measures[i].Value
}

// assertCountersAgree compares the stream, second by second, with the validator's own block counter, scraped at
// the ends of these seconds. A scrape may be late by most of a second, so at both ends of each stretch without
// a missed scrape the two may differ by one second's blocks.
func assertCountersAgree(ns *cluster.Namespace, r *document.RunResult) {
	ns.Helper()
	i := slices.IndexFunc(r.Recorded, func(s measurement.NamedSeries) bool { return s.Name == "blocksCounted" })
	if i < 0 {
		ns.Fatalf("the validator's counter was not recorded")
	}
	var streamed, counted, known, stretches float64
	for second, n := range r.Recorded[i].Values {
		if !math.IsNaN(n) {
			known++
			if second == 0 || math.IsNaN(r.Recorded[i].Values[second-1]) {
				stretches++
			}
			counted += n
			streamed += float64(r.Series.CompletedPerSecond[second])
		}
	}
	edges := 2 * stretches * (1 + float64(slices.Max(r.Series.CompletedPerSecond)))
	ns.Logf("over %.0f of %d seconds the stream has %.0f blocks, the validator counted %.1f", known, r.Times.WindowSeconds, streamed, counted)
	if known == 0 || math.Abs(streamed-counted) > edges+float64(r.Summary.Errors) {
		ns.Errorf("they should agree to %.1f blocks", edges+float64(r.Summary.Errors))
	}
}

// assertCatchesUp waits until the lost validator reaches the height that the others had at its return.
func assertCatchesUp(ns *cluster.Namespace) {
	ns.Helper()
	goal := readHeight(ns, "val", otherValidator)
	began := time.Now()
	ns.Wait(fmt.Sprintf("%s has height %d", lostValidator, goal), func() (bool, string) {
		height := readHeight(ns, "val", lostValidator)
		return height >= goal, fmt.Sprintf("it has %d", height)
	})
	ns.Logf("%s had height %d after %.1f s", lostValidator, goal, time.Since(began).Seconds())
}

var heightMetric = regexp.MustCompile(`(?m)^(?:malachite|cometbft)_bench_height(?:\{[^}]*\})? (\d+)`)

func readHeight(ns *cluster.Namespace, network, member string) int {
	ns.Helper()
	match := heightMetric.FindStringSubmatch(ns.ScrapePod(ns.Name, naming.MemberPod(network, member), validatorMetricsPort))
	if match == nil {
		ns.Fatalf("%s serves no height", member)
	}
	height, err := strconv.Atoi(match[1])
	if err != nil {
		ns.Fatalf("height of %s: %v", member, err)
	}
	return height
}
