// Package status computes the complete status of a resource from its plan and the observed objects. It is pure:
// the current time is an input.
package status

import (
	"cmp"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/limits"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/network/database"
	"github.com/benchnet/benchnet/internal/network/plan"
)

// NetworkInput is the input of ComputeNetwork.
type NetworkInput struct {
	Network *v1alpha1.BenchmarkNetwork
	// SpecError is why the spec cannot be carried out, or nil.
	SpecError error
	// Admission is the decision of the operator's limits or of Kueue. It has no effect on an admitted network
	// unless Kueue evicts it.
	Admission AdmissionDecision
	// Plan is the plan of the network. It may be nil if SpecError is set.
	Plan *plan.Plan
	// Snapshot holds the network's objects.
	Snapshot *snapshot.Snapshot
	// Stages are the observed stages in the order of the plan.
	Stages []ObservedStage
	// Runs are the runs on the network, oldest first.
	Runs []*v1alpha1.BenchmarkRun
	Now  time.Time
}

// ObservedStage is the observed state of a stage.
type ObservedStage struct {
	Name plan.StageName
	// Started reports whether the stages that it needs were ready, so that its objects were applied.
	Started      bool
	Provisioning bool
	snapshot.Readiness
}

// ComputeNetwork returns the status of a network.
func ComputeNetwork(in NetworkInput) v1alpha1.BenchmarkNetworkStatus {
	old := in.Network.Status
	s := v1alpha1.BenchmarkNetworkStatus{
		ObservedGeneration: in.Network.Generation,
	}
	if last := lastRun(in.Runs); last != nil {
		s.LastRun = &v1alpha1.LastRun{Name: last.Name, ThroughputMilliPerSecond: last.Status.ThroughputMilliPerSecond, Verdict: last.Status.Verdict}
		s.Display.Throughput = last.Status.Display.Throughput
	}
	switch {
	case in.SpecError != nil:
		if !in.Admission.Evicted {
			s.GeneratedSecrets = old.GeneratedSecrets
		}
		s.Phase = v1alpha1.PhaseFailed
		s.Conditions = invalidSpecConditions(in)
	case isQueued(in):
		s.Phase = v1alpha1.PhaseQueued
		s.Settings, s.PlanHash = firstItems(maxSettings, in.Plan.Settings), in.Plan.Hash
		s.Conditions = queuedConditions(in)
	default:
		s.Stages = stageStatuses(old.Stages, in)
		s.Members, s.MembersReady = memberStatuses(in)
		s.MembersTotal = int32(len(s.Members))
		s.Display.Members = fmt.Sprintf("%d/%d", s.MembersReady, s.MembersTotal)
		s.Members = firstItems(maxMembers, s.Members)
		s.Databases, s.Display.Database = firstItems(maxMembers, databaseStatuses(in)), databaseSummary(in)
		s.Settings = firstItems(maxSettings, in.Plan.Settings)
		s.PlanHash = in.Plan.Hash
		s.Epoch, s.GeneratedSecrets = epochStatus(in), &in.Plan.GeneratedSecrets
		s.Conditions = networkConditions(in)
		s.Phase = networkPhase(in, s)
		if len(in.Plan.LostSecrets) > 0 {
			s.Phase = v1alpha1.PhaseFailed
		}
	}
	s.Conditions = keepTransitionTimes(old.Conditions, s.Conditions, in.Now)
	return s
}

// Maximum lengths of the status lists in the CRDs. The API server would reject every status with a longer list.
const (
	maxSettings    = 256
	maxMembers     = 1024
	maxMeasures    = 64
	maxCurrentRuns = 64
	maxSearches    = 64

	// maxVersionBytes is the maximum length of the version that a database server reports.
	maxVersionBytes = 128
)

// firstItems returns at most that many items from the start of a list.
func firstItems[T any](most int, list []T) []T { return list[:min(len(list), most)] }

// databaseSummary returns the engine and the topology of the databases. It is empty on a platform whose members
// use none.
func databaseSummary(in NetworkInput) string {
	d := in.Network.Spec.DatabaseOrDefault()
	switch {
	case !in.Plan.UsesDatabase:
		return ""
	case d.Engine == v1alpha1.EngineH2:
		return "H2"
	default:
		return fmt.Sprintf("%s/%s", d.Engine, d.Topology)
	}
}

