package metrics

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"
)

// Kind is a metric's type in Prometheus terms.
type Kind string

// The kinds of metrics.
const (
	Gauge   Kind = "gauge"
	Counter Kind = "counter"
	Summary Kind = "summary"
)

// Metric describes a metric that the collector exports.
type Metric struct {
	Name, Help string
	Kind       Kind
	// Labels are the label names, in the order of their values.
	Labels []string

	description *prometheus.Desc
}

func newMetric(kind Kind, name, help string, labels ...string) *Metric {
	return &Metric{Name: name, Help: help, Kind: kind, Labels: labels, description: prometheus.NewDesc(name, help, labels, nil)}
}

func newGauge(name, help string, labels ...string) *Metric {
	return newMetric(Gauge, name, help, labels...)
}

// AllMetrics returns all metrics that the collector may export, in order.
func AllMetrics() []*Metric {
	return slices.Concat(operatorMetrics, networkMetrics, runMetrics, experimentMetrics)
}

// sampleWriter writes the samples of one scrape.
type sampleWriter chan<- prometheus.Metric

// writeSample writes one sample of a gauge or counter.
func (s sampleWriter) writeSample(m *Metric, value float64, labels ...string) {
	kind := prometheus.GaugeValue
	if m.Kind == Counter {
		kind = prometheus.CounterValue
	}
	s <- prometheus.MustNewConstMetric(m.description, kind, value, labels...)
}

func boolValue(so bool) float64 {
	if so {
		return 1
	}
	return 0
}
