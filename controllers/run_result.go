package controllers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/network/latency/sidecar"
	"github.com/benchnet/benchnet/internal/network/plan"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/run/boundedjson"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/loadgen"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/objectives"
	"github.com/benchnet/benchnet/internal/run/protocol"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// writeResult writes the result once the workers have ended. A result that does not fit into a ConfigMap ends
// the run; the workers' reports are kept.
func (r *RunReconciler) writeResult(ctx context.Context, pass *runPass) error {
	if pass.barrierRelease == nil || pass.reports == nil || pass.reports.measurement == nil {
		return nil
	}
	result, err := r.assembleResult(ctx, pass, pass.reports)
	if err != nil {
		return err
	}
	if !r.judgeQueries(ctx, pass.run, result) {
		return nil
	}
	packed, err := document.EncodeRunResult(result)
	if errors.Is(err, boundedjson.ErrTooLarge) {
		pass.failure = runFailure{v1alpha1.ReasonResultTooLarge, err.Error() + "; the workers' reports stay in their ConfigMaps"}
		return nil
	}
	if err != nil {
		return fmt.Errorf("result of run %s: %w", pass.run.Name, err)
	}
	return r.applyObjects(ctx, pass, []client.Object{resultConfigMap(pass.run, packed)})
}

// judgeQueries appends the outcomes of the query objectives to the result, or returns false while their queries are evaluated.
func (r *RunReconciler) judgeQueries(ctx context.Context, run *v1alpha1.BenchmarkRun, result *document.RunResult) bool {
	queries := run.Spec.Workload.QueryObjectives()
	if len(queries) == 0 {
		return true
	}
	answers, evaluated := r.Queries.Evaluate(ctx, run, result.Times.WindowSeconds, result.Times.WindowEnd, r.Now())
	if evaluated {
		result.Objectives = append(result.Objectives, objectives.JudgeQueries(queries, answers, result.Verdict)...)
	}
	return evaluated
}

func resultConfigMap(run *v1alpha1.BenchmarkRun, packed []byte) *corev1.ConfigMap {
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: naming.ResultConfigMap(run.Name), Labels: naming.RunLabels(run.Name)}}
	if packed != nil {
		cm.BinaryData = map[string][]byte{protocol.ResultKey: packed}
	}
	return cm
}

func (r *RunReconciler) assembleResult(ctx context.Context, pass *runPass, read *workerReports) (*document.RunResult, error) {
	nodes, troubles, err := r.readNodes(ctx, pass.networkPods)
	if err != nil {
		return nil, err
	}
	var regions map[string]string
	if pass.network.Spec.RecordsZones() {
		var unknown []verdict.Disturbance
		regions, unknown = snapshot.DescribeZones(pass.networkPods, nodes)
		troubles = append(troubles, unknown...)
	}
	orders := &pass.driver.Workload
	read.measurement.CompleteFaults(orders.Faults)
	circumstances, err := runObservationsOf(pass, read, troubles)
	if err != nil {
		return nil, err
	}
	read.measurement.LatencyKind = latencyKindOf(&pass.run.Spec.Workload)
	read.measurement.FinalityOf = pass.platform.FinalityOf(&pass.run.Spec.Workload)
	tolerances := tolerancesOf(&pass.network.Spec, &pass.run.Spec.Workload.Measure)
	judged := verdict.Judge(read.measurement, circumstances, tolerances)
	interpretation := interpretMeasurement(pass, read.measurement)
	result, err := document.NewRunResult(read.measurement, interpretation, judged.WithFindings(interpretation))
	if err != nil {
		return nil, fmt.Errorf("result of run %s: %w", pass.run.Name, err)
	}
	if err := r.addProvenance(pass, result, nodes); err != nil {
		return nil, err
	}
	if len(orders.Faults) > 0 {
		result.AddFaults(read.measurement, orders.Load.DuePerSecond(orders.Measure))
	}
	result.Policies = tolerances.Policies()
	result.Environment.Regions = regions
	result.Environment.Calibration = read.measurement.Calibration
	result.Environment.Hosts = read.measurement.DescribeHosts(circumstances.Containers)
	result.Objectives = objectives.JudgeRun(pass.run.Spec.Workload.MetricObjectives(), result)
	result.Hosts = verdict.SummarizeHosts(read.measurement, circumstances, tolerances)
	if !circumstances.WithoutObservation {
		result.Bottleneck = verdict.FindBottleneck(read.measurement, circumstances.Containers, result.Environment.EmulatedLatency)
	}
	return result, nil
}

