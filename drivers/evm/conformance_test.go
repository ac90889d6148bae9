package main

import (
	"testing"

	"github.com/benchnet/benchnet/drivers/internal/drivertest"
)

// TestStalledService runs the scenario of a stalled service that all drivers share.
func TestStalledService(t *testing.T) {
	t.Parallel()
	scenario := drivertest.ReadStalledService(t, "..")
	chain, url := startSink(t)
	chain.Answered = scenario.Answered + 1 // The trial transfer is the first.
	all := newOrders(1, 0, 1, 1, map[string]any{"batchSize": 1}, url)
	all["load"], all["measure"] = scenario.Load, scenario.Measure
	scenario.AssertResult(t, measureRun(t, all))
}
