package controllers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/network/database"
)

// errNotLabelled reports an object without the label that allows resources to use it.
var errNotLabelled = errors.New("lacks the label that allows its use")

// secretReference is a field of a resource that names a Secret, and the label that the Secret needs.
type secretReference struct{ field, name, label string }

// checkSecretLabel returns why a resource in the namespace may not use a Secret, or nil.
func (d *Dependencies) checkSecretLabel(ctx context.Context, namespace string, ref secretReference) (refusal, err error) {
	return d.checkLabel(ctx, namespace, "Secret", ref)
}

// checkLabel returns why a resource in the namespace may not use an object of the kind Secret, ConfigMap or
// PersistentVolumeClaim, or nil. The content of the object reaches a program or a server that the author of the
// resource chooses, so the author must not be able to choose an arbitrary object. It reads only the metadata.
func (d *Dependencies) checkLabel(ctx context.Context, namespace, kind string, ref secretReference) (refusal, err error) {
	object := &metav1.PartialObjectMetadata{}
	object.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind(kind))
	err = d.APIReader.Get(ctx, client.ObjectKey{Namespace: namespace, Name: ref.name}, object)
	switch {
	case apierrors.IsNotFound(err):
		return fmt.Errorf("%s: %w", ref.field, err), nil
	case err != nil:
		return nil, fmt.Errorf("get labels of %s %s: %w", kind, ref.name, err)
	case object.Labels[ref.label] != "true":
		return fmt.Errorf("%s: %s %s %w: kubectl label %s --namespace %s %s %s=true",
			ref.field, kind, ref.name, errNotLabelled, strings.ToLower(kind), namespace, ref.name, ref.label), nil
	}
	return nil, nil
}

// checkChartReferences returns an error if a user's chart refers to an object that it neither creates nor may use.
func (r *NetworkReconciler) checkChartReferences(ctx context.Context, network *v1alpha1.BenchmarkNetwork, instances [][]*unstructured.Unstructured) error {
	references, err := database.ForeignReferences(network, instances)
	if err != nil {
		return err
	}
	for _, ref := range references {
		refusal, err := r.checkLabel(ctx, network.Namespace, ref.Kind,
			secretReference{ref.User, ref.Name, v1alpha1.LabelDatabaseChart})
		if err := errors.Join(refusal, err); err != nil {
			return err
		}
	}
	return nil
}

// checkNamedObjects records why the network may not use the Secret of its external database or the claim of its
// CorDapps.
func (r *NetworkReconciler) checkNamedObjects(ctx context.Context, pass *networkPass) (err error) {
	network := pass.network
	if corda := network.Spec.Platform.Corda; corda != nil && corda.CorDapps.ClaimName != "" {
		ref := secretReference{"spec.platform.corda.cordapps.claimName", corda.CorDapps.ClaimName, v1alpha1.LabelCorDapps}
		if pass.namedObjectErr, err = r.checkLabel(ctx, network.Namespace, "PersistentVolumeClaim", ref); err != nil {
			return err
		}
	}
	spec := network.Spec.DatabaseOrDefault()
	if spec.External == nil {
		return nil
	}
	for _, ref := range externalSecrets(spec) {
		refusal, err := r.checkSecretLabel(ctx, network.Namespace, ref)
		if err != nil {
			return err
		}
		pass.externalSecretErr = errors.Join(pass.externalSecretErr, refusal)
	}
	pass.namedObjectErr = errors.Join(pass.namedObjectErr, pass.externalSecretErr)
	return nil
}

// externalSecrets returns the references to the Secrets of external servers, one for each Secret.
func externalSecrets(spec v1alpha1.DatabaseSpec) []secretReference {
	if spec.HasUserSchemas() {
		return []secretReference{{"spec.database.external.jdbcSecret.name", spec.External.JDBCSecret.Name, v1alpha1.LabelDatabaseJDBC}}
	}
	var all []secretReference
	for i, server := range spec.External.Servers {
		named := func(r secretReference) bool { return r.name == server.AdminSecret.Name }
		if !slices.ContainsFunc(all, named) {
			path := fmt.Sprintf("spec.database.external.servers[%d].adminSecret.name", i)
			all = append(all, secretReference{path, server.AdminSecret.Name, v1alpha1.LabelDatabaseAdmin})
		}
	}
	return all
}
