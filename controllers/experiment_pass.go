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
	"github.com/benchnet/benchnet/internal/agent/protocol"
	"github.com/benchnet/benchnet/internal/apply"
	"github.com/benchnet/benchnet/internal/capacity"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/names"
	"github.com/benchnet/benchnet/internal/plan"
	"github.com/benchnet/benchnet/internal/rehearsal"
	"github.com/benchnet/benchnet/internal/results"
	"github.com/benchnet/benchnet/internal/status"
)

// experimentPass is what one pass over an experiment knows.
type experimentPass struct {
	experiment *v1alpha1.BenchmarkExperiment
	design     *experiment.Design
	networks   map[string]*v1alpha1.BenchmarkNetwork
	seen       experiment.Seen
	// step and result are nil as long as the experiment may not begin.
	step   *experiment.Step
	result *experiment.Result
	// forecast and room are nil once the experiment was accepted.
	forecast *rehearsal.Forecast
	room     *capacity.Finding
	// unchecked tells that the operator may not look for room; the finding then says why.
	unchecked bool
	// refusal is why it cannot be carried out; problem what kept the pass from its end.
	refusal, problem error
	written          bool
	// tooLarge is the reason why the result does not fit into a ConfigMap, or empty.
	tooLarge string
}

// gather reads what there is of the experiment and finds what comes next.
func (r *ExperimentReconciler) gather(ctx context.Context, e *v1alpha1.BenchmarkExperiment) (*experimentPass, error) {
	pass := &experimentPass{experiment: e, networks: map[string]*v1alpha1.BenchmarkNetwork{}}
	if pass.design, pass.refusal = experiment.Expand(e); pass.refusal != nil {
		return pass, nil
	}
	if !status.Rehearsed(e) {
		if err := r.withStored(ctx, pass, func(*experiment.Result) {}); err != nil || pass.refusal != nil {
			return pass, err
		}
	}
	if pass.refusal = r.exceedsLimit(e, pass.design); pass.refusal != nil {
		return pass, nil
	}
	groups := pass.design.Groups(&e.Spec, experiment.Seed(e))
	if err := r.look(ctx, pass); err != nil {
		return nil, err
	}
	if !status.Rehearsed(e) {
		err := r.rehearse(ctx, pass, groups)
		if overQuota(err) {
			pass.problem = err
			return pass, nil
		}
		if err != nil {
			return nil, err
		}
		if pass.refusal != nil || !pass.room.Fits {
			return pass, nil
		}
	}
	step := pass.design.Next(e, groups, pass.seen)
	err := r.withStored(ctx, pass, func(stored *experiment.Result) {
		pass.step = &step
		pass.result = pass.design.Assemble(e, experiment.Seed(e), pass.step, pass.seen, stored)
	})
	return pass, err
}

// withStored calls use with the earlier result that the experiment compares with, or with nil. If there is none where the spec says, it
// refuses the experiment instead. The result is not kept, since users decide about its size.
func (r *ExperimentReconciler) withStored(ctx context.Context, pass *experimentPass, use func(*experiment.Result)) error {
	release, err := acquireDecodingSlot(ctx)
	if err != nil {
		return err
	}
	defer release()
	stored, refusal, err := r.stored(ctx, pass.experiment)
	if err != nil {
		return err
	}
	if pass.refusal = refusal; refusal == nil {
		use(stored)
	}
	return nil
}

// exceedsLimit returns why an experiment that was not accepted yet needs more networks at one time than the operator's limits allow.
func (r *ExperimentReconciler) exceedsLimit(e *v1alpha1.BenchmarkExperiment, design *experiment.Design) error {
	size := design.LargestGroup()
	limit := r.Limits.exceededBy(size)
	if limit == "" || status.Rehearsed(e) {
		return nil
	}
	return field.Invalid(field.NewPath("spec", "order", "type"), e.Spec.Order.Type,
		fmt.Sprintf("%d networks have to exist at one time, and the operator's limit is %s", size, limit))
}

