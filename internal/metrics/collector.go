// Package metrics exports Prometheus metrics of networks, runs and experiments, in addition to those of
// controller-runtime. Each scrape reads the manager's cache, so it sends no request to the API server, and a
// series ends with its resource.
package metrics

import (
	"context"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/cache"
)

// collectTimeout bounds how long a scrape waits for the cache to be filled.
const collectTimeout = 5 * time.Second

// operatorInfo exists if a manager leads and can read its resources. Its absence means that no manager does.
var operatorInfo = newGauge("benchnet_operator_info", "The active operator and its version; always 1.", "version")

var (
	cachedObjects = newGauge("benchnet_operator_cached_objects", "Objects of a kind that the operator's cache holds.", "kind")
	cachedBytes   = newGauge("benchnet_operator_cached_bytes", "Memory of the objects of a kind in the operator's cache, estimated.", "kind")

	operatorMetrics = []*Metric{operatorInfo, cachedObjects, cachedBytes}
)

// Collector collects the metrics of all networks, runs and experiments.
type Collector struct {
	// Reader reads from a cache. The listed objects are not changed.
	Reader client.Reader
	// Elected is closed when this manager leads. Other replicas collect nothing, so that nothing is counted
	// twice and they need no cache of these kinds.
	Elected <-chan struct{}
	// Version is the version of the operator.
	Version string
	// CacheUsage returns what the manager's cache holds, by kind.
	CacheUsage func() map[string]cache.Usage
}

// Describe implements prometheus.Collector.
func (c *Collector) Describe(descriptions chan<- *prometheus.Desc) {
	for _, m := range AllMetrics() {
		descriptions <- m.description
	}
}

// Collect implements prometheus.Collector. The scrape fails if any resource cannot be read, so that partial
// results are not mistaken for complete ones.
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
	for kind, usage := range c.CacheUsage() {
		sampleWriter(samples).writeSample(cachedObjects, float64(usage.Objects), kind)
		sampleWriter(samples).writeSample(cachedBytes, float64(usage.Bytes), kind)
	}
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

// resourceLists holds the resources that a scrape reads.
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
