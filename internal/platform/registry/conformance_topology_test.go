package registry_test

import (
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
	"github.com/benchnet/benchnet/internal/run/loadgen"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// checkTopology checks that every host in the topology has a pod, and that every StatefulSet has a member.
func checkTopology(t *testing.T, b platformtest.BuildOutput, network *v1alpha1.BenchmarkNetwork) {
	t.Helper()
	if b.Topology.Network != network.Name {
		t.Errorf("the topology is that of network %q, not %q", b.Topology.Network, network.Name)
	}
	hosts, seen := podHosts(t, b, network), map[string]bool{}
	for _, m := range b.Topology.Members {
		for _, unique := range []string{m.Name, m.Host, m.Address, m.Identity} {
			if seen[unique] {
				t.Errorf("member %s shares %q with another", m.Name, unique)
			}
			seen[unique] = true
		}
		if !slices.Contains(hosts, m.Host) {
			t.Errorf("no pod has host %s of member %s; pods: %v", m.Host, m.Name, hosts)
		}
	}
	if len(hosts) != len(b.Topology.Members) {
		t.Errorf("%d pods for %d members", len(hosts), len(b.Topology.Members))
	}
	checkTargets(t, b)
}

// podHosts returns the host names of the members' pods under the Services that their StatefulSets name.
func podHosts(t *testing.T, b platformtest.BuildOutput, network *v1alpha1.BenchmarkNetwork) []string {
	t.Helper()
	services := map[string]*corev1.Service{}
	for _, o := range b.Members {
		if s, ok := o.(*corev1.Service); ok {
			services[s.Name] = s
		}
	}
	var hosts []string
	for _, o := range b.Members {
		set, ok := o.(*appsv1.StatefulSet)
		if !ok {
			continue
		}
		service := services[set.Spec.ServiceName]
		if service == nil {
			t.Errorf("StatefulSet %s names Service %s, which does not exist", set.Name, set.Spec.ServiceName)
			continue
		}
		if service.Spec.ClusterIP != corev1.ClusterIPNone || !service.Spec.PublishNotReadyAddresses {
			t.Errorf("Service %s gives pods no names before they are ready", service.Name)
		}
		if !labels.SelectorFromSet(service.Spec.Selector).Matches(labels.Set(set.Spec.Template.Labels)) {
			t.Errorf("Service %s does not select the pods of StatefulSet %s", service.Name, set.Name)
		}
		if !labels.SelectorFromSet(set.Spec.Selector.MatchLabels).Matches(labels.Set(set.Spec.Template.Labels)) {
			t.Errorf("StatefulSet %s does not select its own pods", set.Name)
		}
		hosts = append(hosts, set.Name+"-0."+service.Name+"."+network.Namespace+".svc")
	}
	return hosts
}

// checkTargets checks that drivers get the names and addresses of members, and observe every member.
func checkTargets(t *testing.T, b platformtest.BuildOutput) {
	t.Helper()
	for name, d := range b.Drivers {
		if d.Workload.Unit == "" {
			t.Errorf("workload %s does not define an operation", name)
		}
		checkDriverTask(t, b, name, d)
		for _, target := range d.Workload.Targets {
			m, ok := b.Topology.FindMember(target.Name)
			if !ok || !strings.Contains(target.Address, m.Host+":") {
				t.Errorf("workload %s: target %s at %s is no member", name, target.Name, target.Address)
			}
		}
		for _, m := range b.Topology.Members {
			if !slices.ContainsFunc(d.Workload.Observe, func(o protocol.ObservedEndpoint) bool { return o.Member == m.Name }) {
				t.Errorf("workload %s does not observe %s", name, m.Name)
			}
		}
		// An endpoint sampled each second is a container and has a unique name. One sampled less often may be
		// a member's program.
		seen := map[string]bool{}
		for _, o := range d.Workload.Observe {
			if o.EverySeconds > 1 {
				continue
			}
			if seen[o.Member] {
				t.Errorf("workload %s observes two members with the name %s", name, o.Member)
			}
			seen[o.Member] = true
		}
	}
}

// checkDriverTask checks that a driver has a command, a load and a target, or else the block stream of a
// member.
func checkDriverTask(t *testing.T, b platformtest.BuildOutput, name string, d loadgen.Driver) {
	t.Helper()
	if d.Stream != "" {
		if len(d.Command) > 0 || d.Workload.Load != nil {
			t.Errorf("workload %s observes a stream, and has a command or a load", name)
		}
		if !slices.ContainsFunc(b.Topology.Members, func(m platform.Member) bool { return strings.Contains(d.Stream, m.Host+":") }) {
			t.Errorf("workload %s: the stream %s belongs to no member", name, d.Stream)
		}
		return
	}
	if len(d.Command) == 0 || d.Workload.Load == nil || len(d.Workload.Targets) == 0 {
		t.Errorf("workload %s lacks a command, a load or a target", name)
	}
}
