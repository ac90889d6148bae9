package execution

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/evm"
	"github.com/benchnet/benchnet/internal/platform/members"
	"github.com/benchnet/benchnet/internal/platform/submission"
	"github.com/benchnet/benchnet/internal/run/loadgen"
	"github.com/benchnet/benchnet/internal/run/protocol"
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
			Member: m.Name + submission.ConsensusSuffix, URL: members.MetricsURL(m, l.Validator.MetricsPort), Series: l.Validator.Series})
	}
	operation := l.buildOperation(workload.EVM)
	var err error
	orders.Targets, err = submission.BuildTargets(&in.Network.Spec, topology, workload, &workload.EVM.Batches, func(m platform.Member) string {
		heads := "ws://" + members.HostPort(m.Host, portWebSocket)
		operation.Heads = append(operation.Heads, heads)
		if workload.EVM.Transport == v1alpha1.EVMTransportWebSocket {
			return heads
		}
		return "http://" + members.HostPort(m.Host, PortHTTP)
	})
	if err != nil {
		return loadgen.Driver{}, err
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
		Mix:                     convertMix(w.Mix),
		MaxFeePerGasWei:         gweiToWei(w.MaxFeeGwei),
		MaxPriorityFeePerGasWei: gweiToWei(w.TipGwei),
	}
	op.BatchSize, op.BatchIntervalMillis = submission.BatchFields(&w.Batches)
	return op
}

// gweiToWei converts an amount in gwei to a decimal amount in wei.
func gweiToWei(gwei int64) string { return strconv.FormatInt(gwei*1_000_000_000, 10) }