// latencyKindOf returns what the latencies of a workload are. It is empty if the network makes its own load, or a
// user's own plan decides when a client sends.
func latencyKindOf(workload *v1alpha1.Workload) measurement.LatencyKind {
	switch {
	case workload.Load == nil, workload.JMeter != nil:
		return ""
	case workload.Load.Model == v1alpha1.LoadOpen:
		return measurement.ResponseTime
	}
	return measurement.ServiceTime
}

// tolerancesOf returns the default tolerances, overridden by those that the user chose for the run.
func tolerancesOf(network *v1alpha1.BenchmarkNetworkSpec, measure *v1alpha1.Measure) verdict.Tolerances {
	tolerances := verdict.DefaultTolerances()
	tolerances.ErrorShare = measure.MaxErrorPercent.AsApproximateFloat64() / 100
	tolerances.RecordEnvironment = network.EnvironmentPolicyOrDefault(measure) == v1alpha1.EnvironmentRecord
	if measure.StabilityPolicy != "" {
		tolerances.Stability = verdict.StabilityPolicy(measure.StabilityPolicy)
	}
	tolerances.Calibration = loadgen.CalibrationBoundsOf(measure.Calibrate)
	return tolerances
}

// runObservationsOf returns what the workers cannot observe: disturbances, containers and node problems.
func runObservationsOf(pass *runPass, read *workerReports, troubles []verdict.Disturbance) (verdict.RunObservations, error) {
	disturbances, err := pass.findDisturbances(read.measurement.Faults)
	if err != nil {
		return verdict.RunObservations{}, err
	}
	_, unobserved := plan.DatabaseEndpoints(pass.platform, pass.network)
	c := verdict.RunObservations{
		ExpectedWorkers: int(pass.run.Spec.Workload.Workers.Count), WorkerFailures: read.failures, Disturbances: disturbances,
		Containers: snapshot.DescribeContainers(pass.networkPods), UnobservedDatabases: unobserved,
		NodeProblems: troubles, EmulatesLatency: pass.network.Spec.EmulatesLatency(),
		ObservedMembers: observedMembers(pass.driver.Workload.Observe), WithoutObservation: pass.network.Spec.Observation == v1alpha1.ObservationNone,
		Trial: pass.network.Spec.Purpose == v1alpha1.PurposeTrial,
	}
	if load := pass.driver.Workload.Load; load != nil {
		c.OfferedPerSecond, c.PoissonArrivals = load.MeanWindowRate(pass.driver.Workload.Measure), load.Arrivals == protocol.ArrivalsPoisson
		if pass.run.Spec.Workload.JMeter == nil {
			c.Clients, c.MaxOutstanding = load.Clients, max(load.Clients, load.MaxOutstanding)
		}
		if len(load.ClientPieces) > 0 {
			c.Clients = 0 // The shares of the workers differ.
		}
	}
	return c, nil
}

// observedMembers returns the members, not the databases, that the workers sample.
func observedMembers(endpoints []protocol.ObservedEndpoint) []string {
	var names []string
	for _, e := range endpoints {
		if e.Kind == "" && !slices.Contains(names, e.Member) {
			names = append(names, e.Member)
		}
	}
	return names
}

// interpretMeasurement returns the platform's interpretation of the measurement, if it has any. It fills in a
// missing unit.
func interpretMeasurement(pass *runPass, measured *measurement.Measurement) verdict.Interpretation {
	if measured.Unit == "" {
		measured.Unit = pass.driver.Workload.Unit
	}
	interpreter, ok := pass.platform.(platform.Interpreter)
	if !ok {
		return verdict.Interpretation{}
	}
	return interpreter.Interpret(&pass.network.Spec, &pass.run.Spec.Workload, measured)
}

// addProvenance adds to the result everything that is needed to repeat the run.
func (r *RunReconciler) addProvenance(pass *runPass, result *document.RunResult, nodes []corev1.Node) error {
	run, network := pass.run, pass.network
	result.Run = document.RunIdentity{Namespace: run.Namespace, Name: run.Name, UID: string(run.UID),
		Network: network.Name, NetworkUID: string(pass.measuredNetworkUID()), Workload: run.Spec.Workload.Name, Reference: pass.driver.Workload.Reference}
	result.Times.Start, result.Times.End = pass.barrierRelease.Start, r.Now().UTC()
	orders, err := json.Marshal(pass.driver.Workload)
	if err != nil {
		return fmt.Errorf("encode workload of run %s: %w", run.Name, err)
	}
	result.Workload = orders
	result.Environment = document.Environment{
		OperatorVersion: r.Images.Version, OperatorCommit: r.Commit, PlatformVersion: pass.platform.Version(&network.Spec),
		KubernetesVersion: r.KubeVersion, PlanHash: network.Status.PlanHash,
		Images: snapshot.DescribeImages(pass.networkPods), Containers: snapshot.DescribeContainers(pass.networkPods),
		Settings: settingsByName(network.Status.Settings), Nodes: []document.NodeInfo{},
	}
	if epoch := network.Status.Epoch; epoch != nil {
		result.Environment.State = document.NetworkState{Epoch: epoch.ID, Fresh: epoch.FirstRun == run.UID}
	}
	for i := range nodes {
		result.Environment.Nodes = append(result.Environment.Nodes, snapshot.DescribeNode(&nodes[i]))
	}
	if _, ok := pass.platform.(platform.DatabaseConsumer); ok {
		database := network.Spec.DatabaseOrDefault()
		result.Environment.Database = &document.DatabaseInfo{Engine: string(database.Engine), Topology: string(database.Topology),
			Versions: databaseVersions(network.Status.Databases)}
	}
	result.Environment.EmulatedLatency = emulatedLatencyOf(network, pass.platform.Topology(network))
	return nil
}

