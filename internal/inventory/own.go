package inventory

import (
	"slices"
	"strings"

	"github.com/benchnet/benchnet/internal/agent/cgroup"
	"github.com/benchnet/benchnet/internal/agent/emulation"
	"github.com/benchnet/benchnet/internal/agent/exposition"
	"github.com/benchnet/benchnet/internal/agent/host"
	"github.com/benchnet/benchnet/internal/agent/jvm"
	"github.com/benchnet/benchnet/internal/telemetry"
)

// addOperator parts the operator's list: that of itself stands apart.
func addOperator(sources map[Source][]Metric) {
	for _, m := range telemetry.Metrics() {
		source := Networks
		if strings.HasPrefix(m.Name, "benchnet_operator_") {
			source = Operator
		}
		sources[source] = append(sources[source], told(m))
	}
}

func told(m *telemetry.Metric) Metric {
	labels := m.Labels
	if m.Kind == telemetry.Summary {
		labels = append(slices.Clone(labels), "quantile")
	}
	return Metric{m.Name, string(m.Kind), m.Help, labels}
}

func addAgent(sources map[Source][]Metric) {
	for _, m := range slices.Concat(cgroup.Usage{}.Metrics(), cgroup.EvidenceMetrics, host.Metrics, jvm.Metrics) {
		sources[Agent] = append(sources[Agent], served(m))
	}
	sources[Emulation] = []Metric{served(emulation.Info, emulation.LabelMechanism), served(emulation.Peers), served(emulation.Packets, emulation.LabelFate)}
}

func served(m exposition.Metric, labels ...string) Metric {
	return Metric{m.Name, string(m.Kind), m.Help, labels}
}
