// Package results turns what the workers of a run measured into one result that can be trusted:
// it merges histograms and series exactly, sums up, and judges whether the run is valid and why not.
//
// The package is pure: no clock, no client, no environment. The documents are described in docs/results.md.
package results