func stageStatuses(old []v1alpha1.StageStatus, in NetworkInput) []v1alpha1.StageStatus {
	before := map[string]v1alpha1.StageStatus{}
	for _, s := range old {
		before[s.Name] = s
	}
	var all []v1alpha1.StageStatus
	for _, f := range in.Stages {
		if !f.Provisioning {
			continue
		}
		s := v1alpha1.StageStatus{Name: string(f.Name), State: v1alpha1.StateWaiting, Message: limits.Truncate(f.Message, limits.MaxItem),
			StartedAt: before[string(f.Name)].StartedAt, ReadyAt: before[string(f.Name)].ReadyAt}
		now := metav1.NewMicroTime(in.Now)
		if f.Started {
			s.State = v1alpha1.StateInProgress
			s.StartedAt = cmp.Or(s.StartedAt, &now)
		}
		switch f.State {
		case snapshot.StateReady:
			s.State, s.Message = v1alpha1.StateReady, ""
			s.ReadyAt = cmp.Or(s.ReadyAt, &now)
		case snapshot.StateFailed:
			s.State = v1alpha1.StateFailed
		}
		if f.Name == plan.StageMembers && isPaused(in) { // The stage starts again when the network resumes.
			s.State, s.Message, s.StartedAt, s.ReadyAt = v1alpha1.StateWaiting, cmp.Or(s.Message, "paused"), nil, nil
		}
		all = append(all, s)
	}
	return all
}

// memberStatuses returns the status of each member, and how many are ready.
func memberStatuses(in NetworkInput) ([]v1alpha1.MemberStatus, int32) {
	var all []v1alpha1.MemberStatus
	var ready int32
	for _, m := range in.Plan.Topology.Members {
		s := v1alpha1.MemberStatus{Name: m.Name, Identity: m.Identity, Address: m.Address, State: v1alpha1.StateWaiting}
		if pod := in.Snapshot.Pod(naming.MemberPod(in.Network.Name, m.Name)); pod != nil {
			fillMemberStatus(&s, pod)
		}
		if s.State == v1alpha1.StateReady {
			ready++
		}
		all = append(all, s)
	}
	return all, ready
}

func fillMemberStatus(s *v1alpha1.MemberStatus, pod *corev1.Pod) {
	s.State = v1alpha1.StateStarting
	s.Host = pod.Spec.NodeName
	s.Restarts = snapshot.CountRestarts(pod)
	if len(pod.Status.ContainerStatuses) > 0 {
		s.ImageDigest = pod.Status.ContainerStatuses[0].ImageID
	}
	switch {
	case snapshot.IsPodReady(pod):
		s.State = v1alpha1.StateReady
	case snapshot.PodProblem(pod) != "":
		s.State = v1alpha1.StateFailed
	}
}

func databaseStatuses(in NetworkInput) []v1alpha1.DatabaseStatus {
	var all []v1alpha1.DatabaseStatus
	versions := serverVersions(in.Network.Status.Databases, in.Snapshot.Pods())
	for _, d := range in.Plan.Databases {
		s := v1alpha1.DatabaseStatus{Name: d.Name, Address: d.Address, Version: versions[d.Name], MaxConnections: d.MaxConnections,
			Storage: d.Storage, Members: d.MembersServed, State: v1alpha1.StateWaiting}
		switch set := in.Snapshot.StatefulSet(d.Name); {
		case in.Network.Spec.DatabaseOrDefault().Provider == v1alpha1.ProviderExternal:
			s.State = v1alpha1.StateExternal
		case set != nil && set.Status.ReadyReplicas > 0:
			s.State = v1alpha1.StateReady
		case set != nil:
			s.State = v1alpha1.StateStarting
		}
		all = append(all, s)
	}
	return all
}

// serverVersions returns the versions that the servers reported to the last Job that set up or reset their schemas, by instance.
// When the pods of the Jobs are gone, they are those of the old status.
func serverVersions(old []v1alpha1.DatabaseStatus, pods []corev1.Pod) map[string]string {
	versions, reported := map[string]string{}, map[string]time.Time{}
	for _, d := range old {
		versions[d.Name] = d.Version
	}
	for i := range pods {
		instance := pods[i].Labels[naming.LabelInstance]
		switch naming.Component(pods[i].Labels[naming.LabelComponent]) {
		case naming.ComponentDatabaseSetup, naming.ComponentDatabaseReset:
		default:
			continue
		}
		for _, c := range pods[i].Status.InitContainerStatuses {
			end := c.State.Terminated
			if c.Name == database.PrepareContainer && end != nil && end.ExitCode == 0 && end.Message != "" && !end.FinishedAt.Time.Before(reported[instance]) {
				versions[instance], reported[instance] = limits.Truncate(end.Message, maxVersionBytes), end.FinishedAt.Time
			}
		}
	}
	return versions
}

