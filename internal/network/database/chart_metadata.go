package database

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/naming"
)

// chartAnnotations are the allowed annotations of a chart's objects and pods. Those that end with a slash are
// prefixes. Other annotations may give pods a cloud identity, injected containers or additional networks.
var chartAnnotations = []string{"checksum/", "kubectl.kubernetes.io/default-container", "kubernetes.io/description", "prometheus.io/"}

// labelPrefixes are the prefixes of the allowed labels; the empty one allows keys without a prefix. Other
// labels may select a pod for a cloud identity, an injected container or the operator.
var labelPrefixes = []string{"", "app.kubernetes.io/", "helm.sh/"}

// rebuildMetadata returns the labels and annotations of an object, and its name if named is true. It drops
// Helm's annotations and fails for labels and annotations that are not allowed.
func rebuildMetadata(object map[string]any, named bool, path *field.Path) (map[string]any, error) {
	given, _ := object["metadata"].(map[string]any)
	out := map[string]any{}
	if name, ok := given["name"]; ok && named {
		out["name"] = name
	}
	if labels, _ := given["labels"].(map[string]any); len(labels) > 0 {
		if err := checkLabels(labels, path.Child("labels")); err != nil {
			return nil, err
		}
		out["labels"] = labels
	}
	annotations, _ := given["annotations"].(map[string]any)
	annotations = maps.Clone(annotations)
	maps.DeleteFunc(annotations, func(key string, _ any) bool { return strings.HasPrefix(key, "helm.sh/") })
	for _, key := range slices.Sorted(maps.Keys(annotations)) {
		if !slices.ContainsFunc(chartAnnotations, func(allowed string) bool {
			return key == allowed || strings.HasSuffix(allowed, "/") && strings.HasPrefix(key, allowed)
		}) {
			return nil, fmt.Errorf("%s is not allowed; allowed are %s", path.Child("annotations").Key(key), strings.Join(chartAnnotations, ", "))
		}
	}
	if len(annotations) > 0 {
		out["annotations"] = annotations
	}
	return out, nil
}

func checkLabels(labels map[string]any, path *field.Path) error {
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		prefix := key[:strings.LastIndex(key, "/")+1]
		if !slices.Contains(labelPrefixes, prefix) {
			return fmt.Errorf("%s is not allowed; allowed are keys without a prefix and those of %s",
				path.Key(key), strings.Join(labelPrefixes[1:], ", "))
		}
	}
	if _, found := labels[pods.IdentityLabel]; found {
		return fmt.Errorf("%s is not allowed: it may give pods an identity in a cloud", path.Key(pods.IdentityLabel))
	}
	if labels[naming.LabelManagedBy] == v1alpha1.ManagedBy {
		return fmt.Errorf("%s: %s is the operator's", path.Key(naming.LabelManagedBy), v1alpha1.ManagedBy)
	}
	if component, _ := labels[naming.LabelComponent].(string); slices.Contains(naming.ReservedComponents, naming.Component(component)) {
		return fmt.Errorf("%s: %s is the operator's", path.Key(naming.LabelComponent), component)
	}
	return nil
}
