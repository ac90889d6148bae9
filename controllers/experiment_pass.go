package controllers

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/experiment/capacity"
	"github.com/benchnet/benchnet/internal/experiment/preflight"
	"github.com/benchnet/benchnet/internal/kube/apply"
	"github.com/benchnet/benchnet/internal/kube/kinds"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/run/boundedjson"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/protocol"
	"github.com/benchnet/benchnet/internal/status"
)

// experimentPass is the state of one reconcile of an experiment.
type experimentPass struct {
	experiment *v1alpha1.BenchmarkExperiment
	design     *experiment.Design
	networks   map[string]*v1alpha1.BenchmarkNetwork
	runs       map[string]*v1alpha1.BenchmarkRun
	observed   experiment.ObservedState
	// runProblem is the problem of the first run, by name, that has one.
	runProblem string
	// step and result are nil until the experiment may begin.
	step   *experiment.NextStep
	result *experiment.Result
	// forecast and capacity are nil once the experiment has passed its preflight checks.
	forecast *preflight.ResourceForecast
	capacity *capacity.FitResult
	// specErr is why the experiment cannot be carried out. reconcileErr is the error that ended the pass early.
	specErr, reconcileErr error
	// admission is Kueue's decision; zero if Kueue does not manage the experiment or has admitted it before.
	admission status.AdmissionDecision
	// pollAfter is when to look again at what causes no reconcile; 0 for never.
	pollAfter     time.Duration
	resultWritten bool
	resultDigest  string
	// resultTooLarge is why the result does not fit into a ConfigMap, or empty.
	resultTooLarge string
}

// readAndPlan reads the state of the experiment and determines the next step.
func (r *ExperimentReconciler) readAndPlan(ctx context.Context, e *v1alpha1.BenchmarkExperiment) (*experimentPass, error) {
	pass := &experimentPass{experiment: e, networks: map[string]*v1alpha1.BenchmarkNetwork{}, runs: map[string]*v1alpha1.BenchmarkRun{}}
	if pass.specErr = kinds.ValidateSpecSize(e); pass.specErr != nil {
		return pass, nil
	}
	if pass.design, pass.specErr = experiment.NewDesign(e); pass.specErr != nil {
		return pass, nil
	}
	if !status.HasPassedPreflight(e) {
		if err := r.withStoredResult(ctx, pass, func(*experiment.Result) {}); err != nil || pass.specErr != nil {
			return pass, err
		}
	}
	if pass.specErr = r.checkLimits(e, pass.design); pass.specErr != nil {
		return pass, nil
	}
	groups := pass.design.GroupRuns(&e.Spec, experiment.Seed(e))
	if err := r.readNetworksAndRuns(ctx, pass); err != nil {
		return nil, err
	}
	if !status.HasPassedPreflight(e) {
		err := r.runPreflight(ctx, pass, groups)
		if isQuotaExceeded(err) || isRefused(err) {
			pass.reconcileErr = err
			return pass, nil
		}
		if err != nil {
			return nil, err
		}
		if pass.specErr != nil {
			return pass, nil
		}
	}
	step := pass.design.DecideNextStep(e, groups, pass.observed)
	err := r.withStoredResult(ctx, pass, func(stored *experiment.Result) {
		pass.step = &step
		pass.result = pass.design.BuildResult(e, experiment.Seed(e), pass.step, pass.observed, stored)
	})
	return pass, err
}

// withStoredResult calls use with the stored result that the experiment compares with, or with nil if the spec
// names none. If the stored result is missing or unusable, it sets specErr instead. The decoded result is not
// cached, since users determine its size.
func (r *ExperimentReconciler) withStoredResult(ctx context.Context, pass *experimentPass, use func(*experiment.Result)) error {
	release, err := acquireDecodingSlot(ctx)
	if err != nil {
		return err
	}
	defer release()
	stored, refusal, err := r.readStoredResult(ctx, pass.experiment)
	if err != nil {
		return err
	}
	if pass.specErr = refusal; refusal == nil {
		use(stored)
	}
	return nil
}

