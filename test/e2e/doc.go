// Package e2e tries the operator on a real cluster with real Corda nodes, PostgreSQL and load, as its users do. The operator has to be
// installed (make test-e2e sees to it). All tests have the build tag e2e. They run one after the other, in the order of their files:
// two Corda networks at a time are too much for a small machine. They are tests of function, so that they pass on a busy machine, too:
// runs record what the environment does to them (measure.environmentPolicy), and times are logged and never judged.
package e2e
