package snapshot

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/kinds"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

func TestPodProblem(t *testing.T) {
	waiting := func(reason, message string) corev1.PodStatus {
		return corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: "node",
			State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}}}}
	}
	const pull = `failed to pull and unpack image "r.example.com/bench:1": failed to resolve reference "r.example.com/bench:1": `
	cases := []struct {
		name   string
		status corev1.PodStatus
		want   []string
	}{
		{"running", corev1.PodStatus{Phase: corev1.PodRunning}, nil},
		{"merely starting", waiting("ContainerCreating", ""), nil},
		{"failed pull", waiting("ImagePullBackOff", "details"), []string{"node", "ImagePullBackOff", "details"}},
		{"missing image", waiting("ErrImagePull", pull+"r.example.com/bench:1: not found"), []string{"not found; push the image"}},
		{"wrong password", waiting("ErrImagePull", pull+"pulling from host r.example.com failed with status code [manifests 1]: 401 Unauthorized"),
			[]string{"401 Unauthorized; name a Secret", "spec.imagePullSecrets"}},
		{"image without permission", waiting("ImagePullBackOff", pull+"pull access denied, repository does not exist or may require "+
			"authorization: server message: insufficient_scope: authorization failed"), []string{"spec.imagePullSecrets"}},
		{"no room", corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse,
			Reason: corev1.PodReasonUnschedulable, Message: "0/1 nodes: Insufficient cpu"}}}, []string{"scheduled", "Insufficient cpu"}},
		{"failed init container", corev1.PodStatus{InitContainerStatuses: []corev1.ContainerStatus{{Name: "prepare",
			State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 3, Reason: "Error", Message: "no space\n"}}}}},
			[]string{"prepare", "code 3", "no space"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := PodProblem(&corev1.Pod{Status: c.status})
			if (got == "") != (len(c.want) == 0) {
				t.Fatalf("got %q", got)
			}
			for _, part := range c.want {
				if !strings.Contains(got, part) {
					t.Errorf("%q should name %q", got, part)
				}
			}
		})
	}
}

// TestLostNodeProblem distinguishes pods whose node does not answer from pods that are starting or have no node.
func TestLostNodeProblem(t *testing.T) {
	build := func(node string, ready corev1.ConditionStatus, containerReady bool) *corev1.Pod {
		return &corev1.Pod{Spec: corev1.PodSpec{NodeName: node}, Status: corev1.PodStatus{
			Conditions:        []corev1.PodCondition{{Type: corev1.PodReady, Status: ready}},
			ContainerStatuses: []corev1.ContainerStatus{{Name: "node", Ready: containerReady}}}}
	}
	deleted := build("node-3", corev1.ConditionFalse, true)
	deleted.DeletionTimestamp = new(metav1.Now())
	for name, c := range map[string]struct {
		pod  *corev1.Pod
		want string
	}{
		"ready":                          {build("node-3", corev1.ConditionTrue, true), ""},
		"starting":                       {build("node-3", corev1.ConditionFalse, false), ""},
		"without containers":             {&corev1.Pod{Spec: corev1.PodSpec{NodeName: "node-3"}}, ""},
		"without a node":                 {&corev1.Pod{}, ""},
		"on a node that does not report": {build("node-3", corev1.ConditionFalse, true), "node node-3 has stopped reporting it"},
		"deleted":                        {deleted, "is being deleted, which node node-3 has not confirmed"},
	} {
		t.Run(name, func(t *testing.T) {
			got := lostNodeProblem(c.pod)
			if !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if got != "" && !strings.Contains(got, "kubectl delete node node-3") {
				t.Errorf("%q should say what to do", got)
			}
		})
	}
}

func memberPodWithRestarts(name string, restarts int32) corev1.Pod {
	return corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, UID: "uid", Labels: map[string]string{v1alpha1.LabelMember: name}},
		Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{RestartCount: restarts}}}}
}

func addDebugContainer(pod *corev1.Pod, name string, state corev1.ContainerState) {
	pod.Spec.EphemeralContainers = append(pod.Spec.EphemeralContainers, corev1.EphemeralContainer{EphemeralContainerCommon: corev1.EphemeralContainerCommon{Name: name}})
	pod.Status.EphemeralContainerStatuses = append(pod.Status.EphemeralContainerStatuses, corev1.ContainerStatus{Name: name, State: state})
}

