package kinds

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/limits"
	"github.com/benchnet/benchnet/internal/kube/termination"
	"github.com/benchnet/benchnet/internal/naming"
)

// Trim removes the fields of an object that the operator never reads, in place. It removes managed fields and
// the data of Secrets with AnnotationGenerated, of which it keeps a digest. A pod keeps only its node, its resources and those of
// its containers and sidecars, the names of ephemeral ones and its status; a StatefulSet keeps only what status and plan need; a NetworkPolicy and a
// PodDisruptionBudget keep a digest of the spec, a Job only what can change, and a Kueue Workload neither pod sets nor more of its
// status than conditions. Digests replace long texts in the ConfigMaps of members, long binary data in all ConfigMaps, and whatever
// exceeds its bound. Of an object of a user that exceeds MaxSpecBytes, it keeps no spec. Trim is idempotent.
func Trim(object any) {
	o, ok := object.(metav1.Object)
	if !ok {
		return
	}
	boundMetadata(o)
	setDefaults(object)
	switch o := object.(type) {
	case *corev1.Secret:
		if o.Annotations[v1alpha1.AnnotationGenerated] != "" {
			if len(o.Data) > 0 {
				o.StringData = map[string]string{digestKey: SecretDigest(o)}
			}
			o.Data = nil
		}
	case *corev1.ConfigMap:
		if o.Labels[naming.LabelComponent] == string(naming.ComponentMember) {
			digestTexts(o.Data, len(digestPrefix)+hex.EncodedLen(sha256.Size))
		}
		digestBinary(o.BinaryData)
	case *corev1.Pod:
		debuggers, ended := trimEphemeralContainers(o)
		o.Spec, o.Status = trimPodSpec(&o.Spec), trimPodStatus(&o.Status)
		o.Spec.EphemeralContainers, o.Status.EphemeralContainerStatuses = debuggers, ended
	case *appsv1.StatefulSet:
		o.Spec, o.Status = trimStatefulSetSpec(&o.Spec), appsv1.StatefulSetStatus{ObservedGeneration: o.Status.ObservedGeneration,
			Replicas: o.Status.Replicas, ReadyReplicas: o.Status.ReadyReplicas, UpdateRevision: o.Status.UpdateRevision}
	case *batchv1.Job:
		o.Spec, o.Status = batchv1.JobSpec{Parallelism: o.Spec.Parallelism, Completions: o.Spec.Completions, BackoffLimit: o.Spec.BackoffLimit,
			ActiveDeadlineSeconds: o.Spec.ActiveDeadlineSeconds, TTLSecondsAfterFinished: o.Spec.TTLSecondsAfterFinished}, trimJobStatus(&o.Status)
	case *kueue.Workload:
		o.Spec.PodSets, o.Status = nil, kueue.WorkloadStatus{Conditions: workloadConditions(o.Status.Conditions)}
	}
	boundFields(o)
}

// setDefaults sets fields that the API server sets, and that the operator compares.
func setDefaults(object any) {
	switch o := object.(type) {
	case *networkingv1.NetworkPolicy:
		if len(keptDigests(o)) == 0 { // It is not trimmed yet.
			setPolicyDefaults(&o.Spec)
		}
	case *corev1.Service:
		for i := range o.Spec.Ports {
			if p := &o.Spec.Ports[i]; p.TargetPort == (intstr.IntOrString{}) {
				p.TargetPort = intstr.FromInt32(p.Port)
			}
		}
	case *rbacv1.RoleBinding:
		o.RoleRef.APIGroup = cmp.Or(o.RoleRef.APIGroup, rbacv1.GroupName)
	}
}

// setPolicyDefaults sets what the API server sets, so that equal specs have equal digests.
func setPolicyDefaults(spec *networkingv1.NetworkPolicySpec) {
	if len(spec.PolicyTypes) == 0 {
		spec.PolicyTypes = []networkingv1.PolicyType{networkingv1.PolicyTypeIngress}
		if len(spec.Egress) > 0 {
			spec.PolicyTypes = append(spec.PolicyTypes, networkingv1.PolicyTypeEgress)
		}
	}
	setProtocols := func(ports []networkingv1.NetworkPolicyPort) {
		for i := range ports {
			ports[i].Protocol = cmp.Or(ports[i].Protocol, new(corev1.ProtocolTCP))
		}
	}
	for i := range spec.Ingress {
		setProtocols(spec.Ingress[i].Ports)
	}
	for i := range spec.Egress {
		setProtocols(spec.Egress[i].Ports)
	}
}

