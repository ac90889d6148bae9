//go:build e2e

package e2e_test

import (
	"bytes"
	_ "embed"
	"os"
	"testing"
	"text/template"

	"github.com/benchnet/benchnet/test/e2e/cluster"
)

var (
	//go:embed testdata/replicas.yaml.tmpl
	replicasManifest string
	//go:embed testdata/emerald.yaml.tmpl
	emeraldManifest string
)

// localImages are images without a registry, which the user who runs the tests has loaded into the cluster.
type localImages struct{ JPaxos, Emerald, Geth string }

// TestJPaxosFromLocalImage runs only with BENCHNET_JPAXOS_IMAGE.
func TestJPaxosFromLocalImage(t *testing.T) {
	testLocalImages(t, "jpaxos", replicasManifest, systemJPaxos, localImages{JPaxos: imageFromEnv(t, "BENCHNET_JPAXOS_IMAGE")})
}

// TestEmeraldFromLocalImages runs only with BENCHNET_EMERALD_IMAGE and BENCHNET_GETH_IMAGE.
func TestEmeraldFromLocalImages(t *testing.T) {
	testLocalImages(t, "emerald", emeraldManifest, systemEmerald, localImages{Emerald: imageFromEnv(t, "BENCHNET_EMERALD_IMAGE"), Geth: imageFromEnv(t, "BENCHNET_GETH_IMAGE")})
}

func imageFromEnv(t *testing.T, variable string) string {
	t.Helper()
	name := os.Getenv(variable)
	if name == "" {
		t.Skipf("%s names no image", variable)
	}
	return name
}

// testLocalImages creates and measures a network and runs the queries of its platform's dashboards.
func testLocalImages(t *testing.T, name, manifest string, platform system, images localImages) {
	ns := cluster.NewNamespace(t, name)
	var text bytes.Buffer
	if err := template.Must(template.New(name).Parse(manifest)).Execute(&text, images); err != nil {
		t.Fatal(err)
	}
	ns.MustApply(text.String())
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
	mustPass(t, "a deleted network leaves nothing", func(t *testing.T) { assertDeletedCompletely(ns.ForSubtest(t), "given") })
}
