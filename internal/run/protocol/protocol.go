// Package protocol defines what the operator, the in-pod agent and the load drivers share: file names,
// ConfigMap keys, environment variables, and the part of workload.json that the agent reads.
//
// docs/drivers.md describes the order of events.
package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"
)

// Files in the driver's directory ($BENCHNET_DIR). Each is written under another name and then renamed, so
// that a reader never sees a partial file.
const (
	// ReadyFile is written by the driver once it is connected and prepared. The pod is Ready from then on.
	ReadyFile = "ready"
	// StartFile is written by the agent. It holds the start time in Unix milliseconds.
	StartFile = "start"
	// StopFile is written by the agent if MeasureTimes has an interval. It holds the earlier end of the window
	// in Unix milliseconds.
	StopFile = "stop"
	// ProgressFile is replaced by the driver every second (see Progress).
	ProgressFile = "progress.json"
	// ResultFile is written by the driver before it exits with 0 (see results.WorkerResult).
	ResultFile = "result.json"
	// FailureFile holds the one-line reason that a driver writes before it exits with 1.
	FailureFile = "failure"
	// SamplesFile receives the samples of a user's own JMeter plan (JTL, as CSV).
	SamplesFile = "samples.jtl"
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

// FieldManager is the field manager of the agent.
const FieldManager = "benchnet-agent"

// WorkloadFile is the part of workload.json, the driver's input, that the agent reads.
type WorkloadFile struct {
	Measure MeasureTimes `json:"measure"`
	// Unit is the unit of an operation. The result uses it if the driver does not set one.
	Unit string `json:"unit"`
	// Observe lists the endpoints to sample during the window.
	Observe []ObservedEndpoint `json:"observe"`
}

// MeasureTimes holds the lengths of the phases in whole seconds, counted from the common start.
type MeasureTimes struct {
	// WarmUpSeconds is the length of the warm-up, which is discarded.
	WarmUpSeconds int `json:"warmUpSeconds"`
	// WindowSeconds is the length of the measured window, directly after the warm-up.
	WindowSeconds int `json:"windowSeconds"`
	// DrainSeconds bounds the wait for operations that are unfinished at the end of the window.
	DrainSeconds int `json:"drainSeconds"`
	// IntervalSeconds, unless 0, divides the window into intervals of that length and must divide it evenly.
	// StopFile may then end the window earlier. Afterwards the run is cut to its steady part.
	IntervalSeconds int `json:"intervalSeconds,omitempty"`
}

// maxPartSeconds is the maximum length of each phase, 30 days. It keeps times within the range of the clock.
const maxPartSeconds = 30 * 24 * 60 * 60

// Validate returns an error if a length is out of range.
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

// WindowStart returns when the window opens in a run that starts at start.
func (m MeasureTimes) WindowStart(start time.Time) time.Time {
	return start.Add(time.Duration(m.WarmUpSeconds) * time.Second)
}

// WindowEnd returns when the window closes in a run that starts at start.
func (m MeasureTimes) WindowEnd(start time.Time) time.Time {
	return m.WindowStart(start).Add(time.Duration(m.WindowSeconds) * time.Second)
}

// ObservedEndpoint is an endpoint of a member or a database. An endpoint that serves an agent's metrics yields
// the CPU and memory of the container. A program's own endpoint is a separate entry and yields only its
// series.
type ObservedEndpoint struct {
	Member string `json:"member"`
	// Kind and Role of the observed object are copied to the result.
	Kind string `json:"kind"`
	Role string `json:"role"`
	URL  string `json:"url"`
	// EverySeconds is the sampling interval; 0 means every second.
	EverySeconds int              `json:"everySeconds"`
	Series       []ObservedSeries `json:"series"`
}

// SampleBytes is the maximum memory that the agent uses for one sample of an endpoint.
const SampleBytes = 2048

// SampleIntervalSeconds returns the number of seconds between two samples.
func (o ObservedEndpoint) SampleIntervalSeconds() int { return max(1, o.EverySeconds) }

// ObservedSeries is a metric of an endpoint that becomes a series of the result.
type ObservedSeries struct {
	// Name and Unit of the series.
	Name string `json:"name"`
	Unit string `json:"unit"`
	// Metric is the name of the metric, summed over its labels. It may select labels:
	// pool_connections{state="Pending"}.
	Metric string     `json:"metric"`
	Kind   SeriesKind `json:"kind"`
}

// SeriesKind defines how a metric becomes a series.
type SeriesKind string

// The kinds of series.
const (
	// Counter becomes a rate per second, or null if the value decreased.
	Counter SeriesKind = "Counter"
	// Gauge is recorded unchanged at the end of each second.
	Gauge SeriesKind = "Gauge"
)

// ReadWorkloadFile reads workload.json and validates the part that the agent uses: the window and the observed
// endpoints.
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
