package platform_test

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// evenPlatform accepts every workload. Its driver plans even arrivals only.
type evenPlatform struct{ platform.Platform }

func (evenPlatform) Type() v1alpha1.PlatformType { return "Even" }

func (evenPlatform) ValidateWorkload(*v1alpha1.BenchmarkNetworkSpec, *v1alpha1.Workload, *field.Path) field.ErrorList {
	return nil
}

func (evenPlatform) FinalityOf(w *v1alpha1.Workload) measurement.FinalityOf {
	if w.Type == v1alpha1.WorkloadJMeter {
		return ""
	}
	return measurement.FinalityOfOperation
}

// poissonPlatform also draws Poisson arrivals, except for user-supplied JMeter plans.
type poissonPlatform struct{ evenPlatform }

func (poissonPlatform) SupportsPoisson(w *v1alpha1.Workload) bool {
	return w.Type != v1alpha1.WorkloadJMeter
}

func TestValidateWorkloadRefusesUnsupportedArrivals(t *testing.T) {
	for name, c := range map[string]struct {
		platform platform.Platform
		workload v1alpha1.WorkloadType
		arrivals v1alpha1.Arrivals
		refused  bool
	}{
		"even arrivals":                {evenPlatform{}, v1alpha1.WorkloadEVM, v1alpha1.ArrivalsEven, false},
		"no capability":                {evenPlatform{}, v1alpha1.WorkloadEVM, v1alpha1.ArrivalsPoisson, true},
		"capability":                   {poissonPlatform{}, v1alpha1.WorkloadCorda, v1alpha1.ArrivalsPoisson, false},
		"capability of another driver": {poissonPlatform{}, v1alpha1.WorkloadJMeter, v1alpha1.ArrivalsPoisson, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := &v1alpha1.Workload{Type: c.workload, Load: &v1alpha1.Load{Model: v1alpha1.LoadOpen, Arrivals: c.arrivals}, Reset: v1alpha1.KeepState}
			problems := platform.ValidateWorkload(c.platform, &v1alpha1.BenchmarkNetworkSpec{}, w, field.NewPath("workload"))
			if (len(problems) > 0) != c.refused {
				t.Fatalf("got %v, want a refusal: %t", problems, c.refused)
			}
			want := "the driver of " + string(c.workload) + " workloads on Even networks"
			if c.refused && (problems[0].Field != "workload.load.arrivals" || !strings.Contains(problems[0].Error(), want)) {
				t.Errorf("got %v, want the field and %q", problems[0], want)
			}
		})
	}
}

func TestValidateWorkloadRefusesUnknownFinality(t *testing.T) {
	for workload, want := range map[v1alpha1.WorkloadType]string{
		v1alpha1.WorkloadCorda:  "",
		v1alpha1.WorkloadJMeter: `workload.objectives[1].metric: Invalid value: "FinalityP95": must be a latency, Throughput or ErrorShare: it is unknown when the operations of JMeter workloads on Even networks are final`,
	} {
		t.Run(string(workload), func(t *testing.T) {
			limit := &v1alpha1.Timeout{Duration: time.Second}
			w := &v1alpha1.Workload{Type: workload, Reset: v1alpha1.KeepState, Objectives: []v1alpha1.Objective{
				{MetricObjective: v1alpha1.MetricObjective{Metric: v1alpha1.MetricLatencyP95, MaxLatency: limit}},
				{MetricObjective: v1alpha1.MetricObjective{Metric: v1alpha1.MetricFinalityP95, MaxLatency: limit}}}}
			got := ""
			if err := platform.ValidateWorkload(evenPlatform{}, &v1alpha1.BenchmarkNetworkSpec{}, w, field.NewPath("workload")).ToAggregate(); err != nil {
				got = err.Error()
			}
			if got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func (evenPlatform) Topology(*v1alpha1.BenchmarkNetwork) platform.Topology {
	return platform.Topology{Members: []platform.Member{{Name: "member-0"}}}
}

// TestResolveFaultsRefusesUnknownLeaders checks a platform whose members do not report who leads.
func TestResolveFaultsRefusesUnknownLeaders(t *testing.T) {
	w := &v1alpha1.Workload{Faults: []v1alpha1.Fault{{Target: v1alpha1.FaultTarget{Select: v1alpha1.SelectLeader}}}}
	_, errs := platform.ResolveFaults(evenPlatform{}, &v1alpha1.BenchmarkNetworkSpec{}, w, field.NewPath("workload"))
	want := `workload.faults[0].target.select: Invalid value: "Leader": cannot be read: the members of a network of type Even do not report who leads`
	if err := errs.ToAggregate(); err == nil || err.Error() != want {
		t.Errorf("got %v, want %q", err, want)
	}
}
