package controllers

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8slabels "k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/kinds"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/platform"
)

// ensureCredentials creates the Secrets of random passwords that never existed. Of an existing one, it restores only metadata.
func (r *NetworkReconciler) ensureCredentials(ctx context.Context, pass *networkPass) error {
	for _, c := range pass.plan.Credentials {
		var err error
		switch live := pass.snapshot.Secret(c.Name); {
		case pass.plan.IsLost(c.Name):
		case live == nil:
			err = r.createCredential(ctx, pass.network, c)
		case !containsLabels(live.Labels, secretLabels(pass.network, naming.ComponentCredentials)),
			live.Annotations[v1alpha1.AnnotationGenerated] != string(v1alpha1.GeneratedCredentials):
			err = r.adoptSecret(ctx, pass, live.DeepCopy())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// secretLabels returns the labels of a generated Secret.
func secretLabels(network *v1alpha1.BenchmarkNetwork, component naming.Component) map[string]string {
	return pods.AddMissing(naming.NetworkLabels(network.Name, component), network.Spec.CommonLabels)
}

// containsLabels reports whether the labels include the required ones.
func containsLabels(labels, required map[string]string) bool {
	return k8slabels.SelectorFromSet(required).Matches(k8slabels.Set(labels))
}

func (r *NetworkReconciler) createCredential(ctx context.Context, network *v1alpha1.BenchmarkNetwork, c platform.Credential) error {
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: c.Name, Namespace: network.Namespace,
			Labels:      secretLabels(network, naming.ComponentCredentials),
			Annotations: map[string]string{v1alpha1.AnnotationGenerated: string(v1alpha1.GeneratedCredentials)}},
		StringData: map[string]string{},
	}
	for _, key := range c.Keys {
		// rand.Text returns 128 random bits as letters and digits, which need no quoting anywhere.
		secret.StringData[key] = rand.Text()
	}
	if c.DigestKey != "" {
		secret.StringData[c.DigestKey] = fmt.Sprintf("%x", sha256.Sum256([]byte(secret.StringData[c.Keys[0]])))
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

// maxRestoredSecrets bounds the reads and writes of one pass.
const maxRestoredSecrets = 8

// restoreSecrets makes lost Secrets the network's own again that a user has restored, or whose labels or owner were removed.
// Their content must be what was generated.
func (r *NetworkReconciler) restoreSecrets(ctx context.Context, pass *networkPass) error {
	for _, lost := range pass.plan.LostSecrets[:min(len(pass.plan.LostSecrets), maxRestoredSecrets)] {
		secret := &corev1.Secret{}
		err := r.APIReader.Get(ctx, client.ObjectKey{Namespace: pass.network.Namespace, Name: lost.Name}, secret)
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("get Secret %s: %w", lost.Name, err)
		}
		owner := metav1.GetControllerOf(secret)
		if owner != nil && owner.UID != pass.network.UID || !lost.HasContent(kinds.SecretDigest(secret)) {
			continue
		}
		if err := r.adoptSecret(ctx, pass, secret); err != nil {
			return err
		}
	}
	return nil
}

// adoptSecret restores the metadata of a generated Secret.
func (r *NetworkReconciler) adoptSecret(ctx context.Context, pass *networkPass, secret *corev1.Secret) error {
	before, component, generated := secret.DeepCopy(), naming.ComponentGenesis, v1alpha1.GeneratedGenesis
	if slices.ContainsFunc(pass.plan.Credentials, func(c platform.Credential) bool { return c.Name == secret.Name }) {
		component, generated = naming.ComponentCredentials, v1alpha1.GeneratedCredentials
	}
	if secret.Labels == nil {
		secret.Labels = map[string]string{}
	}
	maps.Copy(secret.Labels, secretLabels(pass.network, component))
	metav1.SetMetaDataAnnotation(&secret.ObjectMeta, v1alpha1.AnnotationGenerated, string(generated))
	if err := controllerutil.SetControllerReference(pass.network, secret, r.Client.Scheme()); err != nil {
		return fmt.Errorf("own Secret %s: %w", secret.Name, err)
	}
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := r.Client.Patch(ctx, secret, patch, client.FieldOwner(v1alpha1.ManagedBy)); err != nil {
		return fmt.Errorf("adopt Secret %s: %w", secret.Name, err)
	}
	log.FromContext(ctx).Info("object adopted", "object", "Secret/"+secret.Name)
	return nil
}