// checkLimits returns an error if an experiment needs more networks at one time than the operator's limits
// allow: if it keeps its networks, all of them, since each holds its place. Experiments that have passed their
// preflight checks are exempt.
func (r *ExperimentReconciler) checkLimits(e *v1alpha1.BenchmarkExperiment, design *experiment.Design) error {
	size, path, value := design.LargestGroup(), field.NewPath("spec", "order", "type"), string(e.Spec.OrderType())
	if e.Spec.NetworkRetention == v1alpha1.RetentionRetain {
		size, path, value = len(design.Networks), field.NewPath("spec", "networkRetention"), string(e.Spec.NetworkRetention)
	}
	limit := r.Limits.exceededBy(size)
	if limit == "" || status.HasPassedPreflight(e) || r.isManagedByKueue(e) {
		return nil
	}
	return field.Invalid(path, value, fmt.Sprintf("requires %d networks at the same time, which exceeds the operator's limit %s", size, limit))
}

// readNetworksAndRuns reads the networks and runs that the experiment controls.
func (r *ExperimentReconciler) readNetworksAndRuns(ctx context.Context, pass *experimentPass) error {
	e := pass.experiment
	scope := []client.ListOption{client.InNamespace(e.Namespace), client.MatchingLabels(naming.ExperimentSelector(e.Name))}
	var networks v1alpha1.BenchmarkNetworkList
	if err := r.Client.List(ctx, &networks, scope...); err != nil {
		return fmt.Errorf("list networks of experiment %s: %w", e.Name, err)
	}
	var runs v1alpha1.BenchmarkRunList
	if err := r.Client.List(ctx, &runs, scope...); err != nil {
		return fmt.Errorf("list runs of experiment %s: %w", e.Name, err)
	}
	pass.observed = experiment.ObservedState{Runs: map[string]experiment.Run{}, Networks: map[string]bool{}}
	for i := range networks.Items {
		if n := &networks.Items[i]; metav1.IsControlledBy(n, e) {
			pass.networks[n.Name] = n
			pass.observed.Networks[n.Name] = n.DeletionTimestamp != nil
		}
	}
	for i := range runs.Items {
		run := &runs.Items[i]
		if !metav1.IsControlledBy(run, e) {
			continue
		}
		found, err := r.readRun(ctx, run)
		if err != nil {
			return err
		}
		pass.runs[run.Name], pass.observed.Runs[run.Name] = run, found
		if problem := status.RunProblem(run); problem != "" && (pass.runProblem == "" || problem < pass.runProblem) {
			pass.runProblem = problem
		}
	}
	return nil
}

// checkCreatedRuns fails if a run has the name of one of the experiment's, but another spec: somebody else created it, and it
// measured something else.
func (r *ExperimentReconciler) checkCreatedRuns(pass *experimentPass) error {
	for i := range pass.step.CreatedRuns {
		planned := &pass.step.CreatedRuns[i]
		live := pass.runs[planned.Name]
		if _, known := r.checkedRuns.Load(live.UID); known {
			continue
		}
		spec := pass.design.BuildRun(pass.experiment, planned).Spec
		spec.Delivery = v1alpha1.Delivery{} // It may have changed since.
		path, err := experiment.FindChangedField(&spec, &live.Spec)
		if err != nil {
			return fmt.Errorf("compare run %s: %w", live.Name, err)
		}
		if path != "" {
			return fmt.Errorf("BenchmarkRun %s was not created by the operator, since its %s is not that of the experiment's run of that name: %w",
				live.Name, path, apply.ErrForeign)
		}
		r.checkedRuns.Store(live.UID, true)
	}
	return nil
}

// readRun returns the result of a run. It has no verdict until the run has ended.
func (r *ExperimentReconciler) readRun(ctx context.Context, run *v1alpha1.BenchmarkRun) (experiment.Run, error) {
	if !run.IsComplete() {
		return experiment.Run{Name: run.Name}, nil
	}
	if known, ok := r.endedRuns.Load(run.UID); ok {
		return known.(experiment.Run), nil
	}
	found, err := r.readRunResult(ctx, run)
	if err == nil {
		r.endedRuns.Store(run.UID, found)
	}
	return found, err
}

