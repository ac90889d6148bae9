package samples_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/network/networkpolicy"
	"github.com/benchnet/benchnet/internal/network/plan"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
	"github.com/benchnet/benchnet/internal/platform/registry"
	"github.com/benchnet/benchnet/internal/run/loadgen"
)

// policyPod holds the properties of a pod that network policies use.
type policyPod struct {
	name      string
	component string
	label     labels.Set
	ports     []corev1.ContainerPort
	// commandAddresses are the addresses at which agents in the pod serve commands.
	commandAddresses []string
	spec             corev1.PodSpec
	// otherNamespace is the name of the pod's namespace, if it is not that of the networks.
	otherNamespace string
}

// policyNamespace holds the pods of a namespace and the policies in it.
type policyNamespace struct {
	pods     []policyPod
	policies []networkingv1.NetworkPolicy
}

// addObjects adds the objects of one network.
func (p *policyNamespace) addObjects(t *testing.T, objects []client.Object) {
	t.Helper()
	for _, object := range objects {
		switch o := decodeStatefulSet(t, object).(type) {
		case *networkingv1.NetworkPolicy:
			p.policies = append(p.policies, *o)
		case *appsv1.StatefulSet:
			p.pods = append(p.pods, newPolicyPod(o.Name, o.Spec.Template))
		case *batchv1.Job:
			p.pods = append(p.pods, newPolicyPod(o.Name, o.Spec.Template))
		}
	}
}

