package experiment

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/format"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/objectives"
	"github.com/benchnet/benchnet/internal/run/statistics"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// The type and version of a Result document.
const (
	APIVersion    = "benchnet.dev/v1alpha1"
	Kind          = "ExperimentResult"
	SchemaVersion = 2
)

// Result is the full document of an experiment. The whole result of each run is in that run's own document.
type Result struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// SchemaVersion increases if a field is removed or changes its meaning. New fields do not change it.
	SchemaVersion int      `json:"schemaVersion"`
	Experiment    Identity `json:"experiment"`
	// Strategy is Grid, Saturation or Compare.
	Strategy string `json:"strategy"`
	// Order is Listed, Shuffled, Interleaved or RandomizedPairs. Seed is the seed of the order.
	Order string `json:"order"`
	Seed  int64  `json:"seed"`
	// RunsPerDeployment is the number of repetitions of a point on each deployment of its network; absent if there is one deployment.
	// Otherwise estimates and comparisons use the mean of each deployment.
	RunsPerDeployment int `json:"runsPerDeployment,omitempty"`
	// FirstRepetition is Discard if comparisons leave out the first run of each point on each deployment.
	FirstRepetition v1alpha1.FirstRepetition `json:"firstRepetition,omitempty"`
	// ServiceLevel is the service level of a saturation search; absent with other strategies.
	ServiceLevel *ServiceLevel `json:"serviceLevel,omitempty"`
	// Confidence is the confidence of all intervals, such as 0.95.
	Confidence float64 `json:"confidence"`
	Axes       []Axis  `json:"axes"`
	// Variants lists the variants in order; empty without variants.
	Variants []string `json:"variants"`
	Points   []Point  `json:"points"`
	// Runs lists the ended runs, including failed, invalid and deleted ones, sorted by their start. That of a deleted run is unknown.
	Runs        []Run               `json:"runs"`
	Saturation  []Saturation        `json:"saturation,omitempty"`
	Comparisons []ComparisonOutcome `json:"comparisons,omitempty"`
	// Start is the start of the first run, and End the end of the last.
	Start time.Time `json:"start"`
	End   time.Time `json:"end"`
}

// Identity identifies an experiment.
type Identity struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid"`
}

// ServiceLevel is the service level of a saturation search. A run meets it if its latency and errors stay
// within it.
type ServiceLevel struct {
	// Metric is the bounded latency metric (v1alpha1.Metric), and LatencyMillis its bound in ms.
	Metric        string  `json:"metric"`
	LatencyMillis float64 `json:"latencyMillis"`
	// MaxErrorShare is the share of operations that may fail, from 0 to 1.
	MaxErrorShare float64 `json:"maxErrorShare"`
}

// Axis is one parameter and its values.
type Axis struct {
	Name   string   `json:"name"`
	Field  string   `json:"field"`
	Values []string `json:"values"`
}

// Parameter is the value of one axis.
type Parameter struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Point is one combination of parameters, with the measurements of its valid runs.
type Point struct {
	// Name is the name of the point: p01, p02, …
	Name string `json:"name"`
	// Parameters holds the parameters in the order of the axes. With Saturation the last one is the load.
	Parameters []Parameter `json:"parameters"`
	// Variant is empty without variants.
	Variant string `json:"variant,omitempty"`
	// Network is the network on which the point was measured: that of the first deployment.
	Network string `json:"network"`
	// Valid, Invalid and Failed are the numbers of runs; Failed includes cancelled and deleted runs. Only the valid ones
	// are in the numbers.
	Valid   int `json:"valid"`
	Invalid int `json:"invalid"`
	Failed  int `json:"failed"`
	// Cancelled and Deleted are the numbers of failed runs that a user cancelled or deleted, and Repeated is that of further attempts.
	Cancelled int `json:"cancelled,omitempty"`
	Deleted   int `json:"deleted,omitempty"`
	Repeated  int `json:"repeated,omitempty"`
	// Notes counts, by reason code, the runs with such a note.
	Notes map[verdict.ReasonCode]int `json:"notes,omitempty"`
	// Overloaded counts the runs that fell short of the offered rate. They are among the invalid runs.
	Overloaded int `json:"overloaded,omitempty"`
	// Unit is what an operation is, and LatencyKind what its latency is.
	Unit        string                  `json:"unit,omitempty"`
	LatencyKind measurement.LatencyKind `json:"latencyKind,omitempty"`
	// Metrics holds the metrics by name (v1alpha1.Metric): Throughput in operations per second, latencies in
	// ms, ErrorShare from 0 to 1.
	Metrics map[string]statistics.Estimate `json:"metrics"`
	// FaultTimes has the times of each declared fault; absent without faults.
	FaultTimes []PointFaultTime `json:"faultTimes,omitempty"`
	// Segments has the metrics of each segment of the window; absent without a profile of the load or faults.
	Segments []PointSegment `json:"segments,omitempty"`
	// Deployments has, by metric, how much the runs vary between and within deployments; absent without several runs on several
	// deployments.
	Deployments map[string]statistics.DeploymentSpread `json:"deployments,omitempty"`
	// Objectives are the outcomes of the workload's objectives over the runs; absent without objectives.
	Objectives []verdict.ObjectiveOutcome `json:"objectives,omitempty"`
	// Bottleneck is the bottleneck that most of the runs name, for people.
	Bottleneck string `json:"bottleneck,omitempty"`
}

