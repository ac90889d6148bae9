package snapshot

import (
	"context"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/kinds"
)

// podKind is a kind of pod of the operator. Container is the one that fails.
type podKind struct {
	container string
	job, init bool
	labels    map[string]string
	memory    string // memory is the field that raises the memory limit.
	heap      string
}

var podKinds = map[string]podKind{
	"genesis":                  {container: "genesis", job: true},
	"database server":          {container: "postgresql", labels: map[string]string{v1alpha1.LabelDatabaseInstance: "n-db"}, memory: "spec.database.managed.memory"},
	"database set-up":          {container: "setup", job: true},
	"Corda node":               {container: "corda", labels: map[string]string{v1alpha1.LabelMember: "member-0"}, memory: "spec.members.memory", heap: "spec.members.heap"},
	"Corda notary":             {container: "corda", labels: map[string]string{v1alpha1.LabelMember: "notary"}, memory: "memory of spec.platform.corda.notary", heap: "heap of spec.platform.corda.notary"},
	"JPaxos replica":           {container: "replica", labels: map[string]string{v1alpha1.LabelMember: "member-1"}, memory: "spec.members.memory", heap: "spec.members.heap"},
	"Malachite validator":      {container: "malachite", labels: map[string]string{v1alpha1.LabelMember: "member-0"}, memory: "spec.members.memory"},
	"CometBFT validator":       {container: "cometbft", labels: map[string]string{v1alpha1.LabelMember: "member-0"}, memory: "spec.members.memory"},
	"MalachiteEVM geth":        {container: "execution", labels: map[string]string{v1alpha1.LabelMember: "member-0"}, memory: "spec.members.memory"},
	"Emerald validator":        {container: "validator", labels: map[string]string{v1alpha1.LabelMember: "member-0"}, memory: "spec.members.memory"},
	"Emerald execution client": {container: "execution", labels: map[string]string{v1alpha1.LabelMember: "member-0"}, memory: "spec.members.memory"},
	"latency sidecar":          {container: "latency", init: true, labels: map[string]string{v1alpha1.LabelMember: "member-0"}},
	"worker":                   {container: "worker", job: true, labels: map[string]string{v1alpha1.LabelRun: "r"}, memory: "workers.memory", heap: "workers.memory of the workload"},
	"delivery":                 {container: "upload", job: true},
}

// causeFixture is a controller of two pods. The first one runs, the second has the problem.
type causeFixture struct {
	owner  client.Object
	pod    *corev1.Pod
	state  *corev1.ContainerStatus
	noPod  bool
	events []corev1.Event
}

func newCauseFixture(k podKind) *causeFixture {
	meta := metav1.ObjectMeta{Name: "n-x", Namespace: "ns", UID: "owner"}
	f := &causeFixture{owner: &appsv1.StatefulSet{ObjectMeta: meta, Spec: appsv1.StatefulSetSpec{Replicas: new(int32(2))}, Status: appsv1.StatefulSetStatus{ObservedGeneration: 1, Replicas: 2}}}
	if k.job {
		f.owner = &batchv1.Job{ObjectMeta: meta, Spec: batchv1.JobSpec{Parallelism: new(int32(2))}, Status: batchv1.JobStatus{StartTime: new(metav1.Now()), Active: 2}}
	}
	f.pod = &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "n-x-1", Namespace: "ns", UID: "pod", Labels: map[string]string{}},
		Spec: corev1.PodSpec{NodeName: "node-1"}, Status: corev1.PodStatus{Phase: corev1.PodPending}}
	for key, value := range k.labels {
		f.pod.Labels[key] = value
	}
	if k.job {
		f.pod.Labels[batchv1.JobNameLabel] = "n-x"
	}
	status := []corev1.ContainerStatus{{Name: k.container, Image: "r.example.com/x:1"}}
	f.state = &status[0]
	if k.init {
		f.pod.Status.InitContainerStatuses = status
	} else {
		f.pod.Status.ContainerStatuses = status
		f.pod.Spec.Containers = []corev1.Container{{Name: k.container, Resources: corev1.ResourceRequirements{
			Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("160Mi")}}}}
	}
	return f
}

func (f *causeFixture) waits(reason, message string) {
	f.state.State.Waiting = &corev1.ContainerStateWaiting{Reason: reason, Message: message}
}

func (f *causeFixture) ends(code int32, reason, message string) {
	f.state.State.Terminated = &corev1.ContainerStateTerminated{ExitCode: code, Reason: reason, Message: message}
}

func (f *causeFixture) condition(kind corev1.PodConditionType, status corev1.ConditionStatus, reason, message string) {
	f.pod.Status.Conditions = append(f.pod.Status.Conditions, corev1.PodCondition{Type: kind, Status: status, Reason: reason, Message: message})
}

