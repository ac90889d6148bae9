package cache

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/kinds"
)

// repeat returns n items made of their indices.
func repeat[T any](n int, item func(i int) T) []T {
	all := make([]T, n)
	for i := range all {
		all[i] = item(i)
	}
	return all
}

// manyTexts returns n short texts.
func manyTexts(n int) map[string]string {
	texts := make(map[string]string, n)
	for i := range n {
		texts[fmt.Sprintf("key-%d", i)] = "a short value"
	}
	return texts
}

func manyBytes(n int) map[string][]byte {
	all := make(map[string][]byte, n)
	for key, text := range manyTexts(n) {
		all[key] = []byte(text)
	}
	return all
}

// longText returns a text of 64 n bytes.
func longText(n int) string { return strings.Repeat("x", 64*n) }

// maxHostileItems makes an object of about a mebibyte.
const maxHostileItems = 16 << 10

// shape builds an object whose content grows with n.
type shape func(n int) client.Object

// hostileShapes returns shapes of the kinds that the operator watches and users do not create.
func hostileShapes() []shape {
	return []shape{
		func(n int) client.Object { return &corev1.ConfigMap{Data: map[string]string{"text": longText(n)}} },
		func(n int) client.Object { return &corev1.ConfigMap{Data: manyTexts(n), BinaryData: manyBytes(n)} },
		func(n int) client.Object {
			return &corev1.ConfigMap{BinaryData: map[string][]byte{"b": []byte(longText(n))}}
		},
		func(n int) client.Object { return &corev1.Secret{Data: map[string][]byte{"key": []byte(longText(n))}} },
		func(n int) client.Object {
			return &corev1.Secret{Data: manyBytes(n), Type: corev1.SecretType(longText(n / 4))}
		},
		func(n int) client.Object {
			return &rbacv1.Role{Rules: repeat(n, func(int) rbacv1.PolicyRule { return rbacv1.PolicyRule{Verbs: []string{"get"}} })}
		},
		func(n int) client.Object {
			subjects := repeat(n, func(i int) rbacv1.Subject { return rbacv1.Subject{Name: fmt.Sprint(i)} })
			return &rbacv1.RoleBinding{RoleRef: rbacv1.RoleRef{Name: longText(n)}, Subjects: subjects}
		},
		func(n int) client.Object {
			return &corev1.ServiceAccount{
				Secrets:          repeat(n, func(i int) corev1.ObjectReference { return corev1.ObjectReference{Name: fmt.Sprint(i)} }),
				ImagePullSecrets: repeat(n, func(i int) corev1.LocalObjectReference { return corev1.LocalObjectReference{Name: fmt.Sprint(i)} })}
		},
		func(n int) client.Object {
			ingress := repeat(n/10, func(int) corev1.LoadBalancerIngress { return corev1.LoadBalancerIngress{Hostname: "h"} })
			return &corev1.Service{Spec: corev1.ServiceSpec{Selector: manyTexts(n)},
				Status: corev1.ServiceStatus{LoadBalancer: corev1.LoadBalancerStatus{Ingress: ingress}}}
		},
		func(n int) client.Object {
			return &corev1.PersistentVolumeClaim{Spec: corev1.PersistentVolumeClaimSpec{Selector: &metav1.LabelSelector{MatchLabels: manyTexts(n)}}}
		},
		func(n int) client.Object {
			return &networkingv1.NetworkPolicy{Spec: networkingv1.NetworkPolicySpec{PodSelector: metav1.LabelSelector{MatchLabels: manyTexts(n)}}}
		},
		func(n int) client.Object {
			return &policyv1.PodDisruptionBudget{Status: policyv1.PodDisruptionBudgetStatus{DisruptedPods: map[string]metav1.Time{longText(n): {}}}}
		},
		hostilePod, hostileStatefulSet, hostileJob, hostileWorkload,
	}
}

