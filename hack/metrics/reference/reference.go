// Package reference lists all metrics by the program that exposes them, all recording rules and all alerts. It
// reads their definitions: the operator's and the agent's own lists, the configuration of Corda's JMX exporter,
// the sources of the validators, and the rules. Metrics of third-party programs are listed
// manually, as far as rules, alerts and dashboards use them.
package reference

import (
	"fmt"
	"io/fs"
)

// Metric is a metric family.
type Metric struct {
	Name, Kind, Help string
	// Labels are the labels besides those that Prometheus adds to every series.
	Labels []string
}

// Reference holds all metrics, rules and alerts.
type Reference struct {
	// Sources maps each source to its metrics, in the order of their definition.
	Sources map[Source][]Metric
	Rules   []RecordingRule
	Alerts  []Alert
}

// Source is a program that exposes metrics.
type Source string

// The sources. The project's own sources follow the conventions of Prometheus.
const (
	Operator         Source = "operator"
	Networks         Source = "networks"
	Agent            Source = "agent"
	Worker           Source = "worker"
	LatencyEmulation Source = "emulation"
	Corda            Source = "corda"
	CometBFT         Source = "cometbft"
	Malachite        Source = "malachite"
	JPaxos           Source = "jpaxos"
	Controllers      Source = "controllers"
	JVM              Source = "jvm"
	PostgreSQL       Source = "postgresql"
	CometBFTEngine   Source = "cometbft-engine"
	CometBFTMempool  Source = "cometbft-mempool"
	Consensus        Source = "consensus"
	Emerald          Source = "emerald"
	Geth             Source = "geth"
	Reth             Source = "reth"
	Prometheus       Source = "prometheus"
)

// OwnSources are the sources with metrics that the project names itself.
var OwnSources = []Source{Operator, Networks, Agent, Worker, LatencyEmulation, Corda, CometBFT, Malachite, JPaxos}

// Collect reads all metrics, rules and alerts. root is the root of the repository.
func Collect(root fs.FS) (*Reference, error) {
	sources, err := readOtherMetrics()
	if err != nil {
		return nil, err
	}
	addOperatorMetrics(sources)
	addAgentMetrics(sources)
	if sources[Corda], err = readCordaMetrics(root); err != nil {
		return nil, err
	}
	if sources[CometBFT], err = readCometBFTMetrics(root); err != nil {
		return nil, err
	}
	if sources[Malachite], err = readMalachiteMetrics(root); err != nil {
		return nil, err
	}
	all := &Reference{Sources: sources}
	if all.Rules, err = readRecordingRules(root); err != nil {
		return nil, err
	}
	if all.Alerts, err = readAlerts(root); err != nil {
		return nil, err
	}
	return all, nil
}

func readFile(root fs.FS, path string) ([]byte, error) {
	content, err := fs.ReadFile(root, path)
	if err != nil {
		return nil, fmt.Errorf("read the source of metrics: %w", err)
	}
	return content, nil
}
