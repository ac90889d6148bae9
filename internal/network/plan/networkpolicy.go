package plan

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/network/database"
	"github.com/benchnet/benchnet/internal/network/networkpolicy"
	"github.com/benchnet/benchnet/internal/run/loadgen"
)

// isolateNetwork adds the policies that isolate the network. They are applied before any pod is created,
// including those of genesis. If policies are disabled, it removes those of the members instead.
func isolateNetwork(in Input, p *Plan) error {
	if in.NetworkPolicyMode == networkpolicy.ModeNone {
		members := p.findStage(StageMembers)
		members.Objects = slices.DeleteFunc(members.Objects, func(o client.Object) bool {
			_, ok := o.(*networkingv1.NetworkPolicy)
			return ok
		})
		return nil
	}
	var external []networkpolicy.ExternalDatabase
	if spec := in.Network.Spec.DatabaseOrDefault(); spec.External != nil {
		for _, server := range spec.External.Servers {
			external = append(external, networkpolicy.ExternalDatabase{Host: server.Host, Port: database.ExternalPort(spec, server)})
		}
	}
	metricsPorts, databasePorts, err := p.collectPorts(in.Scrapers)
	if err != nil {
		return err
	}
	policies := networkpolicy.Build(networkpolicy.Input{Network: in.Network, External: external, Scrapers: in.Scrapers,
		APIServerPorts: in.APIServerPorts, MetricsPorts: metricsPorts, DatabasePorts: databasePorts})
	genesis := p.findStage(StageGenesis)
	genesis.Objects = append(policies, genesis.Objects...)
	return nil
}

// collectPorts returns the names of all metrics ports and the ports of the databases. It fails for a pod with the labels
// of a scraper.
func (p *Plan) collectPorts(scrapers networkpolicy.Scrapers) (metrics []string, databases []networkingv1.NetworkPolicyPort, err error) {
	metrics = []string{loadgen.PortName}
	seen := map[corev1.ContainerPort]bool{}
	err = pods.EditTemplates(p.objectsWithPods(), func(_ client.Object, template *corev1.PodTemplateSpec) error {
		for _, c := range slices.Concat(template.Spec.InitContainers, template.Spec.Containers) {
			for _, port := range c.Ports {
				if networkpolicy.IsMetricsPort(port.Name) {
					metrics = append(metrics, port.Name)
				}
				key := corev1.ContainerPort{ContainerPort: port.ContainerPort, Protocol: cmp.Or(port.Protocol, corev1.ProtocolTCP)}
				if template.Labels[v1alpha1.LabelDatabaseInstance] != "" && !seen[key] {
					seen[key] = true
					databases = append(databases, networkpolicy.Ports([]int32{key.ContainerPort}, key.Protocol)...)
				}
			}
		}
		return scrapers.CheckLabels(template.Labels)
	})
	slices.Sort(metrics)
	return slices.Compact(metrics), databases, err
}
