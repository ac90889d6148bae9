package results

// Summary describes a run in a few numbers.
type Summary struct {
	// ThroughputPerSecond is the number of operations that completed in the window, divided by its length.
	ThroughputPerSecond float64 `json:"throughputPerSecond"`
	// Completed is the number of operations that completed in the window, whenever they started.
	Completed int64 `json:"completed"`
	// Requests is the number of requests that started in the window: the recorded latencies and the errors.
	Requests int64 `json:"requests"`
	// Errors is the number of failed requests among Requests.
	Errors int64 `json:"errors"`
	// ErrorShare is Errors / Requests, 0 to 1.
	ErrorShare float64 `json:"errorShare"`
	Latency    Latency `json:"latency"`
	// Unit is what a request is: flows, requests, blocks, transactions.
	Unit string `json:"unit,omitempty"`
	// Measures are the platform's own numbers.
	Measures []PlatformMetric `json:"measures,omitempty"`
}

// Latency describes the latencies of the successful requests that started in the window, in milliseconds.
type Latency struct {
	Mean float64 `json:"meanMillis"`
	P50  float64 `json:"p50Millis"`
	P90  float64 `json:"p90Millis"`
	P95  float64 `json:"p95Millis"`
	P99  float64 `json:"p99Millis"`
	P999 float64 `json:"p999Millis"`
	Max  float64 `json:"maxMillis"`
}

// Summarize returns the summary. All numbers of an empty measurement are zero.
func (m *Measurement) Summarize() Summary {
	s := Summary{Completed: sum(m.Completed), Errors: m.errorCount(), Unit: m.Unit}
	s.Requests = m.Histogram.Count() + s.Errors
	if m.WindowSeconds > 0 {
		s.ThroughputPerSecond = float64(s.Completed) / float64(m.WindowSeconds)
	}
	if s.Requests > 0 {
		s.ErrorShare = float64(s.Errors) / float64(s.Requests)
	}
	h := m.Histogram
	s.Latency = Latency{
		Mean: h.MeanMillis(),
		P50:  h.PercentileMillis(50), P90: h.PercentileMillis(90), P95: h.PercentileMillis(95),
		P99: h.PercentileMillis(99), P999: h.PercentileMillis(99.9),
		Max: h.MaxMillis(),
	}
	return s
}

func (m *Measurement) errorCount() int64 {
	var n int64
	for _, e := range m.Errors {
		n += e.Count
	}
	return n
}
