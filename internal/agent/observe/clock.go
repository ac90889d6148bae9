package observe

import (
	"context"
	"time"

	"github.com/benchnet/benchnet/internal/agent/container"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// clockExchanges is the number of exchanges of one comparison. The shortest counts, which on an idle network is
// within some 100 µs of the fastest possible.
const clockExchanges = 8

// CompareClock compares this pod's clock, which now reads, with that of the endpoint by several exchanges. It returns
// nil if none of them yields the clock.
func CompareClock(ctx context.Context, o protocol.ObservedEndpoint, now func() time.Time, scrape ScrapeFunc) *measurement.ClockOffset {
	var known []scrapeSample
	for range clockExchanges {
		r := scrapeOnce(ctx, time.Now().Add(scrapeTimeout), o.URL, []string{container.HostClock}, now, scrape)
		if _, ok := r.values[container.HostClock]; !ok {
			break
		}
		known = append(known, r)
	}
	best := estimateClockOffset(known)
	if best == nil {
		return nil
	}
	return &measurement.ClockOffset{OffsetMillis: best.OffsetMillis, ErrorMillis: best.ErrorMillis}
}

// maxReferences bounds how many members are tried as the reference.
const maxReferences = 3

// CompareWithReference compares this pod's clock with that of the first endpoint that answers. All workers have the
// same list of endpoints, and so the same reference. It returns nil if none does.
func CompareWithReference(ctx context.Context, all []protocol.ObservedEndpoint, now func() time.Time, scrape ScrapeFunc) (
	protocol.ObservedEndpoint, *measurement.ClockOffset) {
	tried := 0
	for _, o := range all {
		if o.SampleIntervalSeconds() > 1 || tried == maxReferences {
			continue
		}
		tried++
		if offset := CompareClock(ctx, o, now, scrape); offset != nil {
			return o, offset
		}
	}
	return protocol.ObservedEndpoint{}, nil
}
