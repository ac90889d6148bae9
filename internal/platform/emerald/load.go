package emerald

import (
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/evm"
	"github.com/benchnet/benchnet/internal/platform/members"
	"github.com/benchnet/benchnet/internal/run/loadgen"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// Metrics of a validator that become series of the result, and the names of the series that Interpret reads.
const (
	seriesHeight    = "height"
	consensusSuffix = "/consensus"

	metricRound      = "malachitebft_core_consensus_round"
	metricHeight     = "malachitebft_core_consensus_height"
	metricPeers      = "malachitebft_core_consensus_connected_peers"
	metricChainBytes = "app_channel_chain_bytes_total"
)

// BuildDriver returns the EVM driver. It sends to the members' JSON-RPC and watches their new heads over
// WebSocket.
func (Emerald) BuildDriver(in platform.Input, topology platform.Topology, workload *v1alpha1.Workload) (loadgen.Driver, error) {
	orders := loadgen.NewWorkloadFile(workload)
	orders.Unit = evm.OperationUnit
	orders.Observe = observedEndpoints(topology)
	operation := buildOperation(&in.Network.Spec, workload.EVM)
	for _, name := range targetMembers(&in.Network.Spec, workload.EVM) {
		m, ok := topology.FindMember(name)
		if !ok {
			return loadgen.Driver{}, fmt.Errorf("workload %s: the network has no %s", workload.Name, name)
		}
		heads := "ws://" + members.HostPort(m.Host, portWebSocket)
		address := "http://" + members.HostPort(m.Host, portHTTP)
		if workload.EVM.Transport == v1alpha1.EVMTransportWebSocket {
			address = heads
		}
		operation.Heads = append(operation.Heads, heads)
		orders.Targets = append(orders.Targets, protocol.Target{Name: m.Name, Address: address})
	}
	orders.Operation = operation
	return loadgen.Driver{
		Image:    in.Images.Image("evm", ""),
		Command:  []string{programEVM, "drive"},
		Mounts:   []corev1.VolumeMount{pods.ReadOnlyMount(volumeAccounts, accountsDir)},
		Volumes:  []corev1.Volume{pods.SecretVolume(volumeAccounts, naming.AccountsSecret(topology.Network))},
		Workload: orders,
	}, nil
}

func buildOperation(spec *v1alpha1.BenchmarkNetworkSpec, w *v1alpha1.EVMWorkload) evm.Operation {
	op := evm.Operation{
		ChainID:                 uint64(spec.Platform.Emerald.ChainID),
		SeedFile:                accountsDir + "/" + fileSeed,
		Accounts:                int(accountCount(spec, w)),
		GasLimit:                uint64(w.GasLimit),
		MaxFeePerGasWei:         gweiToWei(w.MaxFeeGwei),
		MaxPriorityFeePerGasWei: gweiToWei(w.TipGwei),
	}
	if w.BatchSize != nil {
		op.BatchSize = int(*w.BatchSize)
	}
	if w.BatchInterval != nil {
		op.BatchIntervalMillis = int(w.BatchInterval.Milliseconds())
	}
	return op
}

// gweiToWei converts an amount in gwei to a decimal amount in wei.
func gweiToWei(gwei int64) string { return strconv.FormatInt(gwei*1_000_000_000, 10) }

// observedEndpoints returns the agents of both containers of every member, and the consensus metrics of the
// validators.
func observedEndpoints(t platform.Topology) []protocol.ObservedEndpoint {
	all := make([]protocol.ObservedEndpoint, 0, 3*len(t.Members))
	for _, m := range t.Members {
		execution := members.AgentEndpoint(m, portExecutionAgent)
		execution.Member += "/execution"
		all = append(all,
			members.AgentEndpoint(m, portAgent),
			execution,
			protocol.ObservedEndpoint{Member: m.Name + consensusSuffix, URL: members.MetricsURL(m, portMetrics), Series: []protocol.ObservedSeries{
				{Name: seriesHeight, Unit: "blocks", Metric: metricHeight, Kind: protocol.SeriesGauge},
				{Name: "round", Metric: metricRound, Kind: protocol.SeriesGauge},
				{Name: "consensusPeers", Metric: metricPeers, Kind: protocol.SeriesGauge},
				{Name: "chainBytes", Unit: "B/s", Metric: metricChainBytes, Kind: protocol.SeriesCounter},
			}})
	}
	return all
}
