// Package results merges what the workers of a run measured into one result and judges whether the run is
// valid.
//
// The package is pure: it uses no clock, client or environment. docs/results.md describes the documents.
package results
