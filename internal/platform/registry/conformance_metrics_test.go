package registry_test

import (
	"regexp"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"sigs.k8s.io/yaml"

	"github.com/benchnet/benchnet/internal/network/networkpolicy"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
)

// podMonitorFile is the PodMonitor, whose relabelings select the scraped ports.
const podMonitorFile = "../../../config/prometheus/pod_monitor.yaml"

// checkMetricsPorts checks that Prometheus scrapes members and load workers: each has a port that the PodMonitor keeps.
// The members' NetworkPolicies, which admit the network's pods only, must not open these ports, because the plan opens them
// to scrapers, too.
func checkMetricsPorts(t *testing.T, b platformtest.BuildOutput) {
	t.Helper()
	kept := scrapedPorts(t)
	open := openPorts(t, b)
	for _, w := range append(podTemplatesOf(b.Members), podTemplatesOf(b.Runs)...) {
		ports := portNames(&w.template.Spec)
		if !slices.ContainsFunc(ports, kept.MatchString) {
			t.Errorf("%s has no port that %s scrapes", w.id, podMonitorFile)
		}
		for _, port := range ports {
			if networkpolicy.IsMetricsPort(port) != kept.MatchString(port) {
				t.Errorf("%s: %s and networkpolicy.IsMetricsPort differ about port %s", w.id, podMonitorFile, port)
			}
		}
	}
	for _, port := range open {
		if kept.MatchString(port) {
			t.Errorf("a NetworkPolicy of the members opens the metrics port %s", port)
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

// openPorts returns the names of the ports that the members' NetworkPolicies open. A rule without peers or ports, which
// opens all, is an error.
func openPorts(t *testing.T, b platformtest.BuildOutput) []string {
	t.Helper()
	var open []string
	for _, o := range b.Members {
		policy, ok := o.(*networkingv1.NetworkPolicy)
		if !ok {
			continue
		}
		for _, rule := range policy.Spec.Ingress {
			if len(rule.From) == 0 || len(rule.Ports) == 0 {
				t.Errorf("NetworkPolicy %s has a rule without peers or ports: %+v", policy.Name, rule)
			}
			for _, p := range rule.Ports {
				open = append(open, p.Port.StrVal)
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
