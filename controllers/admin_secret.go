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

// errNoAdminLabel reports a Secret without the label for database administrators.
var errNoAdminLabel = errors.New("lacks the label " + v1alpha1.LabelDatabaseAdmin + "=true, which allows networks to use it")

// checkAdminSecret returns why the network may not use the admin Secret of its external database, or nil. The
// content of the Secret reaches a server and images that the network's author chooses, so the author must not
// be able to choose an arbitrary Secret. It reads only the metadata.
func (r *NetworkReconciler) checkAdminSecret(ctx context.Context, network *v1alpha1.BenchmarkNetwork) (refusal, err error) {
	external := network.Spec.DatabaseOrDefault().External
	if external == nil {
		return nil, nil
	}
	const field = "spec.database.external.adminSecret.name"
	secret := &metav1.PartialObjectMetadata{}
	secret.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	key := client.ObjectKey{Namespace: network.Namespace, Name: external.AdminSecret.Name}
	err = r.APIReader.Get(ctx, key, secret)
	switch {
	case apierrors.IsNotFound(err):
		return fmt.Errorf("%s: %w", field, err), nil
	case err != nil:
		return nil, fmt.Errorf("get labels of Secret %s: %w", key.Name, err)
	case secret.Labels[v1alpha1.LabelDatabaseAdmin] != "true":
		return fmt.Errorf("%s: Secret %s %w: kubectl label secret --namespace %s %s %s=true",
			field, key.Name, errNoAdminLabel, key.Namespace, key.Name, v1alpha1.LabelDatabaseAdmin), nil
	}
	return nil, nil
}
