// Package loadgen describes load drivers and builds the objects of a run: the worker Job, its barrier, the ConfigMaps
// to which the workers report, and the role that lets them.
//
// A driver is any program that speaks the file protocol of docs/drivers.md; the agent (cmd/agent) carries its files
// from and to the API server. A network that makes its own load has no driver: the agent itself observes it.
package loadgen

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/benchnet/benchnet/internal/run/protocol"
	"github.com/benchnet/benchnet/internal/run/results"
)

// Driver is a program that applies load, and what it is told.
type Driver struct {
	// Image of the worker.
	Image string
	// Command that the agent starts in the worker; it speaks the file protocol, but for Plan.
	Command []string
	// Plan is the path of a JMeter plan of the user's own, which Command runs; empty otherwise.
	Plan string
	// Stream is the URL of a member's decided blocks, which the agent observes by itself instead of a Command.
	Stream string
	// Env of the driver.
	Env []corev1.EnvVar
	// Init containers that run before the worker.
	Init []corev1.Container
	// Mounts of the driver.
	Mounts []corev1.VolumeMount
	// Volumes that Mounts and Init name.
	Volumes []corev1.Volume
	// RunLabels of the worker's pods, besides those of the run.
	Labels map[string]string
	// WorkloadFile is written to workload.json for the driver.
	Workload WorkloadFile
}

// WorkloadFile is the file workload.json, the driver's orders. Clients, outstanding operations and rate are totals over all workers.
type WorkloadFile struct {
	// Targets that clients call, in turn.
	Targets []Target `json:"targets"`
	// Operation to perform; the platform's own shape.
	Operation any `json:"operation,omitempty"`
	// OfferedLoad to apply; absent where the network makes its own.
	Load *OfferedLoad `json:"load,omitempty"`
	// Measure says what counts.
	Measure protocol.MeasureTimes `json:"measure"`
	// KeepJTL keeps JMeter's sample log.
	KeepJTL bool `json:"keepJtl"`
	// Reference is unique to the run.
	Reference string `json:"reference"`
	// Unit is what an operation is: flows, requests, blocks, transactions.
	Unit string `json:"unit,omitempty"`
	// Observe lists the metrics endpoints of the members, sampled each second of the window.
	Observe []ObservedEndpoint `json:"observe,omitempty"`
}

// Target is one endpoint of a network.
type Target struct {
	// Name of the member.
	Name string `json:"name"`
	// Address is host:port, or a URL where the driver asks for one.
	Address string `json:"address"`
	// Identity under which the platform knows it; empty where it has none.
	Identity string `json:"identity,omitempty"`
	User     string `json:"user,omitempty"`
	// PasswordFile holds the user's password.
	PasswordFile string `json:"passwordFile,omitempty"`
}

// OfferedLoad is how much is asked.
type OfferedLoad struct {
	// Model is Closed or Open.
	Model string `json:"model"`
	// Clients at the same time.
	Clients int32 `json:"clients"`
	// MaxOutstanding operations, Closed only.
	MaxOutstanding int32 `json:"maxOutstanding,omitempty"`
	// RatePerSecond, Open only.
	RatePerSecond float64 `json:"ratePerSecond,omitempty"`
}

// ObservedEndpoint is an endpoint of a member or a database that is sampled. An agent's tells the use of CPU and memory of its container.
type ObservedEndpoint struct {
	// Member is its name, unique among the observed containers: a member of several has a name for each, such as member-0/execution.
	Member string `json:"member"`
	// Kind of what is observed; empty is a member.
	Kind results.MemberKind `json:"kind,omitempty"`
	// Role in the network; the platform's own word, or the members that a database serves.
	Role string `json:"role,omitempty"`
	// URL of the metrics.
	URL string `json:"url"`
	// EverySeconds it is sampled; 0 is each second. For endpoints whose answer costs what is measured.
	EverySeconds int `json:"everySeconds,omitempty"`
	// Series are other metrics of the same endpoint, sampled with it.
	Series []ObservedSeries `json:"series,omitempty"`
}

// SeriesKind says how a metric becomes a series.
type SeriesKind string

// The kinds of series.
const (
	// SeriesCounter becomes a rate per second.
	SeriesCounter SeriesKind = "Counter"
	// SeriesGauge is taken as it is.
	SeriesGauge SeriesKind = "Gauge"
)

// ObservedSeries is a metric that becomes a series of the result.
type ObservedSeries struct {
	// Name and Unit of the series.
	Name string `json:"name"`
	Unit string `json:"unit"`
	// Metric in the endpoint's text, by its name, or with labels that it must have: pool_connections{state="Pending"}.
	Metric string     `json:"metric"`
	Kind   SeriesKind `json:"kind"`
}