// databaseVersions returns the different versions of the servers, sorted.
func databaseVersions(databases []v1alpha1.DatabaseStatus) []string {
	var all []string
	for _, d := range databases {
		if d.Version != "" {
			all = append(all, d.Version)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// emulatedLatencyOf returns the emulated latencies between the members, or nil if there are none. The network
// was accepted and ready, so the configuration is valid.
func emulatedLatencyOf(network *v1alpha1.BenchmarkNetwork, topology platform.Topology) *verdict.EmulatedLatency {
	config, _ := sidecar.BuildConfig(network, topology.MemberNames(), topology.MemberAliases())
	by := meta.FindStatusCondition(network.Status.Conditions, v1alpha1.ConditionLatencyEmulated)
	if config == nil || config.IsEmpty() || by == nil {
		return nil
	}
	return &verdict.EmulatedLatency{Mechanism: by.Reason, Config: *config}
}

func settingsByName(derived []v1alpha1.DerivedSetting) map[string]string {
	all := make(map[string]string, len(derived))
	for _, s := range derived {
		all[s.Name] = s.Value
	}
	return all
}

// readNodes returns the nodes of the pods and the problems of these nodes. An operator that may not read nodes
// returns a disturbance instead.
func (r *RunReconciler) readNodes(ctx context.Context, pods []corev1.Pod) ([]corev1.Node, []verdict.Disturbance, error) {
	names := snapshot.NodeNames(pods)
	all := make([]corev1.Node, len(names))
	var troubles []verdict.Disturbance
	for i, name := range names {
		err := r.APIReader.Get(ctx, types.NamespacedName{Name: name}, &all[i])
		if apierrors.IsForbidden(err) {
			return nil, []verdict.Disturbance{{Kind: verdict.ReasonNodesUnknown, Message: "the state of the nodes is unknown: " + err.Error()}}, nil
		}
		if err != nil {
			return nil, nil, fmt.Errorf("get node %s: %w", name, err)
		}
		troubles = append(troubles, snapshot.NodeProblems(&all[i])...)
	}
	return all, troubles, nil
}

// cleanUpRun deletes the objects that a run with a result no longer needs: workload file, barrier, reports and
// RBAC objects. It keeps the Job, whose pods hold logs and requested sample logs, and the result.
func (r *RunReconciler) cleanUpRun(ctx context.Context, pass *runPass) error {
	if err := r.removeOwnerReferences(ctx, pass.run, isNonControllingNetwork); err != nil {
		return err
	}
	keep := []client.Object{resultConfigMap(pass.run, nil)}
	if job := pass.snapshot.Job(naming.WorkerJob(pass.run.Name)); job != nil {
		keep = append(keep, job)
	}
	for _, object := range pass.snapshot.UnplannedObjects(keep) {
		if err := r.Writer.Delete(ctx, object); err != nil {
			return err
		}
	}
	return nil
}

// deleteWorkerObjects deletes what the workers of a complete run needed, however it ended: a run that failed or was cancelled did
// not delete it before. It keeps what cleanUpRun keeps, and the reports if the result did not fit into a ConfigMap.
func (r *RunReconciler) deleteWorkerObjects(ctx context.Context, run *v1alpha1.BenchmarkRun, owned *snapshot.Snapshot) error {
	complete := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionComplete)
	for _, object := range owned.UnplannedObjects([]client.Object{resultConfigMap(run, nil)}) {
		if _, isJob := object.(*batchv1.Job); isJob {
			continue
		}
		isReport := strings.HasPrefix(object.GetName(), naming.WorkerReportPrefix(run.Name))
		if object.GetLabels()[naming.LabelComponent] != string(naming.ComponentWorker) || isReport && complete.Reason == v1alpha1.ReasonResultTooLarge {
			continue
		}
		if err := r.Writer.Delete(ctx, object); err != nil {
			return err
		}
	}
	return nil
}
