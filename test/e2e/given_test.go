//go:build e2e

package e2e_test

import (
	_ "embed"
	"os"
	"slices"
	"testing"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/test/e2e/cluster"
)

var (
	//go:embed testdata/replicas.yaml.tmpl
	replicasManifest string
	//go:embed testdata/emerald.yaml.tmpl
	emeraldManifest string
)

// localImages are images without a registry, which the user who runs the tests has loaded into the cluster.
type localImages struct {
	JPaxos, Emerald, Geth string
	// Spread is Required on a cluster of at least three nodes.
	Spread v1alpha1.Spread
}

// TestJPaxosFromLocalImage runs only with BENCHNET_JPAXOS_IMAGE, an image with bash, which hack/test/e2e builds from
// BENCHNET_JPAXOS_SOURCE.
func TestJPaxosFromLocalImage(t *testing.T) {
	testLocalImages(t, "jpaxos", replicasManifest, systemJPaxos, localImages{JPaxos: imageFromEnv(t, "BENCHNET_JPAXOS_IMAGE")},
		map[string]int{"replica": jpaxosReplicaPort, "client": jpaxosClientPort, "metrics": jpaxosMetricsPort})
}

// TestEmeraldFromLocalImages runs only with BENCHNET_EMERALD_IMAGE, an image with bash, and BENCHNET_GETH_IMAGE.
func TestEmeraldFromLocalImages(t *testing.T) {
	images := localImages{Emerald: imageFromEnv(t, "BENCHNET_EMERALD_IMAGE"), Geth: imageFromEnv(t, "BENCHNET_GETH_IMAGE")}
	testLocalImages(t, "emerald", emeraldManifest, systemEmerald, images, map[string]int{
		"consensus": validatorP2PPort, "metrics": emeraldMetricsPort,
		"rpc": executionRPCPort, "peers": executionPeersPort, "execution-metrics": executionMetricsPort,
	})
}

func imageFromEnv(t *testing.T, variable string) string {
	t.Helper()
	name := os.Getenv(variable)
	if name == "" {
		t.Skipf("%s names no image", variable)
	}
	return name
}

// testLocalImages creates a network of three members and measures it, runs the queries of its platform's dashboards, and
// checks on which nodes the members run and who reaches these ports of theirs.
func testLocalImages(t *testing.T, name, manifest string, platform system, images localImages, ports map[string]int) {
	ns := cluster.NewNamespace(t, name)
	images.Spread = v1alpha1.SpreadPreferred
	if len(listNodes(ns)) >= 3 {
		images.Spread = v1alpha1.SpreadRequired
	}
	ns.MustApply(renderTemplate(t, manifest, images))
	logStages(ns, ns.WaitReady("given"))
	mustPass(t, "a run is measured", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		run := ns.WaitEnded("given-load")
		assertMembersObserved(ns, run, readResult(ns, run))
	})
	t.Run("every query of the dashboards gives data", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		assertDashboards(ns, ns.WaitEnded("given-load"), platform)
	})
	t.Run("each member has a node", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		if nodes := len(listNodes(ns)); nodes < 3 {
			t.Skipf("needs three nodes, the cluster has %d", nodes)
		}
		result := readResult(ns, ns.WaitEnded("given-load"))
		if on := placementOf(result); !slices.Equal(countPerNode(on, "member-"), []int{1, 1, 1}) {
			t.Errorf("the members should be on three nodes: %v", on)
		}
		assertPlacementReported(ns, result)
	})
	t.Run("who reaches whom", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		skipUnlessEnforced(ns)
		member, addresses := getMemberPod(ns, "given", "member-0"), map[string]string{}
		for port, number := range ports {
			addresses[port] = podAddress(member, number)
		}
		testReach(t, ns, "given", addresses, naming.MemberPod("given", "member-1"))
	})
	mustPass(t, "a deleted network leaves nothing", func(t *testing.T) { assertDeletedCompletely(ns.ForSubtest(t), "given") })
}