// userShapes returns shapes of the kinds that users create.
func userShapes() []shape {
	return []shape{
		func(n int) client.Object {
			network := &v1alpha1.BenchmarkNetwork{}
			values := &apiextensionsv1.JSON{Raw: []byte(`{"text":"` + longText(n) + `"}`)}
			network.Spec.Database = &v1alpha1.DatabaseSpec{Chart: &v1alpha1.DatabaseChart{Values: values}}
			return network
		},
		func(n int) client.Object {
			network := &v1alpha1.BenchmarkNetwork{}
			network.Spec.PodTemplate = &v1alpha1.PodTemplate{Metadata: v1alpha1.PodMetadata{Annotations: manyTexts(n)}}
			network.Spec.Workloads = make([]v1alpha1.NetworkWorkload, n/1000)
			return network
		},
		func(n int) client.Object {
			run := &v1alpha1.BenchmarkRun{Spec: v1alpha1.BenchmarkRunSpec{NetworkName: "n"}}
			run.Spec.Workload.Objectives = make([]v1alpha1.Objective, n)
			return run
		},
		func(n int) client.Object {
			run := &v1alpha1.BenchmarkRun{Spec: v1alpha1.BenchmarkRunSpec{NetworkName: "n"}}
			run.Spec.Workload.Name = longText(n)
			return run
		},
		func(n int) client.Object {
			patch := &apiextensionsv1.JSON{Raw: []byte(`{"text":"` + longText(8) + `"}`)}
			variants := repeat(n/16, func(i int) v1alpha1.Variant { return v1alpha1.Variant{Name: fmt.Sprint(i), Patch: patch} })
			return &v1alpha1.BenchmarkExperiment{Spec: v1alpha1.BenchmarkExperimentSpec{Variants: variants}}
		},
	}
}

func hostileWorkload(n int) client.Object {
	conditions := repeat(n/200, func(i int) metav1.Condition {
		return metav1.Condition{Type: []string{kueue.WorkloadAdmitted, fmt.Sprint(i)}[min(i, 1)], Message: longText(64)}
	})
	return &kueue.Workload{Spec: kueue.WorkloadSpec{PodSets: []kueue.PodSet{{Name: "all", Template: hostileTemplate(n)}}},
		Status: kueue.WorkloadStatus{Conditions: conditions, AdmissionChecks: []kueue.AdmissionCheckState{{Message: longText(n)}}}}
}

func hostilePod(n int) client.Object {
	resources := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1"), corev1.ResourceMemory: resource.MustParse("1")}
	for i := range n / 100 {
		resources[corev1.ResourceName(fmt.Sprintf("example.com/%d", i))] = resource.MustParse("1")
	}
	containers := repeat(min(n/10, 200), func(i int) corev1.Container {
		return corev1.Container{Name: fmt.Sprintf("c-%d", i), Env: []corev1.EnvVar{{Name: "E", Value: longText(1)}},
			Resources: corev1.ResourceRequirements{Limits: resources, Requests: resources}}
	})
	statuses := repeat(n/200, func(i int) corev1.ContainerStatus {
		end := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1, Reason: longText(16), Message: longText(64)}}
		return corev1.ContainerStatus{Name: fmt.Sprintf("c-%d", i), Image: longText(16), ImageID: longText(16), State: end, LastTerminationState: end}
	})
	conditions := repeat(n/200, func(int) corev1.PodCondition {
		return corev1.PodCondition{Type: corev1.PodReady, Reason: longText(16), Message: longText(16)}
	})
	return &corev1.Pod{Spec: corev1.PodSpec{Containers: containers}, Status: corev1.PodStatus{Conditions: conditions,
		InitContainerStatuses: statuses, ContainerStatuses: statuses, EphemeralContainerStatuses: statuses}}
}

func hostileTemplate(n int) corev1.PodTemplateSpec {
	volumes := repeat(n/10, func(i int) corev1.Volume {
		return corev1.Volume{Name: fmt.Sprint(i), VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: resource.NewQuantity(1, "")}}}
	})
	return corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Annotations: manyTexts(n)}, Spec: corev1.PodSpec{Volumes: volumes}}
}

