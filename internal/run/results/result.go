package results

import (
	"encoding/json"
	"time"

	"github.com/benchnet/benchnet/internal/network/latency"
)

// What a Result says it is.
const (
	APIVersion    = "benchnet.dev/v1alpha1"
	Kind          = "RunResult"
	SchemaVersion = 1
)

// RunResult is the full document of a run. It outlives the run's pods, in a ConfigMap (see Encode).
type RunResult struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// SchemaVersion grows when a field changes its meaning or goes; new fields do not change it.
	SchemaVersion int         `json:"schemaVersion"`
	Run           RunIdentity `json:"run"`
	Times         Times       `json:"times"`
	// Workload as it was handed to the drivers (workload.json), without secrets.
	Workload    json.RawMessage `json:"workload,omitempty"`
	Environment Environment     `json:"environment"`
	Verdict     Verdict         `json:"verdict"`
	// Bottleneck is what was at its limit in the window; absent in results of older versions.
	Bottleneck *Bottleneck `json:"bottleneck,omitempty"`
	Summary    Summary     `json:"summary"`
	// Histogram of latencies over all workers: microseconds, HdrHistogram V2 compressed, base64.
	Histogram string       `json:"histogram"`
	Series    Throughput   `json:"series"`
	Errors    []ErrorCount `json:"errors"`
	Schedule  Schedule     `json:"schedule"`
	// WindowSelection says how the window was chosen; absent with fixed times.
	WindowSelection *WindowSelection `json:"steady,omitempty"`
	// Ledger is absent where no driver compares it with the clients.
	Ledger *Ledger `json:"ledger,omitempty"`
	// Blocks decided in the window by height, on platforms that have them; BlocksOmitted is how many more there were.
	Blocks        []Block `json:"blocks,omitempty"`
	BlocksOmitted int64   `json:"blocksOmitted,omitempty"`
	// SeriesSeconds is how many seconds each value of Recorded and of the members' series covers; absent for one.
	SeriesSeconds int `json:"seriesSeconds,omitempty"`
	// Recorded are series besides throughput, CPU and memory.
	Recorded []NamedSeries `json:"recorded,omitempty"`
	// Members' CPU and memory over the window.
	Members []MemberUsage   `json:"members"`
	Workers []WorkerSummary `json:"workers"`
}

// RunIdentity says which run it was.
type RunIdentity struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid"`
	Network   string `json:"network"`
	// NetworkUID tells apart networks of the same name.
	NetworkUID string `json:"networkUID"`
	Workload   string `json:"workload"`
	// Reference marks what the run wrote to the ledger.
	Reference string `json:"reference"`
}

// Times of a run. The window lies between the warm-up and the drain.
type Times struct {
	// Start is the instant at which all workers were released.
	Start       time.Time `json:"start"`
	WindowStart time.Time `json:"windowStart"`
	WindowEnd   time.Time `json:"windowEnd"`
	// End is when the last worker had reported.
	End           time.Time `json:"end"`
	WindowSeconds int       `json:"windowSeconds"`
}

// Environment is what it takes to repeat the run.
type Environment struct {
	// OperatorVersion and PlatformVersion, such as 0.1.0 and Corda 4.10.
	OperatorVersion string `json:"operatorVersion"`
	PlatformVersion string `json:"platformVersion"`
	// KubernetesVersion of the API server.
	KubernetesVersion string `json:"kubernetesVersion"`
	// PlanHash identifies all objects of the network as they were rendered.
	PlanHash string `json:"planHash"`
	// Images that ran, by what they were for.
	Images []ImageInfo `json:"images"`
	// Nodes of the cluster that pods of the run were on.
	Nodes []NodeInfo `json:"nodes"`
	// Containers of the network and of the load workers.
	Containers []ContainerInfo `json:"containers"`
	// DatabaseInfo of the members; absent on a platform whose members use none.
	Database *DatabaseInfo `json:"database,omitempty"`
	// EmulatedLatency of the distances between the members; absent where they are as far apart as their hosts.
	EmulatedLatency *EmulatedLatency `json:"emulation,omitempty"`
	// NetworkState in which the run found the network.
	State NetworkState `json:"state"`
	// Settings that the operator derived for the network, by name.
	Settings map[string]string `json:"settings,omitempty"`
}

