//go:build e2e

package e2e_test

import (
	_ "embed"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/test/e2e/cluster"
)

var (
	//go:embed testdata/kueue-queues.yaml
	kueueQueues string
	//go:embed testdata/kueue-network.yaml.tmpl
	kueueNetworkTemplate string
)

// TestKueue has Kueue's quota for one network. A second network waits until the first is deleted. Then a network
// of higher priority preempts it, and releases the quota when it is deleted.
func TestKueue(t *testing.T) {
	ns := cluster.NewNamespace(t, "kueue")
	deleteClusterQueue(ns) // Of a test that was interrupted.
	ns.MustApply(kueueQueues)

	applyQueuedNetwork(ns, "first", 0)
	ns.WaitReady("first")
	applyQueuedNetwork(ns, "second", 0)
	waitQueued(ns, "second", "insufficient unused quota for cpu")

	ns.RunKubectl("delete", "benchmarknetwork", "first", "--wait=false")
	ns.WaitReady("second")

	applyQueuedNetwork(ns, "urgent", 10)
	ns.WaitReady("urgent")
	waitQueued(ns, "second", "waiting for Kueue: ")

	ns.RunKubectl("delete", "benchmarknetwork", "urgent", "--wait=false")
	ns.Wait("second is admitted again", func() (bool, string) {
		c := admittedCondition(ns, "second")
		return c.Status == metav1.ConditionTrue, c.Message
	})
	ns.RunKubectl("delete", "benchmarknetwork", "second", "--wait=false")
	ns.RunKubectl("delete", "localqueue", "team")
	ns.WaitEmpty()
	deleteClusterQueue(ns)
}

func applyQueuedNetwork(ns *cluster.Namespace, name string, priority int) {
	ns.Helper()
	ns.MustApply(renderTemplate(ns.TB, kueueNetworkTemplate, struct {
		Name     string
		Priority int
	}{name, priority}))
}

// waitQueued waits until the network is queued with that text in the message, and has no pods.
func waitQueued(ns *cluster.Namespace, network, text string) {
	ns.Helper()
	ns.Wait(network+" waits for Kueue without pods", func() (bool, string) {
		c := admittedCondition(ns, network)
		pods := ns.RunKubectl("get", "pods", "--selector="+v1alpha1.LabelNetwork+"="+network, "--output=name")
		return c.Reason == v1alpha1.ReasonQueued && strings.Contains(c.Message, text) && pods == "", c.Message + " " + pods
	})
}

// admittedCondition returns the condition Admitted, or an empty one.
func admittedCondition(ns *cluster.Namespace, network string) metav1.Condition {
	ns.Helper()
	c := meta.FindStatusCondition(ns.GetNetwork(network).Status.Conditions, v1alpha1.ConditionAdmitted)
	if c == nil {
		return metav1.Condition{}
	}
	return *c
}

func deleteClusterQueue(ns *cluster.Namespace) {
	ns.Helper()
	ns.RunKubectl("delete", "clusterqueue,resourceflavor", "bn-e2e", "--ignore-not-found")
}
