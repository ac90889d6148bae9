package reference

import (
	"slices"
	"strings"

	"github.com/benchnet/benchnet/internal/agent/cgroup"
	"github.com/benchnet/benchnet/internal/agent/exposition"
	"github.com/benchnet/benchnet/internal/agent/host"
	"github.com/benchnet/benchnet/internal/agent/jvm"
	"github.com/benchnet/benchnet/internal/agent/latency"
	"github.com/benchnet/benchnet/internal/agent/threads"
	"github.com/benchnet/benchnet/internal/agent/work"
	"github.com/benchnet/benchnet/internal/metrics"
)

// addOperatorMetrics adds the operator's metrics. Metrics about the operator itself are a separate source.
func addOperatorMetrics(sources map[Source][]Metric) {
	for _, m := range metrics.AllMetrics() {
		source := Networks
		if strings.HasPrefix(m.Name, "benchnet_operator_") {
			source = Operator
		}
		sources[source] = append(sources[source], fromOperatorMetric(m))
	}
}

func fromOperatorMetric(m *metrics.Metric) Metric {
	labels := m.Labels
	if m.Kind == metrics.Summary {
		labels = append(slices.Clone(labels), "quantile")
	}
	return Metric{m.Name, string(m.Kind), m.Help, labels}
}

func addAgentMetrics(sources map[Source][]Metric) {
	for _, m := range slices.Concat(cgroup.Usage{}.Metrics(), cgroup.EvidenceMetrics, host.Metrics, jvm.Metrics, threads.Metrics) {
		sources[Agent] = append(sources[Agent], fromAgentMetric(m))
	}
	sources[Worker] = []Metric{
		fromAgentMetric(work.LatencyMetric),
		fromAgentMetric(work.DueMetric),
		fromAgentMetric(work.ErrorsMetric, work.LabelKind),
	}
	sources[LatencyEmulation] = []Metric{
		fromAgentMetric(latency.InfoMetric, latency.LabelMechanism),
		fromAgentMetric(latency.PeersMetric),
		fromAgentMetric(latency.PacketsMetric, latency.LabelFate),
	}
}

func fromAgentMetric(m exposition.Metric, labels ...string) Metric {
	return Metric{m.Name, string(m.Kind), m.Help, labels}
}