// TestChangedMembers changes members while a run is measured. Their pods are as the cache keeps them.
func TestChangedMembers(t *testing.T) {
	ended := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}}
	running := corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	twoCores := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2")}
	debug := func(n int, state corev1.ContainerState) func(*corev1.Pod) {
		return func(pod *corev1.Pod) {
			for range n {
				addDebugContainer(pod, fmt.Sprintf("debugger-%d", len(pod.Spec.EphemeralContainers)), state)
			}
		}
	}
	for name, c := range map[string]struct {
		before, edit func(*corev1.Pod)
		changed      bool
	}{
		"nothing":                           {debug(0, ended), func(*corev1.Pod) {}, false},
		"a container resized":               {debug(0, ended), func(p *corev1.Pod) { p.Spec.Containers[0].Resources.Limits = twoCores }, true},
		"a sidecar resized":                 {debug(0, ended), func(p *corev1.Pod) { p.Spec.InitContainers[1].Resources.Limits = twoCores }, true},
		"a sidecar added":                   {debug(0, ended), func(p *corev1.Pod) { p.Spec.InitContainers = append(p.Spec.InitContainers, p.Spec.InitContainers[1]) }, true},
		"the pod resized":                   {debug(0, ended), func(p *corev1.Pod) { p.Spec.Resources = &corev1.ResourceRequirements{Limits: twoCores} }, true},
		"a label added":                     {debug(0, ended), func(p *corev1.Pod) { p.Labels["added"] = "x" }, true},
		"another component":                 {debug(0, ended), func(p *corev1.Pod) { p.Labels["app.kubernetes.io/component"] = "x" }, true},
		"a debugger after 16":               {debug(16, ended), debug(1, ended), true},
		"a debugger after 40":               {debug(40, ended), debug(1, ended), true},
		"none after 40":                     {debug(40, ended), func(*corev1.Pod) {}, false},
		"none after 40, the last one runs":  {func(p *corev1.Pod) { debug(39, ended)(p); debug(1, running)(p) }, func(*corev1.Pod) {}, true},
		"none after 40, the first one runs": {func(p *corev1.Pod) { debug(1, running)(p); debug(39, ended)(p) }, func(*corev1.Pod) {}, true},
	} {
		t.Run(name, func(t *testing.T) {
			pod := memberPodWithRestarts("a", 1)
			pod.Spec.Containers = []corev1.Container{{Name: "node"}}
			pod.Spec.InitContainers = []corev1.Container{{Name: "init"}, {Name: "proxy", RestartPolicy: new(corev1.ContainerRestartPolicyAlways)}}
			c.before(&pod)
			before, after := pod.DeepCopy(), pod.DeepCopy()
			c.edit(after)
			for range 2 { // Trimming is idempotent.
				kinds.Trim(before)
				kinds.Trim(after)
			}
			baseline, err := EncodeBaseline([]corev1.Pod{*before})
			if err != nil {
				t.Fatal(err)
			}
			got, err := FindDisturbances(baseline, []corev1.Pod{*after}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if changed := len(got) == 1 && got[0].Kind == verdict.ReasonMemberChanged; changed != c.changed || len(got) > 1 || len(after.Spec.EphemeralContainers) > 16 {
				t.Errorf("got %+v with %d names of debuggers, want MemberChanged: %t", got, len(after.Spec.EphemeralContainers), c.changed)
			}
		})
	}
}

