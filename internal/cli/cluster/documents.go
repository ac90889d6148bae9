package cluster

import (
	"context"
	"fmt"
	"sort"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/cli/documents"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
	"github.com/benchnet/benchnet/internal/run/document"
)

// ReadRunDocument returns the result of a run. It fails if the run has none.
func (c *Connection) ReadRunDocument(ctx context.Context, run *v1alpha1.BenchmarkRun) (*documents.Run, error) {
	packed, err := c.readStoredResult(ctx, run.Namespace, run.Status.Result, "run "+run.Name, run.Status.Conditions)
	if err != nil {
		return nil, err
	}
	document, err := documents.DecodeRun(packed)
	if err != nil {
		return nil, fmt.Errorf("result of run %s: %w", run.Name, err)
	}
	return document, nil
}

// ReadRunDocuments returns the results of the runs that have one. It fails if they are larger than a result file may be.
func (c *Connection) ReadRunDocuments(ctx context.Context, runs []v1alpha1.BenchmarkRun) ([]*documents.Run, error) {
	var all []*documents.Run
	size := 0
	for i := range runs {
		if runs[i].Status.Result == nil {
			continue
		}
		document, err := c.ReadRunDocument(ctx, &runs[i])
		if err != nil {
			return nil, err
		}
		if size += len(document.Text); size > documents.MaxBytes {
			return nil, fmt.Errorf("the results of the runs have more than %d bytes: give the name of a single run", documents.MaxBytes)
		}
		all = append(all, document)
	}
	return all, nil
}

// ReadExperimentDocument returns the result of an experiment. It fails if the experiment has none.
func (c *Connection) ReadExperimentDocument(ctx context.Context, e *v1alpha1.BenchmarkExperiment) (*documents.Experiment, error) {
	packed, err := c.readStoredResult(ctx, e.Namespace, e.Status.Result, "experiment "+e.Name, e.Status.Conditions)
	if err != nil {
		return nil, err
	}
	document, err := documents.DecodeExperiment(packed)
	if err != nil {
		return nil, fmt.Errorf("result of experiment %s: %w", e.Name, err)
	}
	return document, nil
}

// GetExperimentDocument returns the result of the experiment that is a target. It fails if the experiment has none.
func (c *Connection) GetExperimentDocument(ctx context.Context, target Target) (*documents.Experiment, error) {
	var e v1alpha1.BenchmarkExperiment
	if err := c.Client.Get(ctx, target.Key(), &e); err != nil {
		return nil, err
	}
	return c.ReadExperimentDocument(ctx, &e)
}

func (c *Connection) readStoredResult(ctx context.Context, namespace string, at *v1alpha1.ResultReference, whose string,
	conditions []metav1.Condition) ([]byte, error) {
	if at == nil {
		return nil, NoResultError(whose, conditions)
	}
	var cm corev1.ConfigMap
	if err := c.Client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: at.ConfigMapName}, &cm); err != nil {
		return nil, fmt.Errorf("result of %s: %w", whose, err)
	}
	packed, ok := cm.BinaryData[at.Key]
	if !ok {
		return nil, fmt.Errorf("result of %s: ConfigMap %s has no binaryData %q", whose, at.ConfigMapName, at.Key)
	}
	if err := document.CheckDigest(packed, at.Digest); err != nil {
		return nil, fmt.Errorf("result of %s: ConfigMap %s: %w", whose, at.ConfigMapName, err)
	}
	return packed, nil
}

// NoResultError returns the error for a run or an experiment without a result: why it ended without one, or that it goes on.
func NoResultError(whose string, conditions []metav1.Condition) error {
	for _, kind := range []string{v1alpha1.ConditionStalled, v1alpha1.ConditionComplete} {
		if c := meta.FindStatusCondition(conditions, kind); c != nil && c.Status == metav1.ConditionTrue {
			return fmt.Errorf("%s has no result: %s: %s", whose, c.Reason, c.Message)
		}
	}
	return fmt.Errorf("%s has no result yet: kubectl benchnet watch shows how far it is", whose)
}

// NoRunResultError returns the error for a target without a run that has a result. It says why its latest run has none.
func NoRunResultError(target Target, runs []v1alpha1.BenchmarkRun) error {
	if len(runs) == 0 {
		return fmt.Errorf("%s has no runs yet: kubectl benchnet watch shows how far it is", target)
	}
	latest := &runs[len(runs)-1]
	return fmt.Errorf("%s has no run with a result: %w", target, NoResultError("run "+latest.Name, latest.Status.Conditions))
}

// ListRuns returns the runs of a target, oldest first: the run itself, a network's runs or an experiment's runs.
func (c *Connection) ListRuns(ctx context.Context, target Target) ([]v1alpha1.BenchmarkRun, error) {
	if target.Kind == Run {
		var run v1alpha1.BenchmarkRun
		err := c.Client.Get(ctx, target.Key(), &run)
		return []v1alpha1.BenchmarkRun{run}, err
	}
	options := []client.ListOption{client.InNamespace(target.Namespace)}
	if target.Kind == Experiment {
		options = append(options, client.MatchingLabels{v1alpha1.LabelExperiment: target.Name})
	}
	var list v1alpha1.BenchmarkRunList
	if err := c.Client.List(ctx, &list, options...); err != nil {
		return nil, err
	}
	var runs []v1alpha1.BenchmarkRun
	for _, run := range list.Items {
		if target.Kind == Experiment || run.Spec.NetworkName == target.Name {
			runs = append(runs, run)
		}
	}
	sort.SliceStable(runs, func(i, j int) bool { return snapshot.IsOlder(&runs[i], &runs[j]) })
	return runs, nil
}
