// Package chart renders the charts of users in child processes with limits on time, memory and output, and caches the outcomes.
// The templates of a chart are untrusted programs: they may loop, and they may allocate without end.
//
// The child runs the same binary with the argument Command and an empty environment. It reads one request from its standard input;
// after that it can open neither files nor connections.
package chart
