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

// serverFields are the fields that the API server sets if an object of a kind with DriftByFields leaves them out. A field with a
// value is an addition if it has another one.
var serverFields = map[string]map[string]any{
	"ConfigMap": {}, "Role": {}, "ServiceAccount": {}, "NetworkPolicy": {}, "PodDisruptionBudget": {},
	"Secret":      {"type": "Opaque"},
	"RoleBinding": {"roleRef.apiGroup": nil, "subjects.apiGroup": nil},
	"Service": {"spec.clusterIP": nil, "spec.clusterIPs": nil, "spec.ipFamilies": nil, "spec.ipFamilyPolicy": nil, "spec.type": "ClusterIP",
		"spec.internalTrafficPolicy": "Cluster", "spec.sessionAffinity": "None", "spec.externalTrafficPolicy": nil,
		"spec.healthCheckNodePort": nil, "spec.allocateLoadBalancerNodePorts": nil, "spec.ports.protocol": "TCP",
		"spec.ports.targetPort": nil, "spec.ports.nodePort": nil},
}

// findAdditions returns the paths of the content that another client added to a live object. It returns none for kinds that
// serverFields lacks, and for a ConfigMap that is planned empty: other pods fill it.
func findAdditions(intent *unstructured.Unstructured, have, want map[string]any) []string {
	known, ok := serverFields[intent.GetKind()]
	if !ok || intent.GetAnnotations()[v1alpha1.AnnotationGenerated] != "" ||
		intent.GetKind() == "ConfigMap" && containsFields(nil, intent.Object["data"]) && containsFields(nil, intent.Object["binaryData"]) {
		return nil
	}
	have = maps.Clone(have)
	for _, field := range []string{"apiVersion", "kind", "metadata", "status"} {
		delete(have, field)
	}
	if intent.GetKind() == "ServiceAccount" {
		dropOpenShiftSecrets(intent.GetName(), have)
	}
	return addedPaths(known, "", have, want)
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
			if planned, ok := want[name]; ok {
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
	return err == nil && len(findAdditions(intent, have, want)) > 0
}

// hasOtherSpec reports whether the spec of the live object differs from that of the intent, with what the API server and webhooks
// set. A dry run replaces the spec, once for each generation: if nothing differs, the object would keep its generation.
func (w *Writer) hasOtherSpec(ctx context.Context, intent *unstructured.Unstructured, live client.Object) (bool, error) {
	compared := w.upToDate.hashSpec(intent, live)
	if w.upToDate.hasHash(compared) {
		return false, nil
	}
	made, err := w.replaceContent(ctx, intent, live, client.DryRunAll)
	if err != nil {
		return false, err
	}
	if made.UID != live.GetUID() || made.Generation != live.GetGeneration() {
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
	made, err := w.replaceContent(ctx, intent, live)
	if err != nil {
		return nil, err
	}
	if hasDryRun(intent) {
		w.upToDate.addHash(w.upToDate.hashSpec(intent, made))
	} else {
		intent.SetResourceVersion(made.ResourceVersion) // A later edit must not be remembered as up to date.
	}
	applied, err := w.sendApplyPatch(ctx, intent)
	if err != nil {
		return nil, err
	}
	logWrite(ctx, intent, drift)
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
	made := &metav1.PartialObjectMetadata{}
	made.SetGroupVersionKind(intent.GroupVersionKind())
	made.SetNamespace(intent.GetNamespace())
	made.SetName(intent.GetName())
	options = append(options, client.FieldOwner(v1alpha1.ManagedBy))
	if err := w.client.Patch(ctx, made, client.RawPatch(types.JSONPatchType, patch), options...); err != nil {
		return nil, fmt.Errorf("restore %s %s: %w", intent.GetKind(), client.ObjectKeyFromObject(intent), err)
	}
	return made, nil
}

// contentPatch returns a JSON patch that replaces everything but metadata and status. It carries the resource version, if it is not
// empty.
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
