package corda

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/members"
	"github.com/benchnet/benchnet/internal/run/loadgen"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// operation is the operation in workload.json. For a user's own JMeter plan it holds only the network's notary
// and parties.
type operation struct {
	// Notary and Parties are legal names; Parties are in order. Notary is empty if the network has none.
	Notary       string         `json:"notary,omitempty"`
	Parties      []string       `json:"parties,omitempty"`
	Flow         string         `json:"flow,omitempty"`
	Anonymous    bool           `json:"anonymous"`
	Currency     string         `json:"currency,omitempty"`
	Amount       int64          `json:"amount,omitempty"`
	Arguments    []flowArgument `json:"arguments,omitempty"`
	Counterparty string         `json:"counterparty,omitempty"`
	SetUp        *setUpFlow     `json:"setUp,omitempty"`
	// Data is the path of the CSV file of the arguments' placeholders.
	Data string `json:"data,omitempty"`
	// Seed is the seed of random values in the arguments; absent without them.
	Seed *int64 `json:"seed,omitempty"`
	// PhaseSamplePercent is the share of flows whose steps the driver follows.
	PhaseSamplePercent int32 `json:"phaseSamplePercent,omitempty"`
	// Mix holds the operations of a mix, which replace Flow and its parameters.
	Mix []mixEntry `json:"mix,omitempty"`
}

// mixEntry is one of the operations of a mix. Notary, parties, counterparty and phases are those of the whole operation.
type mixEntry struct {
	v1alpha1.MixShare
	operation
}

type setUpFlow struct {
	Flow      string         `json:"flow"`
	Arguments []flowArgument `json:"arguments,omitempty"`
}

type flowArgument struct {
	Type  string `json:"type"`
	Value string `json:"value"`
}

// BuildDriver returns JMeter with the Corda RPC sampler of the driverVersion.
func (Corda) BuildDriver(in platform.Input, topology platform.Topology, workload *v1alpha1.Workload) (loadgen.Driver, error) {
	orders := loadgen.NewWorkloadFile(workload)
	orders.Unit = "flows"
	orders.Observe = observedEndpoints(topology)
	for _, name := range targetNames(workload, topology) {
		m, ok := topology.FindMember(name)
		if !ok {
			return loadgen.Driver{}, fmt.Errorf("workload %s: the network has no %s", workload.Name, name)
		}
		orders.Targets = append(orders.Targets, protocol.Target{Name: m.Name, Address: members.HostPort(m.Host, portRPC),
			Identity: m.Identity, User: rpcUser, PasswordFile: rpcDir + "/" + m.Name})
	}
	supplied := buildCorDappSupply(in)
	d := loadgen.Driver{
		Image:    in.Images.Image("jmeter-corda", driverVersion(topology)),
		Command:  []string{programDrive},
		Init:     supplied.initContainers,
		Mounts:   append([]corev1.VolumeMount{pods.ReadOnlyMount(volumeRPC, rpcDir)}, supplied.mounts...),
		Volumes:  append([]corev1.Volume{rpcPasswordVolume(in.Network.Name, orders.Targets)}, supplied.volumes...),
		Workload: orders,
	}
	if workload.JMeter != nil {
		d.Workload.Operation = operation{Notary: notaryLegalName(topology), Parties: partyLegalNames(topology)}
		return withJMeterPlan(d, workload.JMeter), nil
	}
	if data := dataOf(workload.Corda); data != nil {
		volume := pods.ConfigMapVolume(volumeData, data.ConfigMapName)
		volume.ConfigMap.Items = []corev1.KeyToPath{{Key: data.Key, Path: data.Key}}
		d = withVolume(d, volume, dataDir)
	}
	var err error
	d.Workload.Operation, err = buildOperation(workload.Corda, topology)
	return d, err
}

// withVolume mounts a volume read-only into the worker.
func withVolume(d loadgen.Driver, volume corev1.Volume, dir string) loadgen.Driver {
	d.Mounts = append(d.Mounts, pods.ReadOnlyMount(volume.Name, dir))
	d.Volumes = append(d.Volumes, volume)
	return d
}

// withJMeterPlan makes the driver run a user's own plan. The plan finds the other keys of its ConfigMap, such as data
// sets, as files beside it. The agent adds the arguments of JMeter.
func withJMeterPlan(d loadgen.Driver, plan *v1alpha1.JMeterPlan) loadgen.Driver {
	d.Plan = planDir + "/" + plan.Key
	return withVolume(d, pods.ConfigMapVolume(volumePlan, plan.ConfigMapName), planDir)
}

