package controllers

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/queue"
)

// The queue's own series. A network in no pool has the label pool empty, which Prometheus takes for none.
var (
	queueNetworks = prometheus.NewDesc("benchnet_queue_networks",
		"Networks that have a place in the queue (state admitted) or wait for one (state waiting), by pool.", []string{"pool", "state"}, nil)
	queueLimit = prometheus.NewDesc("benchnet_queue_limit_networks",
		"Networks that may stand at one time in a pool; without a pool: in the whole cluster. Absent where there is no limit.", []string{"pool"}, nil)
)

// waitBuckets of the histogram of waits, in seconds: from at once to days.
var waitBuckets = []float64{1, 10, 60, 300, 900, 3600, 4 * 3600, 24 * 3600, 7 * 24 * 3600}

// newWaits is the histogram of waits.
func newWaits() *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "benchnet_queue_wait_seconds",
		Help: "How long networks waited from their creation until they were admitted, by pool.", Buckets: waitBuckets}, []string{"pool"})
}

// Describe implements prometheus.Collector.
func (q *Queue) Describe(out chan<- *prometheus.Desc) {
	out <- queueNetworks
	out <- queueLimit
	q.waits.Describe(out)
}

// Collect implements prometheus.Collector.
func (q *Queue) Collect(out chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, value int, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(value), labels...)
	}
	if q.limits.MaxNetworks > 0 {
		gauge(queueLimit, q.limits.MaxNetworks, "")
	}
	for _, use := range q.Uses() {
		gauge(queueNetworks, use.Admitted, use.Pool, "admitted")
		gauge(queueNetworks, use.Waiting, use.Pool, "waiting")
		if use.Limit > 0 {
			gauge(queueLimit, use.Limit, use.Pool)
		}
	}
	q.waits.Collect(out)
}

// waited takes note of how long a network that was just admitted has waited.
func (q *Queue) waited(n *v1alpha1.BenchmarkNetwork, d queue.Decision) {
	q.waits.WithLabelValues(d.Pool).Observe(max(0, q.Now().Sub(n.CreationTimestamp.Time).Seconds()))
}
