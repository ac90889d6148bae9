package experiment

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// newOversizedResult returns a comparison of the most runs that an experiment has, each with ten attempts. Half of the candidate's
// runs failed; the other repetitions have a valid run after attempts that were left out.
func newOversizedResult() *Result {
	r := &Result{APIVersion: APIVersion, Kind: Kind, SchemaVersion: SchemaVersion, Order: string(v1alpha1.OrderRandomizedPairs)}
	for i := range MaxRuns / 100 {
		point := Point{Name: fmt.Sprintf("p%02d", i), Variant: []string{"base", "other"}[i%2], Parameters: []Parameter{{"users", fmt.Sprint(i / 2)}}}
		r.Points = append(r.Points, point)
		for repetition := 1; repetition <= 100; repetition++ {
			for attempt := 1; attempt <= 10; attempt++ {
				at := time.Unix(int64(3600*repetition+60*attempt+i%2), 0).UTC()
				run := Run{Name: strings.Repeat("e", 63) + fmt.Sprint(i, repetition, attempt), Point: point.Name, Repetition: repetition, Attempt: attempt,
					Start: at, End: at, Verdict: RunInvalid, Excluded: i%2 == 0 || repetition%2 == 0,
					Codes: []verdict.ReasonCode{verdict.ReasonCPUStolen}, Reasons: []string{strings.Repeat("r", 500)}}
				if run.Excluded && attempt == 10 {
					run.Verdict, run.Excluded, run.Codes, run.Reasons = RunValid, false, nil, nil
					run.Metrics = map[string]float64{"Throughput": 100.123456789 + float64(repetition)}
				}
				r.Runs = append(r.Runs, run)
			}
		}
	}
	return r
}

// TestEncodeKeepsFailures checks that a document above the limit of size leads to the same comparisons as the whole one.
func TestEncodeKeepsFailures(t *testing.T) {
	whole := newOversizedResult()
	packed, err := Encode(whole)
	if err != nil {
		t.Fatal(err)
	}
	shortened, err := Decode(packed)
	if err != nil {
		t.Fatal(err)
	}
	if shortened.Runs[0].Name != "" || whole.Runs[0].Name == "" {
		t.Error("the document should have lost the names of runs that are not valid, and the result should have kept them")
	}
	spec := newComparisonSpec(v1alpha1.MetricThroughput, "5")
	want, got := CompareVariants(Question{spec, whole, nil}), CompareVariants(Question{spec, shortened, nil})
	if !reflect.DeepEqual(got, want) || got[0].Gate != v1alpha1.GateFailed || got[0].Failures.Candidate != 50 {
		t.Errorf("got %+v\nwant %+v", got[0], want[0])
	}
}
