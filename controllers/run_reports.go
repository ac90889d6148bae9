package controllers

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/limits"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/loadgen"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
	"github.com/benchnet/benchnet/internal/run/steadystate"
)

// decodingSlot is held while documents of pods or users are decoded and used. Decoded documents need many times
// the memory of their text, so only one reconcile at a time may hold any.
var decodingSlot = make(chan struct{}, 1)

// acquireDecodingSlot waits for the slot, and fails when the context ends. The caller must call release.
func acquireDecodingSlot(ctx context.Context) (release func(), err error) {
	select {
	case decodingSlot <- struct{}{}:
		return func() { <-decodingSlot }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// workerReports holds the content of the workers' reports.
type workerReports struct {
	// measurement is the merged measurement of the workers; nil if none of them has measured anything.
	measurement *measurement.Measurement
	// failures are the reasons why the other workers have no result, by worker index.
	failures map[int]string
}

// needsReports reports whether the run has ended and is to be judged by its workers' reports.
func (p *runPass) needsReports() bool {
	return !p.run.Spec.Cancelled && p.specErr == nil && p.result == nil && p.failure.message == "" && p.haveWorkersEnded()
}

// haveWorkersEnded reports whether the workers write no more reports: each has written a result or a failure, or their Job has ended.
func (p *runPass) haveWorkersEnded() bool {
	job := p.workerJob()
	if job == nil { // The Job of a released run was deleted.
		return p.run.Status.Release != nil
	}
	if p.snapshot.JobOutcome(job).State != snapshot.StateWaiting {
		return true
	}
	for i := range p.run.Spec.Workload.Workers.Count {
		cm := p.snapshot.ConfigMap(naming.WorkerReport(p.run.Name, i))
		if cm == nil {
			return false
		}
		if _, measured := cm.BinaryData[protocol.ResultKey]; !measured && cm.Data[protocol.FailureKey] == "" {
			return false
		}
	}
	return true
}

// readReports decodes and merges the workers' reports, one at a time. A report that cannot be decoded counts as a failure of its worker,
// since a retry cannot succeed.
func (r *RunReconciler) readReports(ctx context.Context, pass *runPass) error {
	read := &workerReports{failures: map[int]string{}}
	pending := map[int]*corev1.ConfigMap{}
	for i := range pass.run.Spec.Workload.Workers.Count {
		cm := pass.snapshot.ConfigMap(naming.WorkerReport(pass.run.Name, i))
		if cm == nil {
			continue
		}
		if line := cm.Data[protocol.FailureKey]; line != "" {
			read.failures[int(i)] = limits.Truncate(line, limits.MaxItem)
		} else if _, ok := cm.BinaryData[protocol.ResultKey]; ok {
			pending[int(i)] = cm
		}
	}
	pass.reports = read
	each := func(yield func(*measurement.WorkerResult) error) error {
		for i := range int(pass.run.Spec.Workload.Workers.Count) {
			if pending[i] == nil {
				continue
			}
			err := r.yieldReport(ctx, pending[i], i, yield)
			var unusable invalidReportError
			if errors.As(err, &unusable) {
				read.failures[i] = limits.Truncate(err.Error(), limits.MaxItem)
				delete(pending, i)
			} else if err != nil {
				return err
			}
		}
		return nil
	}
	merged, err := mergeReports(each, &pass.run.Spec.Workload)
	if err != nil {
		return err
	}
	if len(merged.Workers) > 0 {
		read.measurement = merged
	}
	return nil
}

// mergeReports merges the workers' results. With a steady-state policy, it uses only the steady part of what
// they recorded.
func mergeReports(each steadystate.WorkerResultIterator, workload *v1alpha1.Workload) (*measurement.Measurement, error) {
	if workload.Measure.SteadyState != nil {
		return steadystate.MergeSteadyWindow(each, steadystate.PolicyFor(&workload.Measure))
	}
	merger := measurement.NewMerger(loadgen.SegmentsOf(workload)...)
	err := each(merger.AddWorker)
	return merger.Measurement(), err
}

// invalidReportError is an error in the report itself. A retry cannot succeed.
type invalidReportError struct{ error }

func (e invalidReportError) Unwrap() error { return e.error }

// yieldReport reads a report from the API server, since the cache does not keep its content, and passes it to
// yield. It returns an invalidReportError for an unusable report.
func (r *RunReconciler) yieldReport(ctx context.Context, cached *corev1.ConfigMap, index int, yield func(*measurement.WorkerResult) error) error {
	var cm corev1.ConfigMap
	if err := r.APIReader.Get(ctx, client.ObjectKeyFromObject(cached), &cm); err != nil {
		return fmt.Errorf("get report of worker %d: %w", index, err)
	}
	worker, err := measurement.DecodeWorkerResult(cm.BinaryData[protocol.ResultKey])
	if err != nil {
		return invalidReportError{err}
	}
	if worker.Worker != index {
		return invalidReportError{fmt.Errorf("the report of worker %d is from worker %d", index, worker.Worker)}
	}
	if err := yield(worker); err != nil {
		return invalidReportError{err}
	}
	return nil
}

// failureMessage returns why a run has no result if none of its workers has measured anything.
func (p *runPass) failureMessage() string {
	var lines []string
	for i := range p.run.Spec.Workload.Workers.Count {
		if line := p.reports.failures[int(i)]; line != "" {
			lines = append(lines, fmt.Sprintf("worker %d: %s", i, line))
		}
	}
	if p.barrierProblem != "" {
		lines = append(lines, p.barrierProblem)
	}
	if len(lines) == 0 {
		job := p.workerJob()
		if job == nil {
			return fmt.Sprintf("Job %s of the workers was deleted while the run measured; create another run", naming.WorkerJob(p.run.Name))
		}
		lines = append(lines, "the workers wrote no result: "+p.snapshot.JobOutcome(job).Message)
	}
	return limits.JoinItems(lines, "; ")
}

// readResult reads the run's result, if it is written, and keeps the decoding slot for it. A result that cannot
// be decoded ends the run, since a retry cannot succeed.
func (r *RunReconciler) readResult(ctx context.Context, pass *runPass) error {
	written := pass.snapshot.ConfigMap(naming.ResultConfigMap(pass.run.Name))
	if written == nil {
		return nil
	}
	var cm corev1.ConfigMap
	if err := r.APIReader.Get(ctx, client.ObjectKeyFromObject(written), &cm); err != nil {
		return client.IgnoreNotFound(err)
	}
	release, err := acquireDecodingSlot(ctx)
	if err != nil {
		return err
	}
	if pass.result, err = document.DecodeRunResult(cm.BinaryData[protocol.ResultKey]); err != nil {
		release()
		pass.failure = runFailure{v1alpha1.ReasonRunFailed, fmt.Sprintf("ConfigMap %s: %v", cm.Name, err)}
		return nil
	}
	pass.releaseSlot, pass.resultDigest = release, document.Digest(cm.BinaryData[protocol.ResultKey])
	return nil
}
