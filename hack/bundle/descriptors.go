package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	operatorsv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// describeCRD returns the description of a kind and of the fields of its spec and status, from its schema.
func describeCRD(crd *apiextensionsv1.CustomResourceDefinition) (operatorsv1alpha1.CRDDescription, error) {
	stored := slices.IndexFunc(crd.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Storage })
	if stored < 0 || crd.Spec.Versions[stored].Schema == nil {
		return operatorsv1alpha1.CRDDescription{}, fmt.Errorf("it has no stored version with a schema")
	}
	v := crd.Spec.Versions[stored]
	schema := v.Schema.OpenAPIV3Schema
	d := operatorsv1alpha1.CRDDescription{Name: crd.Name, Version: v.Name, Kind: crd.Spec.Names.Kind,
		DisplayName: displayName(crd.Spec.Names.Kind), Description: joinLines(schema.Description)}
	spec, status := schema.Properties["spec"].Properties, schema.Properties["status"].Properties
	for _, name := range slices.Sorted(maps.Keys(spec)) {
		d.SpecDescriptors = append(d.SpecDescriptors,
			operatorsv1alpha1.SpecDescriptor{Path: name, DisplayName: displayName(name), Description: joinLines(spec[name].Description)})
	}
	for _, name := range slices.Sorted(maps.Keys(status)) {
		s := operatorsv1alpha1.StatusDescriptor{Path: name, DisplayName: displayName(name), Description: joinLines(status[name].Description)}
		if name == "conditions" {
			s.XDescriptors = []string{"urn:alm:descriptor:io.kubernetes.conditions"}
		}
		d.StatusDescriptors = append(d.StatusDescriptors, s)
	}
	return d, nil
}

// displayName returns a name such as ttlSecondsAfterFinished as OLM's consoles show it: TTL Seconds After
// Finished.
func displayName(name string) string {
	var words strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		if i > 0 && unicode.IsUpper(r) && !unicode.IsUpper(runes[i-1]) {
			words.WriteByte(' ')
		}
		if i == 0 {
			r = unicode.ToUpper(r)
		}
		words.WriteRune(r)
	}
	return strings.Replace(words.String(), "Ttl", "TTL", 1)
}

func joinLines(text string) string { return strings.Join(strings.Fields(text), " ") }
