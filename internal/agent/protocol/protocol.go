// Package protocol holds the words that the operator, the in-pod agent and the load drivers
// share: file names, ConfigMap keys, metric names and the shape of workload.json.
//
// The order of events is described in docs/results.md, "How a run is driven".
package protocol

import (
	"encoding/json"
	"fmt"
	"os"
)

// Files in the driver's directory ($BENCHNET_DIR). Each is written under another name and then renamed,
// so that a reader sees a whole file or none.
const (
	// ReadyFile is written by the driver once it is connected and prepared; the pod is Ready from then on.
	ReadyFile = "ready"
	// StartFile is written by the agent: the instant to start at, as Unix epoch milliseconds.
	StartFile = "start"
	// ProgressFile is replaced by the driver every second (see Progress).
	ProgressFile = "progress.json"
	// ResultFile is written by the driver before it exits with 0 (see results.Worker).
	ResultFile = "result.json"
	// FailureFile holds the one line that a driver leaves before it exits with 1.
	FailureFile = "failure"
	// SamplesFile is where a JMeter plan of the user's own leaves its samples (JTL, as CSV).
	SamplesFile = "samples.jtl"
)

// Keys of the ConfigMaps between the operator and the agent.
const (
	// StartKey in the barrier's data: the instant to start at, RFC 3339 with nanoseconds.
	StartKey = "start"
	// ProgressKey in the report's data: the newest content of ProgressFile.
	ProgressKey = "progress.json"
	// ResultKey in the report's binaryData: the worker's result, JSON, gzipped.
	ResultKey = "result.json.gz"
	// FailureKey in the report's data: one line saying why there is no result.
	FailureKey = "failure"
)

// Environment variables of a worker's container.
const (
	DirVariable      = "BENCHNET_DIR"
	WorkerVariable   = "BENCHNET_WORKER"
	WorkersVariable  = "BENCHNET_WORKERS"
	WorkloadVariable = "BENCHNET_WORKLOAD"
	// DefaultDir is used where DirVariable is unset.
	DefaultDir = "/run/benchnet"
)

// FieldManager owns the fields that the agent writes.
const FieldManager = "benchnet-agent"

// Workload is workload.json, what a driver is told. Counts and rates are totals over all
// workers; each worker takes its share by its index.
type Workload struct {
	Targets   []Target   `json:"targets,omitempty"`
	Notary    string     `json:"notary,omitempty"`
	Parties   []string   `json:"parties,omitempty"`
	Operation *Operation `json:"operation,omitempty"`
	Load      *Load      `json:"load,omitempty"`
	Measure   Measure    `json:"measure"`
	// KeepJTL asks for JMeter's own sample log as well.
	KeepJTL bool `json:"keepJtl"`
	// Reference is unique to the run; it marks what the run writes to the ledger.
	Reference string `json:"reference,omitempty"`
	// Observe lists the members whose CPU and memory are sampled during the window.
	Observe []Observed `json:"observe,omitempty"`
}

// Target is one endpoint that load is sent to.
type Target struct {
	Name    string `json:"name"`
	Address string `json:"address"`
	Party   string `json:"party,omitempty"`
	User    string `json:"user,omitempty"`
	// PasswordFile is a path in the worker's container.
	PasswordFile string `json:"passwordFile,omitempty"`
}

// Operation says what one request does.
type Operation struct {
	// Flow is Issue, IssueAndPay, Pay, or the name of a flow's class.
	Flow      string `json:"flow"`
	Anonymous bool   `json:"anonymous"`
	Currency  string `json:"currency,omitempty"`
	// Amount is in whole units of the currency.
	Amount       int64      `json:"amount,omitempty"`
	Arguments    []Argument `json:"arguments,omitempty"`
	Counterparty string     `json:"counterparty,omitempty"`
}

// Argument is one typed argument of a flow's constructor.
type Argument struct {
	Type  string `json:"type"`
	Value string `json:"value"`
}

// LoadModel says what decides when the next request starts.
type LoadModel string

const (
	// Closed starts a client's next request when its last one ended.
	Closed LoadModel = "Closed"
	// Open starts requests at a fixed rate, whatever the system does.
	Open LoadModel = "Open"
)

// Load says how much is asked of the system.
type Load struct {
	Model   LoadModel `json:"model"`
	Clients int       `json:"clients"`
	// MaxOutstanding bounds the unfinished requests of a closed loop.
	MaxOutstanding int `json:"maxOutstanding,omitempty"`
	// RatePerSecond is the offered load of an open loop, in requests per second.
	RatePerSecond float64 `json:"ratePerSecond,omitempty"`
}

// Measure says what is measured, counted from the common start.
type Measure struct {
	// WarmUpSeconds is discarded.
	WarmUpSeconds int `json:"warmUpSeconds"`
	// WindowSeconds is measured, directly after the warm-up.
	WindowSeconds int `json:"windowSeconds"`
	// DrainSeconds bounds the wait for what is unfinished at the window's end.
	DrainSeconds int `json:"drainSeconds"`
}

// Observed is a member and where its agent serves metrics.
type Observed struct {
	Member string `json:"member"`
	URL    string `json:"url"`
}

// Phase is where a driver stands.
type Phase string

const (
	PhaseWarmUp Phase = "WarmUp"
	PhaseWindow Phase = "Window"
	PhaseDrain  Phase = "Drain"
)

// Progress is progress.json.
type Progress struct {
	Phase     Phase `json:"phase"`
	Completed int64 `json:"completed"`
	Failed    int64 `json:"failed"`
	// ElapsedSeconds since the common start.
	ElapsedSeconds float64 `json:"elapsedSeconds"`
	// Throughput in completions per second, as the driver sees it now.
	Throughput float64 `json:"throughput"`
}

// ReadWorkload reads workload.json and checks what the agent itself needs of it: the window and the members.
func ReadWorkload(path string) (*Workload, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read workload: %w", err)
	}
	var w Workload
	if err := json.Unmarshal(content, &w); err != nil {
		return nil, fmt.Errorf("parse workload %s: %w", path, err)
	}
	if err := w.validate(); err != nil {
		return nil, fmt.Errorf("workload %s: %w", path, err)
	}
	return &w, nil
}

func (w *Workload) validate() error {
	m := w.Measure
	switch {
	case m.WarmUpSeconds < 0:
		return fmt.Errorf("measure.warmUpSeconds: %d is negative", m.WarmUpSeconds)
	case m.WindowSeconds <= 0:
		return fmt.Errorf("measure.windowSeconds: %d is not positive", m.WindowSeconds)
	case m.DrainSeconds < 0:
		return fmt.Errorf("measure.drainSeconds: %d is negative", m.DrainSeconds)
	}
	for i, o := range w.Observe {
		if o.Member == "" || o.URL == "" {
			return fmt.Errorf("observe[%d]: member and url are both needed", i)
		}
	}
	return nil
}