// Run is one run of a point.
type Run struct {
	Name       string `json:"name,omitempty"`
	Point      string `json:"point"`
	Repetition int    `json:"repetition"`
	Attempt    int    `json:"attempt"`
	// Network is the network on which the run was measured; absent in documents of earlier versions.
	Network string `json:"network,omitempty"`
	// Start is the start of the load, and End the time of the result. A document that would be too large has only place, start and
	// verdict of the runs that are not valid.
	Start time.Time `json:"start"`
	End   time.Time `json:"end,omitzero"`
	// Unit is what an operation is, and LatencyKind what its latency is.
	Unit        string                  `json:"unit,omitempty"`
	LatencyKind measurement.LatencyKind `json:"latencyKind,omitempty"`
	// FinalityOf says what became final; absent if that is unknown.
	FinalityOf measurement.FinalityOf `json:"finalityOf,omitempty"`
	// Verdict has the Reasons given. It is empty while the run is active.
	Verdict RunVerdict `json:"verdict"`
	Reasons []string   `json:"reasons,omitempty"`
	// Codes are the codes of the reasons of an invalid run.
	Codes []verdict.ReasonCode `json:"codes,omitempty"`
	// Excluded reports that only causes outside of the system under test made the run invalid. Comparisons leave
	// it out; every other run without a valid result counts as the worst outcome.
	Excluded bool `json:"excluded,omitempty"`
	// Notes are the notes of the run, those about the environment that were only recorded
	// (measure.environmentPolicy) first. The run's own document has all of them.
	Notes []verdict.Reason `json:"notes,omitempty"`
	// Metrics holds the metrics by name, as in Point; absent if the run failed. A percentile is absent if too few
	// latencies lie above it.
	Metrics map[string]float64 `json:"metrics,omitempty"`
	// FaultTimes has the times of each declared fault that is proved. A document that would be too large has those of points only.
	FaultTimes []FaultTime `json:"faultTimes,omitempty"`
	// Segments has the metrics of each segment of the window. A document that would be too large has those of points only.
	Segments []RunSegment `json:"segments,omitempty"`
	// Objectives are the outcomes of the workload's objectives; absent without objectives.
	Objectives []verdict.ObjectiveOutcome `json:"objectives,omitempty"`
	Bottleneck string                     `json:"bottleneck,omitempty"`
	// Conditions are what must be equal in runs that are compared; absent in documents of earlier versions.
	Conditions map[Condition]string `json:"conditions,omitempty"`
	// Load holds what only a search uses. It is not in the document; the run's own result has it.
	Load LoadEvidence `json:"-"`
	// ResultConfigMap holds the run's whole result.
	ResultConfigMap string `json:"resultConfigMap,omitempty"`
}

// LoadEvidence is what a run shows about its load, besides its metrics.
type LoadEvidence struct {
	// OfferedPerSecond is the number of operations that an open loop planned per second of the window.
	OfferedPerSecond float64
	// ClientsExhausted reports that requests of an open loop waited because all clients were busy.
	ClientsExhausted bool
	// ScarcePercentiles holds the percentiles above which too few latencies lie, by metric. A search may use them,
	// because it decides by several runs.
	ScarcePercentiles map[string]float64
}

// Saturation is the outcome of one search.
type Saturation struct {
	// Name identifies the search: its variant and parameters, or template.
	Name string `json:"name"`
	// Load is the highest load that meets the service level, in clients or operations per second, 0 if none did. Unmet is the lowest
	// that does not, 0 if all did.
	Load  float64 `json:"load"`
	Unmet float64 `json:"unmet"`
	// Unjudged is the lowest load above Load without evidence about the system, because the load generator could
	// not offer it or all its runs were disturbed; 0 if there is none.
	Unjudged float64 `json:"unjudged,omitempty"`
	// Knee is the load above which throughput grows clearly less than the load; 0 if none was found.
	Knee float64 `json:"knee"`
	// Message says how certain the outcome is.
	Message string `json:"message"`
	// Points are the points that were tried, in ascending order of their load.
	Points []string `json:"points"`
}

