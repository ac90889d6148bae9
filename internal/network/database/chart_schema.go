package database

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"helm.sh/helm/v4/pkg/chart/common"
	chartv2 "helm.sh/helm/v4/pkg/chart/v2"
)

// schemaURL is the name of a chart's values schema; nothing is read from it.
const schemaURL = "file:///values.schema.json"

// validateValues checks the values against the schemas of the chart and of its dependencies.
func validateValues(c *chartv2.Chart, values map[string]any) error {
	if c.Schema != nil {
		if err := validateSchema(c.Schema, values); err != nil {
			return fmt.Errorf("values of %s: %w", c.Name(), err)
		}
	}
	for _, dependency := range c.Dependencies() {
		if own, ok := values[dependency.Name()]; ok && own != nil {
			if err := validateValues(dependency, asTable(own)); err != nil {
				return err
			}
		}
	}
	return nil
}

// asTable returns a value as a map, or nil if it is not a map.
func asTable(value any) map[string]any {
	switch v := value.(type) {
	case map[string]any:
		return v
	case common.Values:
		return v
	}
	return nil
}

// validateSchema checks the values against one schema. It skips a schema that refers to other documents.
func validateSchema(schema []byte, values map[string]any) error {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return fmt.Errorf("read values.schema.json: %w", err)
	}
	compiler, loader := jsonschema.NewCompiler(), &emptyLoader{}
	compiler.UseLoader(loader)
	if err := compiler.AddResource(schemaURL, document); err != nil {
		return fmt.Errorf("read values.schema.json: %w", err)
	}
	compiled, err := compiler.Compile(schemaURL)
	if loader.called {
		return nil
	}
	if err != nil {
		return fmt.Errorf("compile values.schema.json: %w", err)
	}
	if err := compiled.Validate(values); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "jsonschema validation failed with '"+schemaURL+"#'\n"))
	}
	return nil
}

// emptyLoader fails to load any URL, and records that it was called.
type emptyLoader struct{ called bool }

// Load implements jsonschema.URLLoader.
func (l *emptyLoader) Load(url string) (any, error) {
	l.called = true
	return nil, fmt.Errorf("%s is not a part of the chart", url)
}