// NetworkState of a network before a run.
type NetworkState struct {
	// Epoch is the network's life since its last reset; empty in the first, which began when it was made.
	Epoch string `json:"epoch"`
	// Fresh tells that no other run was on the network in this epoch.
	Fresh bool `json:"fresh"`
}

// EmulatedLatency is by what the members were at their distances, and at which.
type EmulatedLatency struct {
	// Mechanism: Netem or UserSpace.
	Mechanism string `json:"mechanism"`
	latency.Config
}

// ImageInfo is one image that ran.
type ImageInfo struct {
	// Role is the name of the container.
	Role string `json:"role"`
	Name string `json:"name"`
	// Digest as the node resolved it (the container status' imageID).
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
	// CPUs and MemoryBytes that the node has in all.
	CPUs        float64 `json:"cpus"`
	MemoryBytes int64   `json:"memoryBytes"`
}

// ContainerInfo is the place and size of a container of a pod.
type ContainerInfo struct {
	// Name of the pod.
	Name string `json:"name"`
	// ContainerInfo in the pod.
	Container string `json:"container"`
	// Role: Member, Database or Worker.
	Role string `json:"role"`
	// Subject under which the rest of the result speaks of the pod: a member, a database instance, worker-0.
	Subject string `json:"subject,omitempty"`
	Node    string `json:"node"`
	// CPURequest and CPULimit in cores, MemoryRequest and MemoryLimit in bytes; 0 if there is none.
	CPURequest    float64 `json:"cpuRequest"`
	CPULimit      float64 `json:"cpuLimit"`
	MemoryRequest int64   `json:"memoryRequest"`
	MemoryLimit   int64   `json:"memoryLimit"`
}

// DatabaseInfo of the network; its version is that of its image, its settings are among Environment.Settings.
type DatabaseInfo struct {
	Engine   string `json:"engine"`
	Topology string `json:"topology"`
}

// NewRunResult puts a measurement and its verdict into a document; the caller adds Run, Times.Start and End,
// Workload and Environment.
func NewRunResult(m *Measurement, i Interpretation, v Verdict) (*RunResult, error) {
	histogram, err := m.Histogram.Encode()
	if err != nil {
		return nil, err
	}
	summary := m.Summarize()
	summary.Measures = i.Measures
	return &RunResult{
		APIVersion: APIVersion, Kind: Kind, SchemaVersion: SchemaVersion,
		Times: Times{
			WindowStart: m.Start, WindowEnd: m.Start.Add(time.Duration(m.WindowSeconds) * time.Second), WindowSeconds: m.WindowSeconds,
		},
		Verdict: v, Summary: summary, Histogram: histogram,
		Series: Throughput{CompletedPerSecond: m.Completed, FailedPerSecond: m.Failed},
		Errors: m.Errors, Schedule: m.Schedule, WindowSelection: m.WindowSelection, Ledger: m.Ledger, Members: m.Members, Workers: m.Workers,
		Blocks: m.Blocks, BlocksOmitted: m.BlocksOmitted, Recorded: m.Series,
		SeriesSeconds: m.SeriesSeconds,
	}, nil
}

// Throughput per second of the window, over all workers.
type Throughput struct {
	CompletedPerSecond []int64 `json:"completedPerSecond"`
	FailedPerSecond    []int64 `json:"failedPerSecond"`
}

// DecodeHistogram gives the histogram of the result.
func (r *RunResult) DecodeHistogram() (*Histogram, error) { return decodeHistogram(r.Histogram) }