// ComparisonOutcome compares one metric of one candidate at one point with the baseline.
type ComparisonOutcome struct {
	// Candidate and Baseline are variants; Point and BaselinePoint are their points. The name of a stored
	// baseline includes its experiment.
	Candidate     string `json:"candidate"`
	Baseline      string `json:"baseline"`
	Point         string `json:"point"`
	BaselinePoint string `json:"baselinePoint"`
	// Parameters are the parameters of the point for people, such as "users=10"; empty without axes.
	Parameters string `json:"parameters,omitempty"`
	Metric     string `json:"metric"`
	// Scope is fault/NAME for a metric of a fault, and segment/NAME for one of a segment.
	Scope string `json:"scope,omitempty"`
	// BaselineCensored and CandidateCensored are the numbers of runs of which only a lower bound of the metric is known.
	BaselineCensored  int `json:"baselineCensored,omitempty"`
	CandidateCensored int `json:"candidateCensored,omitempty"`
	// Comparison has the numbers.
	statistics.Comparison `json:",inline"`
	// Failures compares the shares of failed runs of both points.
	Failures RunFailures `json:"failures"`
	// Trend is the change from run to run in the order of both points' runs, or from deployment to deployment. Divergence is the
	// change of the ratio of candidate to baseline from pair to pair, or without pairs from run to run. Absent if unknown.
	Trend      *statistics.Trend          `json:"trend,omitempty"`
	Divergence *statistics.Trend          `json:"divergence,omitempty"`
	Verdict    v1alpha1.ComparisonVerdict `json:"verdict"`
	// Gate is empty without a gate. MaxRegression is its bound on the comparison's scale.
	Gate          v1alpha1.GateOutcome `json:"gate,omitempty"`
	MaxRegression float64              `json:"maxRegression,omitempty"`
	// RunsToDecide is the number of runs, pairs or deployments on each side that would decide an undecided gate if mean and spread stayed
	// the same; absent if that is unknown.
	RunsToDecide int    `json:"runsToDecide,omitempty"`
	Message      string `json:"message"`
}

// Label returns the label of a point for people: its variant and parameters, or template.
func (p *Point) Label() string { return formatPointLabel(p.Variant, p.Parameters) }

// NotesText lists the point's notes for people, such as "CPUStolen in 2 of 3 runs", and how many runs were cancelled, deleted or
// repeated; empty without any.
func (p *Point) NotesText() string {
	var notes []string
	if p.Overloaded > 0 {
		notes = append(notes, fmt.Sprintf("%s in %d of %d runs", verdict.ReasonOfferedNotAchieved, p.Overloaded, p.Valid+p.Invalid+p.Failed))
	}
	for _, counted := range []struct {
		runs int
		what string
	}{{p.Cancelled, "cancelled"}, {p.Deleted, "deleted"}, {p.Repeated, "repeated"}} {
		if counted.runs > 0 {
			notes = append(notes, fmt.Sprintf("%s %s", format.Count(counted.runs, "run"), counted.what))
		}
	}
	for _, code := range slices.Sorted(maps.Keys(p.Notes)) {
		notes = append(notes, fmt.Sprintf("%s in %d of %d runs", code, p.Notes[code], p.Valid+p.Invalid+p.Failed))
	}
	return strings.Join(notes, ", ")
}

// Value returns the value of the point on an axis, or an empty string if it has none.
func (p *Point) Value(axis string) string {
	for _, parameter := range p.Parameters {
		if parameter.Name == axis {
			return parameter.Value
		}
	}
	return ""
}

// Load returns the load at which a search tried the point, or 0.
func (p *Point) Load() float64 {
	if n := len(p.Parameters); n > 0 && p.Parameters[n-1].Name == loadParameter {
		load, _ := strconv.ParseFloat(p.Parameters[n-1].Value, 64)
		return load
	}
	return 0
}

// MissedOfferedRate reports whether the run is invalid only because the network did not keep up with its load.
func (r *Run) MissedOfferedRate() bool {
	return r.Verdict == RunInvalid && verdict.AreAboutLoad(r.Codes)
}

// HasRecordedNotes reports whether a finding about the environment was only recorded.
func (r *Run) HasRecordedNotes() bool {
	return slices.ContainsFunc(r.Notes, func(note verdict.Reason) bool { return note.RecordedOnly })
}

// NotesText lists the messages of the run's notes; empty without notes.
func (r *Run) NotesText() string {
	var messages []string
	for _, note := range r.Notes {
		messages = append(messages, note.Message)
	}
	return strings.Join(messages, "; ")
}

// HasValues reports whether runs of both points were compared. Otherwise the numbers of the comparison are zeros without
// a meaning, and Message says why.
func (c *ComparisonOutcome) HasValues() bool { return c.Baselines > 0 && c.Candidates > 0 }

// MetricName returns the metric, with its scope if there is one, such as "RecoveryTime of fault/crash".
func (c *ComparisonOutcome) MetricName() string {
	return objectives.Limit{Metric: v1alpha1.Metric(c.Metric), Scope: c.Scope}.Name()
}

// Name returns the name of a comparison for people: the candidate and, with axes, the point.
func (c *ComparisonOutcome) Name() string {
	if c.Parameters == "" {
		return c.Candidate
	}
	return c.Candidate + " " + c.Parameters
}
