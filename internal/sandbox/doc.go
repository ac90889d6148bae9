// Package sandbox renders the charts of users in child processes with limits on time, memory and output, and keeps what they
// returned. A chart's templates are programs of a user's choice: they may loop, and they may use all the memory that they get.
//
// The child is this binary once more. It has no environment and no arguments but Command, reads one request from its standard
// input, and from then on can open neither files nor connections.
package sandbox