// decodeStatefulSet converts a StatefulSet that a chart rendered. Other objects are returned unchanged.
func decodeStatefulSet(t *testing.T, object client.Object) client.Object {
	t.Helper()
	rendered, ok := object.(*unstructured.Unstructured)
	if !ok || rendered.GetKind() != "StatefulSet" {
		return object
	}
	set := &appsv1.StatefulSet{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(rendered.Object, set); err != nil {
		t.Fatal(err)
	}
	return set
}

func newPolicyPod(name string, template corev1.PodTemplateSpec) policyPod {
	made := policyPod{name: name, component: template.Labels["app.kubernetes.io/component"], label: template.Labels, spec: template.Spec}
	for _, c := range append(slices.Clone(template.Spec.InitContainers), template.Spec.Containers...) {
		made.ports = append(made.ports, c.Ports...)
		if i := slices.Index(c.Command, "--commands-addr"); i >= 0 {
			made.commandAddresses = append(made.commandAddresses, c.Command[i+1])
		} else if slices.Contains(c.Command, "supervise") {
			made.commandAddresses = append(made.commandAddresses, "none") // Its workers could not measure it.
		}
	}
	return made
}

// allowsConnection reports whether the policies of both pods allow a connection from one to a port of the
// other.
func (p *policyNamespace) allowsConnection(t *testing.T, from, to policyPod, port corev1.ContainerPort) bool {
	t.Helper()
	leaves := p.allowsDirection(t, networkingv1.PolicyTypeEgress, from, func(policy networkingv1.NetworkPolicy) bool {
		return slices.ContainsFunc(policy.Spec.Egress, func(r networkingv1.NetworkPolicyEgressRule) bool {
			return matchesPeer(t, r.To, to) && matchesPort(r.Ports, port)
		})
	})
	enters := p.allowsDirection(t, networkingv1.PolicyTypeIngress, to, func(policy networkingv1.NetworkPolicy) bool {
		return slices.ContainsFunc(policy.Spec.Ingress, func(r networkingv1.NetworkPolicyIngressRule) bool {
			return matchesPeer(t, r.From, from) && matchesPort(r.Ports, port)
		})
	})
	return leaves && enters
}

// allowsDirection reports whether no policy selects the pod for that direction, or at least one that does
// allows it.
func (p *policyNamespace) allowsDirection(t *testing.T, direction networkingv1.PolicyType, whose policyPod, says func(networkingv1.NetworkPolicy) bool) bool {
	t.Helper()
	selected := false
	for _, policy := range p.policies {
		if slices.Contains(policy.Spec.PolicyTypes, direction) && selectorMatches(t, &policy.Spec.PodSelector, whose) {
			selected = true
			if says(policy) {
				return true
			}
		}
	}
	return !selected
}

func selectorMatches(t *testing.T, s *metav1.LabelSelector, p policyPod) bool {
	t.Helper()
	selector, err := metav1.LabelSelectorAsSelector(s)
	if err != nil {
		t.Fatal(err)
	}
	return selector.Matches(p.label)
}

// matchesPeer reports whether a peer matches the pod. No peers match every pod. A block of addresses matches
// none of these pods.
func matchesPeer(t *testing.T, peers []networkingv1.NetworkPolicyPeer, p policyPod) bool {
	t.Helper()
	return len(peers) == 0 || slices.ContainsFunc(peers, func(peer networkingv1.NetworkPolicyPeer) bool {
		here := peer.NamespaceSelector == nil && p.otherNamespace == "" || peer.NamespaceSelector != nil &&
			selectorMatches(t, peer.NamespaceSelector, policyPod{label: labels.Set{corev1.LabelMetadataName: p.otherNamespace}})
		return here && peer.PodSelector != nil && selectorMatches(t, peer.PodSelector, p)
	})
}

func matchesPort(ports []networkingv1.NetworkPolicyPort, port corev1.ContainerPort) bool {
	return len(ports) == 0 || slices.ContainsFunc(ports, func(p networkingv1.NetworkPolicyPort) bool {
		return *p.Protocol == port.Protocol && (p.Port.StrVal == port.Name && port.Name != "" || p.Port.IntVal == port.ContainerPort)
	})
}

// TestNetworksAreIsolated puts two networks of every sample into one namespace and checks every pair of their
// pods and every port. No connection between the networks may be allowed; within a network all necessary
// connections must be.
func TestNetworksAreIsolated(t *testing.T) {
	for _, sample := range readSampleNetworks(t) {
		metadata, _ := sample["metadata"].(map[string]any)
		t.Run(fmt.Sprint(metadata["name"]), func(t *testing.T) {
			var both policyNamespace
			both.addObjects(t, buildNetworkObjects(t, sample, "net-a"))
			both.addObjects(t, buildNetworkObjects(t, sample, "net-b"))
			open := 0
			for _, from := range both.pods {
				for _, to := range both.pods {
					for _, port := range to.ports {
						allowed := both.allowsConnection(t, from, to, port)
						if want := isConnectionNeeded(from, to, port); want != allowed {
							t.Errorf("%s (%s) to %s (%s) at %s: allowed %v, want %v", from.name, from.component, to.name, to.component, port.Name, allowed, want)
						}
						if allowed {
							open++
						}
					}
				}
			}
			stranger := policyPod{label: labels.Set{"app": "stranger"}}
			prometheus := policyPod{label: labels.Set{"app.kubernetes.io/name": "prometheus"}, otherNamespace: "monitoring"}
			forged := []policyPod{{label: prometheus.label}, {label: prometheus.label, otherNamespace: "team"}}
			for _, to := range both.pods {
				for _, port := range to.ports {
					if both.allowsConnection(t, stranger, to, port) {
						t.Errorf("a stranger reaches %s at %s", to.name, port.Name)
					}
					if allowed := both.allowsConnection(t, prometheus, to, port); allowed != isMetricsPort(port) {
						t.Errorf("Prometheus to %s at %s: allowed %v", to.name, port.Name, allowed)
					}
					for _, from := range forged {
						if both.allowsConnection(t, from, to, port) {
							t.Errorf("a pod with the label of Prometheus in namespace %q reaches %s at %s", from.otherNamespace, to.name, port.Name)
						}
					}
				}
			}
			t.Logf("%d pods, %d ways are open", len(both.pods), open)
			if open == 0 {
				t.Error("no pod reaches another one")
			}
			for _, to := range both.pods {
				checkCommandPorts(t, to)
				checkCommandsToken(t, to)
			}
			checkIngressRules(t, both)
			checkAPIServerAccess(t, both)
		})
	}
}

// isConnectionNeeded reports whether the pods belong to the same network, the caller does not run genesis, and the
// ports of a notary service are called by a replica.
func isConnectionNeeded(from, to policyPod, port corev1.ContainerPort) bool {
	isReplica := strings.HasPrefix(from.label[v1alpha1.LabelMember], "notary-")
	return from.label[v1alpha1.LabelNetwork] == to.label[v1alpha1.LabelNetwork] && from.component != "genesis" && (isReplica || !replicaPortNames.MatchString(port.Name))
}

// replicaPortNames matches the names of ports that the replicas of a notary service open to each other.
var replicaPortNames = regexp.MustCompile(`^(raft|bft(-replicas)?)$`)

// metricsPortNames matches the names of metrics ports, as in config/prometheus/pod_monitor.yaml.
var metricsPortNames = regexp.MustCompile(`^(jmx|(.+-)?(agent|metrics))$`)

// isMetricsPort reports whether Prometheus scrapes a port.
func isMetricsPort(port corev1.ContainerPort) bool { return metricsPortNames.MatchString(port.Name) }

// checkCommandPorts checks that agents serve commands at declared ports that Prometheus does not scrape.
func checkCommandPorts(t *testing.T, to policyPod) {
	t.Helper()
	for _, address := range to.commandAddresses {
		if !slices.ContainsFunc(to.ports, func(p corev1.ContainerPort) bool {
			return fmt.Sprintf(":%d", p.ContainerPort) == address && !isMetricsPort(p)
		}) {
			t.Errorf("%s serves commands at %s, which is no port of its own: %+v", to.name, address, to.ports)
		}
	}
}

// checkCommandsToken checks that exactly the containers that send commands mount the token of their network, and those that serve them its
// digest, and that no container has either in its environment.
func checkCommandsToken(t *testing.T, to policyPod) {
	t.Helper()
	volume, mountedKey, secret := "", "", naming.CommandsSecret(to.label[v1alpha1.LabelNetwork])
	for _, v := range to.spec.Volumes {
		if v.Secret != nil && v.Secret.SecretName == secret {
			volume, mountedKey = v.Name, v.Secret.Items[0].Key
		}
	}
	for _, c := range append(slices.Clone(to.spec.InitContainers), to.spec.Containers...) {
		serves := slices.Contains(c.Command, "--commands-addr")
		needed, key, flag := serves || slices.Contains(c.Command, "work"), pods.CommandsTokenKey, slices.Index(c.Command, "--commands-token-file")
		if serves {
			key, flag = pods.CommandsDigestKey, slices.Index(c.Command, "--commands-digest-file")
		}
		mounted := slices.ContainsFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool {
			return m.Name == volume && flag >= 0 && c.Command[flag+1] == m.MountPath+"/"+key && mountedKey == key && m.ReadOnly
		})
		if needed != mounted || (flag >= 0) != needed {
			t.Errorf("%s, container %s: needs the token or its digest %t, mounts it %t: %q, %+v", to.name, c.Name, needed, mounted, c.Command, c.VolumeMounts)
		}
		if slices.ContainsFunc(c.Env, func(e corev1.EnvVar) bool {
			return e.ValueFrom != nil && e.ValueFrom.SecretKeyRef != nil && e.ValueFrom.SecretKeyRef.Name == secret
		}) {
			t.Errorf("%s, container %s has the token in its environment", to.name, c.Name)
		}
	}
}

