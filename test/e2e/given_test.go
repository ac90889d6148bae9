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
	replicas string
	//go:embed testdata/emerald.yaml.tmpl
	emerald string
)

// given are images that are on no registry, and that whoever runs the tests has loaded into the cluster.
type given struct{ JPaxos, Emerald, Geth string }

// TestJPaxosOfAGivenImage runs with BENCHNET_JPAXOS_IMAGE alone.
func TestJPaxosOfAGivenImage(t *testing.T) {
	testGiven(t, "jpaxos", replicas, onJPaxos, given{JPaxos: image(t, "BENCHNET_JPAXOS_IMAGE")})
}

// TestEmeraldOfGivenImages runs with BENCHNET_EMERALD_IMAGE and BENCHNET_GETH_IMAGE alone.
func TestEmeraldOfGivenImages(t *testing.T) {
	testGiven(t, "emerald", emerald, onEmerald, given{Emerald: image(t, "BENCHNET_EMERALD_IMAGE"), Geth: image(t, "BENCHNET_GETH_IMAGE")})
}

func image(t *testing.T, variable string) string {
	t.Helper()
	name := os.Getenv(variable)
	if name == "" {
		t.Skipf("%s names no image", variable)
	}
	return name
}

// testGiven brings the network up, measures it, and asks of it what the dashboards of its platform ask.
func testGiven(t *testing.T, name, manifest string, platform system, images given) {
	ns := cluster.NewNamespace(t, name)
	var text bytes.Buffer
	if err := template.Must(template.New(name).Parse(manifest)).Execute(&text, images); err != nil {
		t.Fatal(err)
	}
	ns.MustApply(text.String())
	tellStages(ns, ns.WaitReady("given"))
	mustPass(t, "a run is measured", func(t *testing.T) {
		ns := ns.Within(t)
		run := ns.WaitEnded("given-load")
		assertMembersObserved(ns, run, document(ns, run))
	})
	t.Run("every query of the dashboards gives data", func(t *testing.T) {
		ns := ns.Within(t)
		assertDashboards(ns, ns.WaitEnded("given-load"), platform)
	})
	mustPass(t, "a deleted network leaves nothing", func(t *testing.T) { assertDeletedWhole(ns.Within(t), "given") })
}
