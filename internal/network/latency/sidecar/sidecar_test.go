package sidecar

import (
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	psaapi "k8s.io/pod-security-admission/api"
	psapolicy "k8s.io/pod-security-admission/policy"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/network/latency"
)

func newStatefulSet(name, member string) *appsv1.StatefulSet {
	set := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if member != "" {
		set.Labels = map[string]string{v1alpha1.LabelMember: member}
	}
	set.Spec.Template.Spec = corev1.PodSpec{
		SecurityContext: pods.PodSecurityContext(),
		InitContainers:  []corev1.Container{{Name: "prepare", SecurityContext: pods.RestrictedSecurityContext()}},
		Containers:      []corev1.Container{{Name: "node", SecurityContext: pods.RestrictedSecurityContext()}},
	}
	return set
}

// TestSidecarTakesFaults checks that the sidecar of a network with faults, and no other, takes commands.
func TestSidecarTakesFaults(t *testing.T) {
	for setting, want := range map[v1alpha1.NetworkFaults]bool{v1alpha1.NetworkFaultsEnabled: true, v1alpha1.NetworkFaultsDisabled: false} {
		t.Run(string(setting), func(t *testing.T) {
			network := newNetwork(t, `items: [{name: NYC, count: 4}]`)
			network.Spec.NetworkFaults = setting
			set := newStatefulSet("net-member-0", "member-0")
			pods.MountCommandsKey(&set.Spec.Template.Spec, "net-commands", pods.CommandsDigestKey, func(*corev1.Container) bool { return true })
			if _, err := AddSidecars(Input{Network: network, AgentImage: "a", Config: &latency.Config{}}, []client.Object{set}); err != nil {
				t.Fatal(err)
			}
			sidecar := set.Spec.Template.Spec.InitContainers[0]
			mounts := slices.ContainsFunc(sidecar.VolumeMounts, func(m corev1.VolumeMount) bool { return strings.HasPrefix(pods.CommandsDigestFile, m.MountPath+"/") })
			if flag := slices.Contains(sidecar.Command, pods.CommandsDigestFile); flag != want || mounts != want {
				t.Errorf("the command has the digest: %t, the container: %t", flag, mounts)
			}
		})
	}
}

func mustAddSidecars(t *testing.T, objects ...client.Object) []client.Object {
	t.Helper()
	all, err := AddSidecars(Input{
		Network: newNetwork(t, `items: [{name: NYC, count: 4}]`), AgentImage: "example.com/agent:1",
		Config: &latency.Config{Network: "net", Members: map[string]string{"member-0": "NYC"}},
	}, objects)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// podSecurityViolations returns the violations of a pod security level in a pod.
func podSecurityViolations(t *testing.T, level psaapi.Level, pod *corev1.PodSpec) []string {
	t.Helper()
	evaluator, err := psapolicy.NewEvaluator(psapolicy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, r := range evaluator.EvaluatePod(psaapi.LevelVersion{Level: level, Version: psaapi.LatestVersion()}, &metav1.ObjectMeta{}, pod) {
		if !r.Allowed {
			all = append(all, r.ForbiddenReason)
		}
	}
	return all
}

func TestAddSidecarsToMembersOnly(t *testing.T) {
	member, database := newStatefulSet("net-member-0", "member-0"), newStatefulSet("net-db", "")
	all := mustAddSidecars(t, member, database)
	if len(all) != 7 || all[5] != client.Object(member) {
		t.Fatalf("%d objects, want those that the sidecar needs before the members", len(all))
	}
	if n := len(database.Spec.Template.Spec.InitContainers); n != 1 || database.Spec.Template.Spec.ServiceAccountName != "" {
		t.Error("the database has a sidecar")
	}
	pod := &member.Spec.Template.Spec
	first := pod.InitContainers[0]
	if first.Name != latency.SidecarContainer || first.RestartPolicy == nil || *first.RestartPolicy != corev1.ContainerRestartPolicyAlways || first.StartupProbe == nil {
		t.Errorf("the first container is %+v: no other may start before the sidecar is ready", first)
	}
	for _, c := range slices.Concat(pod.InitContainers[1:], pod.Containers) {
		for _, m := range c.VolumeMounts {
			if m.Name == pods.TokenVolumeName {
				t.Errorf("container %s has the sidecar's token", c.Name)
			}
		}
	}
	if pod.AutomountServiceAccountToken == nil || *pod.AutomountServiceAccountToken {
		t.Error("every container gets a token")
	}
	if member.Spec.Template.Annotations[annotationHash] == "" {
		t.Error("a member does not restart when its distances change")
	}
}

// TestSidecarPodSecurityViolations checks that the level restricted rejects only root and NET_ADMIN, and that
// baseline rejects only the capability.
func TestSidecarPodSecurityViolations(t *testing.T) {
	member := newStatefulSet("net-member-0", "member-0")
	mustAddSidecars(t, member)
	pod := &member.Spec.Template.Spec
	if got := podSecurityViolations(t, psaapi.LevelBaseline, pod); !slices.Equal(got, []string{"non-default capabilities"}) {
		t.Errorf("baseline: %q", got)
	}
	want := []string{"runAsNonRoot != true", "runAsUser=0", "unrestricted capabilities"}
	if got := podSecurityViolations(t, psaapi.LevelRestricted, pod); !slices.Equal(slices.Sorted(slices.Values(got)), want) {
		t.Errorf("restricted: %q, want %q", got, want)
	}
}

func TestAddSidecarsRefusesConflicts(t *testing.T) {
	for want, spoil := range map[string]func(*corev1.PodSpec){
		"account theirs": func(pod *corev1.PodSpec) { pod.ServiceAccountName = "theirs" },
		"container node has port 9102": func(pod *corev1.PodSpec) {
			pod.Containers[0].Ports = []corev1.ContainerPort{{ContainerPort: sidecarPort}}
		},
	} {
		member := newStatefulSet("net-member-0", "member-0")
		spoil(&member.Spec.Template.Spec)
		_, err := AddSidecars(Input{Network: newNetwork(t, `items: [{name: NYC, count: 4}]`), Config: &latency.Config{}}, []client.Object{member})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "net-member-0") {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
