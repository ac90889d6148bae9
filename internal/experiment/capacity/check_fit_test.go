package capacity

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

func newResourceList(cores, memory string) corev1.ResourceList {
	return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cores), corev1.ResourceMemory: resource.MustParse(memory)}
}

func newNode(name, cores, memory string, edits ...func(*corev1.Node)) corev1.Node {
	n := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name}}}
	n.Status.Allocatable = newResourceList(cores, memory)
	n.Status.Allocatable[corev1.ResourcePods] = resource.MustParse("10")
	for _, edit := range edits {
		edit(&n)
	}
	return n
}

func newPod(cores, memory string, edits ...func(*corev1.Pod)) corev1.Pod {
	p := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "pod", Labels: map[string]string{"app": "net"}}}
	p.Spec.Containers = []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{Requests: newResourceList(cores, memory)}}}
	for _, edit := range edits {
		edit(&p)
	}
	return p
}

func onNode(node string, phase corev1.PodPhase) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Spec.NodeName, p.Status.Phase = node, phase }
}

func withTaint(effect corev1.TaintEffect) func(*corev1.Node) {
	return func(n *corev1.Node) { n.Spec.Taints = []corev1.Taint{{Key: "only", Value: "corda", Effect: effect}} }
}

func withToleration(p *corev1.Pod) {
	p.Spec.Tolerations = []corev1.Toleration{{Key: "only", Operator: corev1.TolerationOpEqual, Value: "corda"}}
}

func withNodeSelector(p *corev1.Pod) {
	p.Spec.NodeSelector = map[string]string{corev1.LabelHostname: "b"}
}

var samePodsTerm = corev1.PodAffinityTerm{TopologyKey: corev1.LabelHostname, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "net"}}}

func withAntiAffinity(p *corev1.Pod) {
	p.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{samePodsTerm}}}
}

func withDatabaseAffinity(p *corev1.Pod) {
	term := corev1.PodAffinityTerm{TopologyKey: corev1.LabelHostname, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "db"}}}
	p.Spec.Affinity = &corev1.Affinity{PodAffinity: &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{term}}}
}

func withDatabaseLabel(p *corev1.Pod) { p.Labels = map[string]string{"app": "db"} }

func repeatPod(n int, p corev1.Pod) []corev1.Pod {
	all := make([]corev1.Pod, 0, n)
	for i := range n {
		next := *p.DeepCopy()
		next.Name = fmt.Sprintf("pod-%d", i)
		all = append(all, next)
	}
	return all
}

