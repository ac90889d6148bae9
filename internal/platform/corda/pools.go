package corda

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/sizing"
)

const (
	// openSourceFlowThreads and openSourceRPCThreads are fixed in the code of open-source Corda 4.
	openSourceFlowThreads = 1
	openSourceRPCThreads  = 4
	// minRPCThreads that Corda Enterprise accepts (R3).
	minRPCThreads = 4
	// flowThreadsPerCore that R3 recommends for benchmarks; the node's own default is 2 per core, at most 30.
	flowThreadsPerCore = 4
	// processBase is what a member's container holds besides heap, network buffers and pools: metaspace, code cache, garbage
	// collector and fixed threads of the node (362 MiB, measured on open-source 4.10 under load), and room for the agents.
	processBase = 416 << 20
	// minConnections is the default size of Hikari's pool, which open-source Corda uses.
	minConnections = 10
)

// setting is a number with the rule or the field that it comes from.
type setting struct {
	value  int32
	source string
}

// pools of a member.
type pools struct {
	flowThreads, rpcThreads, connections setting
}

// poolsOf derives the pools of every member from the spec.
func poolsOf(spec *v1alpha1.BenchmarkNetworkSpec) pools {
	p := openSourcePools()
	if isEnterprise(spec) {
		p = enterprisePools(sizing.MachineOf(&spec.Members).WholeCores(), tuningOf(spec))
	}
	p.connections = setting{
		value:  max(minConnections, p.neededConnections()),
		source: "flow threads + RPC threads + 1 (R3: a connection per flow thread and one more), at least 10 (the default of the pool)",
	}
	if set := spec.DatabaseOrDefault().ConnectionsPerMember; set != nil {
		p.connections = setting{*set, "spec.database.connectionsPerMember"}
	}
	return p
}

func openSourcePools() pools {
	const source = "fixed in open-source Corda"
	return pools{flowThreads: setting{openSourceFlowThreads, source}, rpcThreads: setting{openSourceRPCThreads, source}}
}

func enterprisePools(cores int32, tuning v1alpha1.CordaTuning) pools {
	var p pools
	p.flowThreads = setting{flowThreadsPerCore * cores, "4 x cores (R3, for benchmarks; the node's own default is 2 x cores, at most 30)"}
	if tuning.FlowThreads != nil {
		p.flowThreads = setting{*tuning.FlowThreads, "spec.platform.corda.tuning.flowThreads"}
	}
	p.rpcThreads = setting{min(max(minRPCThreads, cores), p.maxRPCThreads()), "cores, between 4 and the flow threads (R3)"}
	if tuning.RPCThreads != nil {
		p.rpcThreads = setting{*tuning.RPCThreads, "spec.platform.corda.tuning.rpcThreads"}
	}
	return p
}

func (p pools) maxRPCThreads() int32 { return max(minRPCThreads, p.flowThreads.value) }

func (p pools) neededConnections() int32 { return p.flowThreads.value + p.rpcThreads.value + 1 }

// process is what a node with these pools needs besides its heap.
func (p pools) process() sizing.Process {
	return sizing.Process{Base: processBase, PoolThreads: p.flowThreads.value + p.rpcThreads.value}
}

// validateConnections refuses a connection pool that starves the threads; path is that of the field.
func (p pools) validateConnections(path *field.Path) field.ErrorList {
	if p.connections.value >= p.neededConnections() {
		return nil
	}
	return field.ErrorList{field.Invalid(path, p.connections.value, fmt.Sprintf(
		"must be at least %d: %d flow threads + %d RPC threads + 1, or flows wait for a connection instead of working",
		p.neededConnections(), p.flowThreads.value, p.rpcThreads.value))}
}

// validateThreads refuses thread pools that Corda Enterprise refuses; path is that of the tuning.
func (p pools) validateThreads(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if p.flowThreads.value < minRPCThreads {
		errs = append(errs, field.Invalid(path.Child("flowThreads"), p.flowThreads.value, fmt.Sprintf(
			"must be at least %d: the node takes no fewer RPC threads than that, and no more of them than flow threads", minRPCThreads)))
	}
	if p.rpcThreads.value < minRPCThreads || p.rpcThreads.value > p.maxRPCThreads() {
		errs = append(errs, field.Invalid(path.Child("rpcThreads"), p.rpcThreads.value, fmt.Sprintf(
			"must lie between %d and the flow threads (%d)", minRPCThreads, p.maxRPCThreads())))
	}
	return errs
}
