package platformtest

import (
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/yaml"
)

// podMonitorFile is the PodMonitor, whose relabelings select the scraped ports.
const podMonitorFile = "../../../config/prometheus/pod_monitor.yaml"

// checkMetricsPorts checks that Prometheus scrapes members and load workers. The ports of a member that the
// NetworkPolicy opens to scrapers must be those that the PodMonitor keeps, and a worker must have at least one
// such port.
func (b BuildOutput) checkMetricsPorts(t *testing.T) {
	t.Helper()
	kept := scrapedPorts(t)
	open := b.openPorts()
	for _, w := range podTemplatesOf(b.Members) {
		var scraped, reachable []string
		for _, port := range portNames(&w.template.Spec) {
			if kept.MatchString(port) {
				scraped = append(scraped, port)
			}
			if slices.Contains(open, port) {
				reachable = append(reachable, port)
			}
		}
		if diff := cmp.Diff(reachable, scraped); diff != "" || len(scraped) == 0 {
			t.Errorf("%s: ports that anyone may reach (-) are not those that %s scrapes by their names (+):\n%s", w.id, podMonitorFile, diff)
		}
	}
	for _, w := range podTemplatesOf(b.Runs) {
		if !slices.ContainsFunc(portNames(&w.template.Spec), kept.MatchString) {
			t.Errorf("%s has no port that %s scrapes", w.id, podMonitorFile)
		}
	}
}

// scrapedPorts returns a regular expression for the names of the ports that the PodMonitor keeps. It is
// anchored, as in Prometheus.
func scrapedPorts(t *testing.T) *regexp.Regexp {
	t.Helper()
	var monitor struct {
		Spec struct {
			PodMetricsEndpoints []struct {
				Relabelings []struct{ Action, Regex string }
			}
		}
	}
	if err := yaml.Unmarshal(readFile(t, podMonitorFile), &monitor); err != nil {
		t.Fatalf("%s: %v", podMonitorFile, err)
	}
	for _, endpoint := range monitor.Spec.PodMetricsEndpoints {
		for _, r := range endpoint.Relabelings {
			if r.Action == "keep" {
				return regexp.MustCompile("^(?:" + r.Regex + ")$")
			}
		}
	}
	t.Fatalf("%s keeps no ports", podMonitorFile)
	return nil
}

// openPorts returns the names of the ports that the members' NetworkPolicies open to scrapers. Here they are
// open to all peers, because only a plan narrows them to the scrapers.
func (b BuildOutput) openPorts() []string {
	var open []string
	for _, o := range b.Members {
		policy, ok := o.(*networkingv1.NetworkPolicy)
		if !ok {
			continue
		}
		for _, rule := range policy.Spec.Ingress {
			if len(rule.From) > 0 {
				continue
			}
			for _, p := range rule.Ports {
				if p.Port.Type == intstr.String {
					open = append(open, p.Port.StrVal)
				}
			}
		}
	}
	return open
}

func portNames(pod *corev1.PodSpec) []string {
	var all []string
	for _, c := range slices.Concat(pod.InitContainers, pod.Containers) {
		for _, p := range c.Ports {
			all = append(all, p.Name)
		}
	}
	return all
}