func buildOperation(w *v1alpha1.CordaWorkload, topology platform.Topology) (operation, error) {
	op := operation{
		Notary:  notaryLegalName(topology),
		Parties: partyLegalNames(topology),

		PhaseSamplePercent: ptr.Deref(w.PhaseSamplePercent, 0),
	}
	op.setOperation(&w.CordaOperation)
	for i := range w.Mix {
		e := mixEntry{MixShare: w.Mix[i].MixShare}
		e.setOperation(&w.Mix[i].CordaOperation)
		op.Mix = append(op.Mix, e)
	}
	if w.Counterparty != "" {
		m, ok := topology.FindMember(w.Counterparty)
		if !ok {
			return operation{}, fmt.Errorf("corda.counterparty: the network has no %s", w.Counterparty)
		}
		op.Counterparty = m.Identity
	}
	return op, nil
}

// setOperation sets the flow and its parameters.
func (op *operation) setOperation(o *v1alpha1.CordaOperation) {
	if f := o.Finance; f != nil {
		op.Flow, op.Anonymous, op.Currency, op.Amount = string(f.Operation), f.Identities == v1alpha1.CordaAnonymous, f.Currency, f.Amount
	}
	f := o.Flow
	if f == nil {
		return
	}
	op.Flow, op.Arguments = f.Class, convertArguments(f.Arguments)
	if f.SetUp != nil {
		op.SetUp = &setUpFlow{Flow: f.SetUp.Class, Arguments: convertArguments(f.SetUp.Arguments)}
	}
	if f.Data != nil {
		op.Data = dataDir + "/" + f.Data.Key
	}
	if random, _ := usesPlaceholders(f); random {
		op.Seed = new(ptr.Deref(f.Seed, 0))
	}
}

func convertArguments(given []v1alpha1.FlowArgument) []flowArgument {
	var all []flowArgument
	for _, a := range given {
		all = append(all, flowArgument{Type: a.Type, Value: string(a.Value)})
	}
	return all
}

// targetNames returns the names of the members that clients call. A user's own plan selects its targets itself, so it gets all members.
func targetNames(w *v1alpha1.Workload, topology platform.Topology) []string {
	if w.JMeter != nil {
		return partyLegalNames(topology)
	}
	return initiatorNames(w.Corda)
}

// notaryLegalName returns the legal name of the notary or its service, or "".
func notaryLegalName(topology platform.Topology) string {
	if len(notaryMembers(topology)) == 0 {
		return ""
	}
	return notaryIdentity
}

// jmxIntervalSeconds is the time between two samples of a node's JMX exporter. A sample makes the node read
// some hundred attributes, so it is taken less often than once per second.
const jmxIntervalSeconds = 5

// jmxSeries lists the series recorded for every node. images/corda/jmx documents the available metrics.
var jmxSeries = []protocol.ObservedSeries{
	{Name: "flowsInFlight", Unit: "flows", Metric: "corda_flows_in_flight", Kind: protocol.SeriesGauge},
	{Name: "flowsStarted", Unit: "flows/s", Metric: "corda_flows_started_total", Kind: protocol.SeriesCounter},
	{Name: "checkpoints", Unit: "checkpoints/s", Metric: "corda_checkpoints_total", Kind: protocol.SeriesCounter},
	{Name: "inboundQueue", Unit: "messages", Metric: `corda_queue_messages{queue="p2p.inbound"}`, Kind: protocol.SeriesGauge},
	{Name: measurement.SeriesPoolActive, Unit: "connections", Metric: `corda_database_pool_connections{state="Active"}`, Kind: protocol.SeriesGauge},
	{Name: measurement.SeriesPoolPending, Unit: "threads", Metric: `corda_database_pool_connections{state="Pending"}`, Kind: protocol.SeriesGauge},
	{Name: measurement.SeriesPoolMax, Unit: "connections", Metric: `corda_database_pool_connections{state="Max"}`, Kind: protocol.SeriesGauge},
}

// observedEndpoints returns the agents and the JMX exporters of all nodes.
func observedEndpoints(topology platform.Topology) []protocol.ObservedEndpoint {
	all := make([]protocol.ObservedEndpoint, 0, 2*len(topology.Members))
	for _, m := range topology.Members {
		all = append(all, members.AgentEndpoint(m, portAgent), protocol.ObservedEndpoint{Member: m.Name, Role: m.Role,
			URL: members.MetricsURL(m, portJMX), EverySeconds: jmxIntervalSeconds, Series: jmxSeries})
	}
	return all
}

// rpcPasswordVolume returns a volume with the RPC passwords of the targets only, each in a file named after
// the member.
func rpcPasswordVolume(network string, targets []protocol.Target) corev1.Volume {
	volume := pods.SecretVolume(volumeRPC, naming.CredentialsSecret(network))
	for _, t := range targets {
		volume.Secret.Items = append(volume.Secret.Items, corev1.KeyToPath{Key: rpcPasswordKey(t.Name), Path: t.Name})
	}
	return volume
}