func (r *ExperimentReconciler) readRunResult(ctx context.Context, run *v1alpha1.BenchmarkRun) (experiment.Run, error) {
	if run.Status.Result == nil {
		message := "it has no result"
		if c := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionComplete); c != nil {
			message = c.Message
			if c.Reason == v1alpha1.ReasonCancelled {
				return experiment.NewCancelledRun(run.Name, message, run.CreationTimestamp.Time), nil
			}
		}
		return experiment.NewFailedRun(run.Name, message, run.CreationTimestamp.Time), nil
	}
	var cm corev1.ConfigMap
	key := client.ObjectKey{Namespace: run.Namespace, Name: run.Status.Result.ConfigMapName}
	err := r.APIReader.Get(ctx, key, &cm)
	if apierrors.IsNotFound(err) {
		return experiment.NewFailedRun(run.Name, "ConfigMap "+key.Name+" with its result no longer exists", run.CreationTimestamp.Time), nil
	}
	if err != nil {
		return experiment.Run{}, fmt.Errorf("get result of run %s: %w", run.Name, err)
	}
	release, err := acquireDecodingSlot(ctx)
	if err != nil {
		return experiment.Run{}, err
	}
	defer release()
	packed := cm.BinaryData[run.Status.Result.Key]
	if err := document.CheckDigest(packed, run.Status.Result.Digest); err != nil {
		return experiment.NewFailedRun(run.Name, fmt.Sprintf("ConfigMap %s: %v", cm.Name, err), run.CreationTimestamp.Time), nil
	}
	found, err := experiment.DecodeRunSummary(packed)
	if err != nil {
		// A retry cannot succeed.
		return experiment.NewFailedRun(run.Name, fmt.Sprintf("ConfigMap %s: %v", cm.Name, err), run.CreationTimestamp.Time), nil
	}
	return found, nil
}

// runPreflight checks whether the experiment can be carried out, and forecasts what it needs.
func (r *ExperimentReconciler) runPreflight(ctx context.Context, pass *experimentPass, groups []experiment.RunGroup) error {
	e := pass.experiment
	r.preflights.startCheck(e, r.Now())
	if pass.specErr = r.validatePoints(pass); pass.specErr != nil {
		return nil
	}
	checker := r.newChecker()
	forecast, err := checker.CheckExperiment(ctx, e, pass.design, groups)
	var refusal preflight.SpecError
	if errors.As(err, &refusal) {
		pass.specErr = refusal
		return nil
	}
	if err != nil {
		return err
	}
	fit, err := preflight.CheckClusterCapacity(ctx, r.APIReader, forecast.Needs)
	if err != nil {
		return fmt.Errorf("check capacity for experiment %s: %w", e.Name, err)
	}
	pass.forecast, pass.capacity = forecast, &fit
	return nil
}

func (r *ExperimentReconciler) newChecker() preflight.Checker {
	return preflight.Checker{Client: r.Client, Platforms: r.Platforms, Images: r.Images, KubeVersion: r.KubeVersion, PodConstraints: r.PodConstraints,
		ValidateMetadata: func(network *v1alpha1.NetworkTemplate, path *field.Path) field.ErrorList {
			return pods.ValidateNetworkMetadata(network, r.PodTemplateDomains, path)
		}}
}

// validatePoints rejects points for which the operator lacks an option.
func (r *ExperimentReconciler) validatePoints(pass *experimentPass) error {
	for i := range pass.design.Points {
		p := &pass.design.Points[i]
		if err := r.validateByOptions(&p.Workload, pass.experiment.Namespace, false, field.NewPath("workload")).ToAggregate(); err != nil {
			return fmt.Errorf("point %s (%s): %w", p.Name, p.Label(), err)
		}
	}
	return nil
}

