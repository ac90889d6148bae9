package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/benchnet/benchnet/internal/run/measurement"
)

// WorkloadFile is the content of workload.json, the driver's input. Clients, outstanding operations and rate
// are totals over all workers. The type of the operation depends on the platform; the agent does not read it.
type WorkloadFile[Operation any] struct {
	// Targets lists the endpoints that clients call in turn.
	Targets []Target `json:"targets"`
	// Operation is the operation to perform.
	Operation Operation `json:"operation,omitempty"`
	// Load is the load to apply; nil if the network generates its own.
	Load *OfferedLoad `json:"load,omitempty"`
	// Measure holds the lengths of the run's phases.
	Measure MeasureTimes `json:"measure"`
	// KeepJTL preserves JMeter's sample log.
	KeepJTL bool `json:"keepJtl"`
	// Reference is unique to the run.
	Reference string `json:"reference"`
	// Unit is the unit of an operation: flows, requests, blocks, transactions. The result uses it if the driver
	// does not set one.
	Unit string `json:"unit,omitempty"`
	// Observe lists the metrics endpoints of members and databases to sample during the window.
	Observe []ObservedEndpoint `json:"observe,omitempty"`
	// Segments are the parts of the window with results of their own.
	Segments []measurement.Segment `json:"segments,omitempty"`
	// Faults are injected by the agents behind Observe in the window.
	Faults []measurement.Fault `json:"faults,omitempty"`
}

// FaultLead is how long before a fault a worker asks the agent for it. The agent injects it by its own clock.
const FaultLead = 2 * time.Second

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
	// RatePerSecond is the constant rate in operations per second. Open only.
	RatePerSecond float64 `json:"ratePerSecond,omitempty"`
	// Rates is a rate that changes, from the start of the load to the end of the window, instead of RatePerSecond. The
	// operation with the index k, counted over all workers from 0, is due when CountDue exceeds k. Open only.
	Rates []RatePiece `json:"rates,omitempty"`
	// ClientPieces is a number of clients that changes, from the start of the load to the end of the window. The client with the index i,
	// counted over all workers from 0, starts operations while i is below it. Clients is an upper limit. Closed only.
	ClientPieces []ClientPiece `json:"clientPieces,omitempty"`
	// Arrivals is Poisson, or empty for operations at equal distances. Open only. With Poisson, each worker draws
	// exponential distances with the mean of workers / rate seconds from a generator of its own. Workers'
	// arrivals are independent, so together they are a Poisson process of the whole rate. Schedule.Planned is the
	// number drawn in the window: its mean is rate × window, its standard deviation the root of that.
	Arrivals string `json:"arrivals,omitempty"`
	// Seed, with the index of the worker, seeds that generator. The same seed, rate and number of workers repeat
	// the same arrivals. Poisson only.
	Seed *int64 `json:"seed,omitempty"`
}

// ArrivalsPoisson is the value of OfferedLoad.Arrivals for Poisson arrivals.
const ArrivalsPoisson = "Poisson"

// MeasureTimes holds the lengths of the phases in whole seconds, counted from the common start.
type MeasureTimes struct {
	// WarmUpSeconds is the length of the warm-up, which is discarded.
	WarmUpSeconds int `json:"warmUpSeconds"`
	// WindowSeconds is the length of the measured window, directly after the warm-up.
	WindowSeconds int `json:"windowSeconds"`
	// DrainSeconds bounds the wait for operations that are unfinished at the end of the window.
	DrainSeconds int `json:"drainSeconds"`
	// IntervalSeconds, unless 0, divides the window into intervals of that length and must divide it evenly.
	// If the window is selected afterwards, it consists of intervals.
	IntervalSeconds int `json:"intervalSeconds,omitempty"`
	// StopsEarly allows StopFile to end the window at the end of an interval. The operator decides by what the workers
	// report of each second.
	StopsEarly bool `json:"stopsEarly,omitempty"`
	// CalibrationSeconds is the time before the start in which the agent calibrates the pods; 0 means no calibration.
	CalibrationSeconds int `json:"calibrationSeconds,omitempty"`
}

// CalibrationDuration returns the time of the calibration before the start.
func (m MeasureTimes) CalibrationDuration() time.Duration {
	return time.Duration(m.CalibrationSeconds) * time.Second
}

// maxPartSeconds is the maximum length of each phase, 30 days. It keeps times within the range of the clock.
const maxPartSeconds = 30 * 24 * 60 * 60

// maxCalibrationSeconds is the maximum length of the calibration.
const maxCalibrationSeconds = 60