// look reads the networks and runs of the experiment.
func (r *ExperimentReconciler) look(ctx context.Context, pass *experimentPass) error {
	e := pass.experiment
	scope := []client.ListOption{client.InNamespace(e.Namespace), client.MatchingLabels(experiment.Labels(e))}
	var networks v1alpha1.BenchmarkNetworkList
	if err := r.Client.List(ctx, &networks, scope...); err != nil {
		return fmt.Errorf("list networks of experiment %s: %w", e.Name, err)
	}
	var runs v1alpha1.BenchmarkRunList
	if err := r.Client.List(ctx, &runs, scope...); err != nil {
		return fmt.Errorf("list runs of experiment %s: %w", e.Name, err)
	}
	pass.seen = experiment.Seen{Runs: map[string]experiment.Run{}, Networks: map[string]bool{}}
	for i := range networks.Items {
		if n := &networks.Items[i]; metav1.IsControlledBy(n, e) {
			pass.networks[n.Name] = n
			pass.seen.Networks[n.Name] = n.DeletionTimestamp != nil
		}
	}
	for i := range runs.Items {
		run := &runs.Items[i]
		if !metav1.IsControlledBy(run, e) {
			continue
		}
		found, err := r.read(ctx, run)
		if err != nil {
			return err
		}
		pass.seen.Runs[run.Name] = found
	}
	return nil
}

// read is what a run found; it has no verdict while it goes on.
func (r *ExperimentReconciler) read(ctx context.Context, run *v1alpha1.BenchmarkRun) (experiment.Run, error) {
	if !plan.Ended(run) {
		return experiment.Run{Name: run.Name}, nil
	}
	if known, ok := r.ended.Load(run.UID); ok {
		return known.(experiment.Run), nil
	}
	found, err := r.readResult(ctx, run)
	if err == nil {
		r.ended.Store(run.UID, found)
	}
	return found, err
}

func (r *ExperimentReconciler) readResult(ctx context.Context, run *v1alpha1.BenchmarkRun) (experiment.Run, error) {
	if run.Status.Result == nil {
		message := "it has no result"
		if c := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionComplete); c != nil {
			message = c.Message
		}
		return experiment.Failure(run.Name, message, run.CreationTimestamp.Time), nil
	}
	var cm corev1.ConfigMap
	key := client.ObjectKey{Namespace: run.Namespace, Name: run.Status.Result.ConfigMapName}
	err := r.Direct.Get(ctx, key, &cm)
	if apierrors.IsNotFound(err) {
		return experiment.Failure(run.Name, "ConfigMap "+key.Name+" with its result is gone", run.CreationTimestamp.Time), nil
	}
	if err != nil {
		return experiment.Run{}, fmt.Errorf("get result of run %s: %w", run.Name, err)
	}
	release, err := acquireDecodingSlot(ctx)
	if err != nil {
		return experiment.Run{}, err
	}
	defer release()
	found, err := experiment.ReadRun(cm.BinaryData[run.Status.Result.Key])
	if err != nil {
		// A retry cannot succeed.
		return experiment.Failure(run.Name, fmt.Sprintf("ConfigMap %s: %v", cm.Name, err), run.CreationTimestamp.Time), nil
	}
	return found, nil
}

// rehearse checks whether the experiment can be carried out, once for each generation, and whether the cluster has room for it.
func (r *ExperimentReconciler) rehearse(ctx context.Context, pass *experimentPass, groups []experiment.Group) error {
	e := pass.experiment
	pass.forecast = r.preflights.begin(e, r.Now())
	if pass.forecast == nil {
		stage := rehearsal.Rehearsal{Client: r.Client, Platforms: r.Platforms, Images: r.Images, KubeVersion: r.KubeVersion}
		forecast, err := stage.Rehearse(ctx, e, pass.design, groups)
		var refusal rehearsal.Refusal
		if errors.As(err, &refusal) {
			pass.refusal = refusal
			return nil
		}
		if err != nil {
			return err
		}
		r.preflights.passed(e, forecast)
		pass.forecast = forecast
	}
	var err error
	pass.room, err = r.roomFor(ctx, pass, pass.forecast.Needs)
	return err
}

