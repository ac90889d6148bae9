// Package verdict judges whether a measurement is valid, and finds the resource that limited it. docs/verdict.md lists
// its rules.
package verdict
