package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	operatorsv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	appsv1 "k8s.io/api/apps/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// apiGroup is the API group of the operator's kinds.
const apiGroup = "benchnet.dev"

// bundleContents holds the kustomize output, grouped by its use in the bundle.
type bundleContents struct {
	csv         operatorsv1alpha1.ClusterServiceVersion
	crds        []apiextensionsv1.CustomResourceDefinition
	deployments []appsv1.Deployment
	// roles maps kind and name to roles; bindings bind them to subjects.
	roles    map[string]role
	bindings []binding
	// examples are resources of the operator's kinds.
	examples []map[string]any
	// otherObjects are copied to the bundle unchanged.
	otherObjects []*unstructured.Unstructured
}

// role is a Role or a ClusterRole.
type role struct {
	rules  []rbacv1.PolicyRule
	object *unstructured.Unstructured
}

// binding is a RoleBinding or a ClusterRoleBinding.
type binding struct {
	clusterWide bool
	role        rbacv1.RoleRef
	subjects    []rbacv1.Subject
}

func readManifests(r io.Reader) (*bundleContents, error) {
	m := &bundleContents{roles: map[string]role{}}
	decoder := utilyaml.NewYAMLOrJSONDecoder(r, 4096)
	for {
		object := &unstructured.Unstructured{}
		err := decoder.Decode(object)
		if errors.Is(err, io.EOF) {
			return m, nil
		}
		if err != nil {
			return nil, err
		}
		if err := m.addObject(object); err != nil {
			return nil, fmt.Errorf("%s %s: %w", object.GetKind(), object.GetName(), err)
		}
	}
}

func (m *bundleContents) addObject(object *unstructured.Unstructured) error {
	into := func(typed any) error {
		return convertViaJSON(object.Object, typed)
	}
	switch kind := object.GetKind(); kind {
	case "ClusterServiceVersion":
		return into(&m.csv)
	case "CustomResourceDefinition":
		m.crds = append(m.crds, apiextensionsv1.CustomResourceDefinition{})
		return into(&m.crds[len(m.crds)-1])
	case "Deployment":
		m.deployments = append(m.deployments, appsv1.Deployment{})
		return into(&m.deployments[len(m.deployments)-1])
	case "Role", "ClusterRole":
		return m.addRole(object, into)
	case "RoleBinding", "ClusterRoleBinding":
		var b rbacv1.ClusterRoleBinding // a RoleBinding has the same fields
		err := into(&b)
		m.bindings = append(m.bindings, binding{kind == "ClusterRoleBinding", b.RoleRef, b.Subjects})
		return err
	case "Namespace", "ServiceAccount", "NetworkPolicy", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding":
		// OLM provides the namespace and creates the service account that the CSV names. It does not accept
		// NetworkPolicies in every version, and admission policies in none.
		return nil
	}
	if object.GroupVersionKind().Group == apiGroup {
		m.examples = append(m.examples, object.Object)
		return nil
	}
	object.SetNamespace("") // OLM sets it to the operator's namespace
	m.otherObjects = append(m.otherObjects, object)
	return nil
}

func (m *bundleContents) addRole(object *unstructured.Unstructured, into func(any) error) error {
	var r rbacv1.ClusterRole // a Role has the same fields
	err := into(&r)
	m.roles[object.GetKind()+"/"+object.GetName()] = role{r.Rules, object}
	return err
}

// writeFiles replaces the manifests in the directory. The metadata is maintained manually.
func (m *bundleContents) writeFiles(directory string) error {
	directory = filepath.Join(directory, "manifests")
	if err := os.RemoveAll(directory); err != nil {
		return err
	}
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return err
	}
	files := map[string]any{"benchnet.clusterserviceversion.yaml": m.csv}
	for _, crd := range m.crds {
		files[crd.Spec.Group+"_"+crd.Spec.Names.Plural+".yaml"] = crd
	}
	for _, object := range m.otherObjects {
		files[strings.ToLower(object.GetName()+"_"+object.GetKind())+".yaml"] = object.Object
	}
	for name, content := range files {
		text, err := encodeManifest(content)
		if err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
		if err := os.WriteFile(filepath.Join(directory, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// encodeManifest returns YAML without the fields that only the API server writes.
func encodeManifest(content any) ([]byte, error) {
	var object map[string]any
	if err := convertViaJSON(content, &object); err != nil {
		return nil, err
	}
	delete(object, "status")
	unstructured.RemoveNestedField(object, "metadata", "creationTimestamp")
	return yaml.Marshal(object)
}

// convertViaJSON converts a value by way of JSON, because the types have their own JSON encodings.
func convertViaJSON(from, into any) error {
	text, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}
