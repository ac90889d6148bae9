package malachite

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/evm"
	"github.com/benchnet/benchnet/internal/platform/execution"
	"github.com/benchnet/benchnet/internal/platform/members"
	"github.com/benchnet/benchnet/internal/platform/submission"
	"github.com/benchnet/benchnet/internal/platform/validators"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// EVM implements platform.Platform for the platform MalachiteEVM: each validator runs the same program as on the platform Malachite,
// with a geth in the same pod that builds and executes the blocks. docs/malachite-evm.md documents every field.
type EVM struct{ execution.Base }

// NewEVM returns the platform.
func NewEVM() EVM { return EVM{execution.Base{LayerOf: layerOf}} }

var (
	_ platform.Platform         = EVM{}
	_ platform.PoissonScheduler = EVM{}
	_ platform.GenesisProvider  = EVM{}
	_ platform.Interpreter      = EVM{}
	_ platform.Resettable       = EVM{}
	_ platform.OverrideProvider = EVM{}
	_ platform.LeaderReader     = EVM{}
)

const (
	// gethVersion is the version of geth in the project's own image.
	gethVersion = "1.17.4"
	imageGeth   = "geth"

	// socketDir is shared by the two containers of a pod. The API at the socket can build blocks and change the chain, so no port
	// serves it.
	socketDir    = "/run/execution"
	socketPath   = socketDir + "/geth.ipc"
	volumeSocket = "socket"
)

// Type returns PlatformMalachiteEVM.
func (EVM) Type() v1alpha1.PlatformType { return v1alpha1.PlatformMalachiteEVM }

// Version names both programs, how blocks are built and what their timestamps are, so that results are not taken for those of another
// pair.
func (EVM) Version(spec *v1alpha1.BenchmarkNetworkSpec) string {
	e := spec.Platform.MalachiteEVM
	validator, client := "Malachite "+libraryVersion, "geth "+gethVersion
	if e.Image != "" {
		validator = "Malachite, " + e.Image
	}
	if e.Execution.Image != "" {
		client = "geth, " + e.Execution.Image
	}
	return validator + " + " + client + " (blocks built by testing_buildBlockV1, logical timestamps)"
}

// Overrides returns the overrides of voting powers.
func (EVM) Overrides(spec *v1alpha1.BenchmarkNetworkSpec) []platform.Override {
	return validators.PowerOverrides(spec)
}

// Topology lists the validators in the order of the genesis. Their identity is the fee address, by which blocks name their proposer.
func (EVM) Topology(network *v1alpha1.BenchmarkNetwork) platform.Topology {
	return members.Topology(network, "Validator", validators.PortP2P, func(ordinal int32) string { return execution.FeeRecipient(int(ordinal)) })
}

// Leadership returns all validators, which propose in turn.
func (EVM) Leadership(spec *v1alpha1.BenchmarkNetworkSpec, topology platform.Topology) (platform.Leadership, error) {
	return validators.Base{}.Leadership(spec, topology)
}

func layerOf(spec *v1alpha1.BenchmarkNetworkSpec) *execution.Layer {
	e := spec.Platform.MalachiteEVM
	return &execution.Layer{
		Platform: EVM{}, Field: "malachiteEVM", ChainID: e.ChainID, GasLimit: e.GasLimit,
		Client: &v1alpha1.EmeraldExecution{Client: v1alpha1.ExecutionGeth, Image: e.Execution.Image, Flags: e.Execution.Flags,
			Cores: e.Execution.Cores, Memory: e.Execution.Memory},
		Accounts: e.Accounts, AccountBalanceEther: e.AccountBalanceEther, DataDir: program.HomeDir(), GenesisKey: fileExecutionGenesis,
		Validator:  execution.Validator{AgentPort: validators.PortAgent, MetricsPort: validators.PortMetrics, Series: evmSeries},
		OwnedFlags: map[string]string{"ipcpath": socketPath},
		// With any other state, geth restarts at the genesis block after it was killed. Geth sorts its pool again after each block, during
		// which it builds none: with 100000 transactions, the pool of other clients, an overloaded network decides hardly any block.
		ProfileFlags: map[string]string{"state.scheme": "hash", "gcmode": "archive", "txpool.globalslots": "10000", "txpool.globalqueue": "10000"},
		Mounts:       []corev1.VolumeMount{pods.WritableMount(volumeSocket, socketDir)},
	}
}

