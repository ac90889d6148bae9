package comparison

import (
	"encoding/xml"
	"fmt"
	"io"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/run/verdict"
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
	suite := junitSuite{Name: "benchnet: against " + baseline}
	for _, o := range outcomes {
		suite.addCase(o.Candidate, o.MetricName(), o.Gate, o.Message, "Regression")
	}
	return writeSuite(w, suite)
}

// JudgedSubject is a run or a point with the outcomes of its objectives.
type JudgedSubject struct {
	Name       string
	Objectives []verdict.ObjectiveOutcome
}

// WriteObjectivesJUnit writes a JUnit report with a test case for each objective of each subject, and for each
// comparison of an experiment.
func WriteObjectivesJUnit(w io.Writer, name string, subjects []JudgedSubject, comparisons []experiment.ComparisonOutcome) error {
	suite := junitSuite{Name: "benchnet: " + name}
	for _, s := range subjects {
		for _, o := range s.Objectives {
			suite.addCase(s.Name, o.Metric, v1alpha1.GateOutcome(o.Outcome), o.Message, "Objective")
		}
	}
	for _, o := range comparisons {
		suite.addCase(o.Candidate, o.MetricName(), o.Gate, o.Message, "Regression")
	}
	return writeSuite(w, suite)
}

// addCase adds a test case with the outcome of a gate. failure is the type of its failure.
func (s *junitSuite) addCase(class, name string, outcome v1alpha1.GateOutcome, message, failure string) {
	c := junitCase{Class: class, Name: name}
	switch outcome {
	case v1alpha1.GateFailed:
		s.Failures++
		c.Failure = &junitMessage{Message: message, Type: failure}
	case v1alpha1.GateUndecided:
		s.Errors++
		c.Error = &junitMessage{Message: message, Type: "Undecided"}
	case v1alpha1.GatePassed:
		c.SystemOut = message
	default:
		s.Skipped++
		c.Skipped = &junitMessage{Message: "no gate: " + message}
	}
	s.Tests++
	s.Cases = append(s.Cases, c)
}

func writeSuite(w io.Writer, suite junitSuite) error {
	text, err := xml.MarshalIndent(junitSuites{Suites: []junitSuite{suite}}, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the JUnit report: %w", err)
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}