// digestKey is the key of a trimmed Secret's digest. It is in StringData, which the API server never returns.
const digestKey = "sha256"

// SecretDigest returns a digest of the content of a Secret, also of a trimmed one. It is empty for a Secret without data.
func SecretDigest(secret *corev1.Secret) string {
	if len(secret.Data) == 0 {
		return secret.StringData[digestKey]
	}
	sum := sha256.New()
	for _, key := range slices.Sorted(maps.Keys(secret.Data)) {
		fmt.Fprintf(sum, "%q=%q\n", key, secret.Data[key])
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// digestBinary replaces each value that is longer than a digest by its digest. Results and reports have up to a
// megabyte, and the controllers read them from the API server.
func digestBinary(values map[string][]byte) {
	for name, value := range values {
		if len(value) > sha256.Size {
			sum := sha256.Sum256(value)
			values[name] = sum[:]
		}
	}
}

func trimPodSpec(spec *corev1.PodSpec) corev1.PodSpec {
	kept := corev1.PodSpec{NodeName: spec.NodeName, Containers: trimContainers(spec.Containers), InitContainers: trimContainers(Sidecars(spec))}
	if r := spec.Resources; r != nil {
		kept.Resources = &corev1.ResourceRequirements{Limits: keptResources(r.Limits), Requests: keptResources(r.Requests)}
	}
	return kept
}

func trimContainers(all []corev1.Container) []corev1.Container {
	var kept []corev1.Container
	for _, c := range all[:min(len(all), maxItems)] {
		kept = append(kept, corev1.Container{Name: c.Name, RestartPolicy: c.RestartPolicy, Resources: corev1.ResourceRequirements{
			Limits: keptResources(c.Resources.Limits), Requests: keptResources(c.Resources.Requests)}})
	}
	return kept
}

// Sidecars returns the init containers of a pod that run as long as its containers.
func Sidecars(spec *corev1.PodSpec) []corev1.Container {
	var all []corev1.Container
	for _, c := range spec.InitContainers {
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			all = append(all, c)
		}
	}
	return all
}

// trimEphemeralContainers returns the names of the ephemeral containers of a pod, and those that have ended. If they exceed
// maxItems, the last name is a digest of the rest, which has ended if all of the rest have.
func trimEphemeralContainers(pod *corev1.Pod) (kept []corev1.EphemeralContainer, ended []corev1.ContainerStatus) {
	hasEnded := map[string]bool{}
	for _, c := range pod.Status.EphemeralContainerStatuses {
		hasEnded[c.Name] = c.State.Terminated != nil
	}
	add := func(name string, isEnded bool) {
		kept = append(kept, corev1.EphemeralContainer{EphemeralContainerCommon: corev1.EphemeralContainerCommon{Name: name}})
		if isEnded {
			ended = append(ended, corev1.ContainerStatus{Name: name, State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}}})
		}
	}
	var rest []string
	restEnded, named := true, maxItems
	if len(pod.Spec.EphemeralContainers) > maxItems {
		named = maxItems - 1
	}
	for i, c := range pod.Spec.EphemeralContainers {
		if i < named {
			add(c.Name, hasEnded[c.Name])
			continue
		}
		rest = append(rest, c.Name)
		restEnded = restEnded && hasEnded[c.Name]
	}
	if len(rest) > 0 {
		add(digestOf([]byte(strings.Join(rest, " "))), restEnded)
	}
	return kept, ended
}

// keptResources returns the resources that status and results report.
func keptResources(all corev1.ResourceList) corev1.ResourceList {
	var kept corev1.ResourceList
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceStorage} {
		if quantity, ok := all[name]; ok {
			if kept == nil {
				kept = corev1.ResourceList{}
			}
			kept[name] = quantity
		}
	}
	return kept
}

// reportedConditions returns the pod conditions that status and results report: readiness, why a pod has no
// node, and why it is evicted.
func reportedConditions(conditions []corev1.PodCondition) []corev1.PodCondition {
	var kept []corev1.PodCondition
	for _, c := range conditions {
		switch {
		case c.Type == corev1.PodReady, c.Type == corev1.DisruptionTarget, c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse:
			kept = append(kept, c)
		}
	}
	return firstItems(kept, maxItems)
}

