// Package monitoring builds the Prometheus scrapes of a network.
package monitoring

import (
	"fmt"

	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// PodMonitorKind is the resource without which there are no PodMonitors.
var PodMonitorKind = monitoringv1.SchemeGroupVersion.WithKind(monitoringv1.PodMonitorsKind)

// PodMonitor scrapes all pods of the network at the named ports; a pod that lacks a port is not scraped at it.
func PodMonitor(network *v1alpha1.BenchmarkNetwork, ports []string) *monitoringv1.PodMonitor {
	endpoints := make([]monitoringv1.PodMetricsEndpoint, 0, len(ports))
	for _, port := range ports {
		endpoints = append(endpoints, monitoringv1.PodMetricsEndpoint{
			Port:     new(port),
			Path:     "/metrics",
			Interval: monitoringv1.Duration(fmt.Sprintf("%ds", network.Spec.Monitoring.IntervalSeconds)),
			RelabelConfigs: []monitoringv1.RelabelConfig{
				fromPodLabel(v1alpha1.LabelNetwork, "network"), fromPodLabel(v1alpha1.LabelMember, "member"),
			},
		})
	}
	return &monitoringv1.PodMonitor{
		ObjectMeta: metav1.ObjectMeta{Name: network.Name, Namespace: network.Namespace, Labels: map[string]string{
			"app.kubernetes.io/name":       "benchnet-network",
			"app.kubernetes.io/instance":   network.Name,
			"app.kubernetes.io/component":  "monitoring",
			"app.kubernetes.io/part-of":    "benchnet",
			"app.kubernetes.io/managed-by": v1alpha1.ManagedBy,
		}},
		Spec: monitoringv1.PodMonitorSpec{
			Selector:            metav1.LabelSelector{MatchLabels: map[string]string{v1alpha1.LabelNetwork: network.Name}},
			PodMetricsEndpoints: endpoints,
			// Prometheus 3 refuses a target that sends no Content-Type unless it is told what to expect.
			FallbackScrapeProtocol: new(monitoringv1.PrometheusText0_0_4),
		},
	}
}

// fromPodLabel copies a pod's label to a label of its series.
func fromPodLabel(label, to string) monitoringv1.RelabelConfig {
	return monitoringv1.RelabelConfig{
		SourceLabels: []monitoringv1.LabelName{monitoringv1.LabelName("__meta_kubernetes_pod_label_" + sanitised(label))},
		TargetLabel:  to,
	}
}

// sanitised is a Kubernetes label as Prometheus' service discovery spells it.
func sanitised(label string) string {
	out := []rune(label)
	for i, r := range out {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9') {
			out[i] = '_'
		}
	}
	return string(out)
}
