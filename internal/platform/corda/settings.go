package corda

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/network/database"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/members"
	"github.com/benchnet/benchnet/internal/platform/sizing"
)

// DerivedSettings returns the settings of every member, each with its source.
func (Corda) DerivedSettings(spec *v1alpha1.BenchmarkNetworkSpec) []v1alpha1.DerivedSetting {
	machine, pools := sizing.MachineOf(&spec.Members), derivePoolSizes(spec)
	offHeap := machine.OffHeapMemory(pools.nodeOverhead())
	settings := append(members.MachineSettings(&spec.Members, " (R3's sizing guide)"), []v1alpha1.DerivedSetting{
		{Name: "memoryBesidesHeap", Value: offHeap.String(), Source: "416Mi measured + 16Mi of network buffers per core (R3) + 1Mi per pool thread"},
		{Name: "jvmArgs", Value: strings.Join(jvmArgs(spec), " "), Source: "R3's benchmarks: a fixed heap and G1; then spec.platform.corda.tuning.jvmArgs"},
		pools.flowThreads.derivedSetting("flowThreads"),
		pools.rpcThreads.derivedSetting("rpcThreads"),
		pools.connections.derivedSetting("databaseConnections"),
		transactionCacheSetting(spec, machine),
	}...)
	if isNotaryCluster(spec) {
		settings = append(settings, v1alpha1.DerivedSetting{Name: "notaryReplicas", Value: strconv.Itoa(int(notaryReplicas(spec))),
			Source: platform.SettingSource(spec.Platform.Corda.Notary.Replicas != nil, "spec.platform.corda.notary.replicas", "the smallest service with redundancy")})
	}
	settings = append(settings, databaseSettings(spec)...)
	return append(settings, storageSettings(spec)...)
}

func (s poolSize) derivedSetting(name string) v1alpha1.DerivedSetting {
	return v1alpha1.DerivedSetting{Name: name, Value: strconv.Itoa(int(s.value)), Source: s.source}
}

// databaseSettings returns the settings of the servers that the operator runs: which nodes share one, and the size of each
// of the project's chart.
func databaseSettings(spec *v1alpha1.BenchmarkNetworkSpec) []v1alpha1.DerivedSetting {
	db := spec.DatabaseOrDefault()
	if db.Engine != v1alpha1.EnginePostgreSQL || db.Provider == v1alpha1.ProviderExternal {
		return nil
	}
	settings := []v1alpha1.DerivedSetting{{Name: "databaseTopology", Value: string(db.Topology), Source: "spec.database"}}
	if db.Chart != nil {
		return settings
	}
	const rule = "the default of an instance"
	machine, managed := database.ServerMachine(db), db.ManagedOrDefault()
	return append(settings,
		v1alpha1.DerivedSetting{Name: "databaseCores", Value: machine.Cores.String(),
			Source: platform.SettingSource(managed.Cores != nil, "spec.database.managed.cores", rule)},
		v1alpha1.DerivedSetting{Name: "databaseMemory", Value: machine.Memory.String(),
			Source: platform.SettingSource(managed.Memory != nil, "spec.database.managed.memory", rule)})
}

func transactionCacheSetting(spec *v1alpha1.BenchmarkNetworkSpec, machine sizing.Machine) v1alpha1.DerivedSetting {
	const name = "transactionCacheMegabytes"
	if size := tuningOf(spec).TransactionCacheSize; size != nil {
		return v1alpha1.DerivedSetting{Name: name, Value: strconv.FormatInt(roundUpMegabytes(size), 10), Source: "spec.platform.corda.tuning.transactionCacheSize"}
	}
	value := 8 + max(0, machine.HeapMebibytes()-300)/20
	return v1alpha1.DerivedSetting{Name: name, Value: strconv.FormatInt(value, 10), Source: "the node's own default: 8 MB + 5 % of the heap above 300 MB"}
}

func storageSettings(spec *v1alpha1.BenchmarkNetworkSpec) []v1alpha1.DerivedSetting {
	planned, size := plannedLedgerData(spec), volumeSize(spec)
	source := "2Gi for logs, journal and CorDapps (R3: several GB)"
	switch {
	case spec.Members.Storage.Size != nil:
		source = "spec.members.storage.size"
	case usesH2(spec):
		source += " + 50 KB per planned transaction and per planned state (5 times R3's figures, measured with H2), in whole GiB"
	}
	return []v1alpha1.DerivedSetting{
		{Name: "plannedTransactions", Value: strconv.FormatInt(planned.Transactions, 10), Source: fmt.Sprintf(
			"workloads between two resets over warm-up and window: open loops at their rate, closed ones at up to %.0f operations a second", maxClosedLoopRate(spec))},
		{Name: "plannedStates", Value: strconv.FormatInt(planned.States, 10), Source: "1 per Issue, 2 per Pay, 3 per IssueAndPay and per flow by class name"},
		{Name: platform.SettingMemberStorage, Value: size.String(), Source: source},
	}
}
