package cluster

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

const (
	pollInterval = 500 * time.Millisecond
	logInterval  = 10 * time.Second
)

// Probe makes one attempt. It returns whether the awaited state is reached, and a description of the current state.
type Probe func() (done bool, state string)

// waitTimeout bounds every wait, only to find hangs. Durations are logged but never judged, because the machine
// may be busy.
const waitTimeout = 20 * time.Minute

// Wait calls probe until it is done and logs the state at most every ten seconds. The test fails after waitTimeout.
func (n *Namespace) Wait(what string, probe Probe) {
	n.Helper()
	began := time.Now()
	lastLogged := began
	for {
		done, state := probe()
		waited := time.Since(began).Round(100 * time.Millisecond)
		switch {
		case done:
			n.Logf("%s: after %s", what, waited)
			return
		case waited > waitTimeout:
			n.Fatalf("%s: not within %s: %s", what, waitTimeout, state)
		case time.Since(lastLogged) >= logInterval:
			lastLogged = time.Now()
			n.Logf("waiting %s for: %s: %s", waited, what, state)
		}
		time.Sleep(pollInterval)
	}
}

// requestAttempts is the maximum number of attempts of a request, because requests may time out on a busy machine.
const requestAttempts = 5

// retryRequest repeats a request until it succeeds, its object is not found or requestAttempts is reached.
func retryRequest[T any](request func() (T, error)) (T, error) {
	for attempt := 1; ; attempt++ {
		answer, err := request()
		if err == nil || apierrors.IsNotFound(err) || attempt == requestAttempts {
			return answer, err
		}
		time.Sleep(time.Second)
	}
}

// WaitReady waits until the network is ready. It fails the test at once if the network is stalled.
func (n *Namespace) WaitReady(name string) *v1alpha1.BenchmarkNetwork {
	n.Helper()
	var network *v1alpha1.BenchmarkNetwork
	n.Wait("network "+name+" is ready", func() (bool, string) {
		network = n.GetNetwork(name)
		if c := meta.FindStatusCondition(network.Status.Conditions, v1alpha1.ConditionStalled); c != nil && c.Status == "True" {
			n.Fatalf("network %s cannot get ready: %s: %s", name, c.Reason, c.Message)
		}
		c := meta.FindStatusCondition(network.Status.Conditions, v1alpha1.ConditionReady)
		if c == nil || network.Status.ObservedGeneration != network.Generation {
			return false, "the operator has not observed it yet"
		}
		return c.Status == "True", c.Message
	})
	return network
}

// WaitMeasuring waits until the start of the run's window. It fails the test if the run ends before that.
func (n *Namespace) WaitMeasuring(name string) *v1alpha1.BenchmarkRun {
	n.Helper()
	var run *v1alpha1.BenchmarkRun
	n.Wait("run "+name+" measures", func() (bool, string) {
		var state string
		if run, state = n.readRun(name); run != nil && run.IsComplete() {
			n.Fatalf("run %s ended before its window was seen: %s", name, state)
		}
		return run != nil && run.Status.Window != nil && time.Now().After(run.Status.Window.Start.Time), state
	})
	return run
}

// WaitEnded waits until the run has ended, successfully or not.
func (n *Namespace) WaitEnded(name string) *v1alpha1.BenchmarkRun {
	n.Helper()
	var run *v1alpha1.BenchmarkRun
	n.Wait("run "+name+" has ended", func() (bool, string) {
		var state string
		run, state = n.readRun(name)
		return run != nil && run.IsComplete(), state
	})
	n.Log(RunSummary(run))
	return run
}

// readRun returns a run, or nil if it cannot be read, and a description of its state.
func (n *Namespace) readRun(name string) (*v1alpha1.BenchmarkRun, string) {
	n.Helper()
	run := &v1alpha1.BenchmarkRun{}
	if err := n.Client.Get(n.Context(), client.ObjectKey{Namespace: n.Name, Name: name}, run); err != nil {
		return nil, err.Error()
	}
	state := run.Status.Display.Progress
	if c := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionComplete); c != nil {
		state += ": " + c.Message
	}
	return run, state
}

// RunSummary returns the results of a run in one line.
func RunSummary(run *v1alpha1.BenchmarkRun) string {
	text := fmt.Sprintf("run %s: %s, %s, verdict %s", run.Name, run.Status.Phase, run.Status.Display.Throughput, run.Status.Verdict)
	if l := run.Status.LatencyMicroseconds; l != nil {
		text += fmt.Sprintf(", latency µs mean %d max %d", l.Mean, l.Max)
		if l.P95 != nil {
			text += fmt.Sprintf(" p50 %d p95 %d", *l.P50, *l.P95)
		}
	}
	for _, r := range run.Status.Reasons {
		text += fmt.Sprintf("; %s %s: %s", r.Severity, r.Reason, r.Message)
	}
	if c := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionMeasured); c != nil && c.Status != "True" {
		text += "; " + c.Message
	}
	return text
}

// WaitReplaced waits until a deleted pod has been replaced by a ready pod of the same name.
func (n *Namespace) WaitReplaced(old *corev1.Pod) *corev1.Pod {
	n.Helper()
	pod := &corev1.Pod{}
	n.Wait("pod "+old.Name+" is back", func() (bool, string) {
		*pod = corev1.Pod{}
		if err := n.Client.Get(n.Context(), client.ObjectKeyFromObject(old), pod); err != nil {
			return false, err.Error()
		}
		if pod.UID == old.UID {
			return false, "the old pod is still there"
		}
		return isPodReady(pod), "phase " + string(pod.Status.Phase)
	})
	return pod
}

func isPodReady(pod *corev1.Pod) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// WaitTerminated waits until a container of the pod has terminated, and returns its exit code and the pod's log.
func (n *Namespace) WaitTerminated(name string) (code int32, output string) {
	n.Helper()
	n.Wait("pod "+name+" has ended", func() (bool, string) {
		pod := n.GetPod(name)
		for _, c := range pod.Status.ContainerStatuses {
			if c.State.Terminated != nil {
				code = c.State.Terminated.ExitCode
				return true, ""
			}
		}
		return false, "phase " + string(pod.Status.Phase)
	})
	return code, strings.TrimSpace(n.RunKubectl("logs", name))
}
