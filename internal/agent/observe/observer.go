// Package observe follows the members during a run: it samples their metrics, compares their clocks, describes their hosts, and
// counts the blocks that a member streams.
package observe

import (
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/benchnet/benchnet/internal/agent/container"
	"github.com/benchnet/benchnet/internal/httpclient"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// scrapeTimeout ends a scrape before the next second's scrape.
const scrapeTimeout = 900 * time.Millisecond

// httpClient ignores the proxies of the environment, because members are reached directly.
var httpClient = &http.Client{Transport: &http.Transport{}, CheckRedirect: httpclient.RefuseRedirects}

// ScrapeFunc returns the named metrics of one endpoint and omits missing ones. It must return when ctx ends.
type ScrapeFunc func(ctx context.Context, url string, names []string) (map[string]float64, error)

// ScrapeHTTP is a ScrapeFunc for metrics endpoints over HTTP.
func ScrapeHTTP(ctx context.Context, url string, names []string) (map[string]float64, error) {
	var values map[string]float64
	err := SendRequest(ctx, http.MethodGet, url, "", func(body io.Reader) (err error) {
		values, err = container.ReadMetrics(body, names...)
		return err
	})
	return values, err
}

// SendRequest sends a request without a body to an agent or an exporter, and passes the body of a successful response
// to read. The token authenticates commands; empty for none.
func SendRequest(ctx context.Context, method, url, token string, read func(body io.Reader) error) error {
	request, err := http.NewRequestWithContext(ctx, method, url, nil)
	if err != nil {
		return err
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := httpClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", url, response.Status)
	}
	return read(response.Body)
}

// SelectShare returns the part of a list that belongs to one worker. Each item belongs to exactly one.
func SelectShare[Item any](all []Item, worker, workers int) []Item {
	var mine []Item
	for i, item := range all {
		if i%workers == worker {
			mine = append(mine, item)
		}
	}
	return mine
}

// Observation holds the measurements of the window.
type Observation struct {
	Members []measurement.MemberUsage
	Series  []measurement.NamedSeries
}

// Observe samples the endpoints at the start of the window and at the end of each sample interval. It returns
// after the last sample, or when ctx ends, with the remaining samples missed.
func Observe(ctx context.Context, endpoints []protocol.ObservedEndpoint, window *protocol.Window, scrape ScrapeFunc) Observation {
	readings := make([][]scrapeSample, len(endpoints))
	var all sync.WaitGroup
	for i, o := range endpoints {
		all.Go(func() { readings[i] = takeSamples(ctx, o, window, scrape) })
	}
	all.Wait()
	seconds, seen := window.Seconds(), Observation{}
	for i, o := range endpoints {
		readings[i] = readings[i][:seconds/o.SampleIntervalSeconds()+1]
		if recordsUsage(o, readings[i]) {
			seen.Members = append(seen.Members, summarizeMember(o, readings[i]))
			seen.Series = append(seen.Series, buildAgentSeries(o, readings[i], seconds)...)
		}
		for _, s := range o.Series {
			seen.Series = append(seen.Series, buildSeries(o, s, readings[i], seconds))
		}
	}
	return seen
}

// scrapeSample is one sample, timed at the middle of its exchange. takenAt is zero if the sample was missed.
type scrapeSample struct {
	takenAt  time.Time
	duration time.Duration
	// usage is the container's usage; nil if the endpoint is not an agent's.
	usage *container.Usage
	// values holds the metrics by name.
	values map[string]float64
}

func (r scrapeSample) isMissed() bool { return r.takenAt.IsZero() }

// hasNoUsage reports whether the sample lacks the container's usage.
func (r scrapeSample) hasNoUsage() bool { return r.usage == nil }

// recordsUsage reports whether the result includes the endpoint's container usage. It does not if the endpoint
// is not sampled every second, or if it has series and all its answers lack the usage.
func recordsUsage(o protocol.ObservedEndpoint, readings []scrapeSample) bool {
	if o.SampleIntervalSeconds() > 1 || len(o.Series) == 0 {
		return o.SampleIntervalSeconds() == 1
	}
	answered := slices.ContainsFunc(readings, func(r scrapeSample) bool { return !r.isMissed() })
	known := slices.ContainsFunc(readings, func(r scrapeSample) bool { return !r.hasNoUsage() })
	return known || !answered
}

// takeSamples samples an endpoint at the start of the window and after every o.SampleIntervalSeconds(). The
// window may be shortened meanwhile; samples after its end stay empty. A sample that cannot be taken on time is
// missed, not delayed.
func takeSamples(ctx context.Context, o protocol.ObservedEndpoint, window *protocol.Window, scrape ScrapeFunc) []scrapeSample {
	var names []string
	if o.SampleIntervalSeconds() == 1 {
		names = container.Metrics.Names()
	}
	for _, s := range o.Series {
		names = append(names, s.Metric)
	}
	readings := make([]scrapeSample, window.MaxSeconds()/o.SampleIntervalSeconds()+1)
	for i := 0; i <= window.Seconds()/o.SampleIntervalSeconds(); i++ {
		due := window.From().Add(time.Duration(i*o.SampleIntervalSeconds()) * time.Second)
		if SleepUntil(ctx, due) != nil {
			break
		}
		if time.Since(due) < scrapeTimeout {
			readings[i] = scrapeOnce(ctx, due.Add(scrapeTimeout), o.URL, names, time.Now, scrape)
		}
	}
	return readings
}

// scrapeOnce takes one sample, timed by now, which is missed if the scrape fails or does not answer by the deadline.
func scrapeOnce(ctx context.Context, deadline time.Time, url string, names []string, now func() time.Time, scrape ScrapeFunc) scrapeSample {
	once, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	began := now()
	values, err := scrape(once, url, names)
	if err != nil {
		return scrapeSample{}
	}
	took := now().Sub(began)
	r := scrapeSample{takenAt: began.Add(took / 2), duration: took, values: values}
	if usage, err := container.UsageFromMetrics(values); err == nil {
		r.usage = &usage
	}
	return r
}

// SleepUntil returns at the given time, or with the cause when the context ends.
func SleepUntil(ctx context.Context, due time.Time) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(time.Until(due)):
		return nil
	}
}

