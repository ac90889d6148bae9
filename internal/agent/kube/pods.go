package kube

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	"github.com/benchnet/benchnet/internal/run/measurement"
)

// FaultPods ends pods for faults. It needs the verbs get and delete on them, and create on their evictions.
type FaultPods struct{ Pods dynamic.ResourceInterface }

// UID returns the UID of the pod with that name.
func (p FaultPods) UID(ctx context.Context, name string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	pod, err := p.Pods.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	return string(pod.GetUID()), nil
}

// killGraceSeconds is the shortest grace with which the API server keeps a pod until its processes have ended. Without grace, the StatefulSet
// would start another on the same volume meanwhile.
const killGraceSeconds = 1

// End kills or evicts the pod of the fault, and returns its UID. With check, the API server only says whether it would.
func (p FaultPods) End(ctx context.Context, f *measurement.Fault, check bool) (uid string, err error) {
	if uid, err = p.UID(ctx, f.Pod); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	var dryRun []string
	if check {
		dryRun = []string{metav1.DryRunAll}
	}
	if f.Type != measurement.FaultEvict {
		return uid, p.Pods.Delete(ctx, f.Pod, metav1.DeleteOptions{GracePeriodSeconds: new(int64(killGraceSeconds)),
			Preconditions: metav1.NewUIDPreconditions(uid), DryRun: dryRun})
	}
	_, err = p.Pods.Create(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "policy/v1", "kind": "Eviction", "metadata": map[string]any{"name": f.Pod},
		"deleteOptions": map[string]any{"preconditions": map[string]any{"uid": uid}},
	}}, metav1.CreateOptions{DryRun: dryRun}, "eviction")
	return uid, addCauses(err)
}

// addCauses adds the causes that the API server names, such as a PodDisruptionBudget, to its error.
func addCauses(err error) error {
	var answer apierrors.APIStatus
	if errors.As(err, &answer) && answer.Status().Details != nil {
		for _, cause := range answer.Status().Details.Causes {
			err = fmt.Errorf("%w %s", err, cause.Message)
		}
	}
	return err
}
