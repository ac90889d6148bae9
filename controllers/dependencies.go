package controllers

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/benchnet/benchnet/internal/kube/apply"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/network/chart"
	"github.com/benchnet/benchnet/internal/network/networkpolicy"
	"github.com/benchnet/benchnet/internal/platform"
)

// Dependencies are what every reconciler works with.
type Dependencies struct {
	Client client.Client
	// APIReader reads objects that the cache does not hold, the user's own among them.
	APIReader      client.Reader
	Platforms      *platform.Registry
	Images         naming.ImageCatalogue
	Writer         *apply.Writer
	SnapshotReader *snapshot.Reader
	// ChartRenderer renders the charts of users.
	ChartRenderer *chart.Renderer
	Recorder      EventRecorder
	// KubeVersion of the cluster: charts may ask for it, results record it.
	KubeVersion string
	// NetworkPolicyMode says whether networks are kept apart by policies; empty: they are.
	NetworkPolicyMode networkpolicy.Mode
	// MetricsScrapers may read the metrics of networks; empty: everybody may.
	MetricsScrapers networkpolicy.Scrapers
	// Kueue says who decides about networks that are labelled for it; empty: nobody does.
	Kueue KueueMode
	// Limits on the number of networks.
	Limits Limits
	// Now is the clock.
	Now func() time.Time
}

// deleteAfterDeadline deletes an object whose time to live ends at the deadline, or comes back then. It deletes only what was read: a changed object
// may have another deadline, and one that was created again under the same name is another object.
func (d *Dependencies) deleteAfterDeadline(ctx context.Context, object client.Object, deadline time.Time) (ctrl.Result, error) {
	if left := deadline.Sub(d.Now()); left > 0 {
		return ctrl.Result{RequeueAfter: left}, nil
	}
	read := client.Preconditions{UID: new(object.GetUID()), ResourceVersion: new(object.GetResourceVersion())}
	if err := d.Client.Delete(ctx, object, read); err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		return ctrl.Result{}, fmt.Errorf("delete expired %T %s: %w", object, object.GetName(), err)
	}
	log.FromContext(ctx).Info("expired object deleted", "deadline", deadline.UTC().Format(time.RFC3339))
	return ctrl.Result{}, nil
}
