package corda

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/genesis"
	"github.com/benchnet/benchnet/internal/platform/sizing"
)

// notaryTablePrefix is the beginning of the names of the tables in which Corda's JPA notary records spent states.
const notaryTablePrefix = "node_notary_"

// DatabaseRequirements returns the connections of the pools, the planned ledger data, the container that creates
// the schema template, and the tables that the replicas of a notary share.
func (Corda) DatabaseRequirements(in platform.Input, topology platform.Topology) platform.DatabaseRequirements {
	spec := &in.Network.Spec
	supplied := buildCorDappSupply(in).withAgent(in)
	planned := plannedLedgerData(spec)
	connections := map[string]int32{}
	for _, m := range topology.Members {
		connections[m.Name] = derivePoolSizes(m.Spec).connections.value
	}
	return platform.DatabaseRequirements{
		Connections:         connections,
		PlannedTransactions: planned.Transactions,
		PlannedStates:       planned.States,
		Volumes:             supplied.volumes,
		SharedTables:        notarySharedTables(spec, topology),
		DedicatedInstances:  notaryInstances(spec, topology),
		Template: append(slices.Clone(supplied.initContainers), corev1.Container{
			Name:                     "schema",
			Image:                    nodeImage(in, spec),
			Command:                  []string{programSchema, "postgresql", cordappsPath(spec), templateDir},
			Env:                      schemaEnv(spec),
			Resources:                genesis.StepResources("1Gi"),
			SecurityContext:          pods.RestrictedSecurityContext(),
			TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
			VolumeMounts:             supplied.mounts,
		}),
	}
}

// notarySharedTables returns the tables that the replicas of a notary share, or nil. Their primary key rejects a
// second spend of a state, whichever replica records it.
func notarySharedTables(spec *v1alpha1.BenchmarkNetworkSpec, topology platform.Topology) *platform.SharedTables {
	if spec.Platform.Corda.Notary.Type != v1alpha1.CordaNotarySharedDatabase {
		return nil
	}
	return &platform.SharedTables{Members: notaryMembers(topology), Prefix: notaryTablePrefix}
}

// notaryInstances returns the dedicated database instances of the notary: one for a single notary or for replicas that
// share tables, otherwise one for each replica. It returns none unless the spec asks for them.
func notaryInstances(spec *v1alpha1.BenchmarkNetworkSpec, topology platform.Topology) []platform.DedicatedInstance {
	override := spec.Platform.Corda.Notary.Database
	if override == nil {
		return nil
	}
	newInstance := func(name string, members ...string) platform.DedicatedInstance {
		return platform.DedicatedInstance{Name: name, Members: members, Override: override, Path: "spec.platform.corda.notary.database"}
	}
	nodes := notaryMembers(topology)
	if !usesRaft(spec) && !usesBFT(spec) {
		return []platform.DedicatedInstance{newInstance(notaryName, nodes...)}
	}
	var all []platform.DedicatedInstance
	for _, node := range nodes {
		all = append(all, newInstance(node, node))
	}
	return all
}

// Upper bounds of the rate of a closed loop, in operations per second.
const (
	// maxOpenSourceRate is above the 68/s that R3 publishes for Issue on 32 cores. One thread runs all flows.
	maxOpenSourceRate = 100
	// maxEnterpriseRatePerCore is R3's rate of Issue on one core. With more cores the rate per core is lower.
	maxEnterpriseRatePerCore = 100
)

func maxClosedLoopRate(spec *v1alpha1.BenchmarkNetworkSpec) float64 {
	if isEnterprise(spec) {
		return float64(maxEnterpriseRatePerCore * sizing.MachineOf(&spec.Members).WholeCores())
	}
	return maxOpenSourceRate
}

// plannedLedgerData returns an upper bound of the data that the workloads leave on one member between two resets.
func plannedLedgerData(spec *v1alpha1.BenchmarkNetworkSpec) sizing.LedgerData {
	var most, total sizing.LedgerData
	for i := range spec.Workloads {
		w := &spec.Workloads[i].Workload
		if w.Reset == v1alpha1.ResetState {
			total = sizing.LedgerData{}
		}
		planned := sizing.PlannedOperations(w.Load, &w.Measure, maxClosedLoopRate(spec))
		mix, weights := mixOf(w.Corda), int64(0)
		for _, e := range mix {
			weights += int64(e.Weight)
		}
		for _, e := range mix {
			total = total.Add(ledgerDataOf(&e.CordaOperation).Times((planned*int64(e.Weight) + weights - 1) / weights))
		}
		if total.Bytes() > most.Bytes() {
			most = total
		}
	}
	return most
}

// SummarizeWorkloads returns a workload that issues and one that pays.
func (Corda) SummarizeWorkloads(spec *v1alpha1.BenchmarkNetworkSpec) []v1alpha1.Workload {
	planned := plannedLedgerData(spec)
	issue, pay := sizing.NewSummary(2*planned.Transactions-planned.States), sizing.NewSummary(planned.States-planned.Transactions)
	issue.Corda, pay.Corda = &v1alpha1.CordaWorkload{}, &v1alpha1.CordaWorkload{}
	issue.Corda.Finance = &v1alpha1.CordaFinance{Operation: v1alpha1.FinanceIssue}
	pay.Corda.Finance = &v1alpha1.CordaFinance{Operation: v1alpha1.FinancePay}
	return []v1alpha1.Workload{issue, pay}
}

// ledgerDataOf returns the data that one operation leaves on a member. The outputs of a payment are the
// payment and the change. An unknown operation counts as the largest known one.
func ledgerDataOf(o *v1alpha1.CordaOperation) sizing.LedgerData {
	switch financeOperation(o) {
	case v1alpha1.FinanceIssue:
		return sizing.LedgerData{Transactions: 1, States: 1}
	case v1alpha1.FinancePay:
		return sizing.LedgerData{Transactions: 1, States: 2}
	default:
		return sizing.LedgerData{Transactions: 2, States: 3}
	}
}
