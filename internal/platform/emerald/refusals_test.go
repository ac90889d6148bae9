package emerald_test

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform/emerald"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
)

const validManifest = `
apiVersion: benchnet.dev/v1alpha1
kind: BenchmarkNetwork
metadata: {name: net}
spec:
  platform: {type: Emerald, emerald: {image: "x/emerald:1", execution: {image: "x/reth:1"}, accounts: 100}}
  members: {count: 4}
  workloads:
  - name: transfers
    type: EVM
    evm: {}
    load: {model: Open, ratePerSecond: "400", clients: 10}
`

type networkSpec = v1alpha1.BenchmarkNetworkSpec

func quantityPtr(s string) *resource.Quantity {
	q := resource.MustParse(s)
	return &q
}

func withPlatform(change func(*v1alpha1.EmeraldPlatform)) func(*networkSpec) {
	return func(s *networkSpec) { change(s.Platform.Emerald) }
}

func withExecution(change func(*v1alpha1.EmeraldExecution)) func(*networkSpec) {
	return func(s *networkSpec) { change(s.Platform.Emerald.Execution) }
}

func withWorkload(change func(*v1alpha1.Workload)) func(*networkSpec) {
	return func(s *networkSpec) { change(&s.Workloads[0].Workload) }
}

func checkRefusals(t *testing.T, list []platformtest.Refusal) {
	t.Helper()
	admission := platformtest.NewNetworkAdmission(t)
	for _, r := range list {
		platformtest.CheckRefusal(t, emerald.New(), admission.AdmitNetwork(t, []byte(validManifest)), r)
	}
}

func TestRefusesNetwork(t *testing.T) {
	flag := func(name string) func(*networkSpec) {
		return withExecution(func(e *v1alpha1.EmeraldExecution) { e.Flags = map[string]v1alpha1.Text{name: "1"} })
	}
	checkRefusals(t, []platformtest.Refusal{
		{Name: "too many", Change: func(s *networkSpec) { s.Members.Count = 51 }, Field: "members.count", Says: []string{"51", "at most 50"}},
		{Name: "a heap", Change: func(s *networkSpec) { s.Members.Heap = quantityPtr("1Gi") }, Field: "members.heap", Says: []string{"JVM"}},
		{Name: "no room for both programs", Change: func(s *networkSpec) { s.Members.Memory = quantityPtr("600Mi") }, Field: "members.memory",
			Says: []string{"600Mi", "450Mi to the execution client", "150Mi to the validator", "at least 512Mi"}},
		{Name: "no cores", Change: func(s *networkSpec) { s.Members.Cores = quantityPtr("0") }, Field: "members.cores", Says: []string{"greater than 0"}},
		{Name: "nothing left for the validator", Change: withExecution(func(e *v1alpha1.EmeraldExecution) { e.Cores = quantityPtr("1") }),
			Field: "platform.emerald.execution.cores", Says: []string{"between 0 and the member's cores (1)"}},
		{Name: "all memory for the client", Change: withExecution(func(e *v1alpha1.EmeraldExecution) { e.Memory = quantityPtr("3Gi") }),
			Field: "members.memory", Says: []string{"3Gi to the execution client and 0 to the validator"}},
		{Name: "a volume too small", Change: func(s *networkSpec) { s.Members.Storage.Size = quantityPtr("1Mi") }, Field: "members.storage.size", Says: []string{"at least 1Gi"}},
		{Name: "a flag of the operator", Change: flag("authrpc.port"), Field: "platform.emerald.execution.flags[authrpc.port]", Says: []string{"set by the operator"}},
		{Name: "peers", Change: flag("trusted-peers"), Field: "platform.emerald.execution.flags[trusted-peers]", Says: []string{"set by the operator"}},
		{Name: "a file", Change: flag("config"), Field: "platform.emerald.execution.flags[config]", Says: []string{"does not tune the client", "txpool."}},
		{Name: "other ports", Change: flag("instance"), Field: "platform.emerald.execution.flags[instance]", Says: []string{"does not tune the client"}},
		{Name: "a server", Change: flag("ethstats"), Field: "platform.emerald.execution.flags[ethstats]", Says: []string{"does not tune the client"}},
		{Name: "a path", Change: withExecution(func(e *v1alpha1.EmeraldExecution) { e.Flags = map[string]v1alpha1.Text{"rpc.jwtsecret": "/tmp/a"} }),
			Field: "platform.emerald.execution.flags[rpc.jwtsecret]", Says: []string{"/tmp/a", "no paths"}},
		{Name: "gas limit as a flag", Change: flag("builder.gaslimit"), Field: "platform.emerald.execution.flags[builder.gaslimit]",
			Says: []string{"is platform.emerald.gasLimit"}},
		{Name: "messages too small", Change: withPlatform(func(e *v1alpha1.EmeraldPlatform) { e.Gossip.MaxMessageSize = *quantityPtr("1Ki") }),
			Field: "platform.emerald.gossip.maxMessageSize", Says: []string{"1Ki", "at least 256Ki"}},
		{Name: "responses too large", Change: withPlatform(func(e *v1alpha1.EmeraldPlatform) { e.Gossip.MaxResponseSize = *quantityPtr("2Gi") }),
			Field: "platform.emerald.gossip.maxResponseSize", Says: []string{"2Gi", "at most 1Gi"}},
	})
}