// readStoredResult returns the stored result that the experiment compares with, or nil if the spec names none.
// It returns a refusal if the stored result is missing or cannot be decoded.
func (r *ExperimentReconciler) readStoredResult(ctx context.Context, e *v1alpha1.BenchmarkExperiment) (result *experiment.Result, refusal, err error) {
	if e.Spec.Compare == nil || e.Spec.Compare.Stored == nil {
		return nil, nil, nil
	}
	ref := e.Spec.Compare.Stored
	var cm corev1.ConfigMap
	err = r.APIReader.Get(ctx, client.ObjectKey{Namespace: e.Namespace, Name: ref.ConfigMapName}, &cm)
	if apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("spec.compare.stored.configMapName: %w", err), nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read the stored result in ConfigMap %s: %w", ref.ConfigMapName, err)
	}
	version := string(cm.UID) + "/" + cm.ResourceVersion
	if known, ok := r.rejectedDocuments.Load(e.UID); ok && known.(rejectedDocument).version == version {
		return nil, known.(rejectedDocument).reason, nil
	}
	content := cm.BinaryData[ref.Key]
	if content == nil {
		content = []byte(cm.Data[ref.Key])
	}
	if err := document.CheckDigest(content, ref.Digest); err != nil {
		return nil, fmt.Errorf("spec.compare.stored.digest: ConfigMap %s, key %q: %w", ref.ConfigMapName, ref.Key, err), nil
	}
	if result, err = experiment.Decode(content); err != nil {
		refusal = fmt.Errorf("spec.compare.stored.key: ConfigMap %s, key %q: %w", ref.ConfigMapName, ref.Key, err)
		r.rejectedDocuments.Store(e.UID, rejectedDocument{version, refusal})
		return nil, refusal, nil
	}
	return result, nil, nil
}

// rejectedDocument is why a stored document was rejected, for one version of its ConfigMap. It saves decoding
// the document in every pass.
type rejectedDocument struct {
	version string
	reason  error
}

// writeResult writes the result to its ConfigMap before the status reports completion. A result that does not
// fit only sets resultTooLarge.
func (r *ExperimentReconciler) writeResult(ctx context.Context, pass *experimentPass, owner apply.Owner) error {
	packed, err := experiment.Encode(pass.result)
	if errors.Is(err, boundedjson.ErrTooLarge) {
		pass.resultTooLarge = err.Error() + "; the results of the runs stay in their ConfigMaps"
		return nil
	}
	if err != nil {
		return err
	}
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: naming.ExperimentResult(pass.experiment.Name)},
		BinaryData: map[string][]byte{protocol.ResultKey: packed}}
	if err := r.Writer.Apply(ctx, owner, cm, nil); err != nil {
		return err
	}
	pass.resultWritten, pass.resultDigest = true, document.Digest(packed)
	return nil
}

func (p *experimentPass) statusInput(now time.Time) status.ExperimentInput {
	in := status.ExperimentInput{Experiment: p.experiment, SpecError: p.specErr, Capacity: p.capacity, Step: p.step, Result: p.result,
		ResultWritten: p.resultWritten, ResultDigest: p.resultDigest, ResultTooLarge: p.resultTooLarge, ReconcileError: p.reconcileErr,
		Admission: p.admission, RunProblem: p.runProblem, Now: now}
	in.Refused = isRefused(p.reconcileErr)
	if p.forecast != nil {
		in.Plan = &p.forecast.Plan
	}
	return in
}

// isWaiting reports whether the experiment has to wait for quota, or for somebody to act, before it begins.
func (p *experimentPass) isWaiting() bool { return p.step == nil && p.specErr == nil }

// runLifecyclePredicate drops updates that only report a run's progress, not a problem. It calls gone with the UID of each
// deleted run.
func runLifecyclePredicate(gone func(types.UID)) predicate.Predicate {
	return predicate.Funcs{
		UpdateFunc: func(u event.UpdateEvent) bool {
			before, ok := u.ObjectOld.(*v1alpha1.BenchmarkRun)
			after, same := u.ObjectNew.(*v1alpha1.BenchmarkRun)
			return !ok || !same || before.IsComplete() != after.IsComplete() || before.IsDelivering() != after.IsDelivering() ||
				status.RunProblem(before) != status.RunProblem(after)
		},
		DeleteFunc: func(d event.DeleteEvent) bool {
			gone(d.Object.GetUID())
			return true
		},
	}
}

// existencePredicate drops updates: an experiment depends only on whether its networks exist.
func existencePredicate() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(event.UpdateEvent) bool { return false }}
}
