// Package e2e tests the operator on a real cluster with real Corda nodes, PostgreSQL and load, in the way users use it.
//
// The operator must be installed, which make test-e2e ensures. All tests have the build tag e2e and run in sequence, by
// file, because two Corda networks at once overload a small machine. Those that use little CPU and leave nodes and the
// operator alone are parallel, and run last. All must pass on a busy machine: runs record environment effects
// (measure.environmentPolicy), and durations are logged but never judged.
package e2e