func (f *causeFixture) event(of types.UID, reason, message string) {
	f.events = append(f.events, corev1.Event{InvolvedObject: corev1.ObjectReference{UID: of}, Reason: reason, Type: "Warning", Message: message})
}

func (f *causeFixture) withoutPod(message string) {
	f.noPod = true
	f.event("owner", "FailedCreate", message)
	switch o := f.owner.(type) {
	case *appsv1.StatefulSet:
		o.Status.Replicas = 1
	case *batchv1.Job:
		o.Status.Active = 1
	}
}

func (f *causeFixture) jobFails(reason, message string) {
	if job, ok := f.owner.(*batchv1.Job); ok {
		job.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: corev1.ConditionTrue, Reason: reason, Message: message}}
	}
}

// message returns what the status says of the controller.
func (f *causeFixture) message(t *testing.T) string {
	t.Helper()
	ref := []metav1.OwnerReference{{UID: "owner", Controller: new(true)}}
	running := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "n-x-0", Namespace: "ns", UID: "running", OwnerReferences: ref},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}}}
	f.pod.OwnerReferences = ref
	pods := []corev1.Pod{running}
	if !f.noPod {
		kinds.Trim(f.pod)
		pods = append(pods, *f.pod)
	}
	s := New(scheme.Scheme, []client.Object{f.owner}, pods)
	if err := s.ReadEvents(t.Context(), fakeEvents(f.events), time.Now()); err != nil {
		t.Fatal(err)
	}
	found := s.Readiness(f.owner)
	if job, ok := f.owner.(*batchv1.Job); ok {
		found = s.JobOutcome(job)
	}
	if found.Cause == "" || !strings.Contains(found.Message, found.Cause) {
		t.Errorf("the cause is %q", found.Cause)
	}
	return found.Message
}

// fakeEvents answers a list of events by their involved object or reason.
type fakeEvents []corev1.Event

func (fakeEvents) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	return nil
}

func (f fakeEvents) List(_ context.Context, list client.ObjectList, options ...client.ListOption) error {
	var all client.ListOptions
	all.ApplyOptions(options)
	for _, e := range f {
		reason, byReason := all.FieldSelector.RequiresExactMatch("reason")
		uid, byUID := all.FieldSelector.RequiresExactMatch("involvedObject.uid")
		if (!byReason || e.Reason == reason) && (!byUID || string(e.InvolvedObject.UID) == uid) {
			list.(*corev1.EventList).Items = append(list.(*corev1.EventList).Items, e)
		}
	}
	if all.Limit == 0 {
		panic("unbounded list of events")
	}
	return nil
}

