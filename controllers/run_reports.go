package controllers

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/agent/protocol"
	"github.com/benchnet/benchnet/internal/message"
	"github.com/benchnet/benchnet/internal/names"
	"github.com/benchnet/benchnet/internal/observe"
	"github.com/benchnet/benchnet/internal/results"
	"github.com/benchnet/benchnet/internal/steady"
)

// decodingSlot is held while documents of pods or users are decoded and as long as they are used. Decoded, they take many times the
// memory of their text, so that only one reconcile at a time may have some.
var decodingSlot = make(chan struct{}, 1)

// acquireDecodingSlot waits for the slot. The caller must call release.
func acquireDecodingSlot(ctx context.Context) (release func(), err error) {
	select {
	case decodingSlot <- struct{}{}:
		return func() { <-decodingSlot }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// reports are what the workers left.
type reports struct {
	// merged is what the workers measured together; nil without any that did.
	merged *results.Measurement
	// failures are why the other workers left nothing, by their index.
	failures map[int]string
}

// workersEnded reports whether nothing more comes from the workers: each left a result or a failure, or their Job is over.
func (p *runPass) workersEnded() bool {
	job := p.snapshot.Job(p.run.Name)
	if job == nil {
		return false
	}
	if p.snapshot.JobOutcome(job).State != observe.Waiting {
		return true
	}
	for i := range p.run.Spec.Workload.Workers.Count {
		cm := p.snapshot.ConfigMap(names.Report(p.run.Name, i))
		if cm == nil {
			return false
		}
		if _, measured := cm.BinaryData[protocol.ResultKey]; !measured && cm.Data[protocol.FailureKey] == "" {
			return false
		}
	}
	return true
}

// readReports decodes and merges the workers' reports, one at a time. A report that cannot be read counts as a failure of its worker:
// it does not become better by trying again.
func (r *RunReconciler) readReports(ctx context.Context, pass *runPass) error {
	read := &reports{failures: map[int]string{}}
	pending := map[int]*corev1.ConfigMap{}
	for i := range pass.run.Spec.Workload.Workers.Count {
		cm := pass.snapshot.ConfigMap(names.Report(pass.run.Name, i))
		if cm == nil {
			continue
		}
		if line := cm.Data[protocol.FailureKey]; line != "" {
			read.failures[int(i)] = message.Truncate(line, message.MaxItem)
		} else if _, ok := cm.BinaryData[protocol.ResultKey]; ok {
			pending[int(i)] = cm
		}
	}
	pass.reports = read
	each := func(yield func(*results.Worker) error) error {
		for i := range int(pass.run.Spec.Workload.Workers.Count) {
			if pending[i] == nil {
				continue
			}
			err := r.yieldReport(ctx, pending[i], i, yield)
			var unusable unusableReport
			if errors.As(err, &unusable) {
				read.failures[i] = message.Truncate(err.Error(), message.MaxItem)
				delete(pending, i)
			} else if err != nil {
				return err
			}
		}
		return nil
	}
	merged, err := mergeReports(each, &pass.run.Spec.Workload.Measure)
	if err != nil {
		return err
	}
	if len(merged.Workers) > 0 {
		read.merged = merged
	}
	return nil
}

// mergeReports puts the workers together, over the steady part of what they recorded unless the times are fixed.
func mergeReports(each steady.Reports, measure *v1alpha1.Measure) (*results.Measurement, error) {
	if measure.SteadyState != nil {
		return steady.Merge(each, steady.Policy(measure))
	}
	merger := results.NewMerger()
	err := each(merger.Add)
	return merger.Measurement(), err
}

// unusableReport is an error of a report itself. It lasts.
type unusableReport struct{ error }

func (e unusableReport) Unwrap() error { return e.error }

// yieldReport reads a report past the cache, which does not keep its content, and passes it on.
func (r *RunReconciler) yieldReport(ctx context.Context, cached *corev1.ConfigMap, index int, yield func(*results.Worker) error) error {
	var cm corev1.ConfigMap
	if err := r.Direct.Get(ctx, client.ObjectKeyFromObject(cached), &cm); err != nil {
		return fmt.Errorf("get report of worker %d: %w", index, err)
	}
	worker, err := results.DecodeWorker(cm.BinaryData[protocol.ResultKey])
	if err != nil {
		return unusableReport{err}
	}
	if worker.Worker != index {
		return unusableReport{fmt.Errorf("the report of worker %d is that of worker %d", index, worker.Worker)}
	}
	if err := yield(worker); err != nil {
		return unusableReport{err}
	}
	return nil
}

// failureMessage is why a run whose workers measured nothing has no result.
func (p *runPass) failureMessage() string {
	var lines []string
	for i := range p.run.Spec.Workload.Workers.Count {
		if line := p.reports.failures[int(i)]; line != "" {
			lines = append(lines, fmt.Sprintf("worker %d: %s", i, line))
		}
	}
	if len(lines) == 0 {
		lines = append(lines, "the workers left no result: "+p.snapshot.JobOutcome(p.snapshot.Job(p.run.Name)).Message)
	}
	return message.List(lines, "; ")
}

// readResult reads the result of the run, if it is written. One that cannot be read ends the run: it does not become better by trying again.
func (r *RunReconciler) readResult(ctx context.Context, pass *runPass) error {
	written := pass.snapshot.ConfigMap(names.Result(pass.run.Name))
	if written == nil {
		return nil
	}
	var cm corev1.ConfigMap
	if err := r.Direct.Get(ctx, client.ObjectKeyFromObject(written), &cm); err != nil {
		return client.IgnoreNotFound(err)
	}
	var err error
	if pass.result, err = results.Decode(cm.BinaryData[protocol.ResultKey]); err != nil {
		pass.failure = failedRun{v1alpha1.ReasonRunFailed, fmt.Sprintf("ConfigMap %s: %v", cm.Name, err)}
	}
	return nil
}