// workloadConditions returns the conditions of a Kueue Workload that the operator reads, with bounded messages.
func workloadConditions(conditions []metav1.Condition) []metav1.Condition {
	var kept []metav1.Condition
	for _, c := range conditions {
		switch c.Type {
		case kueue.WorkloadQuotaReserved, kueue.WorkloadAdmitted, kueue.WorkloadEvicted, kueue.WorkloadPodsReady:
			c.Message = boundMessage(c.Message)
			kept = append(kept, c)
		}
	}
	return kept
}

// trimStatefulSetSpec keeps the replicas, the epoch of the pod template, and the sizes of volumes.
func trimStatefulSetSpec(spec *appsv1.StatefulSetSpec) appsv1.StatefulSetSpec {
	kept := appsv1.StatefulSetSpec{Replicas: spec.Replicas}
	for _, claim := range spec.VolumeClaimTemplates[:min(len(spec.VolumeClaimTemplates), maxItems)] {
		sized := corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: claim.Name}}
		sized.Spec.Resources.Requests = keptResources(claim.Spec.Resources.Requests)
		kept.VolumeClaimTemplates = append(kept.VolumeClaimTemplates, sized)
	}
	if epoch, ok := spec.Template.Annotations[v1alpha1.AnnotationEpoch]; ok {
		kept.Template.Annotations = map[string]string{v1alpha1.AnnotationEpoch: epoch}
	}
	for _, v := range spec.Template.Spec.Volumes {
		if v.EmptyDir != nil && v.EmptyDir.SizeLimit != nil && len(kept.Template.Spec.Volumes) < maxItems {
			kept.Template.Spec.Volumes = append(kept.Template.Spec.Volumes, v)
		}
	}
	return kept
}

// trimJobStatus keeps the start, the conditions and the numbers of pods; of those that are not counted yet whether there are any.
func trimJobStatus(status *batchv1.JobStatus) batchv1.JobStatus {
	kept := batchv1.JobStatus{Conditions: firstItems(status.Conditions, maxItems), Active: status.Active, Succeeded: status.Succeeded, Failed: status.Failed,
		StartTime: status.StartTime}
	if u := status.UncountedTerminatedPods; u != nil && len(u.Succeeded)+len(u.Failed) > 0 {
		kept.UncountedTerminatedPods = &batchv1.UncountedTerminatedPods{Succeeded: []types.UID{"ended"}}
	}
	for i := range kept.Conditions {
		kept.Conditions[i].Message = boundMessage(kept.Conditions[i].Message)
	}
	return kept
}

// trimPodStatus keeps what status and results report of a pod, with bounded lists and messages. Of the output of a failed
// container, it keeps the line that says why it failed.
func trimPodStatus(status *corev1.PodStatus) corev1.PodStatus {
	kept := corev1.PodStatus{Phase: status.Phase, Reason: boundMessage(status.Reason), Message: boundMessage(status.Message),
		Conditions:            reportedConditions(status.Conditions),
		InitContainerStatuses: trimContainerStatuses(status.InitContainerStatuses), ContainerStatuses: trimContainerStatuses(status.ContainerStatuses)}
	for i := range kept.Conditions {
		c := &kept.Conditions[i]
		c.Reason, c.Message = boundMessage(c.Reason), boundMessage(c.Message)
	}
	return kept
}

func trimContainerStatuses(all []corev1.ContainerStatus) []corev1.ContainerStatus {
	var kept []corev1.ContainerStatus
	for _, c := range all[:min(len(all), maxItems)] {
		kept = append(kept, corev1.ContainerStatus{Name: c.Name, Image: boundMessage(c.Image), ImageID: boundMessage(c.ImageID), Ready: c.Ready, Started: c.Started,
			RestartCount: c.RestartCount, State: boundState(c.State), LastTerminationState: boundState(c.LastTerminationState)})
	}
	return kept
}

// boundState bounds the texts of a container's state, in place.
func boundState(state corev1.ContainerState) corev1.ContainerState {
	if w := state.Waiting; w != nil {
		w.Reason, w.Message = boundMessage(w.Reason), boundMessage(w.Message)
	}
	if t := state.Terminated; t != nil {
		t.Reason = boundMessage(t.Reason)
		if t.ExitCode == 0 {
			t.Message = boundMessage(t.Message)
		} else {
			t.Message = strings.Clone(termination.LastErrorLine(t.Message))
		}
	}
	return state
}

func boundMessage(text string) string { return limits.Truncate(text, termination.MaxLine) }
