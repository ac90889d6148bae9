package controllers

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/kinds"
	"github.com/benchnet/benchnet/internal/kube/limits"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
	"github.com/benchnet/benchnet/internal/naming"
	networkchart "github.com/benchnet/benchnet/internal/network/chart"
	"github.com/benchnet/benchnet/internal/network/database"
	"github.com/benchnet/benchnet/internal/network/plan"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/status"
)

// networkPass is the state of one reconcile of a network.
type networkPass struct {
	network  *v1alpha1.BenchmarkNetwork
	snapshot *snapshot.Snapshot
	runs     []*v1alpha1.BenchmarkRun
	// plan of the network. It has no runs if only they are invalid, and is nil if the spec cannot be planned at
	// all.
	plan *plan.Plan
	// specErr is why the spec cannot be carried out. recheckSpec reports that a change of an unwatched object
	// may resolve it.
	specErr     error
	recheckSpec bool
	// externalSecretErr is why the Secret of an external database may not be used, or nil. namedObjectErr includes it,
	// and why the claim of the CorDapps may not be used.
	externalSecretErr, namedObjectErr error
	// chartPending reports that the plan has to wait for the objects of a user's chart.
	chartPending bool
	// reconcileErr is the error that ended the pass early.
	reconcileErr   error
	observedStages []status.ObservedStage
	// jobRecreationDelay is how long until the first Job that failed only by waiting is created again; 0 if
	// there is none.
	jobRecreationDelay time.Duration
	// applyTimer limits the time to apply objects. unfinished is set when the pass has left some to the next one.
	applyTimer *applyTimer
	unfinished bool
	// admission is the limiter's decision on a network that is not admitted yet, or Kueue's decision on any
	// network.
	admission status.AdmissionDecision
}

// readAndPlan reads everything that the plan depends on, and builds the plan.
func (r *NetworkReconciler) readAndPlan(ctx context.Context, network *v1alpha1.BenchmarkNetwork) (*networkPass, error) {
	pass := &networkPass{network: network}
	var err error
	if pass.snapshot, err = r.readSnapshot(ctx, network); err != nil {
		return nil, err
	}
	if pass.runs, err = listRunsOnNetwork(ctx, r.Client, network.Namespace, network.Name); err != nil {
		return nil, err
	}
	p, refusal := r.validateSpec(network, pass.snapshot.IsEmpty())
	if refusal != nil {
		pass.specErr = refusal
		return pass, nil
	}
	if err := r.checkNamedObjects(ctx, pass); err != nil {
		return nil, err
	}
	if err := r.buildPlan(ctx, pass, p); err != nil {
		return nil, err
	}
	return pass, r.readDeletion(ctx, pass)
}

// readDeletion reads whether a network without some of its Secrets is being deleted: the cache may have the deletion of the Secrets
// before that of the network.
func (r *NetworkReconciler) readDeletion(ctx context.Context, pass *networkPass) error {
	if pass.plan == nil || len(pass.plan.LostSecrets) == 0 {
		return nil
	}
	live := &v1alpha1.BenchmarkNetwork{}
	if err := r.APIReader.Get(ctx, client.ObjectKeyFromObject(pass.network), live); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("get network %s: %w", pass.network.Name, err)
	}
	if live.DeletionTimestamp != nil {
		pass.network.DeletionTimestamp = live.DeletionTimestamp
	}
	return nil
}

// buildPlan reads what the plan depends on besides the network's own objects, and sets the plan or the reason why there is none.
func (r *NetworkReconciler) buildPlan(ctx context.Context, pass *networkPass, p platform.Platform) error {
	network := pass.network
	chart, err := r.resolveChart(ctx, network)
	if err != nil {
		pass.specErr, pass.recheckSpec = err, true
		return nil
	}
	taken, err := r.readTakenRuns(ctx, pass)
	if err != nil {
		return err
	}
	apiServerPorts, err := r.readAPIServerPorts(ctx)
	if err != nil {
		return err
	}
	pass.plan, pass.specErr = plan.Build(plan.Input{
		Network: network, Platform: p, Images: r.Images, KubeVersion: r.KubeVersion, PodConstraints: r.PodConstraints, Chart: chart,
		NetworkPolicyMode: r.NetworkPolicyMode, Scrapers: r.MetricsScrapers, APIServerPorts: apiServerPorts,
		GenesisSecretFilled: pass.snapshot.IsGenesisSecretFilled, SecretDigest: pass.snapshot.SecretDigest,
		WorkloadRuns: indexOwnRuns(pass), TakenRuns: taken, RunsByAge: pass.runs,
		EpochRecord: pass.snapshot.ConfigMap(naming.EpochConfigMap(network.Name)), StatefulSet: pass.snapshot.StatefulSet,
	})
	if pass.chartPending = errors.Is(pass.specErr, networkchart.ErrPending); pass.chartPending {
		pass.specErr = nil
	}
	// The chart's ConfigMap is not watched, and neither are the networks and runs that have the names of this network's runs.
	pass.recheckSpec = pass.specErr != nil && (chart != nil || len(taken) > 0)
	if pass.specErr == nil && pass.namedObjectErr != nil {
		pass.specErr, pass.recheckSpec = pass.namedObjectErr, true
	}
	return nil
}

