// Package observer samples the CPU and memory of members while a run is measured.
package observer

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"sync"
	"time"

	"github.com/benchnet/benchnet/internal/agent/cgroup"
	"github.com/benchnet/benchnet/internal/agent/protocol"
	"github.com/benchnet/benchnet/internal/results"
)

// scrapeTimeout leaves room before the next second's scrape.
const scrapeTimeout = 900 * time.Millisecond

// client ignores proxies of the environment: members are reached directly.
var client = &http.Client{Transport: &http.Transport{}}

// Scrape reads the usage of one member, within ctx.
type Scrape func(ctx context.Context, url string) (cgroup.Usage, error)

// HTTP scrapes the metrics endpoint of an agent.
func HTTP(ctx context.Context, url string) (cgroup.Usage, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return cgroup.Usage{}, err
	}
	response, err := client.Do(request)
	if err != nil {
		return cgroup.Usage{}, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return cgroup.Usage{}, fmt.Errorf("%s answers %s", url, response.Status)
	}
	return cgroup.ParseMetrics(response.Body)
}

// Share is what one worker observes of the members: each member is observed by exactly one worker.
func Share(members []protocol.Observed, worker, workers int) []protocol.Observed {
	var mine []protocol.Observed
	for i, m := range members {
		if i%workers == worker {
			mine = append(mine, m)
		}
	}
	return mine
}

// Observe samples the members at start and at the end of each of the given seconds after it. It returns
// when the last sample is taken, or, with the rest missed, when ctx ends.
func Observe(ctx context.Context, members []protocol.Observed, start time.Time, seconds int, scrape Scrape) []results.Member {
	observed := make([]results.Member, len(members))
	var all sync.WaitGroup
	for i, m := range members {
		all.Go(func() {
			observed[i] = evaluate(m.Member, sample(ctx, m.URL, start, seconds, scrape))
		})
	}
	all.Wait()
	return observed
}

// reading is one sample; at is zero if it was missed.
type reading struct {
	at    time.Time
	usage cgroup.Usage
}

func (r reading) missed() bool { return r.at.IsZero() }

// sample takes seconds + 1 readings. One that cannot be taken on time is missed, not taken late.
func sample(ctx context.Context, url string, start time.Time, seconds int, scrape Scrape) []reading {
	readings := make([]reading, seconds+1)
	for i := range readings {
		due := start.Add(time.Duration(i) * time.Second)
		if sleepUntil(ctx, due) != nil {
			break
		}
		began := time.Now()
		if began.Sub(due) >= scrapeTimeout {
			continue
		}
		once, cancel := context.WithDeadline(ctx, due.Add(scrapeTimeout))
		usage, err := scrape(once, url)
		cancel()
		if err == nil {
			readings[i] = reading{at: began.Add(time.Since(began) / 2), usage: usage}
		}
	}
	return readings
}

func sleepUntil(ctx context.Context, due time.Time) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Until(due)):
		return nil
	}
}

// evaluate turns readings into series. A value is missing if a reading that it needs is, or if the
// container was restarted between them.
func evaluate(member string, readings []reading) results.Member {
	m := results.Member{Member: member}
	var last *reading
	for i := range readings {
		r := &readings[i]
		if r.missed() {
			m.MissedScrapes++
		}
		if i > 0 {
			m.CPUSeconds = append(m.CPUSeconds, cores(readings[i-1], *r))
			m.MemoryBytes = append(m.MemoryBytes, memory(*r))
		}
		if r.missed() {
			continue
		}
		if last != nil {
			count(&m, last.usage, r.usage)
		}
		last = r
	}
	return m
}

// count adds the CPU periods between two readings, however far apart they are. A restart in between is counted as such;
// its periods are lost.
func count(m *results.Member, before, after cgroup.Usage) {
	if after.CPU < before.CPU || after.Periods < before.Periods {
		m.Resets++
		return
	}
	m.Periods += int64(after.Periods - before.Periods)
	m.ThrottledPeriods += int64(after.ThrottledPeriods - before.ThrottledPeriods)
}

// cores is the CPU time used between two readings per second that lay between them, to 0.1 ms.
func cores(before, after reading) float64 {
	if before.missed() || after.missed() || after.usage.CPU < before.usage.CPU {
		return results.Missing
	}
	used := (after.usage.CPU - before.usage.CPU).Seconds() / after.at.Sub(before.at).Seconds()
	return math.Round(used*1e4) / 1e4
}

func memory(r reading) float64 {
	if r.missed() {
		return results.Missing
	}
	return float64(r.usage.WorkingSet)
}
