package database

import (
	"cmp"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	"k8s.io/utils/ptr"
)

// restrictedLevel is the pod security level that all pods must meet.
var restrictedLevel = api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}

// podFields are the allowed pod fields. They leave the choice of nodes to the scheduler.
var podFields = []string{
	"affinity", "automountServiceAccountToken", "containers", "dnsConfig", "dnsPolicy", "enableServiceLinks", "hostAliases", "hostUsers",
	"hostname", "imagePullSecrets", "initContainers", "nodeSelector", "os", "restartPolicy", "securityContext", "serviceAccount",
	"serviceAccountName", "shareProcessNamespace", "subdomain", "terminationGracePeriodSeconds", "tolerations",
	"topologySpreadConstraints", "volumes",
}

// Allowed sources of volumes and of projected volumes. A CSI driver or a projected token may give a pod an
// identity.
var (
	volumeSources    = []string{"name", "configMap", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected", "secret"}
	projectedSources = []string{"configMap", "downwardAPI", "secret"}
)

// maxGraceSeconds bounds how long the pods of a chart may take to terminate, including a preStop hook. The
// project's chart gives PostgreSQL 60 s.
const maxGraceSeconds = 600

// checkStatefulSet checks the number of replicas, the pods and their volumes, and rebuilds the metadata of pods
// and claims.
func checkStatefulSet(content map[string]any) error {
	spec, path := content["spec"].(map[string]any), field.NewPath("spec")
	if n, _ := spec["replicas"].(int64); n < 0 || n > maxReplicas {
		return fmt.Errorf("%s %d is not allowed, at most %d", path.Child("replicas"), n, maxReplicas)
	}
	for n, claim := range nestedMaps(spec, "volumeClaimTemplates") {
		if err := checkClaimTemplate(claim, true, path.Child("volumeClaimTemplates").Index(n)); err != nil {
			return err
		}
	}
	path = path.Child("template")
	template, ok := spec["template"].(map[string]any)
	if !ok {
		return fmt.Errorf("%s is required", path)
	}
	var err error
	if template["metadata"], err = rebuildMetadata(template, false, path.Child("metadata")); err != nil {
		return err
	}
	return checkPod(template, path)
}

// checkClaimTemplate checks a claim template and rebuilds its metadata. It rejects a claim that names its
// volume.
func checkClaimTemplate(claim map[string]any, named bool, path *field.Path) error {
	var err error
	if claim["metadata"], err = rebuildMetadata(claim, named, path.Child("metadata")); err != nil {
		return err
	}
	for _, key := range []string{"apiVersion", "kind", "status"} {
		delete(claim, key)
	}
	spec, _ := claim["spec"].(map[string]any)
	return checkAllowedFields(spec, path.Child("spec"), claimFields)
}

// checkPod rejects pods that violate the level restricted, mount a service account token, or have fields or
// volumes that are not listed.
func checkPod(content map[string]any, path *field.Path) error {
	var template corev1.PodTemplateSpec
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, &template); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		return fmt.Errorf("make the evaluator of pod security: %w", err)
	}
	// These fields relax the level, but API servers and nodes without support for them ignore them.
	template.Spec.HostUsers, template.Spec.OS = nil, nil
	result := policy.AggregateCheckResults(evaluator.EvaluatePod(restrictedLevel, &template.ObjectMeta, &template.Spec))
	if !result.Allowed {
		return fmt.Errorf("its pods must meet the pod security level restricted: %s", result.ForbiddenDetail())
	}
	path = path.Child("spec")
	if token := template.Spec.AutomountServiceAccountToken; token == nil || *token {
		return fmt.Errorf("%s must be false", path.Child("automountServiceAccountToken"))
	}
	if alias := template.Spec.DeprecatedServiceAccount; alias != "" && alias != template.Spec.ServiceAccountName {
		return fmt.Errorf("%s %s is not allowed: use serviceAccountName", path.Child("serviceAccount"), alias)
	}
	if err := checkAffinity(template.Spec.Affinity, path.Child("affinity")); err != nil {
		return err
	}
	if err := checkGracePeriods(&template.Spec, path); err != nil {
		return err
	}
	pod := content["spec"].(map[string]any)
	if err := checkAllowedFields(pod, path, podFields); err != nil {
		return err
	}
	for n, volume := range nestedMaps(pod, "volumes") {
		if err := checkVolume(volume, path.Child("volumes").Index(n)); err != nil {
			return err
		}
	}
	return nil
}

// checkGracePeriods bounds the termination grace periods of pods and of probes.
func checkGracePeriods(pod *corev1.PodSpec, path *field.Path) error {
	check := func(seconds *int64, path *field.Path) error {
		if path = path.Child("terminationGracePeriodSeconds"); seconds != nil && (*seconds < 0 || *seconds > maxGraceSeconds) {
			return fmt.Errorf("%s %d is not allowed: it must be between 0 and %d", path, *seconds, maxGraceSeconds)
		}
		return nil
	}
	if err := check(pod.TerminationGracePeriodSeconds, path); err != nil {
		return err
	}
	for i, c := range slices.Concat(pod.InitContainers, pod.Containers) {
		at := path.Child("initContainers").Index(i)
		if n := len(pod.InitContainers); i >= n {
			at = path.Child("containers").Index(i - n)
		}
		liveness, startup := ptr.Deref(c.LivenessProbe, corev1.Probe{}), ptr.Deref(c.StartupProbe, corev1.Probe{})
		if err := cmp.Or(check(liveness.TerminationGracePeriodSeconds, at.Child("livenessProbe")),
			check(startup.TerminationGracePeriodSeconds, at.Child("startupProbe"))); err != nil {
			return err
		}
	}
	return nil
}

// checkAffinity rejects terms about pods in other namespaces. The scheduler applies a required anti-affinity in
// both directions, so such a term could keep other users' pods off all nodes.
func checkAffinity(affinity *corev1.Affinity, path *field.Path) error {
	if affinity == nil {
		return nil
	}
	var terms []corev1.PodAffinityTerm
	for _, a := range []*corev1.PodAffinity{affinity.PodAffinity, (*corev1.PodAffinity)(affinity.PodAntiAffinity)} {
		if a == nil {
			continue
		}
		terms = append(terms, a.RequiredDuringSchedulingIgnoredDuringExecution...)
		for _, w := range a.PreferredDuringSchedulingIgnoredDuringExecution {
			terms = append(terms, w.PodAffinityTerm)
		}
	}
	for _, term := range terms {
		if len(term.Namespaces) > 0 || term.NamespaceSelector != nil {
			return fmt.Errorf("%s: namespaces and namespaceSelector are not allowed", path)
		}
	}
	return nil
}

func checkVolume(volume map[string]any, path *field.Path) error {
	if err := checkAllowedFields(volume, path, volumeSources); err != nil {
		return err
	}
	if ephemeral, _ := volume["ephemeral"].(map[string]any); ephemeral != nil {
		claim, _ := ephemeral["volumeClaimTemplate"].(map[string]any)
		if claim == nil {
			return fmt.Errorf("%s is required", path.Child("ephemeral", "volumeClaimTemplate"))
		}
		if err := checkClaimTemplate(claim, false, path.Child("ephemeral", "volumeClaimTemplate")); err != nil {
			return err
		}
	}
	for n, source := range nestedMaps(volume, "projected", "sources") {
		if err := checkAllowedFields(source, path.Child("projected", "sources").Index(n), projectedSources); err != nil {
			return err
		}
	}
	return nil
}
