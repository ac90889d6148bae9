package reference

import (
	"slices"
	"strings"

	"github.com/benchnet/benchnet/internal/agent/container"
	"github.com/benchnet/benchnet/internal/agent/emulate"
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
	for _, m := range container.Metrics {
		sources[Agent] = append(sources[Agent], fromAgentMetric(m))
	}
	sources[Worker] = []Metric{
		fromAgentMetric(work.LatencyMetric),
		fromAgentMetric(work.DueMetric),
		fromAgentMetric(work.ErrorsMetric, work.LabelKind),
		fromAgentMetric(work.SegmentMetric, work.LabelSegment),
	}
	sources[LatencyEmulation] = []Metric{
		fromAgentMetric(emulate.InfoMetric, emulate.LabelMechanism),
		fromAgentMetric(emulate.PeersMetric),
		fromAgentMetric(emulate.PacketsMetric, emulate.LabelFate),
	}
}

func fromAgentMetric(m container.Metric, labels ...string) Metric {
	return Metric{m.Name, string(m.Kind), m.Help, labels}
}
