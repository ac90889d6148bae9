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
	"github.com/benchnet/benchnet/internal/emulation"
	"github.com/benchnet/benchnet/internal/pods"
)

func statefulSet(name, member string) *appsv1.StatefulSet {
	set := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if member != "" {
		set.Labels = map[string]string{v1alpha1.LabelMember: member}
	}
	set.Spec.Template.Spec = corev1.PodSpec{
		SecurityContext: pods.Security(),
		InitContainers:  []corev1.Container{{Name: "prepare", SecurityContext: pods.Restricted()}},
		Containers:      []corev1.Container{{Name: "node", SecurityContext: pods.Restricted()}},
	}
	return set
}

func decorated(t *testing.T, objects ...client.Object) []client.Object {
	t.Helper()
	all, err := Decorate(Input{
		Network: network(t, `regions: [{name: NYC, count: 4}]`), AgentImage: "example.com/agent:1",
		Config: &emulation.Config{Network: "net", Members: map[string]string{"member-0": "NYC"}},
	}, objects)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// violations are what a pod security level finds in a pod.
func violations(t *testing.T, level psaapi.Level, pod *corev1.PodSpec) []string {
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

func TestDecorateMembersAlone(t *testing.T) {
	member, database := statefulSet("net-member-0", "member-0"), statefulSet("net-db", "")
	all := decorated(t, member, database)
	if len(all) != 7 || all[5] != client.Object(member) {
		t.Fatalf("%d objects, want what the sidecar needs before the members", len(all))
	}
	if n := len(database.Spec.Template.Spec.InitContainers); n != 1 || database.Spec.Template.Spec.ServiceAccountName != "" {
		t.Error("the database has a sidecar")
	}
	pod := &member.Spec.Template.Spec
	first := pod.InitContainers[0]
	if first.Name != emulation.Sidecar || first.RestartPolicy == nil || *first.RestartPolicy != corev1.ContainerRestartPolicyAlways || first.StartupProbe == nil {
		t.Errorf("the first container is %+v: no other may start before the sidecar is ready", first)
	}
	for _, c := range slices.Concat(pod.InitContainers[1:], pod.Containers) {
		for _, m := range c.VolumeMounts {
			if m.Name == pods.TokenVolume {
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

// TestOnlyTheCapabilityIsAgainstTheStandards: root and NET_ADMIN are all that the level restricted finds; baseline finds the
// capability alone.
func TestOnlyTheCapabilityIsAgainstTheStandards(t *testing.T) {
	member := statefulSet("net-member-0", "member-0")
	decorated(t, member)
	pod := &member.Spec.Template.Spec
	if got := violations(t, psaapi.LevelBaseline, pod); !slices.Equal(got, []string{"non-default capabilities"}) {
		t.Errorf("baseline: %q", got)
	}
	want := []string{"runAsNonRoot != true", "runAsUser=0", "unrestricted capabilities"}
	if got := violations(t, psaapi.LevelRestricted, pod); !slices.Equal(slices.Sorted(slices.Values(got)), want) {
		t.Errorf("restricted: %q, want %q", got, want)
	}
}

func TestDecorateRefusesWhatIsTheSidecars(t *testing.T) {
	for want, spoil := range map[string]func(*corev1.PodSpec){
		"account theirs": func(pod *corev1.PodSpec) { pod.ServiceAccountName = "theirs" },
		"container node has port 9102": func(pod *corev1.PodSpec) {
			pod.Containers[0].Ports = []corev1.ContainerPort{{ContainerPort: port}}
		},
	} {
		member := statefulSet("net-member-0", "member-0")
		spoil(&member.Spec.Template.Spec)
		_, err := Decorate(Input{Network: network(t, `regions: [{name: NYC, count: 4}]`), Config: &emulation.Config{}}, []client.Object{member})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "net-member-0") {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
