//go:build e2e

package e2e_test

import (
	_ "embed"
	"fmt"
	"os"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/test/e2e/cluster"
)

var (
	//go:embed testdata/notary-service.yaml.tmpl
	notaryServiceTemplate string
	//go:embed testdata/double-spend-run.yaml.tmpl
	doubleSpendRunTemplate string
)

// notaryService is a notary of the manifest notary-service.yaml.tmpl.
type notaryService struct {
	Name             string
	Notary, Database string
	Replicas         int
	// Window is the measured time of the first run: enough for about 1000 states on two cores, except with five replicas.
	Window string
}

// TestNotaryTypes spends states twice at once on every notary service, also after all replicas restarted and after a reset. It
// takes more than an hour, so it runs only with BENCHNET_E2E_NOTARIES, the types separated by commas, or all.
func TestNotaryTypes(t *testing.T) {
	selected := os.Getenv("BENCHNET_E2E_NOTARIES")
	if selected == "" {
		t.Skip("BENCHNET_E2E_NOTARIES names no notary type")
	}
	const onH2, onPostgreSQL = "{engine: H2}", "{engine: PostgreSQL, topology: Shared}"
	for _, service := range []notaryService{
		{Name: "bft", Notary: "{type: BFT, replicas: 4}", Replicas: 4, Database: onH2, Window: "8m"},
		{Name: "raft", Notary: "{type: Raft, replicas: 3, memory: 1088Mi}", Replicas: 3, Database: onH2, Window: "6m"},
		{Name: "shared-database", Notary: "{type: SharedDatabase, replicas: 3}", Replicas: 3, Database: onPostgreSQL, Window: "8m"},
		{Name: "raft-5-validating", Notary: "{type: Raft, replicas: 5, validation: Validating, memory: 1088Mi}", Replicas: 5, Database: onPostgreSQL, Window: "60s"},
	} {
		t.Run(service.Name, func(t *testing.T) {
			if selected != "all" && !strings.Contains(","+selected+",", ","+service.Name+",") {
				t.Skipf("BENCHNET_E2E_NOTARIES is %s", selected)
			}
			testNotaryService(t, service)
		})
	}
}

func testNotaryService(t *testing.T, service notaryService) {
	ns := cluster.NewNamespace(t, service.Name)
	ns.MustApply(renderTemplate(t, notaryServiceTemplate, service))
	logStages(ns, ns.WaitReady("notarized"))
	mustPass(t, "each state is spent once", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		assertSpentOnce(ns, ns.WaitEnded("notarized-spend"))
	})
	mustPass(t, "all replicas restart, and notarize", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		restartReplicas(ns, service.Replicas)
		ns.MustApply(renderTemplate(t, doubleSpendRunTemplate, doubleSpendRun{"restarted", "20s", v1alpha1.KeepState}))
		assertSpentOnce(ns, ns.WaitEnded("restarted"))
	})
	mustPass(t, "a run that resets is measured", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		ns.MustApply(renderTemplate(t, doubleSpendRunTemplate, doubleSpendRun{"fresh", "20s", v1alpha1.ResetState}))
		run := ns.WaitEnded("fresh")
		assertSpentOnce(ns, run)
		if s := readResult(ns, run).Environment.State; !s.Fresh || s.Epoch == "" {
			ns.Errorf("the result should record a fresh network with its own epoch, but has %+v", s)
		}
	})
	mustPass(t, "a deleted network leaves nothing but results", func(t *testing.T) {
		assertDeletedCompletely(ns.ForSubtest(t), "notarized", "restarted", "fresh")
	})
}

// doubleSpendRun is a run of the manifest double-spend-run.yaml.tmpl.
type doubleSpendRun struct {
	Name, Window string
	Reset        v1alpha1.ResetPolicy
}

// assertSpentOnce fails unless the run is measured and exactly one of the two spends of each state was notarized. The
// flow fails otherwise.
func assertSpentOnce(ns *cluster.Namespace, run *v1alpha1.BenchmarkRun) {
	ns.Helper()
	assertMeasured(ns, run)
	summary := readResult(ns, run).Summary
	ns.Logf("%d states spent twice at once, %d errors", summary.Requests, summary.Errors)
	if summary.Errors > 0 {
		ns.Errorf("%d of %d states were not spent exactly once", summary.Errors, summary.Requests)
	}
}

// restartReplicas deletes the pods of all replicas at once, and waits until all are ready again.
func restartReplicas(ns *cluster.Namespace, replicas int) {
	ns.Helper()
	var pods []*corev1.Pod
	names := []string{"delete", "pod", "--wait=false"}
	for i := range replicas {
		pod := getMemberPod(ns, "notarized", fmt.Sprintf("notary-%d", i))
		pods = append(pods, pod)
		names = append(names, pod.Name)
	}
	ns.RunKubectl(names...)
	for _, pod := range pods {
		ns.WaitReplaced(pod)
	}
	ns.WaitReady("notarized")
}
