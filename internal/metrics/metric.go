package metrics

import "github.com/prometheus/client_golang/prometheus"

// Kind is a metric's type, as Prometheus calls it.
type Kind string

// The kinds of metrics.
const (
	Gauge   Kind = "gauge"
	Counter Kind = "counter"
	Summary Kind = "summary"
)

// Metric is one that the collector yields.
type Metric struct {
	Name, Help string
	Kind       Kind
	// Labels in the order of their values.
	Labels []string

	description *prometheus.Desc
}

func newMetric(kind Kind, name, help string, labels ...string) *Metric {
	return &Metric{Name: name, Help: help, Kind: kind, Labels: labels, description: prometheus.NewDesc(name, help, labels, nil)}
}

// Description is what a registry knows the metric by.
func (m *Metric) Description() *prometheus.Desc { return m.description }

func newGauge(name, help string, labels ...string) *Metric {
	return newMetric(Gauge, name, help, labels...)
}

// AllMetrics are all that the collector may yield, in the order in which it does.
func AllMetrics() []*Metric {
	all := []*Metric{operatorInfo}
	for _, list := range [][]*Metric{networkMetrics, runMetrics, experimentMetrics} {
		all = append(all, list...)
	}
	return all
}

// sampleWriter is what one scrape is answered.
type sampleWriter chan<- prometheus.Metric

// writeSample yields one sample of a gauge or counter.
func (s sampleWriter) writeSample(m *Metric, value float64, labels ...string) {
	kind := prometheus.GaugeValue
	if m.Kind == Counter {
		kind = prometheus.CounterValue
	}
	s <- prometheus.MustNewConstMetric(m.description, kind, value, labels...)
}

// boolValue is 1 for what is so, 0 otherwise.
func boolValue(so bool) float64 {
	if so {
		return 1
	}
	return 0
}
