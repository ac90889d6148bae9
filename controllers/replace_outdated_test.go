package controllers_test

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
)

const (
	goodRegistry = "ghcr.io/benchnet"
	badRegistry  = "registry.invalid"
)

// reconcileWith makes a pass of the network, or of one of its runs, by an operator that takes images from the registry.
func (w *testEnv) reconcileWith(registry, name string) {
	w.t.Helper()
	images := naming.ImageCatalogue{Registry: registry, Version: testImages.Version}
	network, run := w.networkReconciler(), w.runReconciler()
	network.Images, run.Images = images, images
	var err error
	if w.isGone(name, &v1alpha1.BenchmarkRun{}) {
		_, err = network.Reconcile(w.ctx, w.requestFor(name))
	} else {
		_, err = run.Reconcile(w.ctx, w.requestFor(name))
	}
	must(w.t, err)
}

// createPod creates a pod whose only container is in that state.
func (w *testEnv) createPod(name string, owner *metav1.OwnerReference, labels map[string]string, state corev1.ContainerState) {
	w.t.Helper()
	pod := &corev1.Pod{ObjectMeta: w.objectMeta(name), Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "c"}}}}
	pod.Labels, pod.OwnerReferences = labels, []metav1.OwnerReference{*owner}
	must(w.t, w.client.Create(w.ctx, pod))
	pod.Status.Phase = corev1.PodPending
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "c", State: state}}
	must(w.t, w.client.Status().Update(w.ctx, pod))
}

func (w *testEnv) deletePod(name string) {
	w.t.Helper()
	must(w.t, client.IgnoreNotFound(w.client.Delete(w.ctx, &corev1.Pod{ObjectMeta: w.objectMeta(name)}, client.GracePeriodSeconds(0))))
}

var withoutImage = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: "no such host"}}

// expectJobReplaced checks that a Job of a bad image is replaced when the image is corrected, and only then.
func (w *testEnv) expectJobReplaced(t *testing.T, owner, name string) {
	t.Helper()
	job := &batchv1.Job{}
	w.mustGet(name, job)
	reference := metav1.NewControllerRef(job, batchv1.SchemeGroupVersion.WithKind("Job"))
	w.createPod(name+"-x", reference, job.Spec.Template.Labels, corev1.ContainerState{Running: &corev1.ContainerStateRunning{}})
	w.reconcileWith(goodRegistry, owner)
	if w.jobUID(name) != job.UID {
		t.Fatal("a Job with a running container should stay")
	}
	w.deletePod(name + "-x")
	w.createPod(name+"-x", reference, job.Spec.Template.Labels, withoutImage)
	w.reconcileWith(badRegistry, owner)
	if w.jobUID(name) != job.UID {
		t.Fatal("a stuck Job of the same template should stay")
	}
	for range 2 {
		w.reconcileWith(goodRegistry, owner)
	}
	if uid := w.jobUID(name); uid == "" || uid == job.UID {
		t.Fatalf("the stuck Job should be replaced, but it is %q, before %q", uid, job.UID)
	}
	w.deletePod(name + "-x")
	w.mustGet(name, job)
	for _, c := range append(job.Spec.Template.Spec.InitContainers, job.Spec.Template.Spec.Containers...) {
		if strings.HasPrefix(c.Image, badRegistry) {
			t.Errorf("container %s of the new Job has image %s", c.Name, c.Image)
		}
	}
}

func (w *testEnv) replicasOf(name string) int32 {
	w.t.Helper()
	set := &appsv1.StatefulSet{}
	w.mustGet(name, set)
	return *set.Spec.Replicas
}

// setRevision simulates the StatefulSet controller, which has observed a template.
func (w *testEnv) setRevision(name, revision string) *appsv1.StatefulSet {
	w.t.Helper()
	set := &appsv1.StatefulSet{}
	w.mustGet(name, set)
	set.Status.ObservedGeneration, set.Status.UpdateRevision, set.Status.ReadyReplicas = set.Generation, revision, 0
	must(w.t, w.client.Status().Update(w.ctx, set))
	return set
}

// createOutdatedPod replaces the pod of a StatefulSet by one of an older template that is not ready.
func (w *testEnv) createOutdatedPod(name string) {
	w.t.Helper()
	set := w.setRevision(name, "good")
	labels := map[string]string{appsv1.ControllerRevisionHashLabelKey: "bad"}
	for key, value := range set.Spec.Template.Labels {
		labels[key] = value
	}
	w.deletePod(name + "-0")
	w.createPod(name+"-0", metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind("StatefulSet")), labels, withoutImage)
}

// expectPodReplaced checks that the pod of a StatefulSet is replaced that has an older template and is not ready.
func (w *testEnv) expectPodReplaced(t *testing.T, name string) {
	t.Helper()
	w.createOutdatedPod(name)
	w.setRevision(name, "bad")
	w.reconcileWith(goodRegistry, "banks")
	if n := w.replicasOf(name); n != 1 {
		t.Fatalf("a pod of the present template should stay, but there are %d replicas", n)
	}
	w.setRevision(name, "good")
	for range 2 {
		w.reconcileWith(goodRegistry, "banks")
		if n := w.replicasOf(name); n != 0 {
			t.Fatalf("the pod should be deleted, but there are %d replicas", n)
		}
	}
	if c := w.networkReady(); c.Status == metav1.ConditionTrue || !strings.Contains(c.Message, name) {
		t.Errorf("Ready should name the StatefulSet: %+v", c)
	}
	w.deletePod(name + "-0")
	w.reconcileWith(goodRegistry, "banks")
	if n := w.replicasOf(name); n != 1 {
		t.Fatalf("the pod should be created again, but there are %d replicas", n)
	}
	w.setRevision(name, "good")
	w.markStatefulSetsReady()
}

// TestRepairedImageReplacesPods covers every pod of a network whose images could not be pulled at first: genesis, database,
// member and worker. A member keeps its pod while a run is measured.
func TestRepairedImageReplacesPods(t *testing.T) {
	w := newTestEnv(t)
	must(t, w.createFromYAML(cordaNetwork, &v1alpha1.BenchmarkNetwork{}))
	w.reconcileWith(badRegistry, "banks")
	w.expectJobReplaced(t, "banks", naming.GenesisJob("banks"))
	w.fillGenesisSecrets()
	w.markStatefulSetsReady()
	w.completeJobs()
	w.expectPodReplaced(t, w.statefulSetNames()[0])
	w.reconcileWith(goodRegistry, "banks") // The names of Jobs for schemas have a hash of their images.
	w.completeJobs()
	w.reconcileWith(goodRegistry, "banks")
	member := naming.Member("banks", "member-0")
	w.markStatefulSetsReady()
	w.expectPodReplaced(t, member)
	w.bringUp("banks")

	const run = "banks-issue"
	w.reconcileWith(badRegistry, run)
	w.expectJobReplaced(t, run, naming.WorkerJob(run))
	w.createReadyWorkers(run)
	w.reconcileWith(goodRegistry, run)
	if w.getRun(run).Status.Release == nil {
		t.Fatalf("the run should be released: %+v", w.getRun(run).Status)
	}
	w.createOutdatedPod(member)
	w.reconcileWith(goodRegistry, "banks")
	if n := w.replicasOf(member); n != 1 {
		t.Errorf("a member should keep its pod while a run is measured, but has %d replicas", n)
	}
	w.markRunComplete(run)
	w.reconcileWith(goodRegistry, "banks")
	if n := w.replicasOf(member); n != 0 {
		t.Errorf("the pod of the member should be replaced after the run, but has %d replicas", n)
	}
}
