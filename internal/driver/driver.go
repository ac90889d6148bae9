// Package driver describes load drivers and builds the objects of a run: the worker Job, its barrier, the ConfigMaps
// to which the workers report, and the role that lets them.
//
// A driver is any program that speaks the file protocol of docs/drivers.md; the agent (cmd/agent) carries its files
// from and to the API server.
package driver

import (
	corev1 "k8s.io/api/core/v1"
)

// Driver is a program that applies load, and what it is told.
type Driver struct {
	// Image of the worker.
	Image string
	// Command that the agent starts in the worker.
	Command []string
	// Plan is the path of a JMeter plan of the user's own, which does not speak the file protocol; empty otherwise.
	Plan string
	// Env of the driver.
	Env []corev1.EnvVar
	// Init containers that run before the worker.
	Init []corev1.Container
	// Mounts of the driver.
	Mounts []corev1.VolumeMount
	// Volumes that Mounts and Init name.
	Volumes []corev1.Volume
	// Workload is written to workload.json for the driver.
	Workload Workload
}

// Workload is the file workload.json, the driver's orders. Clients, outstanding operations and rate are totals over all workers.
type Workload struct {
	// Targets that clients call, in turn.
	Targets []Target `json:"targets"`
	// Notary of the network, where it has one.
	Notary string `json:"notary,omitempty"`
	// Parties of the network in order.
	Parties []string `json:"parties,omitempty"`
	// Operation to perform; the platform's own shape.
	Operation any `json:"operation,omitempty"`
	// Load to apply.
	Load Load `json:"load"`
	// Measure says what counts.
	Measure Measure `json:"measure"`
	// KeepJTL keeps JMeter's sample log.
	KeepJTL bool `json:"keepJtl"`
	// Reference is unique to the run.
	Reference string `json:"reference"`
	// Observe lists the metrics endpoints of the members, sampled each second of the window.
	Observe []Observed `json:"observe,omitempty"`
}

// Target is one endpoint of a network.
type Target struct {
	Name    string `json:"name"`
	Address string `json:"address"`
	// Party is its identity on the ledger.
	Party string `json:"party,omitempty"`
	User  string `json:"user,omitempty"`
	// PasswordFile holds the user's password.
	PasswordFile string `json:"passwordFile,omitempty"`
}

// Load is how much is asked.
type Load struct {
	// Model is Closed or Open.
	Model string `json:"model"`
	// Clients at the same time.
	Clients int32 `json:"clients"`
	// MaxOutstanding operations, Closed only.
	MaxOutstanding int32 `json:"maxOutstanding,omitempty"`
	// RatePerSecond, Open only.
	RatePerSecond float64 `json:"ratePerSecond,omitempty"`
}

// Measure says what counts, in whole seconds.
type Measure struct {
	WarmUpSeconds int `json:"warmUpSeconds"`
	WindowSeconds int `json:"windowSeconds"`
	DrainSeconds  int `json:"drainSeconds"`
}

// Observed is a member whose resource use is sampled.
type Observed struct {
	Member string `json:"member"`
	URL    string `json:"url"`
}
