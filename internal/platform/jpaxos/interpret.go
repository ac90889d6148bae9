package jpaxos

import (
	"fmt"
	"math"
	"slices"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/format"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// Reason codes of the platform; docs/jpaxos.md explains them.
const (
	// RateDiffers means that the clients and the replicas' log disagree on the rate.
	RateDiffers verdict.ReasonCode = "RateDiffers"
	// RateUnconfirmed (note) means that no replica's log had a rate.
	RateUnconfirmed verdict.ReasonCode = "RateUnconfirmed"
)

// rateTolerance is the allowed difference between the two rates, as a share of the clients' rate. A log line
// counts the requests of a tenth of a second, but divides by the time since the last full tenth. It therefore
// reads one percent low for each millisecond by which its timer lags.
const rateTolerance = 0.10

// Interpret compares the rates of both sides, derives the payload in bits per second, and notes which side was
// at its CPU limit. Without observation it knows only the clients' rate.
func (JPaxos) Interpret(spec *v1alpha1.BenchmarkNetworkSpec, w *v1alpha1.Workload, m *measurement.Measurement) verdict.Interpretation {
	rate := m.Summarize().ThroughputPerSecond
	i := verdict.Interpretation{Measures: []measurement.PlatformMetric{
		{Name: "clientRate", Value: rate, Unit: "requests/s", Source: "completed at the clients, over the window"},
		{Name: "payload", Value: rate * meanRequestBytes(w.JPaxos) * 8, Unit: "bit/s", Source: "clientRate × requestBytes × 8, without headers"},
	}}
	if spec.Observation == v1alpha1.ObservationNone { // Neither the replicas' logs nor their CPU usage were sampled.
		return i
	}
	compareRates(&i, rate, m)
	replicas, clients := replicaUsage(spec, m), clientUsage(w, m)
	i.Measures = append(i.Measures, replicas.asMeasures()...)
	i.Measures = append(i.Measures, clients.asMeasures()...)
	i.Notes = append(i.Notes, saturationNote(replicas, clients))
	return i
}

// compareRates checks that the replicas' log confirms the clients' rate.
func compareRates(i *verdict.Interpretation, clients float64, m *measurement.Measurement) {
	logged, known := loggedRate(m)
	if !known {
		i.Notes = append(i.Notes, verdict.Reason{Code: RateUnconfirmed,
			Message: "the rate was measured only by the clients: no replica logged lines such as \"RPS: 1234.5\" in the window"})
		return
	}
	i.Measures = append(i.Measures, measurement.PlatformMetric{Name: "replicaRate", Value: logged, Unit: "requests/s",
		Source: "median over the logs of the replicas: each executes every request"})
	if math.Abs(logged-clients) <= rateTolerance*clients {
		return
	}
	i.Reasons = append(i.Reasons, verdict.Reason{Code: RateDiffers, Value: logged, Limit: clients, Message: fmt.Sprintf(
		"the replicas logged %.0f requests/s, the clients completed %.0f: they differ by more than %s", logged, clients, format.WholePercent(rateTolerance))})
}

// loggedRate returns the median of the replicas' mean rates. Each replica executes every request, so the rates
// must not be added. Replicas that logged nothing are skipped.
func loggedRate(m *measurement.Measurement) (rate float64, known bool) {
	var means []float64
	for _, s := range m.SeriesByName(executedSeries) {
		if mean := s.Values.Mean(); !math.IsNaN(mean) {
			means = append(means, mean)
		}
	}
	return median(means), len(means) > 0
}

// median returns the median, or 0 without values. For an even number of values it is the mean of the middle
// two.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	upper := len(sorted) / 2
	return (sorted[upper] + sorted[(len(sorted)-1)/2]) / 2
}
