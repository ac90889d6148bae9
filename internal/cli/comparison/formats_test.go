package comparison

import (
	"bytes"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/cli/table"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// outcomes has one comparison for each outcome of a gate.
var outcomes = []experiment.ComparisonOutcome{
	{Candidate: "new a|b=<1>", Metric: "Throughput", Gate: v1alpha1.GateFailed, Message: "regression > 5 %"},
	{Candidate: "new", Metric: "LatencyP95", Gate: v1alpha1.GateUndecided, Message: "too few valid runs"},
	{Candidate: "new", Metric: "LatencyMean", Gate: v1alpha1.GatePassed, Message: "no difference"},
	{Candidate: "new", Metric: "ErrorShare", Message: "better"},
}

func TestWriteJUnit(t *testing.T) {
	var out bytes.Buffer
	if err := WriteJUnit(&out, "old.json", outcomes); err != nil {
		t.Fatal(err)
	}
	want := `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="benchnet: against old.json" tests="4" failures="1" errors="1" skipped="1">
    <testcase classname="new a|b=&lt;1&gt;" name="Throughput">
      <failure message="regression &gt; 5 %" type="Regression"></failure>
    </testcase>
    <testcase classname="new" name="LatencyP95">
      <error message="too few valid runs" type="Undecided"></error>
    </testcase>
    <testcase classname="new" name="LatencyMean">
      <system-out>no difference</system-out>
    </testcase>
    <testcase classname="new" name="ErrorShare">
      <skipped message="no gate: better"></skipped>
    </testcase>
  </testsuite>
</testsuites>
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

func TestWriteObjectivesJUnit(t *testing.T) {
	var out bytes.Buffer
	subjects := []JudgedSubject{{"p01 users=10", []verdict.ObjectiveOutcome{{Metric: "LatencyP95", Outcome: "Failed", Message: "612 ms"},
		{Metric: "Throughput", Outcome: "Undecided", Message: "invalid"}, {Metric: "ErrorShare", Outcome: "Passed", Message: "0 %"}}}}
	if err := WriteObjectivesJUnit(&out, "sweep", subjects, outcomes[:1]); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<testsuite name="benchnet: sweep" tests="4" failures="2" errors="1" skipped="0">`,
		`<testcase classname="p01 users=10" name="LatencyP95">` + "\n      " + `<failure message="612 ms" type="Objective">`,
		`<error message="invalid" type="Undecided">`,
		`<failure message="regression &gt; 5 %" type="Regression">`,
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestWriteMarkdown(t *testing.T) {
	var out bytes.Buffer
	if err := WriteMarkdown(&out, "old_1.json", "new", outcomes, table.ForComparisons(outcomes)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"**new against old\\_1.json:** 1 of 3 gates passed, 1 failed, 1 undecided\n\n- Failed, new a\\|b=&lt;1&gt;: regression &gt; 5 %\n- Undecided, new: too few valid runs\n\n",
		"| Candidate | Metric | Baseline | Measured | Difference | Interval | P | Detectable | Failed | Verdict | Gate |\n| --- | --- |",
		"| new a\\|b=&lt;1&gt; | Throughput |",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	out.Reset()
	if err := WriteMarkdown(&out, "a", "b", outcomes[3:]); err != nil || out.String() != "**b against a:** no gates\n" {
		t.Errorf("%v: %q", err, out.String())
	}
}