// lastRun returns the run that ended last, or nil.
func lastRun(runs []*v1alpha1.BenchmarkRun) *v1alpha1.BenchmarkRun {
	var last *v1alpha1.BenchmarkRun
	for _, run := range runs {
		if run.Status.CompletionTime == nil {
			continue
		}
		if last == nil || !run.Status.CompletionTime.Before(last.Status.CompletionTime) {
			last = run
		}
	}
	return last
}

// HasChanged reports whether two statuses of a network differ.
func HasChanged(before, now v1alpha1.BenchmarkNetworkStatus) bool {
	return !equality.Semantic.DeepEqual(before, now)
}

// IsProgressOnly reports whether two statuses differ only in messages and in the states of members and
// databases.
func IsProgressOnly(before, now v1alpha1.BenchmarkNetworkStatus) bool {
	return !HasChanged(withoutProgress(before), withoutProgress(now))
}

func withoutProgress(s v1alpha1.BenchmarkNetworkStatus) v1alpha1.BenchmarkNetworkStatus {
	m := *s.DeepCopy()
	m.Members, m.MembersReady, m.Display.Members, m.Databases = nil, 0, "", nil
	for i := range m.Stages {
		m.Stages[i].Message = ""
	}
	for i := range m.Conditions {
		m.Conditions[i].Message = ""
	}
	return m
}

// ComputeTeardown returns the status of a network that is being deleted while it still has schemas on a user's
// database server. The finalizer is the one that blocks the deletion until the schemas are dropped.
func ComputeTeardown(network *v1alpha1.BenchmarkNetwork, servers snapshot.Readiness, finalizer string, now time.Time) v1alpha1.BenchmarkNetworkStatus {
	s := *network.Status.DeepCopy()
	s.Phase = v1alpha1.PhaseDeleting // The observed generation stays that of the plan: see HasPlan.
	l := conditionList{generation: network.Generation}
	for _, c := range s.Conditions {
		switch c.Type {
		case v1alpha1.ConditionReady, v1alpha1.ConditionReconciling, v1alpha1.ConditionStalled:
		default:
			l.conditions = append(l.conditions, c)
		}
	}
	if servers.State == snapshot.StateFailed {
		l.addNotReady(true, v1alpha1.ReasonTeardownFailed, servers.Message+
			"; fix the cause and delete the Job so that it is recreated, or remove the finalizer "+finalizer+
			" from the network to leave schemas and roles on the server")
	} else {
		l.addNotReady(false, v1alpha1.ReasonTearingDown, servers.Message)
	}
	s.Conditions = keepTransitionTimes(network.Status.Conditions, l.conditions, now)
	return s
}

// NetworkExpiry returns when a network is to be deleted: its time to live after the last run on it ended. It returns
// false while a run is unfinished, uploads its result or notifies its webhook, before all workloads of the network have
// run, or without ttlSecondsAfterFinished. Runs that were kept from an earlier network of the same name do not count.
func NetworkExpiry(network *v1alpha1.BenchmarkNetwork, runs []*v1alpha1.BenchmarkRun) (time.Time, bool) {
	ttl := network.Spec.TTLSecondsAfterFinished
	if ttl == nil {
		return time.Time{}, false
	}
	var last time.Time
	ended := 0
	for _, run := range runs {
		switch {
		case !run.IsComplete() || run.IsDelivering() || run.Status.CompletionTime == nil:
			return time.Time{}, false
		case run.Status.CompletionTime.Before(&network.CreationTimestamp):
			continue
		case plan.IsNetworkRun(network, run):
			ended++
		}
		if run.Status.CompletionTime.After(last) {
			last = run.Status.CompletionTime.Time
		}
	}
	if last.IsZero() || ended < len(network.Spec.Workloads) {
		return time.Time{}, false
	}
	return last.Add(time.Duration(*ttl) * time.Second), true
}
