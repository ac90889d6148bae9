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

// podMonitor is the part of config/prometheus/pod_monitor.yaml that chooses ports.
const podMonitor = "../../../config/prometheus/pod_monitor.yaml"

// checkScraped wants Prometheus to find what members and load workers serve: the ports of a member that anyone may reach are
// those that the monitor of all networks keeps, and a worker has one.
func (b Built) checkScraped(t *testing.T) {
	t.Helper()
	kept := scrapedPorts(t)
	open := b.openPorts()
	for _, w := range workloads(b.Members) {
		var scraped, reachable []string
		for _, port := range portsOf(&w.template.Spec) {
			if kept.MatchString(port) {
				scraped = append(scraped, port)
			}
			if slices.Contains(open, port) {
				reachable = append(reachable, port)
			}
		}
		if diff := cmp.Diff(reachable, scraped); diff != "" || len(scraped) == 0 {
			t.Errorf("%s: ports that anyone may reach (-) are not those that %s scrapes by their names (+):\n%s", w.id, podMonitor, diff)
		}
	}
	for _, w := range workloads(b.Runs) {
		if !slices.ContainsFunc(portsOf(&w.template.Spec), kept.MatchString) {
			t.Errorf("%s has no port that %s scrapes", w.id, podMonitor)
		}
	}
}

// scrapedPorts matches the names of the ports that the monitor keeps, as a whole, as Prometheus does.
func scrapedPorts(t *testing.T) *regexp.Regexp {
	t.Helper()
	var monitor struct {
		Spec struct {
			PodMetricsEndpoints []struct {
				Relabelings []struct{ Action, Regex string }
			}
		}
	}
	if err := yaml.Unmarshal(read(t, podMonitor), &monitor); err != nil {
		t.Fatalf("%s: %v", podMonitor, err)
	}
	for _, endpoint := range monitor.Spec.PodMetricsEndpoints {
		for _, r := range endpoint.Relabelings {
			if r.Action == "keep" {
				return regexp.MustCompile("^(?:" + r.Regex + ")$")
			}
		}
	}
	t.Fatalf("%s keeps no ports", podMonitor)
	return nil
}

// openPorts are the names of the ports that the members' policies open to scrapers. Here they are open to everybody, since only a plan
// limits them to the scrapers.
func (b Built) openPorts() []string {
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

func portsOf(pod *corev1.PodSpec) []string {
	var all []string
	for _, c := range slices.Concat(pod.InitContainers, pod.Containers) {
		for _, p := range c.Ports {
			all = append(all, p.Name)
		}
	}
	return all
}
