package controllers

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/queue"
	"github.com/benchnet/benchnet/internal/telemetry"
)

// waitBuckets of the histogram of waits, in seconds: from at once to days.
var waitBuckets = []float64{1, 10, 60, 300, 900, 3600, 4 * 3600, 24 * 3600, 7 * 24 * 3600}

// newWaits is the histogram of waits.
func newWaits() *prometheus.HistogramVec {
	wait := telemetry.QueueWait
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: wait.Name, Help: wait.Help, Buckets: waitBuckets}, wait.Labels)
}

// Describe implements prometheus.Collector.
func (q *Queue) Describe(out chan<- *prometheus.Desc) {
	out <- telemetry.QueueNetworks.Description()
	out <- telemetry.QueueLimit.Description()
	q.waits.Describe(out)
}

// Collect implements prometheus.Collector.
func (q *Queue) Collect(out chan<- prometheus.Metric) {
	gauge := func(m *telemetry.Metric, value int, labels ...string) {
		out <- prometheus.MustNewConstMetric(m.Description(), prometheus.GaugeValue, float64(value), labels...)
	}
	if q.limits.MaxNetworks > 0 {
		gauge(telemetry.QueueLimit, q.limits.MaxNetworks, "")
	}
	for _, use := range q.Uses() {
		gauge(telemetry.QueueNetworks, use.Admitted, use.Pool, "admitted")
		gauge(telemetry.QueueNetworks, use.Waiting, use.Pool, "waiting")
		if use.Limit > 0 {
			gauge(telemetry.QueueLimit, use.Limit, use.Pool)
		}
	}
	q.waits.Collect(out)
}

// waited takes note of how long a network that was just admitted has waited.
func (q *Queue) waited(n *v1alpha1.BenchmarkNetwork, d queue.Decision) {
	q.waits.WithLabelValues(d.Pool).Observe(max(0, q.Now().Sub(n.CreationTimestamp.Time).Seconds()))
}
