package platformtest

import (
	"context"
	"fmt"
	"math"
	"os"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// Admission processes manifests of one kind as the API server does: it rejects unknown fields, sets defaults,
// and validates the schema and the CEL rules.
type Admission struct {
	structural *schema.Structural
	validator  validation.SchemaValidator
	rules      *cel.Validator
}

// NewAdmission reads the CRD of a kind from a file that controller-gen generated.
func NewAdmission(t testing.TB, definition string) Admission {
	t.Helper()
	a, err := newAdmission(definition)
	if err != nil {
		t.Fatalf("read definition %s: %v", definition, err)
	}
	return a
}

func newAdmission(definition string) (Admission, error) {
	content, err := os.ReadFile(definition)
	if err != nil {
		return Admission{}, err
	}
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(content, &crd); err != nil {
		return Admission{}, err
	}
	var props apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(
		crd.Spec.Versions[0].Schema.OpenAPIV3Schema, &props, nil); err != nil {
		return Admission{}, err
	}
	structural, err := schema.NewStructural(&props)
	if err != nil {
		return Admission{}, err
	}
	validator, _, err := validation.NewSchemaValidator(&props)
	if err != nil {
		return Admission{}, err
	}
	return Admission{structural: structural, validator: validator, rules: cel.NewValidator(structural, true, math.MaxInt64)}, nil
}

// Admit decodes a manifest with its defaults into object. It fails if the API server would reject the
// manifest.
func (a Admission) Admit(manifest []byte, object any) error {
	var content map[string]any
	raw, err := yaml.YAMLToJSONStrict(manifest)
	if err != nil {
		return fmt.Errorf("read manifest: %w", err)
	}
	if err := json.Unmarshal(raw, &content); err != nil {
		return fmt.Errorf("read manifest: %w", err)
	}
	options := schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
	if unknown := pruning.PruneWithOptions(content, a.structural, true, options); len(unknown) > 0 {
		return fmt.Errorf("unknown fields %v", unknown)
	}
	defaulting.Default(content, a.structural)
	errs := validation.ValidateCustomResource(nil, content, a.validator)
	ruled, _ := a.rules.Validate(context.Background(), nil, a.structural, content, nil, math.MaxInt64)
	if err := append(errs, ruled...).ToAggregate(); err != nil {
		return err
	}
	defaulted, err := json.Marshal(content)
	if err != nil {
		return fmt.Errorf("encode with defaults: %w", err)
	}
	return yaml.UnmarshalStrict(defaulted, object)
}
