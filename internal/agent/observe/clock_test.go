package observe

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/benchnet/benchnet/internal/agent/container"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// TestCompareWithReference has a first member that does not answer, a program without a clock, and a member whose
// clock is 250 ms ahead and whose first answers are slow, so that only the later ones are precise.
func TestCompareWithReference(t *testing.T) {
	exchanges := 0
	scrape := func(_ context.Context, url string, _ []string) (map[string]float64, error) {
		switch url {
		case "down":
			return nil, errors.New("no route")
		case "program":
			return map[string]float64{"n": 1}, nil
		}
		exchanges++
		reference := float64(time.Now().Add(250*time.Millisecond).UnixNano()) / 1e9
		if exchanges < 3 {
			time.Sleep(80 * time.Millisecond)
		}
		return map[string]float64{container.HostClock: reference}, nil
	}
	o, got := CompareWithReference(t.Context(), []protocol.ObservedEndpoint{{Member: "a", URL: "down"}, {Member: "b", URL: "program"}, {Member: "c", URL: "up"}}, time.Now, scrape)
	if got == nil || o.Member != "c" || exchanges != clockExchanges {
		t.Fatalf("got %+v of %q after %d exchanges", got, o.Member, exchanges)
	}
	if math.Abs(got.OffsetMillis-250) > got.ErrorMillis+1 || got.ErrorMillis > 40 {
		t.Errorf("got %+v, want 250 ms by a fast exchange", got)
	}
	if _, none := CompareWithReference(t.Context(), []protocol.ObservedEndpoint{{URL: "down"}, {URL: "down"}, {URL: "down"}, {URL: "up"}}, time.Now, scrape); none != nil {
		t.Errorf("got %+v after %d references that are down", none, maxReferences)
	}
}
