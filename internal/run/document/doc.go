// Package document holds the stored document of a run: its measurement, its verdict and its environment. docs/results.md
// describes it.
package document