// readSnapshot reads the objects of a network, events about them, and the reports of its latency emulation.
func (r *NetworkReconciler) readSnapshot(ctx context.Context, network *v1alpha1.BenchmarkNetwork) (*snapshot.Snapshot, error) {
	read, err := r.SnapshotReader.ReadOwned(ctx, network, naming.NetworkSelector(network.Name))
	if err != nil {
		return nil, err
	}
	if err := read.ReadEvents(ctx, r.APIReader, r.Now()); err != nil {
		return nil, err
	}
	return read, read.LoadTexts(ctx, r.APIReader, naming.LatencyStatus(network.Name))
}

// validateSpec returns the network's platform, or an error if the spec is invalid. Workloads are validated only
// before the first object is created (untouched). A workload that is appended later cannot be removed, so its
// run is rejected instead.
func (r *NetworkReconciler) validateSpec(network *v1alpha1.BenchmarkNetwork, untouched bool) (platform.Platform, error) {
	if err := kinds.ValidateSpecSize(network); err != nil {
		return nil, err
	}
	p, err := r.Platforms.Get(network.Spec.Platform.Type)
	if err != nil {
		return nil, err
	}
	path := field.NewPath("spec")
	if problems := limits.ValidateQuantities(&network.Spec, path); len(problems) > 0 {
		return p, problems.ToAggregate()
	}
	problems := pods.ValidateNetworkMetadata(&network.Spec.NetworkTemplate, r.PodTemplateDomains, path)
	problems = append(problems, platform.ValidateNetwork(p, &network.Spec, path)...)
	for i := range network.Spec.Workloads {
		if !untouched {
			break
		}
		workload, path := &network.Spec.Workloads[i].Workload, path.Child("workloads").Index(i)
		problems = append(problems, platform.ValidateWorkload(p, &network.Spec, workload, path)...)
		problems = append(problems, r.validateByOptions(workload, network.Namespace, false, path)...)
	}
	return p, problems.ToAggregate()
}

// resolveChart returns the user's chart for the databases, or nil. It reads only the metadata of the ConfigMap;
// rendering reads the content.
func (r *NetworkReconciler) resolveChart(ctx context.Context, network *v1alpha1.BenchmarkNetwork) (*database.UserChart, error) {
	ref := network.Spec.DatabaseOrDefault().Chart
	if ref == nil {
		return nil, nil
	}
	found := &metav1.PartialObjectMetadata{}
	found.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMap"))
	key := client.ObjectKey{Namespace: network.Namespace, Name: ref.ConfigMapName}
	if err := r.APIReader.Get(ctx, key, found); err != nil {
		return nil, fmt.Errorf("spec.database.chart.configMapName: %w", err)
	}
	source := networkchart.Source{
		Namespace: network.Namespace,
		Version:   fmt.Sprintf("%s/%s/%s/%s", ref.ConfigMapName, found.UID, found.ResourceVersion, ref.Key),
		Load: func(ctx context.Context) ([]byte, error) {
			return r.readChartArchive(ctx, key, ref.Key, found.ResourceVersion)
		},
	}
	chart := &database.UserChart{Render: func(request database.RenderRequest) ([][]*unstructured.Unstructured, error) {
		objects, err := r.ChartRenderer.Render(ctx, source, request)
		if err != nil {
			return nil, err
		}
		return objects, r.checkChartReferences(ctx, network, objects)
	}}
	if ref.Values != nil {
		if err := yaml.Unmarshal(ref.Values.Raw, &chart.Values); err != nil {
			return nil, fmt.Errorf("spec.database.chart.values: %w", err)
		}
	}
	return chart, nil
}

// readChartArchive returns the packed chart in a ConfigMap. It fails if the ConfigMap no longer has that
// resource version.
func (r *NetworkReconciler) readChartArchive(ctx context.Context, configMap client.ObjectKey, key, resourceVersion string) ([]byte, error) {
	var cm corev1.ConfigMap
	if err := r.APIReader.Get(ctx, configMap, &cm); err != nil {
		return nil, fmt.Errorf("read the chart: %w", err)
	}
	if cm.ResourceVersion != resourceVersion {
		return nil, fmt.Errorf("ConfigMap %s changed while its chart was read", configMap.Name)
	}
	archive, ok := cm.BinaryData[key]
	if !ok {
		return nil, fmt.Errorf("ConfigMap %s has no binaryData %q; create it with kubectl create configmap %s --from-file=%s=<chart>.tgz",
			configMap.Name, key, configMap.Name, key)
	}
	return archive, nil
}

