package controllers

import (
	"context"
	"fmt"
	"reflect"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/apply"
	"github.com/benchnet/benchnet/internal/kube/kinds"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/network/chart"
	"github.com/benchnet/benchnet/internal/network/networkpolicy"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/run/loadgen"
	"github.com/benchnet/benchnet/internal/run/promql"
	"github.com/benchnet/benchnet/internal/status"
)

// Dependencies holds the clients and settings that all reconcilers share.
type Dependencies struct {
	Client client.Client
	// APIReader reads directly from the API server. It is for objects that the cache does not hold, such as
	// those of users.
	APIReader      client.Reader
	Platforms      platform.Registry
	Images         naming.ImageCatalogue
	Writer         *apply.Writer
	SnapshotReader *snapshot.Reader
	// ChartRenderer renders the charts of users.
	ChartRenderer *chart.Renderer
	Recorder      EventRecorder
	// KubeVersion is the version of the cluster. Charts may query it, and results record it.
	KubeVersion string
	// Commit is the commit of the operator, which results record; empty if unknown.
	Commit string
	// NetworkPolicyMode says whether NetworkPolicies isolate networks; empty means ModeEnforced.
	NetworkPolicyMode networkpolicy.Mode
	// MetricsScrapers may read the metrics of networks; empty means all pods.
	MetricsScrapers networkpolicy.Scrapers
	// WatchAPIServers makes NetworkPolicies follow the ports of the API servers, for which the operator needs to list and
	// watch EndpointSlices in namespace default. Otherwise they open APIServerPorts.
	WatchAPIServers bool
	// APIServerPorts are the ports of the API servers if they are not watched; empty means
	// networkpolicy.DefaultAPIServerPorts.
	APIServerPorts []int32
	// PodTemplateDomains are the domains of labels and annotations that podTemplate and commonLabels may set besides harmless ones.
	PodTemplateDomains []string
	// PodConstraints are what the cluster demands of every pod.
	PodConstraints pods.Constraints
	// Kueue says whether Kueue admits the networks that have its label; empty means KueueIgnore.
	Kueue KueueMode
	// Queries evaluates query objectives; nil without a Prometheus.
	Queries *promql.Evaluator
	// PodFaults lets faults end pods, which the operator then must be allowed to do.
	PodFaults bool
	// Limits bounds the number of networks.
	Limits Limits
	// Now is the clock.
	Now func() time.Time
}

// validateByOptions rejects query objectives and faults for which the operator lacks an option. Those of a run that has begun pass. The path
// is that of the workload.
func (d *Dependencies) validateByOptions(w *v1alpha1.Workload, namespace string, begun bool, path *field.Path) field.ErrorList {
	return append(promql.Validate(w, namespace, d.Queries != nil || begun, path), loadgen.ValidatePodFaults(w, d.PodFaults || begun, path)...)
}

// getObject reads a network, a run or an experiment. If the cache omits the spec of an object that is under way or being deleted, it reads
// the object from the API server: only objects that have not begun are refused for their size.
func (d *Dependencies) getObject(ctx context.Context, key client.ObjectKey, object client.Object) error {
	if err := d.Client.Get(ctx, key, object); err != nil || kinds.OmittedSpecBytes(object) == 0 || !isUnderWay(object) {
		return err
	}
	reflect.ValueOf(object).Elem().SetZero()
	return d.APIReader.Get(ctx, key, object)
}

// isUnderWay reports whether an object has begun or is being deleted, so that reconciling it needs its spec.
func isUnderWay(object client.Object) bool {
	switch o := object.(type) {
	case *v1alpha1.BenchmarkNetwork:
		return o.DeletionTimestamp != nil || status.IsAdmitted(o)
	case *v1alpha1.BenchmarkRun:
		return o.DeletionTimestamp != nil || o.Status.Release != nil || o.IsComplete()
	case *v1alpha1.BenchmarkExperiment:
		return o.DeletionTimestamp != nil || status.HasPassedPreflight(o) || o.IsComplete()
	}
	return false
}

// deleteAfterDeadline deletes an object at the end of its time to live. Before the deadline it requeues the
// object for then. It deletes only the version that was read: a changed object may have another deadline, and
// an object that was created again under the same name has another UID.
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
