package metrics

import (
	"cmp"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

var (
	networkInfo = newGauge("benchnet_network_info", "A network, its platform, and the experiment that created it, if any; always 1.",
		"namespace", "network", "platform", "experiment")
	networkReady = newGauge("benchnet_network_ready", "Whether the network is ready for load.", "namespace", "network")
	networkPhase = newGauge("benchnet_network_phase", "The phase of the network; always 1.", "namespace", "network", "phase")
	// The number of planned members is exported from the first pass, even if pods are missing.
	networkMembers      = newGauge("benchnet_network_members", "Desired members of the network, including notaries.", "namespace", "network")
	networkMembersReady = newGauge("benchnet_network_members_ready", "Ready members of the network, including notaries.", "namespace", "network")
	memberReady         = newGauge("benchnet_member_ready", "Whether the member is ready.", "namespace", "network", "member")
	memberRestarts      = newMetric(Counter, "benchnet_member_restarts_total", "Restarts of the containers of the member's pod.",
		"namespace", "network", "member")
	databaseReady = newGauge("benchnet_database_ready", "Whether the database instance is ready.", "namespace", "network", "database")

	networkMetrics = []*Metric{networkInfo, networkReady, networkPhase, networkMembers, networkMembersReady, memberReady, memberRestarts, databaseReady}
)

func (s sampleWriter) writeNetwork(n *v1alpha1.BenchmarkNetwork) {
	s.writeSample(networkInfo, 1, n.Namespace, n.Name, string(n.Spec.Platform.Type), n.Labels[v1alpha1.LabelExperiment])
	s.writeSample(networkReady, boolValue(meta.IsStatusConditionTrue(n.Status.Conditions, v1alpha1.ConditionReady)), n.Namespace, n.Name)
	if n.Status.Phase != "" {
		s.writeSample(networkPhase, 1, n.Namespace, n.Name, string(n.Status.Phase))
	}
	ready := 0
	for _, m := range n.Status.Members {
		if m.State == v1alpha1.StateReady {
			ready++
		}
		s.writeSample(memberReady, boolValue(m.State == v1alpha1.StateReady), n.Namespace, n.Name, m.Name)
		s.writeSample(memberRestarts, float64(m.Restarts), n.Namespace, n.Name, m.Name)
	}
	// Until the status counts the notaries too, the count of the spec stands in.
	s.writeSample(networkMembers, float64(cmp.Or(n.Status.MembersTotal, n.Spec.Members.Count)), n.Namespace, n.Name)
	s.writeSample(networkMembersReady, float64(ready), n.Namespace, n.Name)
	for _, d := range n.Status.Databases {
		s.writeSample(databaseReady, boolValue(d.State == v1alpha1.StateReady), n.Namespace, n.Name, d.Name)
	}
}
