// Package measurement records what the workers of a run measure and merges their reports. Agents and drivers use it.
//
// The package is pure: it uses no clock, client or environment. docs/results.md describes the reports.
package measurement
