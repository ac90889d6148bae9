package delivery

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// Document is the body of the request to a webhook. docs/export.md describes it.
type Document struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
	UID        string `json:"uid"`
	// Verdict is Valid, Invalid, Failed or Cancelled for a run, and Complete or Failed for an experiment.
	Verdict string `json:"verdict"`
	// Gates is Passed, Failed or Undecided, or None without objectives and gates.
	Gates string `json:"gates"`
	// Message is that of the condition GatesPassed if the gates did not pass, otherwise that of Complete.
	Message string   `json:"message"`
	Figures []Figure `json:"figures"`
	// Time is when the run or the experiment ended.
	Time *metav1.Time `json:"time,omitempty"`
}

// Figure is a number of a document.
type Figure struct {
	Name string `json:"name"`
	// Subject is the point or the search of an experiment; empty for a run and for the whole experiment.
	Subject string  `json:"subject,omitempty"`
	Value   float64 `json:"value"`
	Unit    string  `json:"unit,omitempty"`
}

// The verdicts of a document besides those of a run with a result.
const (
	verdictComplete  = "Complete"
	verdictFailed    = "Failed"
	verdictCancelled = "Cancelled"
)

// gatesNone is the outcome without objectives and gates.
const gatesNone = "None"

// DescribeRun returns the document of a run that has ended.
func DescribeRun(run *v1alpha1.BenchmarkRun) Document {
	d := newDocument("BenchmarkRun", run, run.Status.Conditions, run.Status.CompletionTime)
	if run.Status.Verdict != "" {
		d.Verdict, d.Figures = string(run.Status.Verdict), runFigures(&run.Status)
		return d
	}
	d.Verdict = verdictFailed
	if c := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionComplete); c != nil && c.Reason == v1alpha1.ReasonCancelled {
		d.Verdict = verdictCancelled
	}
	return d
}

// DescribeExperiment returns the document of an experiment that has ended.
func DescribeExperiment(e *v1alpha1.BenchmarkExperiment) Document {
	d := newDocument("BenchmarkExperiment", e, e.Status.Conditions, e.Status.CompletionTime)
	d.Verdict, d.Figures = verdictFailed, experimentFigures(&e.Status)
	if meta.IsStatusConditionTrue(e.Status.Conditions, v1alpha1.ConditionReady) {
		d.Verdict = verdictComplete
	}
	return d
}

func newDocument(kind string, of metav1.Object, conditions []metav1.Condition, ended *metav1.Time) Document {
	d := Document{APIVersion: v1alpha1.GroupVersion.String(), Kind: kind, Namespace: of.GetNamespace(), Name: of.GetName(),
		UID: string(of.GetUID()), Gates: gatesOutcome(conditions), Figures: []Figure{}, Time: ended}
	explaining := v1alpha1.ConditionComplete
	if d.Gates == string(v1alpha1.GateFailed) || d.Gates == string(v1alpha1.GateUndecided) {
		explaining = v1alpha1.ConditionGatesPassed
	}
	if c := meta.FindStatusCondition(conditions, explaining); c != nil {
		d.Message = c.Message
	}
	return d
}

// gatesOutcome returns the outcome of all objectives and gates together. Those of a run that has ended without a result are
// undecided.
func gatesOutcome(conditions []metav1.Condition) string {
	c := meta.FindStatusCondition(conditions, v1alpha1.ConditionGatesPassed)
	switch {
	case c == nil, c.Reason == v1alpha1.ReasonNoGates:
		return gatesNone
	case c.Status == metav1.ConditionTrue:
		return string(v1alpha1.GatePassed)
	case c.Reason == v1alpha1.ReasonGateFailed:
		return string(v1alpha1.GateFailed)
	}
	return string(v1alpha1.GateUndecided)
}

// IsDue reports whether a webhook receives the document.
func (d *Document) IsDue(hook *v1alpha1.Webhook) bool {
	return hook.When != v1alpha1.WebhookGatesNotPassed || d.Gates != string(v1alpha1.GatePassed) && d.Gates != gatesNone
}

