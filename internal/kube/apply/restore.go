package apply

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/kinds"
)

// serverFields are the fields that the API server sets if an object whose fields are compared leaves them out, with their values. nil
// stands for any value.
var serverFields = map[string]map[string]any{
	"ConfigMap": {}, "Role": {}, "ServiceAccount": {}, "NetworkPolicy": {}, "PodDisruptionBudget": {}, "StatefulSet": {},
	"Secret":      {"type": "Opaque"},
	"Job":         {"spec.parallelism": int64(1), "spec.completions": int64(1), "spec.backoffLimit": nil},
	"RoleBinding": {"subjects.apiGroup": nil},
	"Service": {"spec.clusterIP": nil, "spec.clusterIPs": nil, "spec.ipFamilies": nil, "spec.ipFamilyPolicy": "SingleStack", "spec.type": "ClusterIP",
		"spec.internalTrafficPolicy": "Cluster", "spec.sessionAffinity": "None", "spec.ports.protocol": "TCP"},
	"PersistentVolumeClaim": {"spec.storageClassName": nil, "spec.volumeMode": "Filesystem", "spec.volumeName": nil, "spec.dataSource": nil,
		"spec.dataSourceRef": nil},
}

// nodePortFields are the fields that the API server sets in a Service that is planned with another type than ClusterIP.
var nodePortFields = map[string]any{"spec.externalTrafficPolicy": nil, "spec.healthCheckNodePort": nil, "spec.allocateLoadBalancerNodePorts": nil,
	"spec.ports.nodePort": nil, "spec.sessionAffinity": "None", "spec.internalTrafficPolicy": nil}

// serverFieldsOf returns the fields that the API server sets in an object of the intent, and false if additions to its kind are not
// looked for.
func serverFieldsOf(intent *unstructured.Unstructured) (map[string]any, bool) {
	known, ok := serverFields[intent.GetKind()]
	if intent.GetKind() != "Service" {
		return known, ok
	}
	all := maps.Clone(known)
	if kind, _, _ := unstructured.NestedString(intent.Object, "spec", "type"); kind != "" && kind != "ClusterIP" {
		maps.Copy(all, nodePortFields)
	}
	selector, _, _ := unstructured.NestedMap(intent.Object, "spec", "selector")
	if address, _, _ := unstructured.NestedString(intent.Object, "spec", "clusterIP"); address == "None" && len(selector) == 0 {
		all["spec.ipFamilyPolicy"] = "RequireDualStack" // Other clients fill its endpoints.
	}
	return all, ok
}

// ownDomains are the domains of labels and annotations that only the operator sets.
var ownDomains = []string{v1alpha1.GroupVersion.Group + "/", "app.kubernetes.io/"}

// recordedKeys are annotations that the operator or the genesis records in an applied object.
var recordedKeys = []string{v1alpha1.AnnotationQuota, v1alpha1.AnnotationAppliedHash, v1alpha1.AnnotationGenesisComplete}

// isAddedKey reports whether a label or an annotation that is not planned is of the operator's own domains.
func isAddedKey(key string) bool {
	return !slices.Contains(recordedKeys, key) && slices.ContainsFunc(ownDomains, func(domain string) bool { return strings.HasPrefix(key, domain) })
}

// addedKeys returns the labels and annotations of the operator's own domains that another client added, as paths.
func addedKeys(intent *unstructured.Unstructured, live client.Object) [][]string {
	var paths [][]string
	add := func(field string, have, want map[string]string) {
		for _, key := range slices.Sorted(maps.Keys(have)) {
			if _, planned := want[key]; !planned && isAddedKey(key) {
				paths = append(paths, []string{"metadata", field, key})
			}
		}
	}
	add("labels", live.GetLabels(), intent.GetLabels())
	if driftOf(intent) != kinds.DriftByMutableFields {
		add("annotations", live.GetAnnotations(), intent.GetAnnotations())
	}
	return paths
}

// hasAddedOwners reports whether another client added an owner. The object would outlive the operator's owner.
func hasAddedOwners(intent *unstructured.Unstructured, live client.Object) bool {
	return len(live.GetOwnerReferences()) > len(intent.GetOwnerReferences())
}

// findAdditions returns the paths of what another client added to a live object. It returns none for kinds that serverFields
// lacks, and only metadata for objects that pods fill. Finalizers stay: only the controller that added one may remove it.
func findAdditions(intent *unstructured.Unstructured, live client.Object, have, want map[string]any) []string {
	known, ok := serverFieldsOf(intent)
	if !ok {
		return nil
	}
	var paths []string
	for _, path := range addedKeys(intent, live) {
		paths = append(paths, strings.Join(path, "."))
	}
	if hasAddedOwners(intent, live) {
		paths = append(paths, "metadata.ownerReferences")
	}
	if hasDryRun(intent) || isFilledByPods(intent) {
		return paths
	}
	have = maps.Clone(have)
	for _, field := range []string{"apiVersion", "kind", "metadata", "status"} {
		delete(have, field)
	}
	if intent.GetKind() == "ServiceAccount" {
		dropOpenShiftSecrets(intent.GetName(), have)
	}
	return append(paths, addedPaths(known, "", have, want)...)
}

