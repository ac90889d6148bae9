package corda

import (
	"crypto/sha256"
	"encoding/hex"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/names"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/sizing"
)

// annotationConfigHash restarts a member when its node.conf changes, as with another version of the operator.
const annotationConfigHash = "benchnet.dev/config-hash"

// Members are the Service that names all nodes, the policy around them, and a ConfigMap and a StatefulSet for each node.
func (Corda) Members(in platform.Input, topology platform.Topology) ([]client.Object, error) {
	objects := []client.Object{service(in.Network), networkPolicy(in.Network)}
	for _, m := range topology.Members {
		conf, err := renderNodeConf(in, m)
		if err != nil {
			return nil, err
		}
		objects = append(objects, configMap(in.Network, m, conf), statefulSet(in, m, conf))
	}
	return objects, nil
}

// service gives every node a host name, also before it is ready: nodes look each other up while they start.
func service(network *v1alpha1.BenchmarkNetwork) *corev1.Service {
	return &corev1.Service{ObjectMeta: meta(network, network.Name, componentMember), Spec: corev1.ServiceSpec{
		ClusterIP:                corev1.ClusterIPNone,
		PublishNotReadyAddresses: true,
		Selector:                 membersOf(network.Name),
		Ports: []corev1.ServicePort{
			servicePort(portNameP2P, portP2P), servicePort(portNameRPC, portRPC),
			servicePort(portNameJMX, portJMX), servicePort(portNameAgent, portAgent),
		},
	}}
}

func servicePort(name string, port int32) corev1.ServicePort {
	return corev1.ServicePort{Name: name, Port: port, TargetPort: intstr.FromString(name), Protocol: corev1.ProtocolTCP}
}

// networkPolicy lets the network's own pods, members and workers, reach the nodes, and anyone read their metrics. What the
// nodes reach is left open: they need the cluster's DNS and a database that may lie anywhere.
func networkPolicy(network *v1alpha1.BenchmarkNetwork) *networkingv1.NetworkPolicy {
	own := networkingv1.NetworkPolicyPeer{PodSelector: &metav1.LabelSelector{
		MatchLabels: map[string]string{v1alpha1.LabelNetwork: network.Name}}}
	return &networkingv1.NetworkPolicy{ObjectMeta: meta(network, network.Name, componentMember), Spec: networkingv1.NetworkPolicySpec{
		PodSelector: metav1.LabelSelector{MatchLabels: membersOf(network.Name)},
		PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress},
		Ingress: []networkingv1.NetworkPolicyIngressRule{
			{From: []networkingv1.NetworkPolicyPeer{own}, Ports: policyPorts(portNameP2P, portNameRPC)},
			{Ports: policyPorts(portNameJMX, portNameAgent)},
		},
	}}
}

func policyPorts(names ...string) []networkingv1.NetworkPolicyPort {
	all := make([]networkingv1.NetworkPolicyPort, 0, len(names))
	for _, name := range names {
		all = append(all, networkingv1.NetworkPolicyPort{Protocol: new(corev1.ProtocolTCP), Port: new(intstr.FromString(name))})
	}
	return all
}

func configMap(network *v1alpha1.BenchmarkNetwork, m platform.Member, conf string) *corev1.ConfigMap {
	name := names.Member(network.Name, m.Name)
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: network.Namespace, Labels: memberLabels(network.Name, m.Name)},
		Data:       map[string]string{fileNodeConf: conf},
	}
}

// statefulSet has one pod: nodes differ in identity and configuration, which replicas could not.
func statefulSet(in platform.Input, m platform.Member, conf string) *appsv1.StatefulSet {
	network := in.Network
	sum := sha256.Sum256([]byte(conf))
	return &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{
			Name: names.Member(network.Name, m.Name), Namespace: network.Namespace, Labels: memberLabels(network.Name, m.Name)},
		Spec: appsv1.StatefulSetSpec{
			Replicas:             new(int32(1)),
			ServiceName:          network.Name,
			RevisionHistoryLimit: new(int32(1)),
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{
				v1alpha1.LabelNetwork: network.Name, v1alpha1.LabelMember: m.Name}},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{
					Labels:      memberLabels(network.Name, m.Name),
					Annotations: map[string]string{annotationConfigHash: hex.EncodeToString(sum[:8])},
				},
				Spec: memberPod(in, m),
			},
			VolumeClaimTemplates: claims(network, m),
			PersistentVolumeClaimRetentionPolicy: &appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{
				WhenDeleted: appsv1.DeletePersistentVolumeClaimRetentionPolicyType,
				WhenScaled:  appsv1.RetainPersistentVolumeClaimRetentionPolicyType,
			},
		},
	}
}

// claims has the claim of the base folder, unless it goes with the pod.
func claims(network *v1alpha1.BenchmarkNetwork, m platform.Member) []corev1.PersistentVolumeClaim {
	storage := network.Spec.Members.Storage
	if storage.Type == v1alpha1.StorageEphemeral {
		return nil
	}
	return []corev1.PersistentVolumeClaim{{
		ObjectMeta: metav1.ObjectMeta{Name: volumeBase, Labels: memberLabels(network.Name, m.Name)},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			StorageClassName: storage.ClassName,
			Resources: corev1.VolumeResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceStorage: volumeSize(&network.Spec)}},
		},
	}}
}

// volumeSize of a member's own volume: the given one, or one for logs, journal and, with H2, the planned ledger.
func volumeSize(spec *v1alpha1.BenchmarkNetworkSpec) resource.Quantity {
	if size := spec.Members.Storage.Size; size != nil {
		return size.DeepCopy()
	}
	if usesH2(spec) {
		return sizing.MemberVolume(plannedVolume(spec))
	}
	return sizing.MemberVolume(sizing.Volume{})
}
