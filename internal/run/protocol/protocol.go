// Package protocol defines what the operator, the in-pod agent and the load drivers share: file names,
// ConfigMap keys, environment variables, and workload.json.
//
// docs/drivers.md describes the order of events.
package protocol

// Files in the driver's directory ($BENCHNET_DIR). Each is written under another name and then renamed, so
// that a reader never sees a partial file.
const (
	// ReadyFile is written by the driver once it is connected and prepared. The pod is Ready from then on.
	ReadyFile = "ready"
	// StartFile is written by the agent. It holds the start time in Unix milliseconds.
	StartFile = "start"
	// StopFile is written by the agent if MeasureTimes.StopsEarly. It holds the earlier end of the window
	// in Unix milliseconds.
	StopFile = "stop"
	// ProgressFile is replaced by the driver every second (see Progress).
	ProgressFile = "progress.json"
	// ResultFile is written by the driver before it exits with 0 (see measurement.WorkerResult).
	ResultFile = "result.json"
	// FailureFile holds the one-line reason that a driver writes before it exits with 1.
	FailureFile = "failure"
	// SamplesFile receives the samples of a user's own JMeter plan (JTL, as CSV).
	SamplesFile = "samples.jtl"
	// StopPlanFile is written by the agent at the end of the drain to stop a user's own JMeter plan.
	StopPlanFile = "stop-plan"
)

// Keys of the ConfigMaps between the operator and the agent.
const (
	// StartKey in the barrier's data is the start time, RFC 3339 with nanoseconds.
	StartKey = "start"
	// StopKey in the barrier's data is the earlier end of the window, RFC 3339 with nanoseconds.
	StopKey = "stop"
	// ProgressKey in the report's data is the latest content of ProgressFile.
	ProgressKey = "progress.json"
	// ResultKey in the report's binaryData is the worker's result, gzipped JSON.
	ResultKey = "result.json.gz"
	// FailureKey in the report's data is the one-line reason why there is no result.
	FailureKey = "failure"
)

// Environment variables of a worker's container.
const (
	DirVariable      = "BENCHNET_DIR"
	WorkerVariable   = "BENCHNET_WORKER"
	WorkersVariable  = "BENCHNET_WORKERS"
	WorkloadVariable = "BENCHNET_WORKLOAD"
	// DefaultDir is used if DirVariable is not set.
	DefaultDir = "/run/benchnet"
)

// Environment variables of the containers of an upload and a webhook, from the Secret that the resource names.
const (
	AccessKeyIDVariable     = "BENCHNET_ACCESS_KEY_ID"
	SecretAccessKeyVariable = "BENCHNET_SECRET_ACCESS_KEY"
	SigningKeyVariable      = "BENCHNET_SIGNING_KEY"
	// AuthoritiesVariable has the certificate authorities of the server in PEM format; empty means those of the system.
	AuthoritiesVariable = "BENCHNET_AUTHORITIES"
)

// FieldManager is the field manager of the agent.
const FieldManager = "benchnet-agent"
