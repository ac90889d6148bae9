package experiment

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/benchnet/benchnet/internal/run/results"
	"github.com/benchnet/benchnet/internal/run/statistics"
)

// What a Result says it is.
const (
	APIVersion    = "benchnet.dev/v1alpha1"
	Kind          = "ExperimentResult"
	SchemaVersion = 1
)

// Result is the full document of an experiment. The whole result of each run lies in that run's own document.
type Result struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// SchemaVersion grows when a field changes its meaning or goes; new fields do not change it.
	SchemaVersion int      `json:"schemaVersion"`
	Experiment    Identity `json:"experiment"`
	// Strategy is Grid, Saturation or Compare.
	Strategy string `json:"strategy"`
	// Order is Listed, Shuffled or Interleaved; Seed is that of the shuffle and of all resampling.
	Order string `json:"order"`
	Seed  int64  `json:"seed"`
	// ServiceLevel that a saturation search was for; absent with other strategies.
	ServiceLevel *ServiceLevel `json:"serviceLevel,omitempty"`
	// Confidence of all intervals, such as 0.95.
	Confidence float64 `json:"confidence"`
	Axes       []Axis  `json:"axes"`
	// Variants in order; empty without any.
	Variants []string `json:"variants"`
	Points   []Point  `json:"points"`
	// Runs that there are, in the order in which they were made; failed and invalid ones included.
	Runs        []Run               `json:"runs"`
	Saturation  []Saturation        `json:"saturation,omitempty"`
	Comparisons []ComparisonOutcome `json:"comparisons,omitempty"`
	// Start of the first and End of the last run.
	Start time.Time `json:"start"`
	End   time.Time `json:"end"`
}

// Identity says which experiment it was.
type Identity struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid"`
}

// ServiceLevel is met by a run whose latency and errors stay within it.
type ServiceLevel struct {
	// Metric of the latency that is bounded (v1alpha1.Metric), and its bound in ms.
	Metric        string  `json:"metric"`
	LatencyMillis float64 `json:"latencyMillis"`
	// MaxErrorShare of the operations that may fail, from 0 to 1.
	MaxErrorShare float64 `json:"maxErrorShare"`
}

// Axis is one parameter and the values it took.
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

// Point is one combination of parameters, with what its valid runs measured.
type Point struct {
	// Name of the point: p01, p02, …
	Name string `json:"name"`
	// Parameters by axis, in the order of the axes; with Saturation the last one is the load.
	Parameters []Parameter `json:"parameters"`
	// Variant is empty without variants.
	Variant string `json:"variant,omitempty"`
	// Network on which it was measured.
	Network string `json:"network"`
	// Valid, Invalid and Failed runs. Only the valid ones are in the numbers.
	Valid   int `json:"valid"`
	Invalid int `json:"invalid"`
	Failed  int `json:"failed"`
	// Notes counts, by reason code, the runs with a finding about the environment that was only recorded.
	Notes map[results.ReasonCode]int `json:"notes,omitempty"`
	// Unit is what an operation is.
	Unit string `json:"unit,omitempty"`
	// Metrics by name (v1alpha1.Metric): Throughput in operations per second, latencies in ms, ErrorShare from 0 to 1.
	Metrics map[string]statistics.Estimate `json:"metrics"`
	// Bottleneck named by most of the runs, for people.
	Bottleneck string `json:"bottleneck,omitempty"`
}

// Run is one run of a point.
type Run struct {
	Name       string `json:"name"`
	Point      string `json:"point"`
	Repetition int    `json:"repetition"`
	Attempt    int    `json:"attempt"`
	// Start of its load, and End when its result was there.
	Start time.Time `json:"start"`
	End   time.Time `json:"end"`
	// Unit is what an operation is.
	Unit string `json:"unit,omitempty"`
	// Verdict is Valid, Invalid or Failed, for the Reasons given.
	Verdict string   `json:"verdict"`
	Reasons []string `json:"reasons,omitempty"`
	// Notes are findings about the environment that were only recorded (measure.environmentPolicy). The run's own document has
	// all notes.
	Notes []results.Reason `json:"notes,omitempty"`
	// Metrics by name, as in Point; absent if it failed.
	Metrics    map[string]float64 `json:"metrics,omitempty"`
	Bottleneck string             `json:"bottleneck,omitempty"`
	// ResultConfigMap holds the run's whole result.
	ResultConfigMap string `json:"resultConfigMap,omitempty"`
}

// Saturation is what one search found.
type Saturation struct {
	// Name of what was searched: its variant and parameters, or template.
	Name string `json:"name"`
	// Load that is the highest to meet the service level, 0 if none did; Unmet is the lowest that does not, 0 if all did.
	Load  int64 `json:"load"`
	Unmet int64 `json:"unmet"`
	// Knee is the load from which throughput grows clearly less than the load; 0 if there is none.
	Knee int64 `json:"knee"`
	// Message says how sure this is.
	Message string `json:"message"`
	// Points that were tried, in ascending order of their load.
	Points []string `json:"points"`
}

// ComparisonOutcome is one metric of one candidate at one point compared with the baseline.
type ComparisonOutcome struct {
	// Candidate and Baseline are variants; Point and BaselinePoint their points. A stored baseline is named with its experiment.
	Candidate     string `json:"candidate"`
	Baseline      string `json:"baseline"`
	Point         string `json:"point"`
	BaselinePoint string `json:"baselinePoint"`
	// Parameters of the point for people, such as "users=10"; empty without axes.
	Parameters string `json:"parameters,omitempty"`
	Metric     string `json:"metric"`
	// Comparison has the numbers.
	statistics.Comparison `json:",inline"`
	// Verdict is Better, Worse, NoDifference or TooFewRuns.
	Verdict string `json:"verdict"`
	// Gate is Passed, Failed, Undecided, or empty without one; MaxRegression is its bound on the comparison's scale.
	Gate          string  `json:"gate,omitempty"`
	MaxRegression float64 `json:"maxRegression,omitempty"`
	Message       string  `json:"message"`
}

// Label of a point for people: its variant and parameters, or template.
func (p *Point) Label() string { return formatPointLabel(p.Variant, p.Parameters) }

// NotesText lists the point's notes for people, such as "CPUStolen in 2 of 3 runs"; empty without any.
func (p *Point) NotesText() string {
	var notes []string
	for _, code := range slices.Sorted(maps.Keys(p.Notes)) {
		notes = append(notes, fmt.Sprintf("%s in %d of %d runs", code, p.Notes[code], p.Valid+p.Invalid+p.Failed))
	}
	return strings.Join(notes, ", ")
}

// Load at which a search tried the point, or 0.
func (p *Point) Load() int64 {
	if n := len(p.Parameters); n > 0 && p.Parameters[n-1].Name == loadParameter {
		load, _ := strconv.ParseInt(p.Parameters[n-1].Value, 10, 64)
		return load
	}
	return 0
}

// NotesText lists the messages of the run's notes; empty without any.
func (r *Run) NotesText() string {
	var messages []string
	for _, note := range r.Notes {
		messages = append(messages, note.Message)
	}
	return strings.Join(messages, "; ")
}

// Name of a comparison for people: the candidate, and the point where there are several.
func (c *ComparisonOutcome) Name() string {
	if c.Parameters == "" {
		return c.Candidate
	}
	return c.Candidate + " " + c.Parameters
}
