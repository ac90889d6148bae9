package malachite

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/execution"
	"github.com/benchnet/benchnet/internal/platform/genesis"
	"github.com/benchnet/benchnet/internal/platform/members"
	"github.com/benchnet/benchnet/internal/platform/submission"
	"github.com/benchnet/benchnet/internal/platform/validators"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

const (
	// stepKeys and stepGenesis are steps of the genesis Job, before and after validators.StepInit.
	stepKeys    = "keys"
	stepGenesis = "genesis"

	// fileExecutionGenesis is geth's genesis; validators.FileGenesis in the same Secret is the validators'.
	fileExecutionGenesis = "execution-genesis.json"
	// loadFolder is the folder of the seed of the accounts in the output of stepKeys.
	loadFolder = "load"

	// validatorIdentity and validatorNetwork are volumes with the validator's own key and genesis.
	validatorIdentity = "validator-identity"
	validatorNetwork  = "validator-network"

	// maxEVMResponse is the size of a response that holds the largest block of geth, of 8 MiB, with the overhead of the program.
	maxEVMResponse = 16 * validators.Mebibyte
)

// BuildGenesis generates the keys of the geths and the seed of the accounts, then the keys and the genesis of the validators, then the
// genesis of the chain, which funds the accounts.
func (EVM) BuildGenesis(in platform.Input, topology platform.Topology) (platform.Genesis, error) {
	e := in.Network.Spec.Platform.MalachiteEVM
	network := naming.NetworkMapSecret(topology.Network)
	outputs := []genesis.Output{
		{Secret: network, Step: stepKeys, Folder: validators.NetworkFolder},
		{Secret: network, Step: validators.StepInit, Folder: validators.NetworkFolder},
		{Secret: network, Step: stepGenesis, Folder: validators.NetworkFolder},
		{Secret: naming.AccountsSecret(topology.Network), Step: stepKeys, Folder: loadFolder},
	}
	for i, m := range topology.Members {
		identity := naming.IdentitySecret(topology.Network, m.Name)
		outputs = append(outputs, genesis.Output{Secret: identity, Step: stepKeys, Folder: strconv.Itoa(i)},
			genesis.Output{Secret: identity, Step: validators.StepInit, Folder: validators.KeyFolder(i)})
	}
	chain := layerOf(&in.Network.Spec).GenesisStep(in, stepGenesis, path.Join(genesis.StepOutputDir(stepKeys), loadFolder, "seed"),
		path.Join(genesis.OutputDir, validators.NetworkFolder, fileExecutionGenesis))
	chain.ReadsFrom = []string{stepKeys}
	return genesis.Build(in, program.GenesisDefinition(in, outputs,
		execution.KeysStep(in, topology, stepKeys), program.InitStep(in, program.ImageOrDefault(in, e.Image)), chain)), nil
}

// BuildMembers returns a headless Service, a NetworkPolicy, and for each member a Service, a ConfigMap and a StatefulSet. The geths
// dial the members' Services, which outlive their pods.
func (EVM) BuildMembers(in platform.Input, topology platform.Topology) ([]client.Object, error) {
	ports := slices.Concat(validators.Ports, layerOf(&in.Network.Spec).Ports())
	objects := []client.Object{members.Service(in.Network, ports), members.NetworkPolicy(in.Network, ports)}
	spec := asMalachite(in.Network.Spec.Platform.MalachiteEVM)
	graph := buildGraph(spec, len(topology.Members))
	for ordinal, m := range topology.Members {
		data := newConfigData(in, topology, graph, ordinal, spec)
		// The store keeps all blocks, from which a geth that lost its chain gets it back.
		data.Moniker, data.Socket, data.StoreBytes, data.Threads = m.Name, socketPath, math.MaxInt64, evmThreads(m.Spec)
		config, err := validators.RenderConfig(configTemplates, data.Moniker, data)
		if err != nil {
			return nil, err
		}
		files := map[string]string{validators.FileConfig: config}
		claims, volumes := members.StorageVolumes(in.Network, m, execution.VolumeData, execution.PlanStorage(&in.Network.Spec).Size)
		pod := buildEVMPod(in, m)
		pod.Volumes = append(pod.Volumes, volumes...)
		objects = append(objects, members.AddressService(in.Network, m, ports), members.ConfigMap(in.Network, m, files),
			members.StatefulSet(in.Network, m, pod, files, claims...))
	}
	return objects, nil
}

