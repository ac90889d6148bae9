// Package sidecar adds latency emulation to the members of a network: the configuration from the spec, and in
// each member's pod a sidecar (agent emulate) with a service account that may watch the other pods.
//
// It is independent of platforms: members are the StatefulSets with a member label.
package sidecar

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/network/latency"
)

const (
	configDir    = "/etc/benchnet/emulation"
	volumeConfig = "emulation-config"

	// sidecarPort serves the sidecar's readiness and metrics.
	sidecarPort     = 9102
	sidecarPortName = "emulation-agent"
	// startupTimeoutSeconds covers an API server that is busy with a large network.
	startupTimeoutSeconds = 1800

	// annotationHash restarts a member when the latency configuration changes, such as with another version of
	// the operator.
	annotationHash = "benchnet.dev/emulation-hash"
)

// Input is the input of AddSidecars.
type Input struct {
	Network *v1alpha1.BenchmarkNetwork
	Config  *latency.Config
	// AgentImage is the image of the agent.
	AgentImage string
}

// AddSidecars adds the sidecars to the members among the objects. It returns the shared objects of the sidecars
// followed by the objects, and fails if a pod conflicts with the sidecar.
func AddSidecars(in Input, objects []client.Object) ([]client.Object, error) {
	text, err := json.MarshalIndent(in.Config, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode the emulation's configuration: %w", err)
	}
	sum := sha256.Sum256(text)
	for _, o := range objects {
		set, ok := o.(*appsv1.StatefulSet)
		if !ok || set.Labels[v1alpha1.LabelMember] == "" {
			continue
		}
		pod := &set.Spec.Template
		if err := checkConflicts(&pod.Spec); err != nil {
			return nil, fmt.Errorf("StatefulSet %s: %w", set.Name, err)
		}
		addSidecar(in, set.Labels[v1alpha1.LabelMember], &pod.Spec)
		metav1.SetMetaDataAnnotation(&pod.ObjectMeta, annotationHash, hex.EncodeToString(sum[:8]))
	}
	return append(in.buildSharedObjects(string(text)), objects...), nil
}

// checkConflicts returns an error if the pod already uses the service account or the port that the sidecar
// needs.
func checkConflicts(pod *corev1.PodSpec) error {
	if pod.ServiceAccountName != "" {
		return fmt.Errorf("it has the account %s, but the emulation's sidecar needs its own", pod.ServiceAccountName)
	}
	for _, c := range slices.Concat(pod.InitContainers, pod.Containers) {
		for _, p := range c.Ports {
			if p.ContainerPort == sidecarPort || p.ContainerPort == latency.FaultsPort {
				return fmt.Errorf("container %s has port %d, which the emulation's sidecar uses", c.Name, p.ContainerPort)
			}
		}
	}
	return nil
}

// addSidecar inserts the sidecar before all other containers, so that none of their packets goes undelayed.
func addSidecar(in Input, member string, pod *corev1.PodSpec) {
	pod.ServiceAccountName = naming.LatencyAccount(in.Network.Name)
	pod.AutomountServiceAccountToken = new(false) // Only the sidecar gets a token.
	container := in.buildContainer(member)
	if mount, ok := pods.FindCommandsMount(pod); ok && in.Network.Spec.NetworkFaults == v1alpha1.NetworkFaultsEnabled {
		container.VolumeMounts = append(container.VolumeMounts, mount)
		container.Command = append(container.Command, "--commands-digest-file", pods.CommandsDigestFile)
	}
	pod.InitContainers = append([]corev1.Container{container}, pod.InitContainers...)
	pod.Volumes = append(pod.Volumes, pods.ConfigMapVolume(volumeConfig, naming.LatencyConfigMap(in.Network.Name)), pods.ServiceAccountTokenVolume())
}

