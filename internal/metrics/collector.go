// Package metrics tells Prometheus what becomes of networks, runs and experiments: the operator's own series, beside
// those that controller-runtime has of the controllers. All of it is read from the manager's cache at each scrape, so that a scrape costs
// no request, and a series is gone with its resource.
package metrics

import (
	"context"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// collectTimeout bounds the wait for a cache that is not filled yet.
const collectTimeout = 5 * time.Second

// It is there whenever a manager leads and knows its resources, so that its absence says that nobody does.
var operatorInfo = newGauge("benchnet_operator_info", "The operator that leads, and its version; always 1.", "version")

// Collector yields the series of all networks, runs and experiments.
type Collector struct {
	// Reader reads from a cache; what it lists is not changed.
	Reader client.Reader
	// Elected is closed when this manager leads. Others of the same operator tell nothing, so that nothing is counted twice, and
	// they hold no cache of the kinds for it.
	Elected <-chan struct{}
	// Version of the operator.
	Version string
}

// Describe lists the metrics.
func (c *Collector) Describe(descriptions chan<- *prometheus.Desc) {
	for _, m := range AllMetrics() {
		descriptions <- m.description
	}
}

// Collect answers a scrape. One that cannot tell everything fails, so that nobody takes a part for the whole.
func (c *Collector) Collect(samples chan<- prometheus.Metric) {
	select {
	case <-c.Elected:
	default:
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), collectTimeout)
	defer cancel()
	seen, err := c.listResources(ctx)
	if err != nil {
		samples <- prometheus.NewInvalidMetric(networkInfo.description, err)
		return
	}
	sampleWriter(samples).writeSample(operatorInfo, 1, c.Version)
	for i := range seen.networks.Items {
		sampleWriter(samples).writeNetwork(&seen.networks.Items[i])
	}
	for i := range seen.runs.Items {
		sampleWriter(samples).writeRun(&seen.runs.Items[i])
	}
	tallies := tallyRuns(seen.runs.Items)
	for i := range seen.experiments.Items {
		e := &seen.experiments.Items[i]
		sampleWriter(samples).writeExperiment(e, tallies[client.ObjectKeyFromObject(e)])
	}
}

// resourceLists is what there is.
type resourceLists struct {
	networks    v1alpha1.BenchmarkNetworkList
	runs        v1alpha1.BenchmarkRunList
	experiments v1alpha1.BenchmarkExperimentList
}

func (c *Collector) listResources(ctx context.Context) (*resourceLists, error) {
	var all resourceLists
	for _, list := range []client.ObjectList{&all.networks, &all.runs, &all.experiments} {
		if err := c.Reader.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
			return nil, fmt.Errorf("list %T from the cache: %w", list, err)
		}
	}
	return &all, nil
}
