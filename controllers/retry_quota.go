package controllers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/apply"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
)

// quotaRetryPeriod is how often a write that a ResourceQuota rejected is retried. Quotas emit no event when
// capacity becomes available.
const quotaRetryPeriod = 10 * time.Second

// +kubebuilder:rbac:groups="",resources=resourcequotas,verbs=list

// isQuotaExceeded reports whether the API server rejected a write because of a ResourceQuota.
func isQuotaExceeded(err error) bool {
	return apierrors.IsForbidden(err) && snapshot.IsQuotaMessage(err.Error())
}

// requeueOnQuota turns a quota rejection into a retry after at most quotaRetryPeriod, without the exponential
// backoff of an error. The status already names the quota.
func requeueOnQuota(result ctrl.Result, err error) (ctrl.Result, error) {
	if !isQuotaExceeded(err) {
		return result, err
	}
	if result.RequeueAfter == 0 || result.RequeueAfter > quotaRetryPeriod {
		result.RequeueAfter = quotaRetryPeriod
	}
	return result, nil
}

// nudgeQuotaBlockedOwners annotates StatefulSets and Jobs whose pods a quota rejected once the quotas have
// changed, so that their controllers retry now. On their own they back off for up to 15 minutes.
func (d *Dependencies) nudgeQuotaBlockedOwners(ctx context.Context, snapshot *snapshot.Snapshot) error {
	refused := snapshot.QuotaBlockedOwners()
	if len(refused) == 0 {
		return nil
	}
	state, err := d.quotaDigest(ctx, refused[0].GetNamespace())
	if err != nil {
		return err
	}
	var problems []error
	for _, o := range refused {
		if o.GetAnnotations()[v1alpha1.AnnotationQuota] == state {
			continue
		}
		changed, ok := o.DeepCopyObject().(client.Object)
		if !ok {
			continue
		}
		annotations := changed.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[v1alpha1.AnnotationQuota] = state
		changed.SetAnnotations(annotations)
		if err := d.Client.Patch(ctx, changed, client.MergeFrom(o)); client.IgnoreNotFound(err) != nil {
			problems = append(problems, fmt.Errorf("annotate %T %s: %w", o, o.GetName(), err))
		}
		log.FromContext(ctx).V(1).Info("retry requested after a quota change", "object", o.GetName())
	}
	return errors.Join(problems...)
}

// quotaDigest returns a hash of the limits and usage of all quotas in the namespace.
func (d *Dependencies) quotaDigest(ctx context.Context, namespace string) (string, error) {
	var list corev1.ResourceQuotaList
	if err := d.APIReader.List(ctx, &list, client.InNamespace(namespace)); err != nil {
		return "", fmt.Errorf("list quotas of namespace %s: %w", namespace, err)
	}
	slices.SortFunc(list.Items, func(a, b corev1.ResourceQuota) int { return strings.Compare(a.Name, b.Name) })
	type quota struct {
		Name       string
		Hard, Used corev1.ResourceList
	}
	var all []quota
	for _, q := range list.Items {
		all = append(all, quota{q.Name, q.Spec.Hard, q.Status.Used})
	}
	return apply.HashJSON(all)
}
