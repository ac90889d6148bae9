package telemetry

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

var (
	networkInfo = gauge("benchnet_network_info", "A network, its platform, and the experiment that made it, if one did; always 1.",
		"namespace", "network", "platform", "experiment")
	networkReady = gauge("benchnet_network_ready", "Whether the network is ready for load.", "namespace", "network")
	networkPhase = gauge("benchnet_network_phase", "The phase that the network is in; always 1.", "namespace", "network", "phase")
	// The planned members are there from the first pass, whether their pods are or not.
	networkMembers      = gauge("benchnet_network_members", "Members that the network shall have, notaries included.", "namespace", "network")
	networkMembersReady = gauge("benchnet_network_members_ready", "Members that are ready, notaries included.", "namespace", "network")
	memberReady         = gauge("benchnet_member_ready", "Whether the member is ready.", "namespace", "network", "member")
	memberRestarts      = newMetric(Counter, "benchnet_member_restarts_total", "Restarts of the containers of the member's pod.",
		"namespace", "network", "member")
	databaseReady = gauge("benchnet_database_ready", "Whether the database instance is ready.", "namespace", "network", "database")

	networkMetrics = []*Metric{networkInfo, networkReady, networkPhase, networkMembers, networkMembersReady, memberReady, memberRestarts, databaseReady}
)

const stateReady = "Ready"

func (s scrape) network(n *v1alpha1.BenchmarkNetwork) {
	s.tell(networkInfo, 1, n.Namespace, n.Name, string(n.Spec.Platform.Type), n.Labels[v1alpha1.LabelExperiment])
	s.tell(networkReady, one(meta.IsStatusConditionTrue(n.Status.Conditions, v1alpha1.ConditionReady)), n.Namespace, n.Name)
	if n.Status.Phase != "" {
		s.tell(networkPhase, 1, n.Namespace, n.Name, n.Status.Phase)
	}
	ready := 0
	for _, m := range n.Status.Members {
		if m.State == stateReady {
			ready++
		}
		s.tell(memberReady, one(m.State == stateReady), n.Namespace, n.Name, m.Name)
		s.tell(memberRestarts, float64(m.Restarts), n.Namespace, n.Name, m.Name)
	}
	s.tell(networkMembers, float64(wanted(n)), n.Namespace, n.Name)
	s.tell(networkMembersReady, float64(ready), n.Namespace, n.Name)
	for _, d := range n.Status.Databases {
		s.tell(databaseReady, one(d.State == stateReady), n.Namespace, n.Name, d.Name)
	}
}

// wanted is how many members there shall be: those of the spec until the plan has added its notaries.
func wanted(n *v1alpha1.BenchmarkNetwork) int {
	var ready, all int
	if _, err := fmt.Sscanf(n.Status.MembersReady, "%d/%d", &ready, &all); err == nil {
		return all
	}
	return int(n.Spec.Members.Count)
}
