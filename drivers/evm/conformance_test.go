package main

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/benchnet/benchnet/internal/run/measurement"
)

// TestStalledService runs the scenario of a stalled service that all drivers share.
func TestStalledService(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../testdata/stalled-service.json")
	if err != nil {
		t.Fatal(err)
	}
	var scenario struct {
		Load, Measure map[string]any
		Answered      int64
		Expected      struct{ Planned, Completed, Unfinished, ClientsBusy int64 }
	}
	if err := json.Unmarshal(content, &scenario); err != nil {
		t.Fatal(err)
	}
	chain, url := startSink(t)
	chain.Answered = scenario.Answered + 1 // The trial transfer is the first.
	all := newOrders(1, 0, 1, 1, map[string]any{"batchSize": 1}, url)
	all["load"], all["measure"] = scenario.Load, scenario.Measure
	r := measureRun(t, all)
	want := scenario.Expected
	assertSums(t, r, want.Planned)
	if n := latencyHistogram(t, r).Count(); n != want.Completed || errorCounts(r)[measurement.Unfinished] != want.Unfinished {
		t.Errorf("%d completed, errors %+v; want %+v", n, r.Errors, want)
	}
	// On a busy machine some of the answered requests wait as well.
	if busy := r.Schedule.ClientsBusy; busy < want.ClientsBusy || busy > want.Planned-5 {
		t.Errorf("%d requests waited for a client, want %d", busy, want.ClientsBusy)
	}
}