// TestCauses checks the cause in the status for each cause and each kind of pod, while another pod of the same
// controller runs.
func TestCauses(t *testing.T) {
	const quota = `Error creating: pods "n-x-1-abcde" is forbidden: exceeded quota: pods, requested: pods=1, used: pods=4, limited: pods=4`
	for name, cause := range map[string]struct {
		set  func(f *causeFixture)
		want []string
	}{
		"image pull failed": {func(f *causeFixture) {
			f.waits("ErrImagePull", `failed to resolve reference "r.example.com/x:1": r.example.com/x:1: not found`)
		}, []string{"image r.example.com/x:1", "not found; push the image"}},
		"image pull backs off": {func(f *causeFixture) {
			f.waits("ImagePullBackOff", `Back-off pulling image "r.example.com/x:1": ErrImagePull: r.example.com/x:1: not found`)
		}, []string{"ImagePullBackOff: image r.example.com/x:1: r.example.com/x:1: not found; push the image"}},
		"missing Secret key": {func(f *causeFixture) {
			f.waits("CreateContainerConfigError", "couldn't find key password in Secret ns/own")
		}, []string{"CreateContainerConfigError: couldn't find key password in Secret ns/own"}},
		"too few resources": {func(f *causeFixture) {
			f.condition(corev1.PodScheduled, corev1.ConditionFalse, "Unschedulable", "0/3 nodes are available: 3 Insufficient cpu.")
		}, []string{"cannot be scheduled", "Insufficient cpu"}},
		"taint": {func(f *causeFixture) {
			f.condition(corev1.PodScheduled, corev1.ConditionFalse, "Unschedulable", "0/3 nodes are available: 3 node(s) had untolerated taint {a: b}.")
		}, []string{"untolerated taint {a: b}"}},
		"quota refused some pods": {func(f *causeFixture) { f.withoutPod(quota) },
			[]string{"pods cannot be created: forbidden: exceeded quota: pods, requested: pods=1"}},
		"pod security refused some pods": {func(f *causeFixture) {
			f.withoutPod(`create Pod n-x-1 in StatefulSet n-x failed error: pods "n-x-1" is forbidden: violates PodSecurity "restricted:latest": x`)
		}, []string{"pods cannot be created: forbidden: violates PodSecurity"}},
		"LimitRange refused the ratio": {func(f *causeFixture) {
			f.withoutPod(`Error creating: pods "n-x-1-abcde" is forbidden: cpu max limit to request ratio per Container is 2, but provided ratio is 100.000000`)
		}, []string{"forbidden: cpu max limit to request ratio per Container is 2", "networkPods.maxLimitRequestRatio"}},
		"LimitRange refused the size": {func(f *causeFixture) {
			f.withoutPod(`Error creating: pods "n-x-1-abcde" is forbidden: maximum cpu usage per Container is 1, but limit is 2`)
		}, []string{"but limit is 2: change the LimitRange of the namespace, or the size in the spec"}},
		"OpenShift refused the user": {func(f *causeFixture) {
			f.withoutPod(`Error creating: pods "n-x-1-abcde" is forbidden: unable to validate against any security context constraint: [x]`)
		}, []string{"networkPods.fixedUserIDs to Never"}},
		"webhook refused some pods": {func(f *causeFixture) {
			f.withoutPod(`Error creating: admission webhook "w.example.com" denied the request: no`)
		},
			[]string{`admission webhook "w.example.com" denied the request: no`}},
		"volume not mounted": {func(f *causeFixture) {
			f.waits("ContainerCreating", "")
			f.event("pod", "FailedMount", `MountVolume.SetUp failed for volume "v" : configmap "own" not found`)
		}, []string{`FailedMount: MountVolume.SetUp failed for volume "v" : configmap "own" not found`}},
		"OOMKilled": {func(f *causeFixture) { f.ends(137, "OOMKilled", "") }, []string{"was OOMKilled"}},
		"killed":    {func(f *causeFixture) { f.ends(137, "Error", "") }, []string{"was killed by signal 9 (SIGKILL)"}},
		"exit code": {func(f *causeFixture) { f.ends(1, "Error", "x\nERROR: no password=S3CRET\nbye\n") }, []string{"exited with code 1: ERROR: no password=***"}},
		"back-off restart": {func(f *causeFixture) {
			f.waits("CrashLoopBackOff", "back-off 2m40s restarting failed container=x pod=y")
			f.state.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{ExitCode: 2, Message: "panic: boom"}
		}, []string{"exited with code 2: panic: boom"}},
		"restarted, not ready": {func(f *causeFixture) {
			f.state.State.Running, f.state.RestartCount = &corev1.ContainerStateRunning{}, 1
			f.state.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{ExitCode: 139, Message: "segfault error"}
		}, []string{"killed by signal 11 (SIGSEGV): segfault error"}},
		"Java heap exhausted": {func(f *causeFixture) {
			f.ends(3, "Error", "Terminating due to java.lang.OutOfMemoryError: Java heap space\n")
		}, []string{"its Java heap is exhausted: Terminating due to java.lang.OutOfMemoryError: Java heap space"}},
		"disk full": {func(f *causeFixture) { f.ends(1, "Error", "java.io.IOException: No space left on device\n") },
			[]string{"its disk is full", "No space left on device"}},
		"readiness never reached": {func(f *causeFixture) {
			f.state.State.Running = &corev1.ContainerStateRunning{}
			f.event("pod", "FailedMount", "over")
			f.event("pod", "Unhealthy", "Startup probe failed: not ready: it last printed: waiting for the network map")
		}, []string{"Unhealthy: Startup probe failed: not ready: it last printed: waiting for the network map"}},
		"RPC port refuses": {func(f *causeFixture) {
			f.state.State.Running = &corev1.ContainerStateRunning{}
			f.event("pod", "Unhealthy", "Readiness probe failed: dial tcp 10.42.0.7:10201: connect: connection refused")
		}, []string{"Unhealthy: Readiness probe failed: dial tcp 10.42.0.7:10201: connect: connection refused"}},
		"driver cannot connect": {func(f *causeFixture) {
			f.ends(1, "Error", "ERROR org.apache.activemq.artemis.core.client - AMQ214016: Failed to create netty connection\n"+
				"java.net.UnknownHostException: n-member-0.n-members.ns.svc\n\tat java.net.InetAddress.getAllByName(InetAddress.java:1)\n"+
				"drive: targets: connect to member-0 at n-member-0.n-members.ns.svc:10201 as benchnet: Cannot connect to server(s). Tried with all available servers.\n")
		}, []string{"exited with code 1: drive: targets: connect to member-0 at n-member-0.n-members.ns.svc:10201 as benchnet: Cannot connect to server(s)"}},
		"driver's login refused": {func(f *causeFixture) {
			f.ends(1, "Error", "drive: targets: connect to member-0 at n-member-0.n-members.ns.svc:10201 as benchnet: Login fails. password=S3CRET\nbye\n")
		}, []string{"targets: connect to member-0 at n-member-0.n-members.ns.svc:10201 as benchnet: Login fails. password=***"}},
		"driver's connection timed out": {func(f *causeFixture) {
			f.ends(1, "Error", "drive: connect to n-member-0:10201: connection timed out\nbye\n")
		}, []string{"exited with code 1: drive: connect to n-member-0:10201: connection timed out"}},
		"host of the driver unreachable": {func(f *causeFixture) {
			f.ends(1, "Error", "dial tcp 10.42.0.7:10201: connect: network is unreachable\nbye\n")
		}, []string{"exited with code 1: dial tcp 10.42.0.7:10201: connect: network is unreachable"}},
		"evicted": {func(f *causeFixture) {
			f.pod.Status.Phase, f.pod.Status.Reason, f.pod.Status.Message = corev1.PodFailed, "Evicted", "The node was low on resource: ephemeral-storage."
		}, []string{"Evicted: The node was low on resource"}},
		"being evicted": {func(f *causeFixture) {
			f.condition(corev1.DisruptionTarget, corev1.ConditionTrue, "EvictionByEvictionAPI", "drain")
		},
			[]string{"is being evicted: EvictionByEvictionAPI: drain"}},
		"node lost": {func(f *causeFixture) { f.pod.DeletionTimestamp = new(metav1.Now()) }, []string{"kubectl delete node node-1"}},
		"deadline exceeded": {func(f *causeFixture) {
			f.pod.Status.Phase, f.pod.Status.Reason, f.pod.Status.Message = corev1.PodFailed, "DeadlineExceeded", "Pod was active on the node longer than the specified deadline"
			f.jobFails("BackoffLimitExceeded", "Job has reached the specified backoff limit")
		}, []string{"DeadlineExceeded: Pod was active on the node longer"}},
		"back-off limit": {func(f *causeFixture) {
			f.pod.Status.Phase = corev1.PodFailed
			f.ends(1, "Error", "FATAL: no schema")
			f.jobFails("BackoffLimitExceeded", "Job has reached the specified backoff limit")
		}, []string{"exited with code 1: FATAL: no schema"}},
	} {
		for kind, k := range podKinds {
			t.Run(name+"/"+kind, func(t *testing.T) {
				f := newCauseFixture(k)
				cause.set(f)
				want := cause.want
				if name == "OOMKilled" && k.memory != "" {
					want = append([]string{"its memory limit of 160Mi; raise " + k.memory}, want...)
				}
				if name == "Java heap exhausted" && k.heap != "" {
					want = append([]string{k.heap}, want...)
				}
				got := f.message(t)
				for _, part := range want {
					if !strings.Contains(got, part) {
						t.Errorf("%q should contain %q", got, part)
					}
				}
				if strings.Contains(got, "S3CRET") || strings.Contains(got, "2m40s") || strings.Contains(got, "abcde") {
					t.Errorf("%q has a secret, or changes while the cause stays", got)
				}
			})
		}
	}
}