// roomFor tells whether the cluster can hold the needs. An operator that may not look at all nodes and pods lets the scheduler find out.
func (r *ExperimentReconciler) roomFor(ctx context.Context, pass *experimentPass, needs capacity.Needs) (*capacity.Finding, error) {
	standing := func(network string) bool { return pass.networks[network] != nil }
	finding, err := rehearsal.Room(ctx, r.Direct, needs, pass.experiment.Namespace, standing)
	if apierrors.IsForbidden(err) {
		pass.unchecked = true
		return &capacity.Finding{Fits: true, Message: err.Error()}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for room for experiment %s: %w", pass.experiment.Name, err)
	}
	return &finding, nil
}

// stored is the earlier result that the experiment compares with, or nil; a refusal if there is none where the spec says.
func (r *ExperimentReconciler) stored(ctx context.Context, e *v1alpha1.BenchmarkExperiment) (result *experiment.Result, refusal, err error) {
	if e.Spec.Compare == nil || e.Spec.Compare.Stored == nil {
		return nil, nil, nil
	}
	ref := e.Spec.Compare.Stored
	var cm corev1.ConfigMap
	err = r.Direct.Get(ctx, client.ObjectKey{Namespace: e.Namespace, Name: ref.ConfigMapName}, &cm)
	if apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("spec.compare.stored.configMapName: %w", err), nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read the stored result in ConfigMap %s: %w", ref.ConfigMapName, err)
	}
	version := string(cm.UID) + "/" + cm.ResourceVersion
	if known, ok := r.refused.Load(e.UID); ok && known.(refusedDocument).version == version {
		return nil, known.(refusedDocument).reason, nil
	}
	content := cm.BinaryData[ref.Key]
	if content == nil {
		content = []byte(cm.Data[ref.Key])
	}
	if result, err = experiment.Decode(content); err != nil {
		refusal = fmt.Errorf("spec.compare.stored.key: ConfigMap %s, key %q: %w", ref.ConfigMapName, ref.Key, err)
		r.refused.Store(e.UID, refusedDocument{version, refusal})
		return nil, refusal, nil
	}
	return result, nil, nil
}

// refusedDocument is why a stored document was refused, for one version of its ConfigMap, so that it is not decoded in each pass.
type refusedDocument struct {
	version string
	reason  error
}

// writeResult once; it is the truth of the experiment, its status follows from it.
func (r *ExperimentReconciler) writeResult(ctx context.Context, pass *experimentPass, owner apply.Owner) error {
	packed, err := experiment.Encode(pass.result)
	if errors.Is(err, results.ErrTooLarge) {
		pass.tooLarge = err.Error() + "; the results of the runs stay in their ConfigMaps"
		return nil
	}
	if err != nil {
		return err
	}
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: names.Result(pass.experiment.Name)},
		BinaryData: map[string][]byte{protocol.ResultKey: packed}}
	if err := r.Writer.Apply(ctx, owner, cm, nil); err != nil {
		return err
	}
	pass.written = true
	return nil
}

func (p *experimentPass) statusInput(now time.Time) status.ExperimentInput {
	in := status.ExperimentInput{Experiment: p.experiment, Refusal: p.refusal, Room: p.room, Step: p.step, Result: p.result,
		Written: p.written, TooLarge: p.tooLarge, Problem: p.problem, Unchecked: p.unchecked, Now: now}
	if p.forecast != nil {
		in.Plan = &p.forecast.Plan
	}
	return in
}

// waits reports whether the experiment has to wait for capacity or quota before it begins.
func (p *experimentPass) waits() bool { return p.step == nil && p.refusal == nil }

// beginsOrEnds leaves out what a run tells of its progress; gone is told of each that was deleted.
func beginsOrEnds(gone func(types.UID)) predicate.Predicate {
	return predicate.Funcs{
		UpdateFunc: func(u event.UpdateEvent) bool {
			before, ok := u.ObjectOld.(*v1alpha1.BenchmarkRun)
			after, same := u.ObjectNew.(*v1alpha1.BenchmarkRun)
			return !ok || !same || plan.Ended(before) != plan.Ended(after)
		},
		DeleteFunc: func(d event.DeleteEvent) bool {
			gone(d.Object.GetUID())
			return true
		},
	}
}

// comesOrGoes leaves out what becomes of a network: an experiment asks only whether it is there.
func comesOrGoes() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(event.UpdateEvent) bool { return false }}
}