// summarizeMember turns the readings of all seconds into a container's usage and evidence. A value is missing
// if one of its readings is missing or the container restarted between them.
func summarizeMember(o protocol.ObservedEndpoint, readings []scrapeSample) measurement.MemberUsage {
	m := measurement.MemberUsage{Member: o.Member, Kind: o.Kind, Role: o.Role, Evidence: computeEvidence(readings)}
	var last *container.Usage
	for i, r := range readings {
		if r.hasNoUsage() {
			m.MissedScrapes++
		}
		if i > 0 {
			m.CPUSeconds = append(m.CPUSeconds, cpuRate(readings[i-1], r))
			m.MemoryBytes = append(m.MemoryBytes, workingSetBytes(r))
		}
		if r.hasNoUsage() {
			continue
		}
		if last != nil {
			addThrottling(&m, *last, *r.usage)
		}
		last = r.usage
	}
	return m
}

// addThrottling adds the CPU periods between two readings, however far apart. It counts a restart in between as
// a reset and omits its periods.
func addThrottling(m *measurement.MemberUsage, before, after container.Usage) {
	if after.CPU < before.CPU || after.Periods < before.Periods {
		m.Resets++
		return
	}
	m.Periods += int64(after.Periods - before.Periods)
	m.ThrottledPeriods += int64(after.ThrottledPeriods - before.ThrottledPeriods)
}

// cpuRate returns the CPU time used per second between two readings, rounded to 0.1 ms.
func cpuRate(before, after scrapeSample) float64 {
	if before.hasNoUsage() || after.hasNoUsage() {
		return measurement.Missing
	}
	return counterRate(before.usage.CPU.Seconds(), after.usage.CPU.Seconds(), after.takenAt.Sub(before.takenAt))
}

func workingSetBytes(r scrapeSample) float64 {
	if r.hasNoUsage() {
		return measurement.Missing
	}
	return float64(r.usage.WorkingSet)
}

// buildSeries returns a metric over the window: a counter's rate in each second, or a gauge's value at its end.
// Seconds between the samples of a longer interval are missing.
func buildSeries(o protocol.ObservedEndpoint, wanted protocol.ObservedSeries, readings []scrapeSample, seconds int) measurement.NamedSeries {
	s := measurement.NamedSeries{Subject: o.Member, Name: wanted.Name, Unit: wanted.Unit, Values: make(measurement.Series, seconds)}
	for i := range s.Values {
		s.Values[i] = measurement.Missing
	}
	for i := 1; i < len(readings); i++ {
		value := readings[i].metricValue(wanted.Metric)
		if wanted.Kind == protocol.SeriesCounter {
			value = counterRate(readings[i-1].metricValue(wanted.Metric), value, readings[i].takenAt.Sub(readings[i-1].takenAt))
		}
		s.Values[i*o.SampleIntervalSeconds()-1] = value
	}
	return s
}

// metricValue returns the value of a metric. It is missing if the reading lacks it or if the value is infinite.
func (r scrapeSample) metricValue(metric string) float64 {
	value, found := r.values[metric]
	if !found || math.IsInf(value, 0) {
		return measurement.Missing
	}
	return value
}

// counterRate returns the increase per second, to four decimals. It is missing if a value is or if the counter
// decreased.
func counterRate(before, after float64, passed time.Duration) float64 {
	if math.IsNaN(before) || math.IsNaN(after) || after < before {
		return measurement.Missing
	}
	return math.Round((after-before)/passed.Seconds()*1e4) / 1e4
}