// isFilledByPods reports whether pods or the operator itself write the content of an object after it was applied.
func isFilledByPods(intent *unstructured.Unstructured) bool {
	return intent.GetAnnotations()[v1alpha1.AnnotationGenerated] != "" ||
		intent.GetKind() == "ConfigMap" && containsFields(nil, intent.Object["data"]) && containsFields(nil, intent.Object["binaryData"])
}

// dropOpenShiftSecrets removes the pull secrets and tokens that OpenShift adds to each ServiceAccount.
func dropOpenShiftSecrets(account string, have map[string]any) {
	for _, field := range []string{"secrets", "imagePullSecrets"} {
		list, _ := have[field].([]any)
		have[field] = slices.DeleteFunc(slices.Clone(list), func(item any) bool {
			reference, _ := item.(map[string]any)
			name, _ := reference["name"].(string)
			return strings.HasPrefix(name, account+"-dockercfg-") || strings.HasPrefix(name, account+"-token-")
		})
	}
}

// addedPaths returns the paths below the prefix at which live has a value that is neither wanted nor set by the API server. A
// large field of which the cache has another digest than planned may have additions.
func addedPaths(known map[string]any, prefix string, live, wanted any) []string {
	switch have := live.(type) {
	case string:
		if kinds.IsDigest(have) && have != wanted {
			return []string{prefix}
		}
	case map[string]any:
		want, _ := wanted.(map[string]any)
		var paths []string
		for _, name := range slices.Sorted(maps.Keys(have)) {
			path := strings.TrimPrefix(prefix+"."+name, ".")
			if planned := want[name]; planned != nil {
				paths = append(paths, addedPaths(known, path, have[name], planned)...)
			} else if value, set := known[path]; !containsFields(nil, have[name]) && !(set && (value == nil || value == have[name])) {
				paths = append(paths, path)
			}
		}
		return paths
	case []any:
		want, _ := wanted.([]any)
		if len(have) > len(want) {
			return []string{prefix}
		}
		for i := range have {
			if paths := addedPaths(known, prefix, have[i], want[i]); len(paths) > 0 {
				return paths
			}
		}
	}
	return nil
}

// wasEdited reports whether another client changed the content of the live object in a way that an apply may leave: an apply
// keeps what other field managers added. Conditional writes and the objects of users are only applied.
func wasEdited(intent *unstructured.Unstructured, live client.Object) bool {
	if intent.GetResourceVersion() != "" || live.GetResourceVersion() == "" {
		return false
	}
	have, want, err := comparedFields(intent, live)
	return err == nil && len(findAdditions(intent, live, have, want)) > 0
}

// restoreMutable sets the labels, the owner and the fields in MutableJobFields of a live Job to those of the intent.
func (w *Writer) restoreMutable(ctx context.Context, intent *unstructured.Unstructured, live client.Object) (*metav1.PartialObjectMetadata, error) {
	_, want, err := comparedFields(intent, live)
	if err != nil {
		return nil, err
	}
	spec := map[string]any{}
	for _, field := range kinds.MutableJobFields {
		value, planned, _ := unstructured.NestedFieldNoCopy(want, "spec", field)
		if planned || field != "completions" { // The API server does not set it again.
			spec[field] = value
		}
	}
	labels := map[string]any{}
	for _, path := range addedKeys(intent, live) {
		labels[path[2]] = nil
	}
	for key, value := range intent.GetLabels() {
		labels[key] = value
	}
	patch, err := json.Marshal(map[string]any{"spec": spec, "metadata": map[string]any{
		"resourceVersion": live.GetResourceVersion(), "labels": labels, "ownerReferences": intent.GetOwnerReferences()}})
	if err != nil {
		return nil, err
	}
	return w.sendPatch(ctx, intent, client.RawPatch(types.MergePatchType, patch))
}

// sendPatch sends a patch of the intent's object that is not an apply.
func (w *Writer) sendPatch(ctx context.Context, intent *unstructured.Unstructured, patch client.Patch, options ...client.PatchOption,
) (*metav1.PartialObjectMetadata, error) {
	written := &metav1.PartialObjectMetadata{}
	written.SetGroupVersionKind(intent.GroupVersionKind())
	written.SetNamespace(intent.GetNamespace())
	written.SetName(intent.GetName())
	if err := w.client.Patch(ctx, written, patch, append(options, client.FieldOwner(v1alpha1.ManagedBy))...); err != nil {
		return nil, fmt.Errorf("restore %s %s: %w", intent.GetKind(), client.ObjectKeyFromObject(intent), err)
	}
	return written, nil
}

