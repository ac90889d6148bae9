//go:build e2e

package e2e_test

import (
	_ "embed"
	"testing"

	"github.com/benchnet/benchnet/test/e2e/cluster"
)

var (
	//go:embed testdata/cometbft.yaml
	cometBFTManifest string
	//go:embed testdata/cometbft-run.yaml
	cometBFTRunManifest string
)

// TestCometBFT measures transactions on four CometBFT validators and, beside them, blocks that four others make by themselves. It
// kills pods without notice, first one and then all, and measures again: nothing is lost, and all members have the same blocks.
func TestCometBFT(t *testing.T) {
	ns := cluster.NewNamespace(t, "cometbft")
	ns.MustApply(cometBFTManifest)
	logStages(ns, ns.WaitReady("kv"))
	mustPass(t, "transactions are measured", func(t *testing.T) { assertTransactions(ns.ForSubtest(t), "kv-load", "blockTimeMean", "throughputMean") })
	mustPass(t, "blocks of a set size are measured", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		run := ns.WaitEnded("own-blocks")
		assertBlocks(ns, run, 1024)
		assertRunScraped(ns, run)
		ns.RunKubectl("delete", "benchmarknetwork", "own", "--wait=false")
	})
	t.Run("every query of the dashboards gives data", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		assertDashboards(ns, ns.WaitEnded("kv-load"), systemCometBFT, systemKVStore)
	})
	t.Run("every recording rule gives data, and the page of metrics is right", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		assertRules(ns, ns.WaitEnded("kv-load"), systemCometBFT)
		assertMetricsDocumented(ns, systemCometBFT)
	})
	mustPass(t, "killed pods come back to the same chain", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		killMembers(ns, "kv", "member-3")
		killMembers(ns, "kv", "member-0", "member-1", "member-2", "member-3")
		ns.WaitReady("kv")
		ns.MustApply(cometBFTRunManifest)
		assertTransactions(ns, "kv-again", "throughputMean")
	})
	mustPass(t, "a deleted network leaves nothing but results", func(t *testing.T) { assertDeletedCompletely(ns.ForSubtest(t), "kv", "kv-again") })
}