// areNeedsReady reports whether all needed stages are ready. If not, the message names those that are not.
func (p *networkPass) areNeedsReady(needs []plan.StageName) (bool, string) {
	var waiting []string
	for _, f := range p.observedStages {
		for _, need := range needs {
			if f.Name == need && f.State != snapshot.StateReady {
				waiting = append(waiting, string(need))
			}
		}
	}
	if len(waiting) == 0 {
		return true, ""
	}
	return false, "waiting for stage " + strings.Join(waiting, " and ")
}

// stageReadiness returns the readiness of a stage: that of its first failed object, otherwise that of its first
// object that is not ready. A stage also waits for its required Secrets.
func (p *networkPass) stageReadiness(stage plan.Stage) snapshot.Readiness {
	first := snapshot.Readiness{State: snapshot.StateReady}
	for _, object := range stage.Objects {
		found := p.snapshot.Readiness(object)
		if found.State == snapshot.StateFailed {
			return found
		}
		if found.State != snapshot.StateReady && (first.State == snapshot.StateReady || first.Cause == "" && found.Cause != "") {
			first = found
		}
	}
	for _, name := range stage.RequiredSecrets {
		if first.State == snapshot.StateReady && !p.snapshot.IsGenesisSecretFilled(name) {
			first = snapshot.Readiness{State: snapshot.StateWaiting, Message: "Secret " + name + " is not filled yet"}
		}
	}
	return first
}

// allObservedStages returns all stages of the plan, including those that the pass did not reach.
func (p *networkPass) allObservedStages() []status.ObservedStage {
	if p.plan == nil {
		return nil
	}
	all := p.observedStages
	missed := snapshot.Readiness{Message: "not reached in this pass"}
	if len(all) == 0 && p.reconcileErr != nil {
		missed = applyErrorReadiness(p.reconcileErr)
	}
	for _, stage := range p.plan.Stages[len(all):] {
		all = append(all, status.ObservedStage{Name: stage.Name, Provisioning: stage.Provisioning, Readiness: missed})
	}
	return all
}

// unexplainedPodInterval is how often the events of pods are read that do not become ready without a visible cause.
const unexplainedPodInterval = 15 * time.Second

// requeueResult requeues a network that waits for something without an event: the next pass over objects, an
// unwatched object, pods that could not be created, or a Job that is to be created again.
func (p *networkPass) requeueResult() ctrl.Result {
	switch {
	case p.unfinished:
		return ctrl.Result{RequeueAfter: continueInterval}
	case p.recheckSpec:
		return ctrl.Result{RequeueAfter: 15 * time.Second}
	case p.snapshot.HasMissingPods():
		return ctrl.Result{RequeueAfter: 5 * time.Second}
	case p.jobRecreationDelay > 0:
		return ctrl.Result{RequeueAfter: p.jobRecreationDelay}
	case p.snapshot.HasUnexplainedPods():
		return ctrl.Result{RequeueAfter: unexplainedPodInterval}
	}
	return ctrl.Result{}
}

// listRunsOnNetwork returns the runs on a network, oldest first.
func listRunsOnNetwork(ctx context.Context, c client.Reader, namespace, network string) ([]*v1alpha1.BenchmarkRun, error) {
	var list v1alpha1.BenchmarkRunList
	if err := c.List(ctx, &list, client.InNamespace(namespace), client.MatchingFields{v1alpha1.FieldRunNetwork: network}); err != nil {
		return nil, fmt.Errorf("list runs on network %s: %w", network, err)
	}
	runs := make([]*v1alpha1.BenchmarkRun, len(list.Items))
	for i := range list.Items {
		runs[i] = &list.Items[i]
	}
	sort.Slice(runs, func(i, j int) bool { return snapshot.IsOlder(runs[i], runs[j]) })
	return runs, nil
}

// IndexRunsByNetwork adds the index by which the manager's cache finds the runs on a network.
func IndexRunsByNetwork(ctx context.Context, cache client.FieldIndexer) error {
	err := cache.IndexField(ctx, &v1alpha1.BenchmarkRun{}, v1alpha1.FieldRunNetwork,
		func(o client.Object) []string { return []string{o.(*v1alpha1.BenchmarkRun).Spec.NetworkName} })
	if err != nil {
		return fmt.Errorf("index runs by network: %w", err)
	}
	return nil
}

// indexOwnRuns returns the runs of the network's own workloads by name. It includes all runs of the snapshot,
// since unplanned objects are found in the same snapshot: a run that was orphaned meanwhile must not look
// unplanned.
func indexOwnRuns(pass *networkPass) map[string]*v1alpha1.BenchmarkRun {
	byName := map[string]*v1alpha1.BenchmarkRun{}
	for _, run := range pass.runs {
		if plan.IsNetworkRun(pass.network, run) {
			byName[run.Name] = run
		}
	}
	for _, run := range pass.snapshot.Runs() {
		byName[run.Name] = run
	}
	return byName
}
