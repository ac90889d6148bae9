package experiment

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	kjson "sigs.k8s.io/json"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/limits"
)

// templateDocument is a template as JSON, which axes and variants change.
type templateDocument map[string]any

func newTemplateDocument(template *v1alpha1.ExperimentTemplate) (templateDocument, error) {
	content, err := json.Marshal(template)
	if err != nil {
		return nil, fmt.Errorf("encode the template: %w", err)
	}
	var d templateDocument
	if err := kjson.UnmarshalCaseSensitivePreserveInts(content, &d); err != nil {
		return nil, fmt.Errorf("decode the template: %w", err)
	}
	return d, nil
}

// copyDocument returns a deep copy.
func (d templateDocument) copyDocument() templateDocument {
	return runtime.DeepCopyJSON(d)
}

// decodeTemplate decodes the document. It fails with the name of the field if a field is unknown or cannot hold
// its value.
func (d templateDocument) decodeTemplate() (*v1alpha1.ExperimentTemplate, error) {
	content, err := json.Marshal(d)
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	var t v1alpha1.ExperimentTemplate
	unknown, err := kjson.UnmarshalStrict(content, &t)
	if err != nil {
		return nil, explainTypeError(err)
	}
	if len(unknown) > 0 {
		return nil, explainUnknownFields(errors.Join(unknown...))
	}
	if problems := limits.ValidateQuantities(&t, nil); len(problems) > 0 {
		return nil, problems.ToAggregate()
	}
	kept, err := newTemplateDocument(&t)
	if err != nil {
		return nil, err
	}
	if path := findLostField(map[string]any(d), map[string]any(kept), ""); path != "" {
		return nil, fmt.Errorf("%s must be greater than 0", path)
	}
	return &t, nil
}

// directivePatch with the value replace says that an object of a patch replaces that of the template, as in a strategic merge patch.
const (
	directivePatch   = "$patch"
	directiveReplace = "replace"
)

// applyMergePatch applies a JSON merge patch (RFC 7386). Since kubectl apply removes nulls from it, there are two other ways to remove
// fields: another type removes the field of the former one, and an object with directivePatch removes all fields that it lacks.
func applyMergePatch(target, patch map[string]any) {
	removeFormerType(target, patch)
	for name, value := range patch {
		inner, isObject := value.(map[string]any)
		switch {
		case value == nil:
			delete(target, name)
		case isObject:
			below, ok := target[name].(map[string]any)
			replaces := inner[directivePatch] == directiveReplace
			if !ok || replaces {
				below = map[string]any{}
			}
			applyMergePatch(below, inner)
			if replaces {
				delete(below, directivePatch)
			}
			target[name] = below
		default:
			target[name] = runtime.DeepCopyJSONValue(value)
		}
	}
}

// removeFormerType removes the field of the target's type, such as malachite of a platform, if the patch sets another type.
func removeFormerType(target, patch map[string]any) {
	former, _ := target["type"].(string)
	if given, ok := patch["type"]; !ok || given == former {
		return
	}
	maps.DeleteFunc(target, func(name string, _ any) bool { return strings.EqualFold(name, former) })
}

// patchSetsField reports whether the patch sets the field or a parent of it.
func patchSetsField(patch map[string]any, steps []pathStep) bool {
	var at any = patch
	for _, s := range steps {
		object, ok := at.(map[string]any)
		if !ok {
			return true
		}
		if at, ok = object[s.name]; !ok {
			return false
		}
		if s.index >= 0 {
			return true // A merge patch replaces lists as a whole.
		}
	}
	return true
}

// pathStep is a field of a path, with an index if it is a list (-1: none).
type pathStep struct {
	name  string
	index int
}

func parsePath(path string) ([]pathStep, error) {
	var all []pathStep
	for part := range strings.SplitSeq(path, ".") {
		name, rest, indexed := strings.Cut(part, "[")
		s := pathStep{name: name, index: -1}
		if indexed {
			n, err := strconv.Atoi(strings.TrimSuffix(rest, "]"))
			if err != nil {
				return nil, fmt.Errorf("%q is not an index", rest)
			}
			s.index = n
		}
		all = append(all, s)
	}
	return all, nil
}

// setValue sets the value at the path. It creates missing objects, but fails on missing list entries.
func (d templateDocument) setValue(path []pathStep, value any) error {
	at := map[string]any(d)
	for i, s := range path {
		last := i == len(path)-1
		if s.index < 0 && last {
			at[s.name] = value
			return nil
		}
		if s.index >= 0 {
			list, _ := at[s.name].([]any)
			if s.index >= len(list) {
				return fmt.Errorf("%s has %d entries in the template and no index %d", s.name, len(list), s.index)
			}
			if last {
				list[s.index] = value
				return nil
			}
			inner, ok := list[s.index].(map[string]any)
			if !ok {
				return fmt.Errorf("%s[%d] is not an object", s.name, s.index)
			}
			at = inner
			continue
		}
		inner, ok := at[s.name].(map[string]any)
		if !ok {
			inner = map[string]any{}
			at[s.name] = inner
		}
		at = inner
	}
	return nil
}

// setConvertedValue sets a field to the JSON form of the value that the field's type accepts. If it accepts none,
// the error is about the last: for text that spells a number, about the number.
func (d templateDocument) setConvertedValue(path []pathStep, value string) error {
	var last error
	for _, candidate := range jsonCandidates(value) {
		tried := d.copyDocument()
		if err := tried.setValue(path, candidate); err != nil {
			return err
		}
		if _, last = tried.decodeTemplate(); last == nil {
			return d.setValue(path, candidate)
		}
	}
	return last
}
