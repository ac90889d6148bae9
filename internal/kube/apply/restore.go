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
	if kinds.DriftOf(intent.GroupVersionKind().GroupKind()) == kinds.DriftByGeneration {
		return !hasAppliedGeneration(live)
	}
	have, want, err := comparedFields(intent, live)
	return err == nil && len(findAdditions(intent, have, want)) > 0
}

// restoreContent replaces the content of a live object by that of the intent, and applies the intent's metadata. It remembers that the
// result is up to date, whatever the API server or a webhook adds to it.
func (w *Writer) restoreContent(ctx context.Context, owner Owner, desired client.Object, intent *unstructured.Unstructured, drift []string,
	live client.Object,
) (client.Object, error) {
	patch, err := replaceContent(intent, live)
	if err != nil {
		return nil, err
	}
	made := &metav1.PartialObjectMetadata{}
	made.SetGroupVersionKind(intent.GroupVersionKind())
	made.SetNamespace(intent.GetNamespace())
	made.SetName(intent.GetName())
	if err := w.client.Patch(ctx, made, client.RawPatch(types.JSONPatchType, patch), client.FieldOwner(v1alpha1.ManagedBy)); err != nil {
		return nil, fmt.Errorf("restore %s %s: %w", intent.GetKind(), client.ObjectKeyFromObject(intent), err)
	}
	if kinds.DriftOf(intent.GroupVersionKind().GroupKind()) == kinds.DriftByGeneration {
		setAppliedGeneration(intent, made.Generation)
	}
	applied, err := w.sendApplyPatch(ctx, intent)
	if err != nil {
		return nil, err
	}
	logWrite(ctx, intent, drift)
	compared, err := w.upToDate.hashComparison(owner, desired, applied)
	if err != nil {
		return nil, err
	}
	w.upToDate.addHash(compared)
	return applied, nil
}

// replaceContent returns a JSON patch that replaces everything but metadata and status. It carries the resource version of the
// live object, so that it fails if that has changed since.
func replaceContent(intent *unstructured.Unstructured, live client.Object) ([]byte, error) {
	type operation struct {
		Op    string `json:"op"`
		Path  string `json:"path"`
		Value any    `json:"value"`
	}
	operations := []operation{{"add", "/metadata/resourceVersion", live.GetResourceVersion()}}
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