func hostileStatefulSet(n int) client.Object {
	claims := repeat(n/10, func(int) corev1.PersistentVolumeClaim {
		return corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "v", Annotations: manyTexts(1)}}
	})
	return &appsv1.StatefulSet{Spec: appsv1.StatefulSetSpec{Template: hostileTemplate(n), VolumeClaimTemplates: claims}}
}

func hostileJob(n int) client.Object {
	conditions := repeat(n/100, func(int) batchv1.JobCondition { return batchv1.JobCondition{Message: longText(16)} })
	return &batchv1.Job{Spec: batchv1.JobSpec{Template: hostileTemplate(n)},
		Status: batchv1.JobStatus{CompletedIndexes: strings.Repeat("1,", n), Conditions: conditions}}
}

// crowdMetadata adds items to each part of the metadata that may be large, and the label by which the cache selects objects.
func crowdMetadata(o client.Object, n int) {
	o.SetAnnotations(manyTexts(n))
	o.SetLabels(manyTexts(n))
	o.GetLabels()["app.kubernetes.io/managed-by"] = "benchnet"
	o.SetFinalizers(repeat(n, func(i int) string { return fmt.Sprintf("example.com/%0200d", i) }))
	o.SetOwnerReferences(repeat(n/4, func(i int) metav1.OwnerReference {
		return metav1.OwnerReference{Kind: "Pod", APIVersion: "v1", Name: fmt.Sprint(i), UID: "x"}
	}))
}

// forgedOwner returns an owner reference that anybody can set.
func forgedOwner(name string) metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: v1alpha1.GroupVersion.String(), Kind: "BenchmarkNetwork", Name: name, UID: "made-up", Controller: new(true)}
}

