// Package chart renders users' charts in child processes with limits on time, memory and output, and caches the
// outcomes. The templates of a chart are untrusted programs: they may loop, and they may allocate without
// limit.
//
// A child runs the same binary with the argument ChildCommand and an empty environment. It reads one request
// from standard input. After that it can open neither files nor connections.
package chart