// asMalachite returns the configuration of the validators as one of the platform Malachite.
func asMalachite(e *v1alpha1.MalachiteEVMPlatform) *v1alpha1.MalachitePlatform {
	return &v1alpha1.MalachitePlatform{
		PartSize: *resource.NewQuantity(128*validators.Kibibyte, resource.BinarySI), Payload: v1alpha1.MalachiteProposalAndParts,
		TargetBlockTime: e.TargetBlockTime, Timeouts: e.Timeouts, Peers: e.Peers, KeptBlocks: math.MaxInt32, LogLevel: e.LogLevel,
		Gossip: v1alpha1.MalachiteGossip{GossipMesh: e.Gossip, MaxResponseSize: resource.NewQuantity(maxEVMResponse, resource.BinarySI)},
		Sync: v1alpha1.MalachiteSync{
			Mode: v1alpha1.SwitchEnabled, StatusInterval: v1alpha1.Timeout{Duration: syncStatusInterval},
			RequestTimeout: v1alpha1.Timeout{Duration: syncRequestTimeout}, ParallelRequests: 5, BatchSize: 5},
	}
}

// buildEVMPod returns a pod with validator and geth, each under an agent of its own.
func buildEVMPod(in platform.Input, m platform.Member) corev1.PodSpec {
	network, e := in.Network.Name, m.Spec.Platform.MalachiteEVM
	layer := layerOf(m.Spec)
	layer.Client.Image = cmp.Or(e.Execution.Image, in.Images.Image(imageGeth, ""))
	pod := members.BuildPodSpec(in, nil)
	pod.TerminationGracePeriodSeconds = new(int64(validators.GracePeriodSeconds))
	pod.InitContainers = append(pod.InitContainers, layer.InitContainers(in, m)...)
	pod.Containers = []corev1.Container{
		program.BuildContainer(&in.Network.Spec, program.ImageOrDefault(in, e.Image), layer.Divide(m.Spec).Validator.Resources(m.Spec.ReservationOrDefault()),
			pods.ReadOnlyMount(validatorIdentity, validators.IdentityDir), pods.ReadOnlyMount(validatorNetwork, validators.NetworkDir),
			pods.WritableMount(execution.VolumeData, program.HomeDir()),
			pods.WritableMount(execution.VolumeTmp, "/tmp"), pods.WritableMount(volumeSocket, socketDir)),
		layer.Container(in, m),
	}
	pod.Volumes = append(pod.Volumes, pods.EmptyDirVolume(volumeSocket), pods.EmptyDirVolume(execution.VolumeTmp),
		members.ConfigVolume(in.Network, m, validators.VolumeConfig),
		pods.SecretVolume(validatorIdentity, naming.IdentitySecret(network, m.Name), corev1.KeyToPath{Key: validators.FileKey, Path: validators.FileKey}),
		pods.SecretVolume(validatorNetwork, naming.NetworkMapSecret(network), corev1.KeyToPath{Key: validators.FileGenesis, Path: validators.FileGenesis}))
	pod.Volumes = append(pod.Volumes, layer.SecretVolumes(network, m)...)
	return pod
}

// gethRequest is a kind of request of a validator to its execution client.
type gethRequest struct{ name, metric, source string }

func (r gethRequest) sumSeries() string   { return r.name + "Time" }
func (r gethRequest) countSeries() string { return r.name + "s" }

var gethRequests = []gethRequest{
	{"build", "malachite_bench_build_seconds", "geth built a block (testing_buildBlockV1)"},
	{"execute", "malachite_bench_execute_seconds", "geth executed a block (engine_newPayload)"},
	{"finalize", "malachite_bench_finalize_seconds", "geth made a block its head (engine_forkchoiceUpdated)"},
}

// seriesExecutionErrors is the name of the series with the failed requests of a validator to its execution client.
const seriesExecutionErrors = "executionErrors"

// evmSeries are the metrics of a validator with an execution client that become series of the result.
var evmSeries = listEVMSeries()

func listEVMSeries() []protocol.ObservedSeries {
	all := []protocol.ObservedSeries{
		{Name: submission.SeriesHeight, Unit: "blocks", Metric: "malachite_bench_height", Kind: protocol.SeriesGauge},
		{Name: validators.SeriesLaterRounds, Unit: "blocks/s", Metric: "malachite_bench_rounds_above_zero_total", Kind: protocol.SeriesCounter},
		{Name: seriesExecutionErrors, Unit: "errors/s", Metric: "malachite_bench_execution_errors_total", Kind: protocol.SeriesCounter},
		{Name: seriesPeers, Unit: "peers", Metric: "malachitebft_core_consensus_connected_peers", Kind: protocol.SeriesGauge},
	}
	for _, r := range gethRequests {
		all = append(all,
			protocol.ObservedSeries{Name: r.sumSeries(), Unit: "s/s", Metric: r.metric + "_sum", Kind: protocol.SeriesCounter},
			protocol.ObservedSeries{Name: r.countSeries(), Unit: "requests/s", Metric: r.metric + "_count", Kind: protocol.SeriesCounter})
	}
	return all
}
