// Package observer samples members while a run is measured: the CPU and memory of their containers, and metrics of their own.
package observer

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/benchnet/benchnet/internal/agent/cgroup"
	"github.com/benchnet/benchnet/internal/agent/exposition"
	"github.com/benchnet/benchnet/internal/agent/protocol"
	"github.com/benchnet/benchnet/internal/results"
)

// scrapeTimeout leaves room before the next second's scrape.
const scrapeTimeout = 900 * time.Millisecond

// client ignores proxies of the environment: members are reached directly.
var client = &http.Client{Transport: &http.Transport{}}

// Scrape reads the named metrics of one endpoint, within ctx; those that it does not have are not in the result.
type Scrape func(ctx context.Context, url string, names []string) (map[string]float64, error)

// HTTP scrapes a metrics endpoint.
func HTTP(ctx context.Context, url string, names []string) (map[string]float64, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s", url, response.Status)
	}
	return exposition.Read(response.Body, names...)
}

// Share is what one worker observes: each endpoint is observed by exactly one worker.
func Share(all []protocol.Observed, worker, workers int) []protocol.Observed {
	var mine []protocol.Observed
	for i, o := range all {
		if i%workers == worker {
			mine = append(mine, o)
		}
	}
	return mine
}

// Observation is what was seen over the window.
type Observation struct {
	Members []results.Member
	Series  []results.NamedSeries
}

// Observe samples the endpoints at the start of the window and at the end of each of its seconds. It returns
// when the last sample is taken, or, with the rest missed, when ctx ends.
func Observe(ctx context.Context, endpoints []protocol.Observed, window *protocol.Window, scrape Scrape) Observation {
	readings := make([][]reading, len(endpoints))
	var all sync.WaitGroup
	for i, o := range endpoints {
		all.Go(func() { readings[i] = sample(ctx, o, window, scrape) })
	}
	all.Wait()
	seconds, seen := window.Seconds(), Observation{}
	for i, o := range endpoints {
		readings[i] = readings[i][:seconds/o.Every()+1]
		if tellsUsage(o, readings[i]) {
			seen.Members = append(seen.Members, evaluate(o, readings[i]))
			seen.Series = append(seen.Series, recorded(o, readings[i], seconds)...)
		}
		for _, s := range o.Series {
			seen.Series = append(seen.Series, seriesOf(o, s, readings[i], seconds))
		}
	}
	return seen
}

// reading is one sample, in the middle of an exchange that took some time; at is zero if it was missed.
type reading struct {
	at   time.Time
	took time.Duration
	// usage of the container; nil where the endpoint is not an agent's.
	usage *cgroup.Usage
	// values of the metrics by name.
	values map[string]float64
}

func (r reading) missed() bool { return r.at.IsZero() }

// usageMissed tells whether nothing is known of the container.
func (r reading) usageMissed() bool { return r.usage == nil }

// tellsUsage is false for an endpoint that is there for its series and has answered without a container's usage, or that is not
// sampled each second.
func tellsUsage(o protocol.Observed, readings []reading) bool {
	if o.Every() > 1 || len(o.Series) == 0 {
		return o.Every() == 1
	}
	answered := slices.ContainsFunc(readings, func(r reading) bool { return !r.missed() })
	known := slices.ContainsFunc(readings, func(r reading) bool { return !r.usageMissed() })
	return known || !answered
}

// sample takes a reading at the start and after every o.Every() seconds of the window, which may end earlier while it lasts; what lies
// behind its end is left empty. One that cannot be taken on time is missed, not taken late.
func sample(ctx context.Context, o protocol.Observed, window *protocol.Window, scrape Scrape) []reading {
	var names []string
	if o.Every() == 1 {
		names = slices.Clone(agentNames)
	}
	for _, s := range o.Series {
		names = append(names, s.Metric)
	}
	readings := make([]reading, window.Longest()/o.Every()+1)
	for i := 0; i <= window.Seconds()/o.Every(); i++ {
		due := window.From().Add(time.Duration(i*o.Every()) * time.Second)
		if sleepUntil(ctx, due) != nil {
			break
		}
		if time.Since(due) < scrapeTimeout {
			readings[i] = exchange(ctx, due.Add(scrapeTimeout), o.URL, names, scrape)
		}
	}
	return readings
}

// exchange takes one reading; it is missed if there is no answer by the deadline.
func exchange(ctx context.Context, deadline time.Time, url string, names []string, scrape Scrape) reading {
	once, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	began := time.Now()
	values, err := scrape(once, url, names)
	if err != nil {
		return reading{}
	}
	took := time.Since(began)
	r := reading{at: began.Add(took / 2), took: took, values: values}
	if usage, err := cgroup.FromMetrics(values); err == nil {
		r.usage = &usage
	}
	return r
}

func sleepUntil(ctx context.Context, due time.Time) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Until(due)):
		return nil
	}
}

// evaluate turns the readings of each second into a container's use and evidence. A value is missing if a reading that it needs is, or if the
// container was restarted between them.
func evaluate(o protocol.Observed, readings []reading) results.Member {
	m := results.Member{Member: o.Member, Kind: results.MemberKind(o.Kind), Role: o.Role, Evidence: evidenceOf(readings)}
	var last *cgroup.Usage
	for i, r := range readings {
		if r.usageMissed() {
			m.MissedScrapes++
		}
		if i > 0 {
			m.CPUSeconds = append(m.CPUSeconds, cores(readings[i-1], r))
			m.MemoryBytes = append(m.MemoryBytes, memory(r))
		}
		if r.usageMissed() {
			continue
		}
		if last != nil {
			count(&m, *last, *r.usage)
		}
		last = r.usage
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
	if before.usageMissed() || after.usageMissed() {
		return results.Missing
	}
	return rate(before.usage.CPU.Seconds(), after.usage.CPU.Seconds(), after.at.Sub(before.at))
}

func memory(r reading) float64 {
	if r.usageMissed() {
		return results.Missing
	}
	return float64(r.usage.WorkingSet)
}

// seriesOf is a metric over the window: a counter's rate up to each second, a gauge's value at its end. What is not sampled each
// second is missing in the seconds between.
func seriesOf(o protocol.Observed, wanted protocol.ObservedSeries, readings []reading, seconds int) results.NamedSeries {
	s := results.NamedSeries{Subject: o.Member, Name: wanted.Name, Unit: wanted.Unit, Values: make(results.Series, seconds)}
	for i := range s.Values {
		s.Values[i] = results.Missing
	}
	for i := 1; i < len(readings); i++ {
		value := readings[i].value(wanted.Metric)
		if wanted.Kind == protocol.Counter {
			value = rate(readings[i-1].value(wanted.Metric), value, readings[i].at.Sub(readings[i-1].at))
		}
		s.Values[i*o.Every()-1] = value
	}
	return s
}

// value of a metric; missing if the reading is, if the endpoint does not have it, or if it is no number.
func (r reading) value(metric string) float64 {
	value, found := r.values[metric]
	if !found || math.IsInf(value, 0) {
		return results.Missing
	}
	return value
}

// rate is what was counted per second between two values, to four decimals; missing if a value is or if the counter went back.
func rate(before, after float64, passed time.Duration) float64 {
	if math.IsNaN(before) || math.IsNaN(after) || after < before {
		return results.Missing
	}
	return math.Round((after-before)/passed.Seconds()*1e4) / 1e4
}
