package controllers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/agent/protocol"
	"github.com/benchnet/benchnet/internal/driver"
	"github.com/benchnet/benchnet/internal/emulation/sidecar"
	"github.com/benchnet/benchnet/internal/names"
	"github.com/benchnet/benchnet/internal/observe"
	"github.com/benchnet/benchnet/internal/plan"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/results"
)

// collect writes the result once the workers have ended. A result that does not fit into a ConfigMap ends the run; the reports stay.
func (r *RunReconciler) collect(ctx context.Context, pass *runPass) error {
	if pass.released == nil || pass.reports == nil || pass.reports.merged == nil {
		return nil
	}
	result, err := r.result(ctx, pass, pass.reports)
	if err != nil {
		return err
	}
	packed, err := results.Encode(result)
	if errors.Is(err, results.ErrTooLarge) {
		pass.failure = failedRun{v1alpha1.ReasonResultTooLarge, err.Error() + "; the workers' reports stay in their ConfigMaps"}
		return nil
	}
	if err != nil {
		return fmt.Errorf("result of run %s: %w", pass.run.Name, err)
	}
	return r.applyAll(ctx, pass, []client.Object{resultMap(pass.run, packed)})
}

func resultMap(run *v1alpha1.BenchmarkRun, packed []byte) *corev1.ConfigMap {
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: names.Result(run.Name), Labels: driver.Labels(run)}}
	if packed != nil {
		cm.BinaryData = map[string][]byte{protocol.ResultKey: packed}
	}
	return cm
}

func (r *RunReconciler) result(ctx context.Context, pass *runPass, read *reports) (*results.Result, error) {
	nodes, troubles, err := r.nodes(ctx, pass.networkPods)
	if err != nil {
		return nil, err
	}
	circumstances, err := circumstancesOf(pass, read, troubles)
	if err != nil {
		return nil, err
	}
	verdict := read.merged.Judge(circumstances, tolerancesOf(&pass.run.Spec.Workload.Measure))
	interpretation := interpret(pass, read.merged)
	result, err := results.NewResult(read.merged, interpretation, verdict.With(interpretation))
	if err != nil {
		return nil, fmt.Errorf("result of run %s: %w", pass.run.Name, err)
	}
	if err := r.describe(pass, result, nodes); err != nil {
		return nil, err
	}
	result.Bottleneck = read.merged.Bottleneck(circumstances.Containers, result.Environment.Emulation)
	return result, nil
}

// tolerancesOf returns the tolerances that a user chose for a run, over the defaults.
func tolerancesOf(measure *v1alpha1.Measure) results.Tolerances {
	tolerances := results.DefaultTolerances()
	tolerances.ErrorShare = float64(measure.MaxErrorPercent) / 100
	tolerances.RecordEnvironment = measure.EnvironmentPolicy == v1alpha1.EnvironmentRecord
	return tolerances
}

// circumstancesOf are what the workers could not know.
func circumstancesOf(pass *runPass, read *reports, troubles []results.Disturbance) (results.Circumstances, error) {
	disturbances, err := observe.Disturbances(pass.released.Baseline, pass.networkPods)
	if err != nil {
		return results.Circumstances{}, fmt.Errorf("run %s: %w", pass.run.Name, err)
	}
	_, unobserved := plan.ObservedDatabases(pass.platform, pass.network)
	c := results.Circumstances{
		Workers: int(pass.run.Spec.Workload.Workers.Count), Failures: read.failures, Disturbances: disturbances,
		Containers: observe.Containers(pass.networkPods), Unobserved: unobserved,
		Troubles: troubles,
	}
	return c, nil
}

// interpret lets the platform read the measurement.
func interpret(pass *runPass, measured *results.Measurement) results.Interpretation {
	if measured.Unit == "" {
		measured.Unit = pass.driver.Workload.Unit
	}
	interpreter, ok := pass.platform.(platform.Interpreter)
	if !ok {
		return results.Interpretation{}
	}
	return interpreter.Interpret(&pass.network.Spec, &pass.run.Spec.Workload, measured)
}

