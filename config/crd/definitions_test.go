package crd_test

import (
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
)

// TestAPIServerAcceptsDefinitions validates the CRDs as the API server does, including the estimated costs of
// their CEL rules.
func TestAPIServerAcceptsDefinitions(t *testing.T) {
	for kind, crd := range readCRDs(t) {
		t.Run(kind, func(t *testing.T) {
			apiextensionsv1.SetDefaults_CustomResourceDefinition(&crd)
			apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&crd.Spec)
			var definition apiextensions.CustomResourceDefinition
			if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(&crd, &definition, nil); err != nil {
				t.Fatal(err)
			}
			definition.Status.StoredVersions = []string{crd.Spec.Versions[0].Name}
			for _, err := range validation.ValidateCustomResourceDefinition(t.Context(), &definition) {
				t.Error(err)
			}
		})
	}
}
