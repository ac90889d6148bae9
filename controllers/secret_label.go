package controllers

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// errSecretNotLabelled reports a Secret without the label that allows resources to use it.
var errSecretNotLabelled = errors.New("lacks the label that allows its use")

// secretReference is a field of a resource that names a Secret, and the label that the Secret needs.
type secretReference struct{ field, name, label string }

// checkSecretLabel returns why a resource in the namespace may not use a Secret, or nil. The content of the Secret
// reaches a server that the author of the resource chooses, so the author must not be able to choose an arbitrary
// Secret. It reads only the metadata.
func (d *Dependencies) checkSecretLabel(ctx context.Context, namespace string, ref secretReference) (refusal, err error) {
	secret := &metav1.PartialObjectMetadata{}
	secret.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	err = d.APIReader.Get(ctx, client.ObjectKey{Namespace: namespace, Name: ref.name}, secret)
	switch {
	case apierrors.IsNotFound(err):
		return fmt.Errorf("%s: %w", ref.field, err), nil
	case err != nil:
		return nil, fmt.Errorf("get labels of Secret %s: %w", ref.name, err)
	case secret.Labels[ref.label] != "true":
		return fmt.Errorf("%s: Secret %s %w: kubectl label secret --namespace %s %s %s=true",
			ref.field, ref.name, errSecretNotLabelled, namespace, ref.name, ref.label), nil
	}
	return nil, nil
}

// checkExternalSecret returns why the network may not use the Secret of its external database, or nil.
func (r *NetworkReconciler) checkExternalSecret(ctx context.Context, network *v1alpha1.BenchmarkNetwork) (refusal, err error) {
	spec := network.Spec.DatabaseOrDefault()
	if spec.External == nil {
		return nil, nil
	}
	ref := secretReference{"spec.database.external.adminSecret.name", spec.External.AdminSecret.Name, v1alpha1.LabelDatabaseAdmin}
	if spec.HasUserSchemas() {
		ref = secretReference{"spec.database.external.jdbcSecret.name", spec.External.JDBCSecret.Name, v1alpha1.LabelDatabaseJDBC}
	}
	return r.checkSecretLabel(ctx, network.Namespace, ref)
}
