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
	//go:embed testdata/kueue-experiment.yaml
	kueueExperiment string
)

// TestKueue has Kueue's quota for one network at a time. A network and an experiment wait for it, and each is preempted by a
// network of higher priority and goes on afterwards.
func TestKueue(t *testing.T) {
	t.Parallel()
	ns := cluster.NewNamespace(t, "kueue")
	deleteClusterQueue(ns) // Of a test that was interrupted.
	ns.MustApply(kueueQueues)

	applyQueuedNetwork(ns, "first", "")
	ns.WaitReady("first")
	ns.MustApply(kueueExperiment)
	waitQueuedExperiment(ns, "insufficient unused quota for cpu")
	applyQueuedNetwork(ns, "urgent", "bn-e2e-urgent")
	ns.WaitReady("urgent")
	waitQueued(ns, "first", "waiting for Kueue: ")

	ns.RunKubectl("delete", "benchmarknetwork", "first", "urgent", "--wait=false")
	waitMeasuringExperiment(ns)
	applyQueuedNetwork(ns, "urgent", "bn-e2e-urgent")
	ns.WaitReady("urgent")
	waitQueuedExperiment(ns, "waiting for Kueue: ")

	ns.RunKubectl("delete", "benchmarknetwork", "urgent", "--wait=false")
	waitMeasuringExperiment(ns)
	ns.RunKubectl("delete", "benchmarkexperiment", "sweep", "--wait=false")
	ns.RunKubectl("delete", "localqueue", "team")
	ns.WaitEmpty()
	ns.Wait("the quota is returned", func() (bool, string) {
		left := ns.RunKubectl("get", "workloads.kueue.x-k8s.io", "--output=name")
		return left == "", left
	})
	deleteClusterQueue(ns)
}

func applyQueuedNetwork(ns *cluster.Namespace, name, class string) {
	ns.Helper()
	ns.MustApply(renderTemplate(ns.TB, kueueNetworkTemplate, struct{ Name, Class string }{name, class}))
}

// waitQueuedExperiment waits until the experiment sweep is queued with that text in the message, and has no networks.
func waitQueuedExperiment(ns *cluster.Namespace, text string) {
	ns.Helper()
	ns.WaitExperiment("sweep", "waits for Kueue without networks", func(e *v1alpha1.BenchmarkExperiment) bool {
		c := meta.FindStatusCondition(e.Status.Conditions, v1alpha1.ConditionAdmitted)
		left := ns.RunKubectl("get", "benchmarknetworks", "--selector="+v1alpha1.LabelExperiment+"=sweep", "--output=name")
		return c != nil && c.Reason == v1alpha1.ReasonQueued && strings.Contains(c.Message, text) && left == ""
	})
}

// waitMeasuringExperiment waits until the experiment sweep is admitted and has a network and a run.
func waitMeasuringExperiment(ns *cluster.Namespace) {
	ns.Helper()
	ns.WaitExperiment("sweep", "measures", func(e *v1alpha1.BenchmarkExperiment) bool {
		return len(e.Status.CurrentRuns) == 1 && meta.IsStatusConditionTrue(e.Status.Conditions, v1alpha1.ConditionAdmitted)
	})
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
	ns.RunKubectl("delete", "clusterqueue/bn-e2e", "resourceflavor/bn-e2e", "workloadpriorityclass/bn-e2e-urgent", "--ignore-not-found")
}