// Validate rejects what CEL cannot express. The path is that of the spec.
func (EVM) Validate(spec *v1alpha1.BenchmarkNetworkSpec, path *field.Path) field.ErrorList {
	e, malachiteEVM := spec.Platform.MalachiteEVM, path.Child("platform", "malachiteEVM")
	if e == nil {
		return field.ErrorList{field.Required(malachiteEVM, "must be set when platform.type is MalachiteEVM")}
	}
	return append(layerOf(spec).Validate(spec, path), validators.ValidatePeers(&e.Peers, spec.Members.Count, malachiteEVM.Child("peers"))...)
}

// DerivedSettings returns the settings of every member, each with its source.
func (EVM) DerivedSettings(spec *v1alpha1.BenchmarkNetworkSpec) []v1alpha1.DerivedSetting {
	e := spec.Platform.MalachiteEVM
	settings := layerOf(spec).DerivedSettings(spec, v1alpha1.DerivedSetting{Name: "threads", Value: strconv.Itoa(int(evmThreads(spec))),
		Source: platform.SettingSource(e.Threads != nil, "spec.platform.malachiteEVM.threads", "the validator's cores, rounded up")},
		validators.PeersSetting(&e.Peers, spec.Members.Count, "spec.platform.malachiteEVM.peers"))
	return append(settings, validators.PowerSettings(spec)...)
}

// evmThreads returns the number of threads of the validator's runtime.
func evmThreads(spec *v1alpha1.BenchmarkNetworkSpec) int32 {
	return ptr.Deref(spec.Platform.MalachiteEVM.Threads, layerOf(spec).Divide(spec).Validator.WholeCores())
}

// Interpret derives block times, block sizes and throughput from the blocks, and the times of the validators' requests to their geths.
func (p EVM) Interpret(
	spec *v1alpha1.BenchmarkNetworkSpec, workload *v1alpha1.Workload, measured *measurement.Measurement,
) verdict.Interpretation {
	i := p.Base.Interpret(spec, workload, measured)
	for _, request := range gethRequests {
		if mean, known := meanMillis(measured, request.sumSeries(), request.countSeries()); known {
			i.Measures = append(i.Measures, measurement.PlatformMetric{Name: request.name + "Mean", Value: mean, Unit: "ms",
				Source: request.source + ", by the validators' own histograms"})
		}
	}
	i.Notes = append(i.Notes, validators.NoteLaterRounds(measured)...)
	i.Notes = append(i.Notes, emptyBlockNotes(measured)...)
	i.Notes = append(i.Notes, failedRequestNotes(measured)...)
	return i
}

// emptyBlockNotes reports blocks without transactions that were decided while the pools of all targets had executable transactions,
// by the samples of the same second and the one before.
func emptyBlockNotes(measured *measurement.Measurement) []verdict.Reason {
	pools := measured.SeriesByName(evm.SeriesPending)
	empty := 0.0
	for _, b := range measured.Blocks {
		second := int(b.Micros / 1_000_000)
		if b.Transactions == 0 && second > 0 && len(pools) > 0 && !slices.ContainsFunc(pools, func(s measurement.NamedSeries) bool {
			return second >= len(s.Values) || !(s.Values[second-1] > 0 && s.Values[second] > 0)
		}) {
			empty++
		}
	}
	if empty == 0 {
		return nil
	}
	return []verdict.Reason{{Code: EmptyBlocks, Value: empty, Limit: float64(len(measured.Blocks)), Message: fmt.Sprintf(
		"%.0f of %d blocks were empty while all pools had executable transactions: their proposers did not have them, or built too early",
		empty, len(measured.Blocks))}}
}

// failedRequestNotes reports validators whose geth failed to answer.
func failedRequestNotes(measured *measurement.Measurement) []verdict.Reason {
	var notes []verdict.Reason
	for _, s := range measured.SeriesByName(seriesExecutionErrors) {
		if failed := validators.CountEvents(s); failed > 0 {
			notes = append(notes, verdict.Reason{Code: ExecutionErrors, Subject: strings.TrimSuffix(s.Subject, submission.ConsensusSuffix), Value: failed,
				Message: fmt.Sprintf("%.0f requests to its geth failed or were not answered within 8 s: meanwhile it neither voted nor proposed", failed)})
		}
	}
	return notes
}