// describe adds what it takes to repeat the run.
func (r *RunReconciler) describe(pass *runPass, result *results.Result, nodes []corev1.Node) error {
	run, network := pass.run, pass.network
	result.Run = results.RunIdentity{Namespace: run.Namespace, Name: run.Name, UID: string(run.UID),
		Network: network.Name, NetworkUID: string(network.UID), Workload: run.Spec.Workload.Name, Reference: pass.driver.Workload.Reference}
	result.Times.Start, result.Times.End = pass.released.Start, r.Now().UTC()
	orders, err := json.Marshal(pass.driver.Workload)
	if err != nil {
		return fmt.Errorf("encode workload of run %s: %w", run.Name, err)
	}
	result.Workload = orders
	result.Environment = results.Environment{
		OperatorVersion: r.Images.Version, PlatformVersion: pass.platform.Version(&network.Spec),
		KubernetesVersion: r.KubeVersion, PlanHash: network.Status.PlanHash,
		Images: observe.Images(pass.networkPods), Containers: observe.Containers(pass.networkPods),
		Settings: settings(network.Status.Settings), Nodes: []results.Node{},
	}
	if epoch := network.Status.Epoch; epoch != nil {
		result.Environment.State = results.State{Epoch: epoch.ID, Fresh: epoch.FirstRun == run.UID}
	}
	for i := range nodes {
		result.Environment.Nodes = append(result.Environment.Nodes, observe.NodeOf(&nodes[i]))
	}
	if _, ok := pass.platform.(platform.DatabaseUser); ok {
		database := network.Spec.DatabaseOrDefault()
		result.Environment.Database = &results.Database{Engine: string(database.Engine), Topology: string(database.Topology)}
	}
	result.Environment.Emulation = emulated(network, pass.platform.Topology(network))
	return nil
}

// emulated are the distances between the members, or nil. The network was accepted and ready, so that there are some if asked for.
func emulated(network *v1alpha1.BenchmarkNetwork, topology platform.Topology) *results.Emulation {
	config, _ := sidecar.Configure(network, topology.Names())
	by := meta.FindStatusCondition(network.Status.Conditions, v1alpha1.ConditionNetworkEmulated)
	if config == nil || by == nil {
		return nil
	}
	return &results.Emulation{Mechanism: by.Reason, Config: *config}
}

func settings(derived []v1alpha1.DerivedSetting) map[string]string {
	all := make(map[string]string, len(derived))
	for _, s := range derived {
		all[s.Name] = s.Value
	}
	return all
}

// nodes that the pods were on, and what was wrong with them. An operator that has rights in namespaces alone knows none.
func (r *RunReconciler) nodes(ctx context.Context, pods []corev1.Pod) ([]corev1.Node, []results.Disturbance, error) {
	names := observe.NodeNames(pods)
	all := make([]corev1.Node, len(names))
	var troubles []results.Disturbance
	for i, name := range names {
		err := r.Direct.Get(ctx, types.NamespacedName{Name: name}, &all[i])
		if apierrors.IsForbidden(err) {
			return nil, []results.Disturbance{{Kind: results.NodesUnknown, Message: "nothing is known of the nodes: " + err.Error()}}, nil
		}
		if err != nil {
			return nil, nil, fmt.Errorf("get node %s: %w", name, err)
		}
		troubles = append(troubles, observe.Troubles(&all[i])...)
	}
	return all, troubles, nil
}

// tidy removes what a run with a result needs no more: orders, barrier, reports and rights. The Job stays for its logs,
// a sample log that was asked for stays, and so does the result.
func (r *RunReconciler) tidy(ctx context.Context, pass *runPass) error {
	if err := r.letGo(ctx, pass.run, adopting); err != nil {
		return err
	}
	keep := []client.Object{resultMap(pass.run, nil)}
	if job := pass.snapshot.Job(pass.run.Name); job != nil {
		keep = append(keep, job)
	}
	keep = append(keep, &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: names.Samples(pass.run.Name)}})
	for _, object := range pass.snapshot.Unplanned(keep) {
		if err := r.Writer.Delete(ctx, object); err != nil {
			return err
		}
	}
	return nil
}
