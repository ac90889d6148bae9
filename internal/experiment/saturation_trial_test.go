package experiment

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

func openWorkload(kind v1alpha1.WorkloadType, clients, workers int32) v1alpha1.Workload {
	return v1alpha1.Workload{Type: kind, Workers: v1alpha1.Workers{Count: workers},
		Load: &v1alpha1.Load{Model: v1alpha1.LoadOpen, Clients: clients, RatePerSecond: resource.NewQuantity(1, resource.DecimalSI)}}
}

// TestClientsFollowTheRate uses a limit of 500 ms: a rate of 635/s requires 635 clients.
func TestClientsFollowTheRate(t *testing.T) {
	spec := newSearchSpec(1, 5000, 500*time.Millisecond)
	for name, c := range map[string]struct {
		workload v1alpha1.Workload
		rate     int64
		want     int32
	}{
		"the default ten clients": {openWorkload(v1alpha1.WorkloadCorda, 10, 1), 635, 635},
		"enough clients":          {openWorkload(v1alpha1.WorkloadCorda, 1000, 1), 635, 1000},
		"as many as a worker has": {openWorkload(v1alpha1.WorkloadJPaxos, 10, 1), 5000, 2000},
		"more workers":            {openWorkload(v1alpha1.WorkloadJPaxos, 10, 3), 5000, 5000},
		"senders of batches":      {openWorkload(v1alpha1.WorkloadEVM, 10, 1), 635, 10},
	} {
		t.Run(name, func(t *testing.T) {
			w := workloadAtLoad(c.workload, c.rate, spec)
			if w.Load.Clients != c.want || w.Load.RatePerSecond.Value() != c.rate {
				t.Errorf("got %d clients at %s, want %d at %d", w.Load.Clients, w.Load.RatePerSecond, c.want, c.rate)
			}
		})
	}
}

func TestLoadScale(t *testing.T) {
	for from, want := range map[string]struct{ label, name, rate string }{
		"1":     {"7", "7", "7"},
		"20":    {"7", "7", "7"},
		"500m":  {"0.07", "70m", "70m"},
		"1500m": {"0.7", "700m", "700m"},
		"1234m": {"0.007", "7m", "7m"},
		"5m":    {"0.007", "7m", "7m"},
	} {
		spec := newFineSearchSpec(from, "100", time.Second)
		scale := scaleOf(spec)
		w := workloadAtLoad(openWorkload(v1alpha1.WorkloadCorda, 10, 1), 7, spec)
		if scale.format(7) != want.label || scale.nameOf(7) != want.name || w.Load.RatePerSecond.String() != want.rate {
			t.Errorf("from %s, seven steps are %s, %s and a rate of %s, want %+v", from, scale.format(7), scale.nameOf(7), w.Load.RatePerSecond, want)
		}
		if back := scale.quantity(scale.steps(&spec.From)); back.Cmp(spec.From) != 0 {
			t.Errorf("from %s, the first load is %s", from, back)
		}
	}
}

func TestNewTrialEvidence(t *testing.T) {
	spec := newSearchSpec(1, 5000, 500*time.Millisecond)
	for name, c := range map[string]struct {
		run     Run
		clients int32
		want    TrialEvidence
		problem string
	}{
		"valid":                      {Run{Verdict: RunValid}, 10, Measured, ""},
		"failed":                     {Run{Verdict: RunFailed}, 10, NoEvidence, "Failed"},
		"cancelled":                  {Run{Verdict: RunCancelled}, 10, NoEvidence, "Cancelled"},
		"stolen CPU":                 {Run{Verdict: RunInvalid, Codes: []verdict.ReasonCode{verdict.ReasonCPUStolen}}, 10, NoEvidence, "CPUStolen"},
		"overload on a bad host":     {Run{Verdict: RunInvalid, Codes: []verdict.ReasonCode{"OfferedNotAchieved", verdict.ReasonCPUStolen}}, 10, NoEvidence, "CPUStolen"},
		"slow worker":                {Run{Verdict: RunInvalid, Codes: []verdict.ReasonCode{verdict.ReasonWorkerBehindSchedule}}, 10, NoEvidence, "WorkerBehindSchedule"},
		"overload":                   {Run{Verdict: RunInvalid, Codes: []verdict.ReasonCode{"OfferedNotAchieved"}}, 10, Measured, ""},
		"errors":                     {Run{Verdict: RunInvalid, Codes: []verdict.ReasonCode{verdict.ReasonErrors}}, 10, Measured, ""},
		"a member died":              {Run{Verdict: RunInvalid, Codes: []verdict.ReasonCode{verdict.ReasonErrors, verdict.ReasonOutOfMemory}}, 10, SystemFailed, "OutOfMemory"},
		"busy clients":               {Run{Verdict: RunValid, Load: LoadEvidence{ClientsExhausted: true}}, 634, GeneratorLimited, "all 634 clients were busy, and 635 are required to judge the level: raise workers.count or load.clients"},
		"busy, and there are enough": {Run{Verdict: RunValid, Load: LoadEvidence{ClientsExhausted: true}}, 635, Measured, ""},
		"busy and disturbed":         {Run{Verdict: RunInvalid, Codes: []verdict.ReasonCode{verdict.ReasonCPUStolen}, Load: LoadEvidence{ClientsExhausted: true}}, 10, NoEvidence, "CPUStolen"},
	} {
		t.Run(name, func(t *testing.T) {
			got := newTrial(635, c.run, spec, openWorkload(v1alpha1.WorkloadCorda, c.clients, 1))
			if got.Evidence != c.want || got.Problem != c.problem {
				t.Errorf("got %d, %q, want %d, %q", got.Evidence, got.Problem, c.want, c.problem)
			}
		})
	}
}