// hasOtherSpec reports whether the spec of the live object differs from that of the intent, with what the API server and webhooks
// set. A dry run replaces the spec, once for each generation: if nothing differs, the object would keep its generation.
func (w *Writer) hasOtherSpec(ctx context.Context, intent *unstructured.Unstructured, live client.Object) (bool, error) {
	compared := w.upToDate.hashSpec(intent, live)
	if w.upToDate.hasHash(compared) {
		return false, nil
	}
	written, err := w.replaceContent(ctx, intent, live, client.DryRunAll)
	if err != nil {
		return false, err
	}
	if written.UID != live.GetUID() || written.Generation != live.GetGeneration() {
		return true, nil
	}
	w.upToDate.addHash(compared)
	return false, nil
}

// restoreContent replaces the content of a live object by that of the intent, and applies the intent's metadata. It remembers that the
// result is up to date, whatever the API server or a webhook adds to it.
func (w *Writer) restoreContent(ctx context.Context, owner Owner, desired client.Object, intent *unstructured.Unstructured, drift []string,
	live client.Object,
) (client.Object, error) {
	applied, err := w.replaceAndApply(ctx, intent, live)
	if err != nil {
		return nil, err
	}
	w.reportApply(ctx, owner, intent, drift, live)
	if hasDryRun(intent) {
		return applied, nil
	}
	compared, err := w.upToDate.hashComparison(owner, desired, applied)
	if err != nil {
		return nil, err
	}
	w.upToDate.addHash(compared)
	return applied, nil
}

// replaceAndApply returns the metadata of the restored object.
func (w *Writer) replaceAndApply(ctx context.Context, intent *unstructured.Unstructured, live client.Object) (*metav1.PartialObjectMetadata, error) {
	if driftOf(intent) == kinds.DriftByMutableFields {
		return w.restoreMutable(ctx, intent, live)
	}
	written, err := w.replaceContent(ctx, intent, live)
	if err != nil {
		return nil, err
	}
	if hasDryRun(intent) {
		w.upToDate.addHash(w.upToDate.hashSpec(intent, written))
	} else {
		intent.SetResourceVersion(written.ResourceVersion) // A later edit must not be remembered as up to date.
	}
	return w.sendApplyPatch(ctx, intent)
}

// replaceContent sends a JSON patch that replaces everything but metadata and status. It fails if the live object has changed since,
// except in a dry run.
func (w *Writer) replaceContent(ctx context.Context, intent *unstructured.Unstructured, live client.Object, options ...client.PatchOption,
) (*metav1.PartialObjectMetadata, error) {
	version := live.GetResourceVersion()
	if slices.Contains(options, client.PatchOption(client.DryRunAll)) {
		version = ""
	}
	patch, err := contentPatch(intent, live, version)
	if err != nil {
		return nil, err
	}
	return w.sendPatch(ctx, intent, client.RawPatch(types.JSONPatchType, patch), options...)
}

// pointerEscapes escapes a key in a JSON pointer.
var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// contentPatch returns a JSON patch that removes added labels, annotations and owners, and replaces everything but metadata and
// status, unless pods fill the object. It carries the resource version, if it is not empty.
func contentPatch(intent *unstructured.Unstructured, live client.Object, version string) ([]byte, error) {
	type operation struct {
		Op    string `json:"op"`
		Path  string `json:"path"`
		Value any    `json:"value"`
	}
	var operations []operation
	if version != "" {
		operations = append(operations, operation{"add", "/metadata/resourceVersion", version})
	}
	for _, path := range addedKeys(intent, live) {
		// A key that was removed meanwhile is added first, so that the patch is a conflict and not invalid.
		pointer := "/metadata/" + path[1] + "/" + pointerEscapes.Replace(path[2])
		operations = append(operations, operation{"add", pointer, ""}, operation{Op: "remove", Path: pointer})
	}
	if hasAddedOwners(intent, live) {
		operations = append(operations, operation{"add", "/metadata/ownerReferences", intent.GetOwnerReferences()})
	}
	if isFilledByPods(intent) {
		return json.Marshal(operations)
	}
	have, err := trimmedFields(live.DeepCopyObject())
	if err != nil {
		return nil, err
	}
	fields := maps.Clone(have)
	maps.Copy(fields, intent.Object)
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		text, isText := have[field].(string)
		if value := intent.Object[field]; !slices.Contains([]string{"apiVersion", "kind", "metadata", "status"}, field) &&
			(value != nil || !isText || kinds.IsDigest(text)) {
			operations = append(operations, operation{"add", "/" + field, value})
		}
	}
	return json.Marshal(operations)
}
