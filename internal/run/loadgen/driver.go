// Package loadgen describes load drivers and builds the objects of a run: the worker Job, its barrier, the
// ConfigMaps to which the workers report, and the Role that permits this.
//
// A driver is any program that implements the file protocol of docs/drivers.md. The agent (cmd/agent)
// transfers its files from and to the API server. A network that generates its own load has no driver; the
// agent observes it.
package loadgen

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/benchnet/benchnet/internal/run/protocol"
	"github.com/benchnet/benchnet/internal/run/results"
)

// Driver is a program that applies load, with its configuration.
type Driver struct {
	// Image is the image of the worker.
	Image string
	// Command is the command that the agent starts in the worker. It implements the file protocol unless Plan
	// is set.
	Command []string
	// Plan is the path of a user's own JMeter plan, which Command runs, or "".
	Plan string
	// Stream is the URL of a member's decided blocks. The agent observes it itself, without a Command.
	Stream string
	// Env is the environment of the driver.
	Env []corev1.EnvVar
	// Init lists the init containers of the worker.
	Init []corev1.Container
	// Mounts lists the volume mounts of the driver.
	Mounts []corev1.VolumeMount
	// Volumes lists the volumes that Mounts and Init refer to.
	Volumes []corev1.Volume
	// Labels are labels of the worker's pods besides those of the run.
	Labels map[string]string
	// Workload is written to workload.json.
	Workload WorkloadFile
}

// WorkloadFile is the content of workload.json, the driver's input. Clients, outstanding operations and rate
// are totals over all workers.
type WorkloadFile struct {
	// Targets lists the endpoints that clients call in turn.
	Targets []Target `json:"targets"`
	// Operation is the operation to perform. Its type depends on the platform.
	Operation any `json:"operation,omitempty"`
	// Load is the load to apply; nil if the network generates its own.
	Load *OfferedLoad `json:"load,omitempty"`
	// Measure holds the lengths of the run's phases.
	Measure protocol.MeasureTimes `json:"measure"`
	// KeepJTL preserves JMeter's sample log.
	KeepJTL bool `json:"keepJtl"`
	// Reference is unique to the run.
	Reference string `json:"reference"`
	// Unit is the unit of an operation: flows, requests, blocks, transactions.
	Unit string `json:"unit,omitempty"`
	// Observe lists the metrics endpoints of members and databases to sample during the window.
	Observe []ObservedEndpoint `json:"observe,omitempty"`
}

// Target is one endpoint of a network.
type Target struct {
	// Name is the name of the member.
	Name string `json:"name"`
	// Address is host:port, or a URL if the driver requires one.
	Address string `json:"address"`
	// Identity is the platform's identity of the member, if any.
	Identity string `json:"identity,omitempty"`
	User     string `json:"user,omitempty"`
	// PasswordFile holds the user's password.
	PasswordFile string `json:"passwordFile,omitempty"`
}

// OfferedLoad is the load that the driver offers to the network.
type OfferedLoad struct {
	// Model is Closed or Open.
	Model string `json:"model"`
	// Clients is the number of concurrent clients.
	Clients int32 `json:"clients"`
	// MaxOutstanding is the maximum number of outstanding operations. Closed only.
	MaxOutstanding int32 `json:"maxOutstanding,omitempty"`
	// RatePerSecond is the rate in operations per second. Open only.
	RatePerSecond float64 `json:"ratePerSecond,omitempty"`
}

// ObservedEndpoint is a sampled endpoint of a member or a database. The endpoint of an agent yields the CPU
// and memory usage of its container.
type ObservedEndpoint struct {
	// Member is the name of the observed container, unique among them. A member with several containers has a
	// name for each, such as member-0/execution.
	Member string `json:"member"`
	// Kind is the kind of the observed object; empty means a member.
	Kind results.MemberKind `json:"kind,omitempty"`
	// Role is the role in the network as the platform calls it, or the members that a database serves.
	Role string `json:"role,omitempty"`
	// URL is the URL of the metrics.
	URL string `json:"url"`
	// EverySeconds is the sampling interval; 0 means every second. Set it for endpoints whose responses cost
	// the resources under measurement.
	EverySeconds int `json:"everySeconds,omitempty"`
	// Series lists further metrics of the same endpoint, sampled with it.
	Series []ObservedSeries `json:"series,omitempty"`
}

// SeriesKind defines how a metric becomes a series.
type SeriesKind string

// The kinds of series.
const (
	// SeriesCounter becomes a rate per second.
	SeriesCounter SeriesKind = "Counter"
	// SeriesGauge is recorded unchanged.
	SeriesGauge SeriesKind = "Gauge"
)

// ObservedSeries is a metric that becomes a series of the result.
type ObservedSeries struct {
	// Name and Unit of the series.
	Name string `json:"name"`
	Unit string `json:"unit"`
	// Metric is the name of the metric in the endpoint's text. It may select labels:
	// pool_connections{state="Pending"}.
	Metric string     `json:"metric"`
	Kind   SeriesKind `json:"kind"`
}
