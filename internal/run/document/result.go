package document

import (
	"encoding/json"
	"time"

	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/resilience"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// The type and version of a RunResult document.
const (
	APIVersion    = "benchnet.dev/v1alpha1"
	Kind          = "RunResult"
	SchemaVersion = 1
)

// RunResult is the full document of a run. It is stored in a ConfigMap and outlives the run's pods (see
// EncodeRunResult).
type RunResult struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// SchemaVersion increases if a field is removed or changes its meaning. New fields do not change it.
	SchemaVersion int         `json:"schemaVersion"`
	Run           RunIdentity `json:"run"`
	Times         Times       `json:"times"`
	// Workload is the workload.json that the drivers received, without secrets.
	Workload    json.RawMessage `json:"workload,omitempty"`
	Environment Environment     `json:"environment"`
	Verdict     verdict.Verdict `json:"verdict"`
	// Policies are the policies of the verdict; absent in results of older versions.
	Policies *verdict.Policies `json:"policies,omitempty"`
	// Objectives are the outcomes of the workload's objectives, in their order; absent without objectives.
	Objectives []verdict.ObjectiveOutcome `json:"objectives,omitempty"`
	// Hosts splits the CPU time of each host between the run and others; absent in results of older versions.
	Hosts []verdict.HostUsage `json:"hosts,omitempty"`
	// Bottleneck is the resource that was at its limit in the window; absent without observation and in
	// results of older versions.
	Bottleneck *verdict.Bottleneck `json:"bottleneck,omitempty"`
	Summary    measurement.Summary `json:"summary"`
	// Faults are the declared faults in the order of the workload; absent without any.
	Faults []FaultResult `json:"faults,omitempty"`
	// Availability is that since the first fault; absent without faults and in results of older versions.
	Availability *resilience.Availability `json:"availability,omitempty"`
	// Segments are the parts of the window in their order; absent without a profile of the load or faults.
	Segments []SegmentResult `json:"segments,omitempty"`
	// Operations are the kinds of operations of a mix in its order; absent unless it has two, or if the window was cut out of a recording.
	Operations []measurement.OperationSummary `json:"operations,omitempty"`
	// Histogram holds the latencies of all workers in microseconds: HdrHistogram V2 compressed, base64.
	Histogram string `json:"histogram"`
	// OutOfRange counts the latencies that the histogram clamps; absent without any.
	OutOfRange measurement.OutOfRange   `json:"outOfRange,omitzero"`
	Series     Throughput               `json:"series"`
	Errors     []measurement.ErrorCount `json:"errors"`
	// Labels counts the requests by the label of the sampler of a user's JMeter plan, or by the
	// kind of transaction of a mix, the most frequent first; absent without either.
	Labels   []measurement.LabelCount `json:"labels,omitempty"`
	Schedule measurement.Schedule     `json:"schedule"`
	// Phases says where latency was spent; absent if no driver divides operations into phases.
	Phases *measurement.OperationPhases `json:"phases,omitempty"`
	// WindowSelection says how the window was selected; absent with fixed times.
	WindowSelection *measurement.WindowSelection `json:"steady,omitempty"`
	// Ledger is absent if no driver compares the ledger with the clients.
	Ledger *measurement.Ledger `json:"ledger,omitempty"`
	// Data is the data file that the drivers took values from; absent without one.
	Data measurement.DataFile `json:"data,omitzero"`
	// Blocks lists the blocks decided in the window by height, on platforms that have them. BlocksOmitted is
	// how many more there were.
	Blocks        []measurement.Block `json:"blocks,omitempty"`
	BlocksOmitted int64               `json:"blocksOmitted,omitempty"`
	// SeriesSeconds is how many seconds each value of Recorded and of the members' series covers; absent for
	// one.
	SeriesSeconds int `json:"seriesSeconds,omitempty"`
	// Recorded holds the series besides throughput, CPU and memory.
	Recorded []measurement.NamedSeries `json:"recorded,omitempty"`
	// Members holds the members' CPU and memory over the window.
	Members []measurement.MemberUsage   `json:"members"`
	Workers []measurement.WorkerSummary `json:"workers"`
}

// SegmentResult is the result of a part of the window.
type SegmentResult struct {
	measurement.Segment
	// Planned is the number of requests that were due.
	Planned int64               `json:"planned"`
	Summary measurement.Summary `json:"summary"`
	// Errors counts the errors by kind, the most frequent first.
	Errors []measurement.ErrorCount `json:"errors,omitempty"`
	// Operations are the kinds of operations of a mix, as in RunResult.
	Operations []measurement.OperationSummary `json:"operations,omitempty"`
}

// RunIdentity identifies a run.
type RunIdentity struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid"`
	Network   string `json:"network"`
	// NetworkUID distinguishes networks of the same name.
	NetworkUID string `json:"networkUID"`
	Workload   string `json:"workload"`
	// Reference marks what the run wrote to the ledger.
	Reference string `json:"reference"`
}

// Times holds the times of a run. The window lies between the warm-up and the drain.
type Times struct {
	// Start is the instant at which all workers were released.
	Start       time.Time `json:"start"`
	WindowStart time.Time `json:"windowStart"`
	WindowEnd   time.Time `json:"windowEnd"`
	// End is the time of the last worker's report.
	End           time.Time `json:"end"`
	WindowSeconds int       `json:"windowSeconds"`
}

