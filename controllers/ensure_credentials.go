package controllers

import (
	"context"
	"crypto/rand"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/platform"
)

// ensureCredentials creates the missing Secrets of random passwords. It never changes an existing one.
func (r *NetworkReconciler) ensureCredentials(ctx context.Context, pass *networkPass) error {
	for _, c := range pass.plan.Credentials {
		if pass.snapshot.Secret(c.Name) != nil {
			continue
		}
		if err := r.createCredential(ctx, pass.network, c); err != nil {
			return err
		}
	}
	return nil
}

func (r *NetworkReconciler) createCredential(ctx context.Context, network *v1alpha1.BenchmarkNetwork, c platform.Credential) error {
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: c.Name, Namespace: network.Namespace,
			Labels:      naming.NetworkLabels(network.Name, naming.ComponentCredentials),
			Annotations: map[string]string{v1alpha1.AnnotationGenerated: string(v1alpha1.GeneratedCredentials)}},
		StringData: map[string]string{},
	}
	for _, key := range c.Keys {
		// rand.Text returns 128 random bits as letters and digits, which need no quoting anywhere.
		secret.StringData[key] = rand.Text()
	}
	if err := controllerutil.SetControllerReference(network, secret, r.Client.Scheme()); err != nil {
		return fmt.Errorf("own Secret %s: %w", c.Name, err)
	}
	err := r.Client.Create(ctx, secret, client.FieldOwner(v1alpha1.ManagedBy))
	if apierrors.IsAlreadyExists(err) {
		return r.Writer.CheckOwnership(ctx, network, secret) // The cache may not have it yet.
	}
	if err != nil {
		return fmt.Errorf("create Secret %s: %w", c.Name, err)
	}
	log.FromContext(ctx).Info("object created", "object", "Secret/"+c.Name)
	return nil
}