// buildContainer returns a native sidecar: an init container that starts before the others and stops after
// them.
func (in Input) buildContainer(member string) corev1.Container {
	probe := corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/ready", Port: intstr.FromInt32(sidecarPort), Scheme: corev1.URISchemeHTTP}}
	return corev1.Container{
		Name:  latency.SidecarContainer,
		Image: in.AgentImage,
		Command: []string{"/agent", "emulate", "--config", path.Join(configDir, latency.ConfigFileName), "--member", member,
			"--namespace", in.Network.Namespace, "--report", naming.LatencyStatus(in.Network.Name), "--listen", fmt.Sprintf(":%d", sidecarPort)},
		Ports:                    []corev1.ContainerPort{{Name: sidecarPortName, ContainerPort: sidecarPort, Protocol: corev1.ProtocolTCP}},
		Env:                      []corev1.EnvVar{envFromField("POD_NAME", "metadata.name"), envFromField("POD_UID", "metadata.uid")},
		RestartPolicy:            new(corev1.ContainerRestartPolicyAlways),
		Resources:                sidecarResources(),
		SecurityContext:          sidecarSecurityContext(),
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
		StartupProbe:             &corev1.Probe{ProbeHandler: probe, PeriodSeconds: 1, TimeoutSeconds: 5, FailureThreshold: startupTimeoutSeconds},
		ReadinessProbe:           &corev1.Probe{ProbeHandler: probe, PeriodSeconds: 10, TimeoutSeconds: 10, FailureThreshold: 3},
		VolumeMounts: []corev1.VolumeMount{
			pods.ReadOnlyMount(volumeConfig, configDir), pods.ReadOnlyMount(pods.TokenVolumeName, pods.TokenDir),
		},
	}
}

func envFromField(name, path string) corev1.EnvVar {
	return corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: path}}}
}

// sidecarSecurityContext runs the sidecar as root with NET_ADMIN as its only capability, since only root keeps
// a capability when the kernel executes a program.
func sidecarSecurityContext() *corev1.SecurityContext {
	return &corev1.SecurityContext{
		RunAsUser:                new(int64(0)),
		RunAsGroup:               new(int64(0)),
		RunAsNonRoot:             new(false),
		AllowPrivilegeEscalation: new(false),
		ReadOnlyRootFilesystem:   new(true),
		Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}, Add: []corev1.Capability{"NET_ADMIN"}},
	}
}

// sidecarResources returns the sidecar's resources. Forwarding packets takes CPU, and the kernel holds delayed
// packets. On a busy node the request is the sidecar's share of CPU, and a packet that waits for a core is
// late.
func sidecarResources() corev1.ResourceRequirements {
	return pods.Resources("100m", "32Mi", "2", "256Mi")
}

// buildSharedObjects returns the configuration, the status ConfigMap, and the service account that may watch
// the namespace's pods and services and patch the status.
func (in Input) buildSharedObjects(config string) []client.Object {
	account, report := naming.LatencyAccount(in.Network.Name), naming.LatencyStatus(in.Network.Name)
	meta := func(name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Name: name, Namespace: in.Network.Namespace, Labels: naming.NetworkLabels(in.Network.Name, naming.ComponentLatency)}
	}
	return []client.Object{
		&corev1.ConfigMap{ObjectMeta: meta(naming.LatencyConfigMap(in.Network.Name)), Data: map[string]string{latency.ConfigFileName: config}},
		&corev1.ConfigMap{ObjectMeta: meta(report)},
		&corev1.ServiceAccount{ObjectMeta: meta(account), AutomountServiceAccountToken: new(false)},
		&rbacv1.Role{ObjectMeta: meta(account), Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{""}, Resources: []string{"pods", "services"}, Verbs: []string{"get", "list", "watch"}},
			{APIGroups: []string{""}, Resources: []string{"configmaps"}, ResourceNames: []string{report}, Verbs: []string{"patch"}},
		}},
		&rbacv1.RoleBinding{ObjectMeta: meta(account),
			RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: account},
			Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: account, Namespace: in.Network.Namespace}}},
	}
}
