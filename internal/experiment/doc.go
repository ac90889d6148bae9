// Package experiment expands a BenchmarkExperiment into points, networks and runs, decides the next step, and
// summarizes the results of the runs. It is pure: the next step depends only on the spec and the existing runs,
// so that an operator continues after a restart at any point.
package experiment