// Validate returns an error if a length is out of range.
func (m MeasureTimes) Validate() error {
	switch {
	case max(m.WarmUpSeconds, m.WindowSeconds, m.DrainSeconds) > maxPartSeconds:
		return fmt.Errorf("measure: %d, %d and %d s of warm-up, window and drain; each may last at most %d s",
			m.WarmUpSeconds, m.WindowSeconds, m.DrainSeconds, maxPartSeconds)
	case m.CalibrationSeconds < 0 || m.CalibrationSeconds > maxCalibrationSeconds:
		return fmt.Errorf("measure.calibrationSeconds: %d is not from 0 to %d", m.CalibrationSeconds, maxCalibrationSeconds)
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
	case m.StopsEarly && m.IntervalSeconds == 0:
		return errors.New("measure.stopsEarly: requires measure.intervalSeconds")
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

// ObservedEndpoint is a sampled endpoint of a member or a database. An endpoint that serves an agent's metrics yields
// the CPU and memory of the container. A program's own endpoint is a separate entry and yields only its series.
type ObservedEndpoint struct {
	// Member is the name of the observed container, unique among them. A member with several containers has a
	// name for each, such as member-0/execution.
	Member string `json:"member"`
	// Kind is the kind of the observed object; empty means a member.
	Kind measurement.MemberKind `json:"kind,omitempty"`
	// Role is the role in the network as the platform calls it, or the members that a database serves.
	Role string `json:"role,omitempty"`
	// URL is the URL of the metrics.
	URL string `json:"url"`
	// CommandsURL is the base URL of the commands of the agent that serves URL; empty for the endpoint of another program.
	CommandsURL string `json:"commandsURL,omitempty"`
	// EverySeconds is the sampling interval; 0 means every second. Set it for endpoints whose responses cost
	// the resources under measurement.
	EverySeconds int `json:"everySeconds,omitempty"`
	// Series lists further metrics of the same endpoint, sampled with it.
	Series []ObservedSeries `json:"series,omitempty"`
}

// SampleBytes is the maximum memory that the agent uses for one sample of an endpoint.
const SampleBytes = 2048

// SampleIntervalSeconds returns the number of seconds between two samples.
func (o ObservedEndpoint) SampleIntervalSeconds() int { return max(1, o.EverySeconds) }

// SeriesKind defines how a metric becomes a series.
type SeriesKind string

// The kinds of series.
const (
	// SeriesCounter becomes a rate per second, or null if the value decreased.
	SeriesCounter SeriesKind = "Counter"
	// SeriesGauge is recorded unchanged at the end of each second.
	SeriesGauge SeriesKind = "Gauge"
)

// ObservedSeries is a metric that becomes a series of the result.
type ObservedSeries struct {
	// Name and Unit of the series.
	Name string `json:"name"`
	Unit string `json:"unit"`
	// Metric is the name of the metric, summed over its labels. It may select labels:
	// pool_connections{state="Pending"}.
	Metric string     `json:"metric"`
	Kind   SeriesKind `json:"kind"`
}

// ReadWorkloadFile reads workload.json and validates what does not depend on the platform: the lengths of the phases
// and the observed endpoints.
func ReadWorkloadFile[Operation any](path string) (*WorkloadFile[Operation], error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read workload: %w", err)
	}
	var w WorkloadFile[Operation]
	if err := json.Unmarshal(content, &w); err != nil {
		return nil, fmt.Errorf("parse workload %s: %w", path, err)
	}
	if err := w.validateWorkload(); err != nil {
		return nil, fmt.Errorf("workload %s: %w", path, err)
	}
	return &w, nil
}

func (w *WorkloadFile[_]) validateWorkload() error {
	if err := w.Measure.Validate(); err != nil {
		return err
	}
	if err := w.Load.validateArrivals(); err != nil {
		return err
	}
	if err := w.Load.validateRates(w.Measure.WarmUpSeconds + w.Measure.WindowSeconds); err != nil {
		return err
	}
	for i, o := range w.Observe {
		if o.Member == "" || o.URL == "" {
			return fmt.Errorf("observe[%d]: member and url are required", i)
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

// validateArrivals returns an error if the arrivals are unknown or cannot be repeated.
func (l *OfferedLoad) validateArrivals() error {
	switch {
	case l == nil || l.Arrivals == "" && l.Seed == nil:
		return nil
	case l.Arrivals != ArrivalsPoisson:
		return fmt.Errorf("load.arrivals: %q is not %s", l.Arrivals, ArrivalsPoisson)
	case l.Seed == nil:
		return errors.New("load.seed: is required with Poisson arrivals")
	}
	return nil
}

func (s ObservedSeries) validateSeries() error {
	switch {
	case s.Name == "":
		return errors.New("name: is required")
	case s.Metric == "":
		return errors.New("metric: is required")
	case s.Kind != SeriesCounter && s.Kind != SeriesGauge:
		return fmt.Errorf("kind: %q is neither %s nor %s", s.Kind, SeriesCounter, SeriesGauge)
	}
	return nil
}
