package bundle

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// References are the fields of manifests that name what runs or what is trusted: images, charts and other files, Secrets, hosts.
type References struct {
	// All has a line with object, field and value for each field, quoted.
	All []string
	// ExternalDatabases are the lines of All about database servers outside of the network.
	ExternalDatabases []string
}

// referenceSuffixes are the ends of the names of fields that are references, in lower case.
var referenceSuffixes = []string{"image", "host", "url", "endpoint", "secret", "secrets", "secretname", "configmapname"}

// Add adds the references of an object, also those of the patches and axes of an experiment.
func (r *References) Add(object *unstructured.Unstructured) {
	if isConfigMap(object) {
		return
	}
	of := fmt.Sprintf("%s %q: spec", object.GetKind(), object.GetName())
	r.addValue(object.Object["spec"], of, false, false)
	axes, _, _ := unstructured.NestedSlice(object.Object, "spec", "axes")
	for i := range axes {
		axis, _ := axes[i].(map[string]any)
		value, steps := axis["values"], strings.Split(fmt.Sprint(axis["field"]), ".")
		for _, step := range slices.Backward(steps) {
			value = map[string]any{step: value}
		}
		r.addValue(value, fmt.Sprintf("%s.axes[%d]", of, i), false, false)
	}
}

// addValue adds the scalars below a value that are in a field of a reference, or of an external database.
func (r *References) addValue(value any, path string, isReference, isExternal bool) {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			// The decoder of patches ignores case, also of the letters whose upper or lower case is an ASCII letter.
			field := strings.ToLower(strings.ToUpper(key))
			external := isExternal || field == "external"
			named := slices.ContainsFunc(referenceSuffixes, func(suffix string) bool { return strings.HasSuffix(field, suffix) })
			r.addValue(v[key], path+"."+key, isReference || external || named, external)
		}
	case []any:
		for i := range v {
			r.addValue(v[i], fmt.Sprintf("%s[%d]", path, i), isReference, isExternal)
		}
	default:
		if !isReference || value == nil {
			return
		}
		line := fmt.Sprintf("%s: %q", path, fmt.Sprint(value))
		r.All = append(r.All, line)
		if isExternal {
			r.ExternalDatabases = append(r.ExternalDatabases, line)
		}
	}
}
