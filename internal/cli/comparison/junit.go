package comparison

import (
	"encoding/xml"
	"fmt"
	"io"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
)

// junitSuites is the root of a JUnit report, with the elements that CI systems read.
type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class     string        `xml:"classname,attr"`
	Name      string        `xml:"name,attr"`
	Failure   *junitMessage `xml:"failure"`
	Error     *junitMessage `xml:"error"`
	Skipped   *junitMessage `xml:"skipped"`
	SystemOut string        `xml:"system-out,omitempty"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
}

// WriteJUnit writes a JUnit report with a test case for each comparison. A failed gate is a failure. An undecided gate
// is an error, because the gate was requested but not judged. A comparison without a gate is skipped.
func WriteJUnit(w io.Writer, baseline string, outcomes []experiment.ComparisonOutcome) error {
	suite := junitSuite{Name: "benchnet: against " + baseline, Tests: len(outcomes)}
	for _, o := range outcomes {
		c := junitCase{Class: o.Candidate, Name: o.Metric}
		switch o.Gate {
		case v1alpha1.GateFailed:
			suite.Failures++
			c.Failure = &junitMessage{Message: o.Message, Type: "Regression"}
		case v1alpha1.GateUndecided:
			suite.Errors++
			c.Error = &junitMessage{Message: o.Message, Type: "Undecided"}
		case v1alpha1.GatePassed:
			c.SystemOut = o.Message
		default:
			suite.Skipped++
			c.Skipped = &junitMessage{Message: "no gate: " + o.Message}
		}
		suite.Cases = append(suite.Cases, c)
	}
	text, err := xml.MarshalIndent(junitSuites{Suites: []junitSuite{suite}}, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the JUnit report: %w", err)
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}