// apiServerPort is the port of the API servers in these tests, which is not the usual one.
const apiServerPort = 16443

// checkIngressRules checks that every rule names its peers and ports, since Kubernetes takes an empty list for all.
func checkIngressRules(t *testing.T, p policyNamespace) {
	t.Helper()
	for _, policy := range p.policies {
		for _, rule := range policy.Spec.Ingress {
			if len(rule.From) == 0 || len(rule.Ports) == 0 {
				t.Errorf("NetworkPolicy %s has the rule %+v", policy.Name, rule)
			}
		}
	}
}

// checkAPIServerAccess checks that exactly the pods with a token can reach the API server.
func checkAPIServerAccess(t *testing.T, p policyNamespace) {
	t.Helper()
	server := policyPod{label: labels.Set{"component": "kube-apiserver"}}
	port := corev1.ContainerPort{ContainerPort: apiServerPort, Protocol: corev1.ProtocolTCP}
	names := corev1.ContainerPort{ContainerPort: 53, Protocol: corev1.ProtocolUDP}
	for _, from := range p.pods {
		if got, want := p.allowsConnection(t, from, server, port), from.component == "genesis" || from.component == "worker" || from.label["emulated"] == "yes"; got != want {
			t.Errorf("%s (%s) to the API server: allowed %v, want %v", from.name, from.component, got, want)
		}
		if !p.allowsConnection(t, from, server, names) {
			t.Errorf("%s (%s) cannot ask for names", from.name, from.component)
		}
	}
}