func TestInjectedSidecarKeepsJob(t *testing.T) {
	for kind, k := range podKinds {
		for _, code := range []int32{0, 1} {
			if !k.job {
				continue
			}
			t.Run(kind, func(t *testing.T) {
				f := newCauseFixture(k)
				f.ends(code, "Completed", "")
				f.pod.Status.ContainerStatuses = append(f.pod.Status.ContainerStatuses,
					corev1.ContainerStatus{Name: "mesh-proxy", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}})
				got := f.message(t)
				for _, part := range []string{"container mesh-proxy, which", "still runs", "native sidecar", "spec.podTemplate.metadata.labels"} {
					if !strings.Contains(got, part) {
						t.Errorf("%q should contain %q", got, part)
					}
				}
			})
		}
	}
}

// TestDisturbanceNamesCause checks that the finding about a restarted member says how its container had ended.
func TestDisturbanceNamesCause(t *testing.T) {
	pod := memberPodWithRestarts("a", 0)
	baseline, err := EncodeBaseline([]corev1.Pod{pod})
	if err != nil {
		t.Fatal(err)
	}
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "corda", RestartCount: 1, Ready: true, LastTerminationState: corev1.ContainerState{
		Terminated: &corev1.ContainerStateTerminated{ExitCode: 3, Message: "Terminating due to java.lang.OutOfMemoryError: Java heap space"}}}}
	pod.Spec.Containers = []corev1.Container{{Name: "corda"}}
	got, err := FindDisturbances(baseline, []corev1.Pod{pod}, nil)
	if err != nil || len(got) != 1 || !strings.Contains(got[0].Message, "Java heap is exhausted") {
		t.Errorf("got %+v, %v", got, err)
	}
}