// TestDisturbances looks at the pods as the cache keeps them.
func TestDisturbances(t *testing.T) {
	started := memberPodWithRestarts("a", 1)
	addDebugContainer(&started, "debugger-1", corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}})
	baseline, err := EncodeBaseline([]corev1.Pod{started, {ObjectMeta: metav1.ObjectMeta{Name: "worker",
		Labels: map[string]string{v1alpha1.LabelRun: "r"}}}})
	if err != nil {
		t.Fatal(err)
	}
	replaced := memberPodWithRestarts("a", 0)
	replaced.UID = "uid-other"
	evicted := memberPodWithRestarts("a", 1)
	evicted.Status.Reason = "Evicted"
	disrupted := memberPodWithRestarts("a", 1)
	disrupted.Status.Conditions = []corev1.PodCondition{{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: "EvictionByEvictionAPI"}}
	unreachable := memberPodWithRestarts("a", 1)
	unreachable.Spec.NodeName = "node-3"
	unreachable.Status.ContainerStatuses[0].Ready = true
	unreachable.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse}}
	debugged, resized, looked := memberPodWithRestarts("a", 1), memberPodWithRestarts("a", 1), memberPodWithRestarts("a", 1)
	addDebugContainer(&debugged, "debugger-2", corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}})
	addDebugContainer(&looked, "debugger-1", corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}})
	resized.Spec.Containers = []corev1.Container{{Name: "node", Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2")}}}}
	cases := []struct {
		name string
		now  []corev1.Pod
		want verdict.ReasonCode
	}{
		{"debugged before", []corev1.Pod{looked}, ""},
		{"debugged meanwhile", []corev1.Pod{debugged}, verdict.ReasonMemberChanged},
		{"resized in place", []corev1.Pod{resized}, verdict.ReasonMemberChanged},
		{"being evicted", []corev1.Pod{disrupted}, verdict.ReasonMemberEvicted},
		{"on a lost node", []corev1.Pod{unreachable}, verdict.ReasonMemberUnreachable},
		{"undisturbed", []corev1.Pod{memberPodWithRestarts("a", 1)}, ""},
		{"restarted", []corev1.Pod{memberPodWithRestarts("a", 2)}, verdict.ReasonMemberRestarted},
		{"replaced", []corev1.Pod{replaced}, verdict.ReasonMemberReplaced},
		{"gone", nil, verdict.ReasonMemberReplaced},
		{"evicted", []corev1.Pod{evicted}, verdict.ReasonMemberEvicted},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for i := range c.now {
				kinds.Trim(&c.now[i])
			}
			got, err := FindDisturbances(baseline, c.now, nil)
			if err != nil {
				t.Fatal(err)
			}
			if c.want == "" && len(got) != 0 || c.want != "" && (len(got) != 1 || got[0].Kind != c.want) {
				t.Errorf("got %+v, want %q", got, c.want)
			}
		})
	}
}

// TestExplainedDisturbances checks that proved faults explain exactly the restarts and the pods that they caused.
func TestExplainedDisturbances(t *testing.T) {
	at := &measurement.Bracket{FromSeconds: 30, ToSeconds: 31}
	fault := func(atSeconds int, kill measurement.KillScope, member, before, after string) measurement.FaultRecord {
		f := measurement.FaultRecord{Fault: measurement.Fault{Type: measurement.FaultKill, Kill: kill, Member: member, AtSeconds: atSeconds}}
		f.FaultEffect = measurement.FaultEffect{Injected: at, Healed: at, PodBefore: before, PodAfter: after}
		return f
	}
	container, replaced := fault(30, measurement.KillContainer, "a/execution", "", ""), fault(60, measurement.KillPod, "a", "uid", "second")
	evicted, unproved, ofDatabase, process := fault(90, "", "a", "second", "third"), container, container, fault(30, "", "a", "", "")
	evicted.Type, unproved.Problem, ofDatabase.Kind = measurement.FaultEvict, "why", measurement.KindDatabase
	for name, c := range map[string]struct {
		faults   []measurement.FaultRecord
		uid      types.UID
		restarts int32
		want     verdict.ReasonCode
	}{
		"its restart":                       {[]measurement.FaultRecord{container}, "uid", 2, ""},
		"a second restart":                  {[]measurement.FaultRecord{container}, "uid", 3, verdict.ReasonMemberRestarted},
		"two restarts":                      {[]measurement.FaultRecord{container, container}, "uid", 3, ""},
		"a restart of a killed process":     {[]measurement.FaultRecord{process}, "uid", 2, verdict.ReasonMemberRestarted},
		"a restart by a fault not proved":   {[]measurement.FaultRecord{unproved}, "uid", 2, verdict.ReasonMemberRestarted},
		"a restart of another member":       {[]measurement.FaultRecord{fault(30, measurement.KillContainer, "b", "", "")}, "uid", 2, verdict.ReasonMemberRestarted},
		"a restart of a database":           {[]measurement.FaultRecord{ofDatabase}, "uid", 2, verdict.ReasonMemberRestarted},
		"another pod instead of a restart":  {[]measurement.FaultRecord{container}, "second", 0, verdict.ReasonMemberReplaced},
		"its next pod":                      {[]measurement.FaultRecord{replaced}, "second", 0, ""},
		"a restart of its next pod":         {[]measurement.FaultRecord{replaced}, "second", 1, verdict.ReasonMemberRestarted},
		"the pod after the next":            {[]measurement.FaultRecord{replaced}, "third", 0, verdict.ReasonMemberReplaced},
		"two pods, in another order":        {[]measurement.FaultRecord{evicted, replaced}, "third", 0, ""},
		"a pod that came between":           {[]measurement.FaultRecord{evicted}, "third", 0, verdict.ReasonMemberReplaced},
		"a restart, then another pod":       {[]measurement.FaultRecord{container, replaced}, "second", 0, ""},
		"another pod, then a restart of it": {[]measurement.FaultRecord{replaced, fault(90, measurement.KillContainer, "a", "", "")}, "second", 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			baseline, err := EncodeBaseline([]corev1.Pod{memberPodWithRestarts("a", 1)})
			if err != nil {
				t.Fatal(err)
			}
			now := memberPodWithRestarts("a", c.restarts)
			now.UID = c.uid
			got, err := FindDisturbances(baseline, []corev1.Pod{now}, c.faults)
			if err != nil {
				t.Fatal(err)
			}
			if c.want == "" && len(got) != 0 || c.want != "" && (len(got) != 1 || got[0].Kind != c.want) {
				t.Errorf("got %+v, want %q", got, c.want)
			}
		})
	}
}

