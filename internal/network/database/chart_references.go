package database

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
)

// maxForeignReferences bounds the objects whose labels the operator reads for one network.
const maxForeignReferences = 32

// rootCertificates is the ConfigMap with the API server's certificates that every namespace has.
const rootCertificates = "kube-root-ca.crt"

// ForeignReference is an object of the namespace that a user's chart mounts or reads, but does not create.
type ForeignReference struct {
	// Kind is Secret, ConfigMap or PersistentVolumeClaim.
	Kind, Name string
	// User is the object of the chart that refers to it, such as StatefulSet two-banks-db.
	User string
}

// ForeignReferences returns the Secrets, ConfigMaps and claims to which the objects of a user's chart refer, in
// any field, except those that the chart creates, the superuser's Secret, the pull secrets of the network and
// the API server's certificates. The caller must check that the chart may use them.
func ForeignReferences(network *v1alpha1.BenchmarkNetwork, instances [][]*unstructured.Unstructured) ([]ForeignReference, error) {
	known := map[ForeignReference]bool{
		{Kind: "Secret", Name: naming.DatabaseSuperuserSecret(network.Name)}: true,
		{Kind: "ConfigMap", Name: rootCertificates}:                          true,
	}
	for _, o := range slices.Concat(instances...) {
		known[ForeignReference{Kind: o.GetKind(), Name: o.GetName()}] = true
	}
	foreign := map[ForeignReference]bool{}
	for _, o := range slices.Concat(instances...) {
		references, err := objectReferences(o, network.Spec.ImagePullSecrets)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", o.GetKind(), o.GetName(), err)
		}
		for _, r := range references {
			if !known[r] {
				known[r] = true
				r.User = o.GetKind() + " " + o.GetName()
				foreign[r] = true
			}
		}
	}
	if len(foreign) > maxForeignReferences {
		return nil, fmt.Errorf("the chart refers to %d Secrets, ConfigMaps and claims that it does not create, at most %d are allowed",
			len(foreign), maxForeignReferences)
	}
	return slices.SortedFunc(maps.Keys(foreign), func(a, b ForeignReference) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	}), nil
}

// objectReferences returns the references of a StatefulSet or ServiceAccount. Other kinds of a chart have none.
// It leaves out the pull secrets that the network names.
func objectReferences(o *unstructured.Unstructured, pullSecrets []string) ([]ForeignReference, error) {
	own := func(s corev1.LocalObjectReference) bool { return slices.Contains(pullSecrets, s.Name) }
	switch o.GetKind() {
	case "StatefulSet":
		var set appsv1.StatefulSet
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &set); err != nil {
			return nil, err
		}
		pod := &set.Spec.Template.Spec
		pod.ImagePullSecrets = slices.DeleteFunc(pod.ImagePullSecrets, own)
		return findReferences(reflect.ValueOf(set.Spec), "Secret"), nil
	case "ServiceAccount":
		var account corev1.ServiceAccount
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &account); err != nil {
			return nil, err
		}
		account.ImagePullSecrets = slices.DeleteFunc(account.ImagePullSecrets, own)
		return findReferences(reflect.ValueOf([]any{account.ImagePullSecrets, account.Secrets}), "Secret"), nil
	}
	return nil, nil
}

// findReferences walks a value and returns what its Go types declare as references: fields named SecretName and
// ClaimName, and references by name, which are to a Secret unless they are within a type for ConfigMaps. A
// reference in a type that a later version of Kubernetes adds is thus found as well.
func findReferences(value reflect.Value, kind string) []ForeignReference {
	switch value.Kind() {
	case reflect.Pointer, reflect.Interface:
		if value.IsNil() {
			return nil
		}
		return findReferences(value.Elem(), kind)
	case reflect.Slice:
		var all []ForeignReference
		for i := range value.Len() {
			all = append(all, findReferences(value.Index(i), kind)...)
		}
		return all
	case reflect.Struct:
		return findFieldReferences(value, kind)
	}
	return nil
}

func findFieldReferences(value reflect.Value, kind string) []ForeignReference {
	switch r := value.Interface().(type) {
	case corev1.LocalObjectReference:
		return referenceTo(kind, r.Name)
	case corev1.SecretReference:
		return referenceTo("Secret", r.Name)
	case corev1.ObjectReference:
		return referenceTo("Secret", r.Name)
	}
	if strings.HasPrefix(value.Type().Name(), "ConfigMap") {
		kind = "ConfigMap"
	}
	var all []ForeignReference
	for i := range value.NumField() {
		switch name := value.Type().Field(i).Name; {
		case !value.Type().Field(i).IsExported():
		case name == "SecretName":
			all = append(all, referenceTo("Secret", reflect.Indirect(value.Field(i)).String())...)
		case name == "ClaimName":
			all = append(all, referenceTo("PersistentVolumeClaim", value.Field(i).String())...)
		default:
			all = append(all, findReferences(value.Field(i), kind)...)
		}
	}
	return all
}

func referenceTo(kind, name string) []ForeignReference {
	if name == "" {
		return nil
	}
	return []ForeignReference{{Kind: kind, Name: name}}
}
