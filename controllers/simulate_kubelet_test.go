package controllers_test

import (
	"encoding/json"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// The API server of these tests has no controllers and no kubelet; the following functions simulate them.

// fillGenesisSecrets simulates the genesis Job.
func (w *testEnv) fillGenesisSecrets() {
	w.t.Helper()
	var secrets corev1.SecretList
	must(w.t, w.client.List(w.ctx, &secrets, client.InNamespace(w.namespace), client.MatchingLabels{"app.kubernetes.io/component": "genesis"}))
	if len(secrets.Items) == 0 {
		w.t.Fatal("there are no Secrets of the genesis to fill")
	}
	for i := range secrets.Items {
		s := &secrets.Items[i]
		before := s.DeepCopy()
		s.Data = map[string][]byte{"file": []byte("key of " + s.Name)}
		metav1.SetMetaDataAnnotation(&s.ObjectMeta, v1alpha1.AnnotationGenesisComplete, "done")
		must(w.t, w.client.Patch(w.ctx, s, client.MergeFrom(before), client.FieldOwner("benchnet-agent")))
	}
}

// completeJobs simulates the Job controller after pods have succeeded.
func (w *testEnv) completeJobs() {
	w.t.Helper()
	var jobs batchv1.JobList
	must(w.t, w.client.List(w.ctx, &jobs, client.InNamespace(w.namespace)))
	for i := range jobs.Items {
		j := &jobs.Items[i]
		if j.Labels[v1alpha1.LabelRun] != "" || len(j.Status.Conditions) > 0 {
			continue
		}
		w.completeJob(j.Name)
	}
}

// markStatefulSetsReady simulates the StatefulSet controller and the kubelet: it creates ready pods.
func (w *testEnv) markStatefulSetsReady() {
	w.t.Helper()
	var sets appsv1.StatefulSetList
	must(w.t, w.client.List(w.ctx, &sets, client.InNamespace(w.namespace)))
	for i := range sets.Items {
		s := &sets.Items[i]
		w.createReadyPod(s.Name+"-0", s.Spec.Template, metav1.NewControllerRef(s, appsv1.SchemeGroupVersion.WithKind("StatefulSet")))
		before := s.DeepCopy()
		s.Status.ObservedGeneration, s.Status.Replicas, s.Status.ReadyReplicas = s.Generation, 1, 1
		must(w.t, w.client.Status().Patch(w.ctx, s, client.MergeFrom(before)))
	}
}

// createReadyWorkers creates the pods of a run's Job, all ready.
func (w *testEnv) createReadyWorkers(run string) {
	w.t.Helper()
	job := &batchv1.Job{}
	w.mustGet(run, job)
	for i := range *job.Spec.Completions {
		w.createReadyPod(fmt.Sprintf("%s-%d", run, i), job.Spec.Template, metav1.NewControllerRef(job, batchv1.SchemeGroupVersion.WithKind("Job")))
	}
}

// createReadyPod creates a ready pod, unless a pod of that name exists.
func (w *testEnv) createReadyPod(name string, template corev1.PodTemplateSpec, owner *metav1.OwnerReference) *corev1.Pod {
	w.t.Helper()
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: w.namespace, Labels: template.Labels,
		OwnerReferences: []metav1.OwnerReference{*owner}}, Spec: corev1.PodSpec{NodeName: w.podNode, NodeSelector: template.Spec.NodeSelector, SecurityContext: template.Spec.SecurityContext}}
	for _, c := range template.Spec.Containers {
		pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{Name: c.Name, Image: c.Image, Resources: c.Resources, SecurityContext: c.SecurityContext})
	}
	if err := w.client.Get(w.ctx, client.ObjectKeyFromObject(pod), &corev1.Pod{}); err == nil {
		return pod
	}
	must(w.t, w.client.Create(w.ctx, pod))
	before := pod.DeepCopy()
	pod.Status.Phase = corev1.PodRunning
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: pod.Spec.Containers[0].Name, Image: pod.Spec.Containers[0].Image, ImageID: "sha256:0123", Ready: true}}
	must(w.t, w.client.Status().Patch(w.ctx, pod, client.MergeFrom(before)))
	return pod
}

