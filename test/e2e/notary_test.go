//go:build e2e

package e2e_test

import (
	_ "embed"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/test/e2e/cluster"
)

//go:embed testdata/shared-notary.yaml
var sharedNotaryManifest string

// countNotarizations counts the requests that each replica recorded in the shared tables.
const countNotarizations = `PGPASSWORD=$(cat /etc/postgresql-superuser/password) psql --no-psqlrc -At -h 127.0.0.1 -U postgres -d corda \
  -c 'SELECT worker_node_x500_name, count(*) FROM notary_0.node_notary_request_log GROUP BY 1 ORDER BY 1'`

// TestNotaryOnSharedDatabase covers payments through a notary service of two replicas, both of which notarize.
func TestNotaryOnSharedDatabase(t *testing.T) {
	ns := cluster.NewNamespace(t, "notary")
	ns.MustApply(sharedNotaryManifest)
	logStages(ns, ns.WaitReady("shared"))
	waitAndAssertRun(ns, "shared-pay")
	mustPass(t, "both replicas notarize", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		recorded := ns.RunKubectl("exec", naming.SharedDatabase("shared")+"-0", "--container=postgresql", "--", "bash", "-c", countNotarizations)
		ns.Logf("notarizations per replica:\n%s", recorded)
		for _, replica := range []string{"O=Notary 0", "O=Notary 1"} {
			if !strings.Contains(recorded, replica) {
				ns.Errorf("%s recorded no request", replica)
			}
		}
	})
	mustPass(t, "a deleted network leaves nothing", func(t *testing.T) { assertDeletedCompletely(ns.ForSubtest(t), "shared") })
}
