// Package experiment turns a BenchmarkExperiment into points, networks and runs, says what is to be done next, and reads what
// the runs found. All of it is pure: what comes next follows from the spec and the runs that there are, so that an operator
// that dies anywhere goes on where it was.
package experiment
