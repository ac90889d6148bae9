package execution

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

// Names of the series of a validator that Interpret reads, and the suffix of their subjects.
const (
	SeriesHeight    = "height"
	ConsensusSuffix = "/consensus"
)

// BuildDriver returns the EVM driver. It sends to the members' JSON-RPC, watches their new heads over WebSocket, and records what
// the agents of both containers and the validators' metrics report.
func (l *Layer) BuildDriver(in platform.Input, topology platform.Topology, workload *v1alpha1.Workload) (loadgen.Driver, error) {
	orders := loadgen.NewWorkloadFile(workload)
	orders.Unit = evm.OperationUnit
	for _, m := range topology.Members {
		client := members.AgentEndpoint(m, portAgent)
		client.Member += "/execution"
		orders.Observe = append(orders.Observe, members.AgentEndpoint(m, l.Validator.AgentPort), client, protocol.ObservedEndpoint{
			Member: m.Name + ConsensusSuffix, URL: members.MetricsURL(m, l.Validator.MetricsPort), Series: l.Validator.Series})
	}
	operation := l.buildOperation(workload.EVM)
	for _, name := range targetMembers(&in.Network.Spec, workload.EVM) {
		m, ok := topology.FindMember(name)
		if !ok {
			return loadgen.Driver{}, fmt.Errorf("workload %s: the network has no %s", workload.Name, name)
		}
		heads := "ws://" + members.HostPort(m.Host, portWebSocket)
		address := "http://" + members.HostPort(m.Host, PortHTTP)
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

func (l *Layer) buildOperation(w *v1alpha1.EVMWorkload) evm.Operation {
	op := evm.Operation{
		ChainID:                 uint64(l.ChainID),
		SeedFile:                accountsDir + "/" + fileSeed,
		Accounts:                int(l.accountCount(w)),
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