func TestCheckFit(t *testing.T) {
	two := []corev1.Node{newNode("a", "2", "4Gi"), newNode("b", "2", "4Gi")}
	running := newPod("1500m", "1Gi", onNode("a", corev1.PodRunning))
	cases := []struct {
		name        string
		needs       Needs
		nodes       []corev1.Node
		pods        []corev1.Pod
		fits, later bool
		want        []string
	}{
		{"nothing", Needs{}, two, nil, true, false, []string{"needs 0 cores and 0 GiB for 0 pods"}},
		{"all of it", Needs{RunningPods: repeatPod(4, newPod("1", "2Gi"))}, two, nil, true, false, []string{"4 cores and 8 GiB of a, b are allocatable, 4 and 8 free"}},
		{"more than all", Needs{RunningPods: repeatPod(5, newPod("1", "1Gi"))}, two, nil, false, false,
			[]string{"needs 5 cores and 5 GiB for 5 pods at the same time", "no node fits pod pod-4 (1 core, 1 GiB)", "a has 0 cores left; b has 0 cores left", "not fit even on an empty cluster"}},
		{"each too large for a node", Needs{RunningPods: repeatPod(1, newPod("3", "1Gi"))}, two, nil, false, false, []string{"(3 cores, 1 GiB)", "a has 2 cores left"}},
		{"beside what runs", Needs{RunningPods: repeatPod(3, newPod("1", "1Gi"))}, two, []corev1.Pod{running}, false, true,
			[]string{"4 cores and 8 GiB of a, b are allocatable, 2.5 and 7 free", "It fits once other pods are deleted"}},
		{"what ended takes no room", Needs{RunningPods: repeatPod(4, newPod("1", "1Gi"))}, two,
			[]corev1.Pod{newPod("2", "1Gi", onNode("a", corev1.PodSucceeded)), newPod("2", "1Gi", onNode("b", corev1.PodFailed))}, true, false, nil},
		{"small ones first would leave no room", Needs{RunningPods: append(repeatPod(2, newPod("500m", "1Gi")), newPod("2", "1Gi"), newPod("1", "1Gi"))}, two, nil, true, false, nil},
		{"by memory where by cores fails", Needs{RunningPods: []corev1.Pod{newPod("1", "1Gi"), newPod("900m", "1Gi"), newPod("800m", "3Gi"), newPod("700m", "3Gi")}}, two, nil, true, false, nil},
		{"too many pods for a node", Needs{RunningPods: repeatPod(11, newPod("1m", "1Mi"))}, two[:1], nil, false, false, []string{"a has 0 pods left"}},
		{"the setting up", Needs{SetupPods: repeatPod(1, newPod("1", "9Gi")), RunningPods: repeatPod(1, newPod("1", "1Gi"))}, two, nil, false, false, []string{"needs 1 core and 9 GiB for 1 pod"}},
		{"one after the other", Needs{SetupPods: repeatPod(4, newPod("1", "1Gi")), RunningPods: repeatPod(4, newPod("1", "1Gi"))}, two, nil, true, false, nil},
		{"no nodes", Needs{RunningPods: repeatPod(1, newPod("1", "1Gi"))}, nil, nil, false, false, []string{"0 nodes", "there are no nodes"}},
		{"cordoned", Needs{RunningPods: repeatPod(1, newPod("1", "1Gi"))}, []corev1.Node{newNode("a", "2", "4Gi", func(n *corev1.Node) { n.Spec.Unschedulable = true })}, nil,
			false, false, []string{"a is cordoned"}},
		{"tainted", Needs{RunningPods: repeatPod(1, newPod("1", "1Gi"))}, []corev1.Node{newNode("a", "2", "4Gi", withTaint(corev1.TaintEffectNoSchedule))}, nil,
			false, false, []string{"a has taint only=corda:NoSchedule"}},
		{"tolerated", Needs{RunningPods: repeatPod(1, newPod("1", "1Gi", withToleration))}, []corev1.Node{newNode("a", "2", "4Gi", withTaint(corev1.TaintEffectNoExecute))}, nil, true, false, nil},
		{"rather not", Needs{RunningPods: repeatPod(1, newPod("1", "1Gi"))}, []corev1.Node{newNode("a", "2", "4Gi", withTaint(corev1.TaintEffectPreferNoSchedule))}, nil, true, false, nil},
		{"only on b", Needs{RunningPods: repeatPod(3, newPod("1", "1Gi", withNodeSelector))}, two, nil, false, false, []string{"a lacks the requested labels; b has 0 cores left"}},
		{"apart", Needs{RunningPods: repeatPod(3, newPod("1m", "1Mi", withAntiAffinity))}, two, nil, false, false, []string{"a has a pod excluded by anti-affinity"}},
		{"apart with a node for each", Needs{RunningPods: repeatPod(2, newPod("1m", "1Mi", withAntiAffinity))}, two, nil, true, false, nil},
		{"shunned by one that is there", Needs{RunningPods: append(repeatPod(2, newPod("1", "1Gi", withAntiAffinity)), newPod("1m", "1Mi"))}, two, nil, false, false, []string{"excluded by anti-affinity"}},
		{"with its database", Needs{RunningPods: append(repeatPod(2, newPod("1", "1Gi", withDatabaseAffinity)), newPod("1", "1Gi", withDatabaseLabel))}, two, nil, false, false,
			[]string{"a has 0 cores left; b lacks the pod required by affinity"}},
		{"with a pod that exists", Needs{RunningPods: repeatPod(1, newPod("1", "1Gi", withDatabaseAffinity))}, two, nil, true, false,
			[]string{"Not considered: affinity to pods that exist already"}},
		{"with its database, small", Needs{RunningPods: append(repeatPod(2, newPod("500m", "1Gi", withDatabaseAffinity)), newPod("1", "1Gi", withDatabaseLabel))}, two, nil, true, false, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := CheckFit(c.needs, c.nodes, c.pods)
			if got.Fits != c.fits || got.FitsWhenIdle != c.later {
				t.Errorf("fits %v, later %v, want %v and %v", got.Fits, got.FitsWhenIdle, c.fits, c.later)
			}
			for _, want := range c.want {
				if !strings.Contains(got.Message, want) {
					t.Errorf("%q lacks %q", got.Message, want)
				}
			}
		})
	}
}

func TestCheckFitNamesWhatItIgnores(t *testing.T) {
	ownTerm := corev1.PodAffinityTerm{TopologyKey: corev1.LabelHostname, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{v1alpha1.LabelNetwork: "net"}}}
	antiAffinityOf := func(term corev1.PodAffinityTerm) *corev1.Affinity {
		return &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{term}}}
	}
	for name, c := range map[string]struct {
		edit func(*corev1.PodSpec)
		want string
	}{
		"nothing":               {func(*corev1.PodSpec) {}, ""},
		"affinity to own pods":  {func(s *corev1.PodSpec) { s.Affinity = antiAffinityOf(ownTerm) }, ""},
		"affinity to any pods":  {func(s *corev1.PodSpec) { s.Affinity = antiAffinityOf(samePodsTerm) }, "affinity to pods that exist already"},
		"the default scheduler": {func(s *corev1.PodSpec) { s.SchedulerName = corev1.DefaultSchedulerName }, ""},
		"another scheduler":     {func(s *corev1.PodSpec) { s.SchedulerName = "volcano" }, "the rules of scheduler volcano"},
		"a runtime class":       {func(s *corev1.PodSpec) { s.RuntimeClassName = new("kata") }, "overhead and nodes of runtimeClassName"},
		"two": {func(s *corev1.PodSpec) {
			s.PriorityClassName = "high"
			s.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{MaxSkew: 1, WhenUnsatisfiable: corev1.DoNotSchedule}}
		}, "preemption by priorityClassName; topologySpreadConstraints"},
		"a preference": {func(s *corev1.PodSpec) {
			s.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{MaxSkew: 1, WhenUnsatisfiable: corev1.ScheduleAnyway}}
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			pod := newPod("1", "1Gi")
			c.edit(&pod.Spec)
			_, got, _ := strings.Cut(CheckFit(Needs{RunningPods: []corev1.Pod{pod}}, []corev1.Node{newNode("a", "2", "4Gi")}, nil).Message, " Not considered: ")
			if strings.TrimSuffix(got, ".") != c.want {
				t.Errorf("not considered is %q, want %q", got, c.want)
			}
		})
	}
}