// buildNetworkObjects returns the objects of a sample's network and its runs, under another name.
func buildNetworkObjects(t *testing.T, sample map[string]any, name string) []client.Object {
	t.Helper()
	text, err := yaml.Marshal(sample)
	if err != nil {
		t.Fatal(err)
	}
	admission := platformtest.NewAdmission(t, filepath.Join("..", "crd", "bases", "benchnet.dev_benchmarknetworks.yaml"))
	network := &v1alpha1.BenchmarkNetwork{}
	if err := admission.Admit(text, network); err != nil {
		t.Fatal(err)
	}
	network.Name, network.Namespace, network.UID = name, "bench", "uid"
	p, err := registry.New().Get(network.Spec.Platform.Type)
	if err != nil {
		t.Fatal(err)
	}
	catalogue := naming.ImageCatalogue{Registry: "example.com", Version: "1"}
	built, err := plan.Build(plan.Input{Network: network, Platform: p, Images: catalogue, GenesisSecretFilled: func(string) bool { return false },
		Scrapers: networkpolicy.DefaultScrapers(), APIServerPorts: []int32{apiServerPort}})
	if err != nil {
		t.Fatal(err)
	}
	made := append(built.Objects(), buildRunObjects(t, p, network, built, catalogue)...)
	if network.Spec.HasSidecars() {
		for _, o := range made {
			if set, ok := o.(*appsv1.StatefulSet); ok && set.Labels[v1alpha1.LabelMember] != "" {
				set.Spec.Template.Labels["emulated"] = "yes"
			}
		}
	}
	return made
}

func buildRunObjects(t *testing.T, p platform.Platform, network *v1alpha1.BenchmarkNetwork, built *plan.Plan, catalogue naming.ImageCatalogue) []client.Object {
	t.Helper()
	var made []client.Object
	for i := range network.Spec.Workloads {
		w := &network.Spec.Workloads[i].Workload
		d, err := p.BuildDriver(platform.Input{Network: network, Images: catalogue}, built.Topology, w)
		if err != nil {
			t.Fatal(err)
		}
		run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: network.Name + "-" + w.Name, Namespace: network.Namespace},
			Spec: v1alpha1.BenchmarkRunSpec{NetworkName: network.Name, Workload: *w}}
		objects, err := loadgen.BuildObjects(run, d, catalogue.Image("agent", ""), nil)
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, objects...)
	}
	return made
}

// TestNetworkPoliciesDisabled checks that a network has no policies if the network plug-in does not support
// them.
func TestNetworkPoliciesDisabled(t *testing.T) {
	for _, sample := range readSampleNetworks(t)[:1] {
		text, err := yaml.Marshal(sample)
		if err != nil {
			t.Fatal(err)
		}
		network := &v1alpha1.BenchmarkNetwork{}
		admission := platformtest.NewAdmission(t, filepath.Join("..", "crd", "bases", "benchnet.dev_benchmarknetworks.yaml"))
		if err := admission.Admit(text, network); err != nil {
			t.Fatal(err)
		}
		p, err := registry.New().Get(network.Spec.Platform.Type)
		if err != nil {
			t.Fatal(err)
		}
		built, err := plan.Build(plan.Input{Network: network, Platform: p, GenesisSecretFilled: func(string) bool { return false }, NetworkPolicyMode: networkpolicy.ModeNone})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range built.Objects() {
			if strings.Contains(fmt.Sprintf("%T", o), "NetworkPolicy") {
				t.Errorf("there is NetworkPolicy %s", o.GetName())
			}
		}
	}
}