// runFigures returns the throughput, the counts of operations and the percentiles that were measured.
func runFigures(s *v1alpha1.BenchmarkRunStatus) []Figure {
	figures := []Figure{}
	if t := s.ThroughputMilliPerSecond; t != nil {
		figures = append(figures, Figure{Name: string(v1alpha1.MetricThroughput), Value: float64(*t) / 1000, Unit: s.Unit + "/s"})
	}
	if o := s.Operations; o != nil {
		figures = append(figures, Figure{Name: "Requests", Value: float64(o.Completed + o.Failed)}, Figure{Name: "Errors", Value: float64(o.Failed)})
	}
	if l := s.LatencyMicroseconds; l != nil {
		figures = appendLatency(figures, v1alpha1.MetricLatencyP50, "", l.P50)
		figures = appendLatency(figures, v1alpha1.MetricLatencyP95, "", l.P95)
		figures = appendLatency(figures, v1alpha1.MetricLatencyP99, "", l.P99)
	}
	if f := s.FinalityMicroseconds; f != nil {
		figures = appendLatency(figures, v1alpha1.MetricFinalityP50, "", f.P50)
		figures = appendLatency(figures, v1alpha1.MetricFinalityP95, "", f.P95)
		figures = appendLatency(figures, v1alpha1.MetricFinalityP99, "", f.P99)
	}
	return figures
}

// experimentFigures returns the counts of runs, the point with the highest throughput of valid runs, and the loads that searches
// found.
func experimentFigures(s *v1alpha1.BenchmarkExperimentStatus) []Figure {
	invalid := int32(0)
	for i := range s.Points {
		invalid += s.Points[i].RunsInvalid
	}
	figures := []Figure{{Name: "Runs", Value: float64(s.RunsEnded)}, {Name: "RunsInvalid", Value: float64(invalid)}}
	measured := slices.DeleteFunc(slices.Clone(s.Points), func(p v1alpha1.PointStatus) bool { return p.ThroughputMilliPerSecond == nil })
	if len(measured) > 0 {
		best := slices.MaxFunc(measured, func(a, b v1alpha1.PointStatus) int {
			return cmp.Compare(*a.ThroughputMilliPerSecond, *b.ThroughputMilliPerSecond)
		})
		figures = append(figures, Figure{Name: "HighestThroughput", Subject: best.Name, Value: float64(*best.ThroughputMilliPerSecond) / 1000, Unit: "1/s"})
		figures = appendLatency(figures, v1alpha1.MetricLatencyP95, best.Name, best.P95LatencyMicroseconds)
	}
	for _, search := range s.Saturation {
		figures = append(figures, Figure{Name: "SaturationLoad", Subject: search.Name, Value: search.Load.AsApproximateFloat64()})
	}
	return figures
}

// appendLatency appends a latency in milliseconds, if it was measured.
func appendLatency(figures []Figure, metric v1alpha1.Metric, subject string, microseconds *int64) []Figure {
	if microseconds == nil {
		return figures
	}
	return append(figures, Figure{Name: string(metric), Subject: subject, Value: float64(*microseconds) / 1000, Unit: "ms"})
}

// documentFile is the file with the document.
const documentFile = "document.json"

// BuildRunWebhook returns the objects that notify the webhook of a run that has ended, in the order in which they are needed.
func BuildRunWebhook(run *v1alpha1.BenchmarkRun, agentImage string) ([]client.Object, error) {
	meta := metav1.ObjectMeta{Name: naming.RunWebhook(run.Name), Namespace: run.Namespace, Labels: naming.RunWebhookLabels(run.Name)}
	return buildWebhook(meta, "spec.delivery.webhook", run.Spec.Delivery.Webhook, DescribeRun(run), agentImage)
}

// BuildExperimentWebhook returns the objects that notify the webhook of an experiment that has ended, in the order in which they
// are needed.
func BuildExperimentWebhook(e *v1alpha1.BenchmarkExperiment, agentImage string) ([]client.Object, error) {
	meta := metav1.ObjectMeta{Name: naming.ExperimentWebhook(e.Name), Namespace: e.Namespace, Labels: naming.ExperimentWebhookLabels(e.Name)}
	return buildWebhook(meta, "spec.delivery.webhook", e.Spec.Delivery.Webhook, DescribeExperiment(e), agentImage)
}

// buildWebhook returns the objects of the webhook in a field.
func buildWebhook(meta metav1.ObjectMeta, field string, hook *v1alpha1.Webhook, document Document, agentImage string) ([]client.Object, error) {
	receiver, err := parseServer(field+".url", hook.URL)
	if err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode the document of %s %s: %w", document.Kind, document.Name, err)
	}
	webhook := delivery{meta: meta, server: receiver, files: map[string]string{documentFile: string(text)},
		container: corev1.Container{Name: "webhook",
			Command: []string{"/agent", "notify", "--url", hook.URL, "--id", document.UID, path.Join(filesDir, documentFile)}}}
	if hook.SecretName != "" {
		webhook.container.Env = []corev1.EnvVar{pods.EnvFromSecret(protocol.SigningKeyVariable, hook.SecretName, "signingKey"),
			authoritiesFromSecret(hook.SecretName)}
	}
	return webhook.buildObjects(agentImage), nil
}
