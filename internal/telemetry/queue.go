package telemetry

// Series of the queue of networks, which yields them itself. A network in no pool has the label pool empty, which Prometheus takes for none.
var (
	QueueNetworks = gauge("benchnet_queue_networks",
		"Networks that have a place in the queue (state admitted) or wait for one (state waiting), by pool.", "pool", "state")
	QueueLimit = gauge("benchnet_queue_limit_networks",
		"Networks that may stand at one time in a pool; without a pool: in the whole cluster. Absent where there is no limit.", "pool")
	QueueWait = newMetric(Histogram, "benchnet_queue_wait_seconds",
		"How long networks waited from their creation until they were admitted, by pool.", "pool")
)

// QueueMetrics are all that the queue may yield.
func QueueMetrics() []*Metric { return []*Metric{QueueNetworks, QueueLimit, QueueWait} }
