// Package protocol holds the words that the operator, the in-pod agent and the load drivers
// share: file names, ConfigMap keys, environment variables, and what the agent reads of workload.json.
//
// The order of events is described in docs/drivers.md.
package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"
)

// Files in the driver's directory ($BENCHNET_DIR). Each is written under another name and then renamed,
// so that a reader sees a whole file or none.
const (
	// ReadyFile is written by the driver once it is connected and prepared; the pod is Ready from then on.
	ReadyFile = "ready"
	// StartFile is written by the agent: the instant to start at, as Unix epoch milliseconds.
	StartFile = "start"
	// StopFile is written by the agent where the orders have intervals: the instant at which the window ends earlier than ordered, as
	// Unix epoch milliseconds.
	StopFile = "stop"
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
	// StopKey in the barrier's data: the instant at which the window ends earlier than ordered, RFC 3339 with nanoseconds.
	StopKey = "stop"
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

// WorkloadFile is what the agent itself needs of workload.json, the orders of the driver.
type WorkloadFile struct {
	Measure MeasureTimes `json:"measure"`
	// Unit is what an operation is; the result says so where the driver does not.
	Unit string `json:"unit"`
	// Observe lists the endpoints that are sampled during the window.
	Observe []ObservedEndpoint `json:"observe"`
}

// MeasureTimes says what is measured, counted from the common start: whole seconds.
type MeasureTimes struct {
	// WarmUpSeconds is discarded.
	WarmUpSeconds int `json:"warmUpSeconds"`
	// WindowSeconds is measured, directly after the warm-up.
	WindowSeconds int `json:"windowSeconds"`
	// DrainSeconds bounds the wait for what is unfinished at the window's end.
	DrainSeconds int `json:"drainSeconds"`
	// IntervalSeconds, unless 0, asks for the window in intervals of that length, of which it is a multiple, and says that StopFile
	// may bring its end forward. The run is then cut to its steady part afterwards.
	IntervalSeconds int `json:"intervalSeconds,omitempty"`
}

// maxPartSeconds of a part of a run, 30 days: instants stay within what a clock can say.
const maxPartSeconds = 30 * 24 * 60 * 60

// Validate refuses what cannot be measured.
func (m MeasureTimes) Validate() error {
	switch {
	case max(m.WarmUpSeconds, m.WindowSeconds, m.DrainSeconds) > maxPartSeconds:
		return fmt.Errorf("measure: %d, %d and %d s of warm-up, window and drain; each may last %d s",
			m.WarmUpSeconds, m.WindowSeconds, m.DrainSeconds, maxPartSeconds)
	case m.WarmUpSeconds < 0:
		return fmt.Errorf("measure.warmUpSeconds: %d is negative", m.WarmUpSeconds)
	case m.WindowSeconds <= 0:
		return fmt.Errorf("measure.windowSeconds: %d is not positive", m.WindowSeconds)
	case m.DrainSeconds < 0:
		return fmt.Errorf("measure.drainSeconds: %d is negative", m.DrainSeconds)
	case m.IntervalSeconds < 0:
		return fmt.Errorf("measure.intervalSeconds: %d is negative", m.IntervalSeconds)
	case m.IntervalSeconds > 0 && m.WindowSeconds%m.IntervalSeconds != 0:
		return fmt.Errorf("measure.intervalSeconds: %d s do not divide the window of %d s", m.IntervalSeconds, m.WindowSeconds)
	}
	return nil
}

// WindowStart is when the window opens in a run that starts at start.
func (m MeasureTimes) WindowStart(start time.Time) time.Time {
	return start.Add(time.Duration(m.WarmUpSeconds) * time.Second)
}

// WindowEnd is when the window closes in a run that starts at start.
func (m MeasureTimes) WindowEnd(start time.Time) time.Time {
	return m.WindowStart(start).Add(time.Duration(m.WindowSeconds) * time.Second)
}

// ObservedEndpoint is an endpoint of a member or of a database. One that serves the metrics of an agent tells the CPU and memory of the
// container; a program's own endpoint, in an entry of its own, gives its series alone.
type ObservedEndpoint struct {
	Member string `json:"member"`
	// SeriesKind and Role of what is observed go into the result as they are.
	Kind string `json:"kind"`
	Role string `json:"role"`
	URL  string `json:"url"`
	// EverySeconds it is sampled; 0 is each second.
	EverySeconds int              `json:"everySeconds"`
	Series       []ObservedSeries `json:"series"`
}

// SampleBytes is how much memory the agent takes for one sample of an endpoint, at most.
const SampleBytes = 2048

// SampleIntervalSeconds is how many seconds lie between two samples.
func (o ObservedEndpoint) SampleIntervalSeconds() int { return max(1, o.EverySeconds) }

// ObservedSeries is a metric of an endpoint that becomes a series of the result.
type ObservedSeries struct {
	// Name and Unit of the series.
	Name string `json:"name"`
	Unit string `json:"unit"`
	// Metric by its name, summed over its labels, or with labels that it must have: pool_connections{state="Pending"}.
	Metric string     `json:"metric"`
	Kind   SeriesKind `json:"kind"`
}

// SeriesKind says how a metric becomes a series.
type SeriesKind string

// The kinds.
const (
	// Counter becomes a rate per second; null where it went back.
	Counter SeriesKind = "Counter"
	// Gauge is taken as it is, at the end of each second.
	Gauge SeriesKind = "Gauge"
)

// ReadWorkloadFile reads workload.json and checks what the agent itself needs of it: the window and the members.
func ReadWorkloadFile(path string) (*WorkloadFile, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read workload: %w", err)
	}
	var w WorkloadFile
	if err := json.Unmarshal(content, &w); err != nil {
		return nil, fmt.Errorf("parse workload %s: %w", path, err)
	}
	if err := w.validateWorkload(); err != nil {
		return nil, fmt.Errorf("workload %s: %w", path, err)
	}
	return &w, nil
}

func (w *WorkloadFile) validateWorkload() error {
	if err := w.Measure.Validate(); err != nil {
		return err
	}
	for i, o := range w.Observe {
		if o.Member == "" || o.URL == "" {
			return fmt.Errorf("observe[%d]: member and url are both needed", i)
		}
		if o.EverySeconds < 0 {
			return fmt.Errorf("observe[%d].everySeconds: %d is negative", i, o.EverySeconds)
		}
		for k, series := range o.Series {
			if err := series.validateSeries(); err != nil {
				return fmt.Errorf("observe[%d].series[%d].%w", i, k, err)
			}
		}
	}
	return nil
}

func (s ObservedSeries) validateSeries() error {
	switch {
	case s.Name == "":
		return errors.New("name: is needed")
	case s.Metric == "":
		return errors.New("metric: is needed")
	case s.Kind != Counter && s.Kind != Gauge:
		return fmt.Errorf("kind: %q is neither %s nor %s", s.Kind, Counter, Gauge)
	}
	return nil
}