// TestDisturbancesOfDatabasesKeepTheirKind checks that the subject names the database and that the kind says what happened to it.
func TestDisturbancesOfDatabasesKeepTheirKind(t *testing.T) {
	killed := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "OOMKilled", ExitCode: 137}}
	for name, c := range map[string]struct {
		edit func(*corev1.Pod)
		want verdict.ReasonCode
	}{
		"restarted": {func(p *corev1.Pod) { p.Status.ContainerStatuses[0].RestartCount = 2 }, verdict.ReasonDatabaseRestarted},
		"evicted":   {func(p *corev1.Pod) { p.Status.Reason = "Evicted" }, verdict.ReasonMemberEvicted},
		"being evicted": {func(p *corev1.Pod) {
			p.Status.Conditions = []corev1.PodCondition{{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue}}
		}, verdict.ReasonMemberEvicted},
		"replaced":    {func(p *corev1.Pod) { p.UID = "other" }, verdict.ReasonMemberReplaced},
		"unreachable": {func(p *corev1.Pod) { p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady}} }, verdict.ReasonMemberUnreachable},
		"being deleted": {func(p *corev1.Pod) {
			p.DeletionTimestamp, p.Status.Conditions = &metav1.Time{}, []corev1.PodCondition{{Type: corev1.PodReady}}
		}, verdict.ReasonMemberUnreachable},
		"out of memory": {func(p *corev1.Pod) {
			p.Status.ContainerStatuses[0] = corev1.ContainerStatus{RestartCount: 2, LastTerminationState: killed}
		}, verdict.ReasonOutOfMemory},
		"killed earlier": {func(p *corev1.Pod) { p.Status.ContainerStatuses[0].LastTerminationState = killed }, ""},
		"not ready":      {func(p *corev1.Pod) { p.Status.ContainerStatuses[0].Ready = false }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			pod := memberPodWithRestarts("db-0", 1)
			pod.Labels, pod.Spec.NodeName = map[string]string{v1alpha1.LabelDatabaseInstance: "banks-db"}, "node-3"
			pod.Status.ContainerStatuses[0].Ready = true
			pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
			baseline, err := EncodeBaseline([]corev1.Pod{pod})
			if err != nil {
				t.Fatal(err)
			}
			c.edit(&pod)
			got, err := FindDisturbances(baseline, []corev1.Pod{pod}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if c.want == "" {
				if len(got) != 0 {
					t.Errorf("got %+v", got)
				}
				return
			}
			if len(got) != 1 || got[0].Kind != c.want || got[0].Subject != "database banks-db" {
				t.Errorf("got %+v, want %s of database banks-db", got, c.want)
			}
		})
	}
}
