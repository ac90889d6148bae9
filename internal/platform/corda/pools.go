package corda

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform/sizing"
)

const (
	// openSourceFlowThreads and openSourceRPCThreads are hard-coded in open-source Corda 4.
	openSourceFlowThreads = 1
	openSourceRPCThreads  = 4
	// minRPCThreads is the minimum that Corda Enterprise accepts (R3).
	minRPCThreads = 4
	// flowThreadsPerCore is R3's recommendation for benchmarks. The node's own default is 2 per core, at most
	// 30.
	flowThreadsPerCore = 4
	// processBaseBytes is the memory of a member's container besides heap, network buffers and pools.
	// Metaspace, code cache, garbage collector and fixed threads of the node take 362 MiB, measured on
	// open-source 4.10 under load; the rest is for the agents.
	processBaseBytes = 416 << 20
	// minConnections is the default size of Hikari's pool, which open-source Corda uses.
	minConnections = 10
)

// poolSize is a number with the rule or the field from which it comes.
type poolSize struct {
	value  int32
	source string
}

// poolSizes holds the pool sizes of a member.
type poolSizes struct {
	flowThreads, rpcThreads, connections poolSize
}

// derivePoolSizes returns the pool sizes of every member.
func derivePoolSizes(spec *v1alpha1.BenchmarkNetworkSpec) poolSizes {
	p := openSourcePools()
	if isEnterprise(spec) {
		p = enterprisePools(sizing.MachineOf(&spec.Members).WholeCores(), tuningOf(spec))
	}
	p.connections = poolSize{
		value:  max(minConnections, p.neededConnections()),
		source: "flow threads + RPC threads + 2 (R3: Corda Enterprise refuses fewer), at least 10 (the default of the pool)",
	}
	if set := spec.DatabaseOrDefault().ConnectionsPerMember; set != nil {
		p.connections = poolSize{*set, "spec.database.connectionsPerMember"}
	}
	return p
}

func openSourcePools() poolSizes {
	const source = "fixed in open-source Corda"
	return poolSizes{flowThreads: poolSize{openSourceFlowThreads, source}, rpcThreads: poolSize{openSourceRPCThreads, source}}
}

func enterprisePools(cores int32, tuning v1alpha1.CordaTuning) poolSizes {
	var p poolSizes
	p.flowThreads = poolSize{flowThreadsPerCore * cores, "4 x cores (R3, for benchmarks; the node's own default is 2 x cores, at most 30)"}
	if tuning.FlowThreads != nil {
		p.flowThreads = poolSize{*tuning.FlowThreads, "spec.platform.corda.tuning.flowThreads"}
	}
	p.rpcThreads = poolSize{min(max(minRPCThreads, cores), p.maxRPCThreads()), "cores, between 4 and the flow threads (R3)"}
	if tuning.RPCThreads != nil {
		p.rpcThreads = poolSize{*tuning.RPCThreads, "spec.platform.corda.tuning.rpcThreads"}
	}
	return p
}

func (p poolSizes) maxRPCThreads() int32 { return max(minRPCThreads, p.flowThreads.value) }

func (p poolSizes) neededConnections() int32 { return p.flowThreads.value + p.rpcThreads.value + 2 }

// nodeOverhead returns the memory that a node with these pools needs besides its heap.
func (p poolSizes) nodeOverhead() sizing.ProcessOverhead {
	return sizing.ProcessOverhead{Base: processBaseBytes, PoolThreads: p.flowThreads.value + p.rpcThreads.value}
}

// validateConnections rejects a connection pool that is too small for the threads. The path is that of the
// field.
func (p poolSizes) validateConnections(path *field.Path) field.ErrorList {
	if p.connections.value >= p.neededConnections() {
		return nil
	}
	return field.ErrorList{field.Invalid(path, p.connections.value, fmt.Sprintf(
		"must be at least %d: %d flow threads + %d RPC threads + 2, otherwise flows wait for a connection and Corda Enterprise does not start",
		p.neededConnections(), p.flowThreads.value, p.rpcThreads.value))}
}

// validateThreads rejects thread pools that Corda Enterprise does not accept. The path is that of the tuning.
func (p poolSizes) validateThreads(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if p.flowThreads.value < minRPCThreads {
		errs = append(errs, field.Invalid(path.Child("flowThreads"), p.flowThreads.value, fmt.Sprintf(
			"must be at least %d: a node needs that many RPC threads, and at least as many flow threads", minRPCThreads)))
	}
	if p.rpcThreads.value < minRPCThreads || p.rpcThreads.value > p.maxRPCThreads() {
		errs = append(errs, field.Invalid(path.Child("rpcThreads"), p.rpcThreads.value, fmt.Sprintf(
			"must be between %d and the flow threads (%d)", minRPCThreads, p.maxRPCThreads())))
	}
	return errs
}