func TestRefusesWorkload(t *testing.T) {
	evm := func(change func(*v1alpha1.EVMWorkload)) func(*networkSpec) {
		return withWorkload(func(w *v1alpha1.Workload) { change(w.EVM) })
	}
	checkRefusals(t, []platformtest.Refusal{
		{Name: "another platform's operation", Change: withWorkload(func(w *v1alpha1.Workload) { w.EVM, w.Corda = nil, &v1alpha1.CordaWorkload{} }),
			Field: "workloads[0].evm", Says: []string{"Required"}},
		{Name: "a closed loop", Change: withWorkload(func(w *v1alpha1.Workload) { w.Load.Model = v1alpha1.LoadClosed }),
			Field: "workloads[0].load.model", Says: []string{"Closed", "Open"}},
		{Name: "a missing member", Change: evm(func(e *v1alpha1.EVMWorkload) { e.Members = []string{"member-0", "member-4"} }),
			Field: "workloads[0].evm.members[1]", Says: []string{"member-4", "its members are member-0, member-1, member-2, member-3"}},
		{Name: "accounts without funds", Change: evm(func(e *v1alpha1.EVMWorkload) { e.Accounts = new(int32(101)) }),
			Field: "workloads[0].evm.accounts", Says: []string{"101", "platform.emerald.accounts (100)"}},
		{Name: "senders without accounts", Change: evm(func(e *v1alpha1.EVMWorkload) { e.Accounts = new(int32(3)) }),
			Field: "workloads[0].evm.accounts", Says: []string{"at least 4"}},
		{Name: "a pace that contradicts the rate", Change: evm(func(e *v1alpha1.EVMWorkload) {
			e.BatchSize, e.BatchInterval = new(int32(100)), &v1alpha1.Timeout{Duration: 200 * time.Millisecond}
		}), Field: "workloads[0].evm.batchSize", Says: []string{"2000 transactions a second", "ratePerSecond is 400"}},
		{Name: "a tip above the fee", Change: evm(func(e *v1alpha1.EVMWorkload) { e.TipGwei = 1001 }),
			Field: "workloads[0].evm.tipGwei", Says: []string{"maxFeeGwei (1000)"}},
		{Name: "more gas than a block has", Change: func(s *networkSpec) {
			s.Platform.Emerald.GasLimit, s.Workloads[0].EVM.GasLimit = 1_000_000, 2_000_000
		}, Field: "workloads[0].evm.gasLimit", Says: []string{"platform.emerald.gasLimit (1000000)"}},
		{Name: "a call with more gas than a block has", Change: func(s *networkSpec) {
			s.Platform.Emerald.GasLimit, s.Workloads[0].EVM.Mix = 1_000_000, []v1alpha1.EVMTransaction{{Kind: "Call", Weight: 1, Gas: 1_000_001}}
		}, Field: "workloads[0].evm.mix[0].gas", Says: []string{"1000001", "gas limit 1200001", "platform.emerald.gasLimit (1000000)"}},
		{Name: "a store with more gas than a block has", Change: func(s *networkSpec) {
			s.Platform.Emerald.GasLimit, s.Workloads[0].EVM.Mix = 1_000_000, []v1alpha1.EVMTransaction{{Kind: "Store", Weight: 1, Slots: 50}}
		}, Field: "workloads[0].evm.mix[0].slots", Says: []string{"50", "gas limit 1405200"}},
		{Name: "weights of 0", Change: evm(func(e *v1alpha1.EVMWorkload) { e.Mix = []v1alpha1.EVMTransaction{{Kind: "Call"}, {Kind: "Mint"}} }),
			Field: "workloads[0].evm.mix", Says: []string{"0", "sum of the weights"}},
		{Name: "a field of another kind", Change: evm(func(e *v1alpha1.EVMWorkload) {
			e.Mix = []v1alpha1.EVMTransaction{{Kind: "Mint", Weight: 1}, {Kind: "Transfer", Weight: 1, Recipients: "Fresh"}}
		}), Field: "workloads[0].evm.mix[1].recipients", Says: []string{"only to kind TokenTransfer"}},
	})
}
