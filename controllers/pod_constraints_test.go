package controllers_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/naming"
)

// TestPodsMeetConstraints brings up a network of each platform and its runs in a namespace whose limits are at most twice their
// requests, and which has the pod security level "restricted".
func TestPodsMeetConstraints(t *testing.T) {
	for _, sample := range []string{"corda_two_banks", "corda_per_member", "jpaxos_j1", "malachite_m1", "malachiteevm_e1", "cometbft_blocks", "emerald_e1"} {
		t.Run(sample, func(t *testing.T) {
			w := newTestEnv(t)
			w.podConstraints = pods.Constraints{AssignedUserIDs: true, MaxLimitRequestRatio: 2}
			w.restrictNamespace()
			text, err := os.ReadFile(filepath.Join("..", "config", "samples", sample+".yaml"))
			must(t, err)
			network := &v1alpha1.BenchmarkNetwork{}
			must(t, w.createFromYAML(string(text), network))
			for range 4 {
				w.reconcileNetwork(network.Name)
				w.fillGenesisSecretsIfAny()
				w.markStatefulSetsReady()
				w.completeJobs()
			}
			w.reconcileNetwork(network.Name)
			started := false
			for _, run := range w.runNames() {
				w.reconcileRun(run)
				err := w.client.Get(w.ctx, client.ObjectKey{Namespace: w.namespace, Name: naming.WorkerJob(run)}, &batchv1.Job{})
				started = started || err == nil
			}
			if !started {
				t.Fatalf("no run has workers: %+v", w.getRun(w.runNames()[0]).Status.Conditions)
			}
			templates := w.podTemplates()
			for name, template := range templates {
				pod := &corev1.Pod{ObjectMeta: w.objectMeta(strings.ToLower(strings.ReplaceAll(name, " ", "-"))), Spec: template.Spec}
				if err := w.client.Create(w.ctx, pod, client.DryRunAll); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				wantNoUserIDs(t, name, &template.Spec)
			}
		})
	}
}

// restrictNamespace creates a LimitRange and waits until the API server enforces it.
func (w *testEnv) restrictNamespace() {
	w.t.Helper()
	ns := &corev1.Namespace{}
	must(w.t, w.client.Get(w.ctx, client.ObjectKey{Name: w.namespace}, ns))
	ns.Labels["pod-security.kubernetes.io/enforce"] = "restricted"
	must(w.t, w.client.Update(w.ctx, ns))
	ratio := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2"), corev1.ResourceMemory: resource.MustParse("2")}
	must(w.t, w.client.Create(w.ctx, &corev1.LimitRange{ObjectMeta: w.objectMeta("ratio"), Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{
		{Type: corev1.LimitTypeContainer, MaxLimitRequestRatio: ratio}, {Type: corev1.LimitTypePod, MaxLimitRequestRatio: ratio}}}}))
	probe := &corev1.Pod{ObjectMeta: w.objectMeta("probe"), Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "probe", Image: "probe",
		SecurityContext: pods.RestrictedSecurityContext(), Resources: pods.SmallResources()}}, SecurityContext: pods.PodSecurityContext()}}
	w.waitFor("the API server enforces the LimitRange", func() bool {
		err := w.client.Create(w.ctx, probe.DeepCopy(), client.DryRunAll)
		return err != nil && strings.Contains(err.Error(), "limit to request ratio")
	})
}

// podTemplates returns the pod templates of all StatefulSets and Jobs in the test's namespace.
func (w *testEnv) podTemplates() map[string]corev1.PodTemplateSpec {
	w.t.Helper()
	templates := map[string]corev1.PodTemplateSpec{}
	var sets appsv1.StatefulSetList
	var jobs batchv1.JobList
	must(w.t, w.client.List(w.ctx, &sets, client.InNamespace(w.namespace)))
	must(w.t, w.client.List(w.ctx, &jobs, client.InNamespace(w.namespace)))
	for i := range sets.Items {
		template := sets.Items[i].Spec.Template
		for _, claim := range sets.Items[i].Spec.VolumeClaimTemplates {
			template.Spec.Volumes = append(template.Spec.Volumes, corev1.Volume{Name: claim.Name})
		}
		templates["StatefulSet "+sets.Items[i].Name] = template
	}
	for i := range jobs.Items {
		templates["Job "+jobs.Items[i].Name] = jobs.Items[i].Spec.Template
	}
	return templates
}

func wantNoUserIDs(t *testing.T, name string, pod *corev1.PodSpec) {
	t.Helper()
	if s := pod.SecurityContext; s == nil || s.RunAsUser != nil || s.RunAsGroup != nil || s.FSGroup != nil || s.RunAsNonRoot == nil || !*s.RunAsNonRoot {
		t.Errorf("%s: the pod should have no user or group and run as non-root: %+v", name, s)
	}
	for _, containers := range [][]corev1.Container{pod.InitContainers, pod.Containers} {
		for _, c := range containers {
			if s := c.SecurityContext; s == nil || s.RunAsUser != nil || s.RunAsGroup != nil {
				t.Errorf("%s: container %s should have no user or group: %+v", name, c.Name, s)
			}
		}
	}
}
