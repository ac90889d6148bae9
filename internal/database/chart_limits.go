package database

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

// A chart may be a user's own, and what it makes is written with the operator's rights. So it is held to what the operator itself
// would make: nothing that has rights, that reaches out of its namespace, or that touches others in it.

// kinds that a database may consist of, with their groups and versions: namespaced, and such as the operator may write and watches.
var kinds = map[string]string{
	"ConfigMap": "v1", "NetworkPolicy": "networking.k8s.io/v1", "PersistentVolumeClaim": "v1", "PodDisruptionBudget": "policy/v1",
	"Secret": "v1", "Service": "v1", "ServiceAccount": "v1", "StatefulSet": "apps/v1",
}

// restricted is the level of pod security that all pods keep.
var restricted = api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}

// admit refuses an object that a network may not have.
func (r release) admit(o *unstructured.Unstructured) error {
	version, ok := kinds[o.GetKind()]
	if !ok || version != o.GetAPIVersion() {
		return fmt.Errorf("%s %s (%s) is not allowed; a database may consist of %s", o.GetKind(), o.GetName(), o.GetAPIVersion(),
			strings.Join(slices.Sorted(maps.Keys(kinds)), ", "))
	}
	if ns := o.GetNamespace(); ns != "" && ns != r.namespace {
		return fmt.Errorf("%s %s is in namespace %s, not in the network's %s", o.GetKind(), o.GetName(), ns, r.namespace)
	}
	if !r.owns(o.GetName()) {
		return fmt.Errorf("%s %s must be named %s, or begin with %s-, as all that belongs to the database: use fullnameOverride",
			o.GetKind(), o.GetName(), r.name, r.name)
	}
	if err := r.harmless(o); err != nil {
		return fmt.Errorf("%s %s: %w", o.GetKind(), o.GetName(), err)
	}
	return nil
}

// owns tells whether a name is one that only this database has.
func (r release) owns(name string) bool { return name == r.name || strings.HasPrefix(name, r.name+"-") }

func (r release) harmless(o *unstructured.Unstructured) error {
	switch o.GetKind() {
	case "Secret":
		if kind, _, _ := unstructured.NestedString(o.Object, "type"); kind != "" && kind != string(corev1.SecretTypeOpaque) {
			return fmt.Errorf("type %s is not allowed, only %s: others hold tokens or are read by the cluster", kind, corev1.SecretTypeOpaque)
		}
	case "Service":
		return localService(o)
	case "StatefulSet":
		return r.harmlessPods(o)
	}
	return nil
}

// localService refuses one that leads out of the cluster or lets others in.
func localService(o *unstructured.Unstructured) error {
	if kind, _, _ := unstructured.NestedString(o.Object, "spec", "type"); kind != "" && kind != string(corev1.ServiceTypeClusterIP) {
		return fmt.Errorf("spec.type %s is not allowed, only %s", kind, corev1.ServiceTypeClusterIP)
	}
	if _, found, _ := unstructured.NestedFieldNoCopy(o.Object, "spec", "externalIPs"); found {
		return errors.New("spec.externalIPs is not allowed")
	}
	return nil
}

// harmlessPods wants the level restricted, and no account but one of the chart's own, which has no rights.
func (r release) harmlessPods(o *unstructured.Unstructured) error {
	content, _, err := unstructured.NestedMap(o.Object, "spec", "template")
	if err != nil {
		return err
	}
	var template corev1.PodTemplateSpec
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, &template); err != nil {
		return fmt.Errorf("spec.template: %w", err)
	}
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		return fmt.Errorf("make the evaluator of pod security: %w", err)
	}
	result := policy.AggregateCheckResults(evaluator.EvaluatePod(restricted, &template.ObjectMeta, &template.Spec))
	if !result.Allowed {
		return fmt.Errorf("its pods must keep the pod security level restricted: %s", result.ForbiddenDetail())
	}
	pod := &template.Spec
	account := pod.ServiceAccountName
	if account == "" || account == "default" {
		if pod.AutomountServiceAccountToken == nil || *pod.AutomountServiceAccountToken {
			return errors.New("spec.template.spec.automountServiceAccountToken must be false, or serviceAccountName one that the chart makes")
		}
		return nil
	}
	if !r.owns(account) {
		return fmt.Errorf("serviceAccountName %s is not one that the chart makes: it must be %s, or begin with %s-", account, r.name, r.name)
	}
	return nil
}
