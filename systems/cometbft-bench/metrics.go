package main

import (
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// metrics are the program's own. Their names begin with cometbft_bench_, and they have the label moniker.
type metrics struct {
	blockTime, blockSize                                        prometheus.Histogram
	height                                                      prometheus.Gauge
	blocks, bytes, transactions, roundsAboveZero, blocksOfPeers prometheus.Counter
}

// newMetrics registers the metrics in the default registry, in which CometBFT registers its own.
func newMetrics(moniker string) *metrics {
	factory := promauto.With(prometheus.WrapRegistererWith(prometheus.Labels{"moniker": moniker},
		prometheus.WrapRegistererWithPrefix("cometbft_bench_", prometheus.DefaultRegisterer)))
	counter := func(name, help string) prometheus.Counter {
		return factory.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	return &metrics{
		blockTime: factory.NewHistogram(prometheus.HistogramOpts{
			Name: "block_time_seconds", Help: "Time from decision to decision", Buckets: timeBuckets()}),
		blockSize: factory.NewHistogram(prometheus.HistogramOpts{
			Name: "block_size_bytes", Help: "Bytes of the transactions of decided blocks", Buckets: prometheus.ExponentialBuckets(256, 2, 19)}),
		height:          factory.NewGauge(prometheus.GaugeOpts{Name: "height", Help: "Last decided height"}),
		blocks:          counter("blocks_total", "Decided blocks"),
		bytes:           counter("block_bytes_total", "Bytes of the transactions of decided blocks"),
		transactions:    counter("transactions_total", "Transactions of decided blocks"),
		roundsAboveZero: counter("rounds_above_zero_total", "Blocks decided in a later round than the first"),
		blocksOfPeers:   counter("blocks_synced_total", "Decided blocks that came from a peer's store"),
	}
}

func (m *metrics) observeDecision(e entry) {
	m.height.Set(float64(e.Height))
	m.blocks.Inc()
	m.bytes.Add(float64(e.Bytes))
	m.transactions.Add(float64(e.Transactions))
	m.blockSize.Observe(float64(e.Bytes))
	if e.Round > 0 {
		m.roundsAboveZero.Inc()
	}
	if e.Synced {
		m.blocksOfPeers.Inc()
	}
	if e.IntervalMicros > 0 {
		m.blockTime.Observe((time.Duration(e.IntervalMicros) * time.Microsecond).Seconds())
	}
}

// timeBuckets returns buckets from 1 ms to 10 s, ten per decade, so that adjacent bounds differ by 26 %.
func timeBuckets() []float64 {
	var buckets []float64
	for tenth := -30; tenth <= 10; tenth++ {
		buckets = append(buckets, math.Pow(10, float64(tenth)/10))
	}
	return buckets
}