// decodable is an object that the API server sends as a protocol buffer.
type decodable interface {
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

// receive decodes an object as the API server sends it: as JSON if a CRD defines it.
func receive(sent, received client.Object) error {
	from, builtIn := sent.(decodable)
	if !builtIn {
		encoded, err := json.Marshal(sent)
		return errors.Join(err, json.Unmarshal(encoded, received))
	}
	encoded, err := from.Marshal()
	return errors.Join(err, received.(decodable).Unmarshal(encoded))
}

// compact compacts an object as a cache does that receives it from the API server.
func compact(t *testing.T, c *Compactor, o client.Object, owners ...metav1.OwnerReference) client.Object {
	t.Helper()
	o.SetOwnerReferences(append(o.GetOwnerReferences(), owners...))
	received := reflect.New(reflect.TypeOf(o).Elem()).Interface().(client.Object)
	if err := receive(o, received); err != nil {
		t.Fatal(err)
	}
	received.SetName("o")
	kept, err := c.Compact(received)
	if err != nil {
		t.Fatal(err)
	}
	return kept.(client.Object)
}

func liveHeap() int {
	runtime.GC()
	runtime.GC() // Pools of buffers are emptied by the second one.
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int(stats.HeapAlloc)
}

// TestHostileObjectsAreBounded builds objects that only a forged label, or a forged owner too, marks as the operator's. Whatever
// their size, the cache keeps no more than the identity without an owner, and a bounded content with one.
func TestHostileObjectsAreBounded(t *testing.T) {
	c := NewCompactor()
	worst, size := map[reflect.Type]func() client.Object{}, map[reflect.Type]int{}
	for i, build := range hostileShapes() {
		kind, limit := reflect.TypeOf(build(0)).Elem(), 48<<10
		if kind == reflect.TypeFor[corev1.Pod]() {
			limit = 160 << 10 // Only kubelets write statuses.
		}
		t.Run(fmt.Sprintf("%d %s", i, kind), func(t *testing.T) {
			foreign := build(maxHostileItems)
			crowdMetadata(foreign, 2000)
			for _, owners := range [][]metav1.OwnerReference{nil, {forgedOwner(longText(maxHostileItems))}} {
				if kept := compact(t, c, foreign, owners...); kinds.Size(kept) > 2<<10 || kept.GetName() != "o" {
					t.Errorf("of a foreign object the cache keeps %d bytes: %.1000v", kinds.Size(kept), kept)
				}
			}
			for n := maxHostileItems; n > 0; n = n * 2 / 3 {
				for _, crowd := range []int{2000, 32} {
					owned := func() client.Object {
						o := build(n)
						crowdMetadata(o, crowd)
						return compact(t, c, o, forgedOwner("n"))
					}
					kept := owned()
					if kinds.Size(kept) > limit || kept.GetLabels()["app.kubernetes.io/managed-by"] == "" || metav1.GetControllerOf(kept) == nil {
						t.Errorf("of an object with %d items the cache keeps %d bytes: %.1000v", n, kinds.Size(kept), kept)
					}
					if kinds.Size(kept) > size[kind] {
						worst[kind], size[kind] = owned, kinds.Size(kept)
					}
				}
			}
		})
	}
	if want := len(kinds.Owned()) + 1; len(worst) != want { // Pods and Workloads are not in the list, runs are for the next test.
		t.Fatalf("the test has %d kinds, want %d", len(worst), want)
	}
	checkHeap(t, worst)
}

// TestUsersObjectsAreBounded builds objects of the kinds that users create. The cache keeps no spec that exceeds its bound, but says
// so, and keeps the network of a run. Trimming twice changes nothing.
func TestUsersObjectsAreBounded(t *testing.T) {
	c := NewCompactor()
	worst, size := map[reflect.Type]func() client.Object{}, map[reflect.Type]int{}
	for i, build := range userShapes() {
		kind := reflect.TypeOf(build(0)).Elem()
		t.Run(fmt.Sprintf("%d %s", i, kind), func(t *testing.T) {
			for n := maxHostileItems; n > 0; n = n * 2 / 3 {
				for _, crowd := range []int{2000, 100, 2} {
					hostile := func() client.Object {
						o := build(n)
						crowdMetadata(o, crowd)
						return compact(t, c, o, forgedOwner("n"))
					}
					kept := hostile()
					again, err := c.Compact(kept.DeepCopyObject())
					omitted := kinds.ValidateSpecSize(kept) != nil
					run, isRun := kept.(*v1alpha1.BenchmarkRun)
					switch {
					case kinds.Size(kept) > kinds.MaxSpecBytes+16<<10, omitted && kinds.Size(kept) > 16<<10:
						t.Errorf("of an object with %d items the cache keeps %d bytes: %.1000v", n, kinds.Size(kept), kept)
					case !omitted && len(kept.GetFinalizers()) != crowd, n == maxHostileItems && !omitted:
						t.Errorf("with %d items and %d finalizers, the spec is omitted: %t", n, crowd, omitted)
					case isRun && run.Spec.NetworkName != "n", metav1.GetControllerOf(kept) == nil:
						t.Errorf("the object lost its network or its owner: %.1000v", kept)
					case err != nil || !reflect.DeepEqual(again, kept):
						t.Errorf("trimmed twice, it is %.1000v, before %.1000v: %v", again, kept, err)
					}
					if kinds.Size(kept) > size[kind] {
						worst[kind], size[kind] = hostile, kinds.Size(kept)
					}
				}
			}
			if size[kind] < kinds.MaxSpecBytes/2 {
				t.Errorf("the largest object has %d bytes, so nothing near the bound was tried", size[kind])
			}
		})
	}
	for kind, build := range worst {
		t.Run(kind.String(), func(t *testing.T) { checkHeap(t, map[reflect.Type]func() client.Object{kind: build}) })
	}
}

// checkHeap measures the heap that 500 objects of each kind take, each of the size of which the cache keeps the most.
func checkHeap(t *testing.T, worst map[reflect.Type]func() client.Object) {
	t.Helper()
	const samples, number, bound = 10, 500, 256 << 20
	var kept []client.Object
	before := liveHeap()
	for _, build := range worst {
		for range samples {
			kept = append(kept, build())
		}
	}
	total := (liveHeap() - before) * number / samples
	runtime.KeepAlive(kept)
	t.Logf("%d objects of each of %d kinds take %d MiB", number, len(worst), total>>20)
	if total > bound {
		t.Errorf("%d objects of each kind take %d MiB, want at most %d", number, total>>20, bound>>20)
	}
}