// Environment is everything that is needed to repeat the run.
type Environment struct {
	// OperatorVersion and PlatformVersion are versions such as 0.1.0 and Corda 4.10.
	OperatorVersion string `json:"operatorVersion"`
	// OperatorCommit is the commit from which the operator was built, with -dirty if it had changes; absent if unknown.
	OperatorCommit  string `json:"operatorCommit,omitempty"`
	PlatformVersion string `json:"platformVersion"`
	// KubernetesVersion is the version of the API server.
	KubernetesVersion string `json:"kubernetesVersion"`
	// PlanHash identifies all objects of the network as they were rendered.
	PlanHash string `json:"planHash"`
	// Images are the images that ran.
	Images []ImageInfo `json:"images"`
	// Nodes are the cluster nodes on which pods of the run were scheduled.
	Nodes []NodeInfo `json:"nodes"`
	// Hosts describes the hardware and kernel of each node of the run, and which members, databases and workers shared it.
	Hosts []measurement.HostInfo `json:"hosts,omitempty"`
	// Calibration is what the containers got from their hosts directly before the load; absent without measure.calibrate.
	Calibration []measurement.PodCalibration `json:"calibration,omitempty"`
	// Containers are the containers of the network and of the load workers.
	Containers []measurement.ContainerInfo `json:"containers"`
	// Database describes the database of the members; absent on platforms without one.
	Database *DatabaseInfo `json:"database,omitempty"`
	// EmulatedLatency holds the emulated distances between the members; absent without emulation.
	EmulatedLatency *verdict.EmulatedLatency `json:"emulation,omitempty"`
	// Regions holds the zones of the nodes by the subjects of the pods on them: members, database instances, workers. It is absent
	// unless the network takes its regions from zones.
	Regions map[string]string `json:"regions,omitempty"`
	// State is the state of the network before the run.
	State NetworkState `json:"state"`
	// Settings are the settings that the operator derived for the network, by name.
	Settings map[string]string `json:"settings,omitempty"`
}

// NetworkState is the state of a network before a run.
type NetworkState struct {
	// Epoch identifies the period since the network's last reset; empty in the first period, which began at its
	// creation.
	Epoch string `json:"epoch"`
	// Fresh reports that no other run used the network in this epoch.
	Fresh bool `json:"fresh"`
}

// ImageInfo is one image that ran.
type ImageInfo struct {
	// Role is the name of the container.
	Role string `json:"role"`
	Name string `json:"name"`
	// Digest is the digest that the node resolved (imageID in the container status).
	Digest string `json:"digest"`
}

// NodeInfo is one node of the cluster.
type NodeInfo struct {
	Name             string `json:"name"`
	Kernel           string `json:"kernel"`
	OS               string `json:"os"`
	Architecture     string `json:"architecture"`
	ContainerRuntime string `json:"containerRuntime"`
	Kubelet          string `json:"kubelet"`
	// CPUs and MemoryBytes are the capacity of the node.
	CPUs        float64 `json:"cpus"`
	MemoryBytes int64   `json:"memoryBytes"`
}

// DatabaseInfo describes the database of the network. Its settings are in Environment.Settings.
type DatabaseInfo struct {
	Engine   string `json:"engine"`
	Topology string `json:"topology"`
	// Versions are the different versions that the servers reported when their schemas were set up; absent for H2, for servers
	// whose schemas the user sets up, and in results of older versions.
	Versions []string `json:"versions,omitempty"`
}

// NewRunResult returns a document with a measurement and its verdict. The caller adds Run, Times.Start and End,
// Workload and Environment.
func NewRunResult(m *measurement.Measurement, i verdict.Interpretation, v verdict.Verdict) (*RunResult, error) {
	histogram, err := m.Histogram.Encode()
	if err != nil {
		return nil, err
	}
	summary := m.Summarize()
	summary.Measures = i.Measures
	var segments []SegmentResult
	for _, s := range m.Segments {
		s.Unit, s.LatencyKind, s.FinalityOf = m.Unit, m.LatencyKind, m.FinalityOf
		segments = append(segments, SegmentResult{s.Segment, s.Schedule.Planned, s.Summarize(), s.Errors, s.Operations()})
	}
	return &RunResult{
		APIVersion: APIVersion, Kind: Kind, SchemaVersion: SchemaVersion,
		Times: Times{
			WindowStart: m.Start, WindowEnd: m.Start.Add(time.Duration(m.WindowSeconds) * time.Second), WindowSeconds: m.WindowSeconds,
		},
		Verdict: v, Summary: summary, Segments: segments, Operations: m.Operations(), Histogram: histogram,
		OutOfRange: m.OutOfRange,
		Series: Throughput{CompletedPerSecond: m.Completed, FailedPerSecond: m.Failed, MeanLatencyMillis: m.MeanLatencyMillis(),
			LatencyIntervals: m.LatencyIntervals()},
		Errors: m.Errors, Labels: m.Labels, Schedule: m.Schedule, Phases: m.Phases(), WindowSelection: m.WindowSelection,
		Ledger: m.Ledger, Data: m.Data, Members: m.Members, Workers: m.Workers,
		Blocks: m.Blocks, BlocksOmitted: m.BlocksOmitted, Recorded: m.Series,
		SeriesSeconds: m.SeriesSeconds,
	}, nil
}

// Throughput holds the operations per second of the window, over all workers.
type Throughput struct {
	CompletedPerSecond []int64 `json:"completedPerSecond"`
	FailedPerSecond    []int64 `json:"failedPerSecond"`
	// MeanLatencyMillis is the mean latency of the operations that completed in each second, whenever they started;
	// absent if a driver does not record it.
	MeanLatencyMillis measurement.Series `json:"meanLatencyMillis,omitempty"`
	// LatencyIntervals holds percentiles over time; absent if a driver does not record intervals.
	LatencyIntervals *measurement.LatencyIntervals `json:"latencyIntervals,omitempty"`
}

// DecodeHistogram decodes the histogram of the result.
func (r *RunResult) DecodeHistogram() (*measurement.Histogram, error) {
	return measurement.DecodeHistogram(r.Histogram)
}
