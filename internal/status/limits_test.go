package status

import (
	"errors"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/experiment/capacity"
	"github.com/benchnet/benchnet/internal/kube/limits"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
	"github.com/benchnet/benchnet/internal/network/plan"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// TestMessagesFitConditions gives each resource messages of a megabyte. The API server would reject every
// status with a message that is too long.
func TestMessagesFitConditions(t *testing.T) {
	long := strings.Repeat("ü", 1<<19)
	failed := errors.New(long)
	network, runOf, experimentOf := &v1alpha1.BenchmarkNetwork{}, newRun(false), &v1alpha1.BenchmarkExperiment{}
	stage := ObservedStage{Name: plan.StageMembers, Provisioning: true, Readiness: snapshot.Readiness{State: snapshot.StateFailed, Message: long}}
	result := &document.RunResult{Verdict: verdict.Verdict{Reasons: []verdict.Reason{{Code: "Errors", Subject: long, Message: long}}},
		Bottleneck: &verdict.Bottleneck{Message: long}, WindowSelection: &measurement.WindowSelection{State: measurement.SelectionUnsteady, Reason: long}}
	for name, conditions := range map[string][]metav1.Condition{
		"refused network": ComputeNetwork(NetworkInput{Network: network, SpecError: failed, Now: testTime}).Conditions,
		"queued network": ComputeNetwork(NetworkInput{Network: network, Plan: &plan.Plan{}, Now: testTime,
			Admission: AdmissionDecision{Reason: v1alpha1.ReasonQueued, Message: long}}).Conditions,
		"failed stage": ComputeNetwork(NetworkInput{Network: network, Plan: &plan.Plan{}, Snapshot: snapshot.New(nil, nil, nil),
			Stages: []ObservedStage{stage}, Now: testTime}).Conditions,
		"refused run":        ComputeRun(RunInput{Run: runOf, SpecError: failed, Now: testTime}).Conditions,
		"failed run":         ComputeRun(RunInput{Run: runOf, Failure: long, Now: testTime}).Conditions,
		"waiting run":        ComputeRun(RunInput{Run: runOf, WaitReason: WaitReason{Reason: "Waiting", Message: long}, Now: testTime}).Conditions,
		"run with a problem": ComputeRun(RunInput{Run: runOf, ReconcileError: failed, Now: testTime}).Conditions,
		"refused experiment": ComputeExperiment(ExperimentInput{Experiment: experimentOf, SpecError: failed, Now: testTime}).Conditions,
		"experiment without capacity": ComputeExperiment(ExperimentInput{Experiment: experimentOf,
			Capacity: &capacity.FitResult{Message: long}, ReconcileError: failed, Now: testTime}).Conditions,
	} {
		t.Run(name, func(t *testing.T) {
			longest := 0
			for _, c := range conditions {
				longest = max(longest, utf8.RuneCountInString(c.Message))
				if len(c.Message) > limits.MaxCondition || !utf8.ValidString(c.Message) {
					t.Errorf("condition %s has a message of %d bytes", c.Type, len(c.Message))
				}
			}
			if longest < limits.MaxCondition/3 {
				t.Errorf("the longest message has %d characters, so the long one was dropped", longest)
			}
		})
	}
	t.Run("sentences of a result", func(t *testing.T) {
		s := ComputeRun(RunInput{Run: runOf, Result: result, Now: testTime})
		if len(s.Display.Bottleneck) > limits.MaxItem || len(s.Display.SteadyState) > limits.MaxItem || len(s.Reasons[0].Message) > limits.MaxItem {
			t.Errorf("they have %d, %d and %d bytes", len(s.Display.Bottleneck), len(s.Display.SteadyState), len(s.Reasons[0].Message))
		}
	})
}

// TestListLimitsOfCRDs compares the list limits of this package with those that the API server enforces.
func TestListLimitsOfCRDs(t *testing.T) {
	for _, c := range []struct {
		resource, list string
		limit          int
	}{
		{"benchmarknetworks", "settings", maxSettings}, {"benchmarknetworks", "members", maxMembers}, {"benchmarknetworks", "databases", maxMembers},
		{"benchmarkruns", "measures", maxMeasures}, {"benchmarkruns", "reasons", 2 * maxReasons},
		{"benchmarkexperiments", "points", experiment.MaxPoints}, {"benchmarkexperiments", "comparisons", experiment.MaxPoints},
		{"benchmarkexperiments", "saturation", maxSearches},
	} {
		t.Run(c.resource+"/"+c.list, func(t *testing.T) {
			content, err := os.ReadFile("../../config/crd/bases/benchnet.dev_" + c.resource + ".yaml")
			if err != nil {
				t.Fatal(err)
			}
			var crd apiextensionsv1.CustomResourceDefinition
			if err := yaml.Unmarshal(content, &crd); err != nil {
				t.Fatal(err)
			}
			got := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["status"].Properties[c.list].MaxItems
			if got == nil || *got != int64(c.limit) {
				t.Errorf("the CRD allows %v items, the status up to %d", got, c.limit)
			}
		})
	}
}