// collectGarbage simulates the garbage collector for the dependents of deleted Roles.
func (w *testEnv) collectGarbage() {
	w.t.Helper()
	there := map[types.UID]bool{}
	all := w.listOwnedObjects()
	for _, o := range all {
		there[o.GetUID()] = true
	}
	for _, o := range all {
		ref := metav1.GetControllerOf(o)
		if ref != nil && ref.Kind == "Role" && !there[ref.UID] {
			must(w.t, client.IgnoreNotFound(w.client.Delete(w.ctx, o, client.PropagationPolicy(metav1.DeletePropagationBackground))))
		}
	}
}

// bringUp reconciles a network until it is Ready.
func (w *testEnv) bringUp(name string) {
	w.t.Helper()
	w.reconcileNetwork(name)
	w.fillGenesisSecrets()
	w.markStatefulSetsReady()
	w.completeJobs()
	w.reconcileNetwork(name) // The database servers are ready, so the schema Jobs are created.
	w.completeJobs()
	w.reconcileNetwork(name)
	w.markStatefulSetsReady()
	w.reconcileNetwork(name)
	w.collectGarbage()
	w.reconcileNetwork(name)
}

// reportResult simulates a worker's agent at the end: count operations with a latency of that many
// microseconds, spread evenly over the window.
func (w *testEnv) reportResult(run *v1alpha1.BenchmarkRun, worker int32, count int, micros int64, errors ...measurement.ErrorCount) {
	w.t.Helper()
	report := w.newWorkerReport(run, worker, count, micros)
	report.Errors = errors
	w.writeWorkerReport(run, report)
}

func (w *testEnv) newWorkerReport(run *v1alpha1.BenchmarkRun, worker int32, count int, micros int64) *measurement.WorkerResult {
	w.t.Helper()
	seconds := int(run.Spec.Workload.Measure.Window.Seconds())
	histogram := measurement.NewHistogram()
	completed := make([]int64, seconds)
	for i := range count {
		must(w.t, histogram.Record(micros))
		completed[i%seconds]++
	}
	encoded, err := histogram.Encode()
	must(w.t, err)
	return &measurement.WorkerResult{Worker: int(worker), StartMillis: w.now.UnixMilli(), WindowSeconds: seconds,
		Histogram: encoded, CompletedPerSecond: completed, FailedPerSecond: make([]int64, seconds),
		Ledger: &measurement.Ledger{Checked: true, Expected: int64(count), Recorded: int64(count)}}
}

// observeMembers adds idle samples of the members that the workload names, unless the report has some.
func (w *testEnv) observeMembers(run string, report *measurement.WorkerResult) {
	w.t.Helper()
	cm := &corev1.ConfigMap{}
	w.mustGet(naming.WorkloadConfigMap(run), cm)
	var workload protocol.WorkloadFile[any]
	must(w.t, json.Unmarshal([]byte(cm.Data["workload.json"]), &workload))
	each := max(1, report.SeriesSeconds)
	values := (report.WindowSeconds + each - 1) / each
	for _, o := range workload.Observe {
		named := func(m measurement.MemberUsage) bool { return m.Member == o.Member }
		if o.Kind == "" && !slices.ContainsFunc(report.Members, named) {
			report.Members = append(report.Members, measurement.MemberUsage{Member: o.Member,
				CPUSeconds: make(measurement.Series, values), MemoryBytes: make(measurement.Series, values)})
		}
	}
}

// writeWorkerReport writes a report as the worker's agent does.
func (w *testEnv) writeWorkerReport(run *v1alpha1.BenchmarkRun, report *measurement.WorkerResult) {
	w.t.Helper()
	w.observeMembers(run.Name, report)
	packed, err := measurement.EncodeWorkerResult(report)
	must(w.t, err)
	cm := &corev1.ConfigMap{}
	w.mustGet(naming.WorkerReport(run.Name, int32(report.Worker)), cm)
	before := cm.DeepCopy()
	cm.BinaryData = map[string][]byte{protocol.ResultKey: packed}
	must(w.t, w.client.Patch(w.ctx, cm, client.MergeFrom(before), client.FieldOwner("benchnet-agent")))
}
