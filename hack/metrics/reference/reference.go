// Package reference lists what Prometheus is told: every metric, by the program that serves it, every recording rule and every alert.
// All of it is read from where it is made: the operator's and the agent's own lists, the configuration of Corda's JMX exporter, the source of the
// block-producing application, the rules. What programs of others serve is kept by hand, as far as rules, alerts and dashboards build on it.
package reference

import (
	"fmt"
	"io/fs"
)

// Metric is a family of series.
type Metric struct {
	Name, Kind, Help string
	// Labels beside those that Prometheus adds to every series.
	Labels []string
}

// Reference is all that there is.
type Reference struct {
	// Sources have their metrics in the order in which they are told, by the name of the source.
	Sources map[Source][]Metric
	Rules   []RecordingRule
	Alerts  []Alert
}

// Source is what tells metrics.
type Source string

// The sources. Those that are the project's own follow the conventions of Prometheus.
const (
	Operator         Source = "operator"
	Networks         Source = "networks"
	Agent            Source = "agent"
	LatencyEmulation Source = "emulation"
	Corda            Source = "corda"
	Malachite        Source = "malachite"
	JPaxos           Source = "jpaxos"
	Controllers      Source = "controllers"
	JVM              Source = "jvm"
	PostgreSQL       Source = "postgresql"
	Consensus        Source = "consensus"
	Emerald          Source = "emerald"
	Reth             Source = "reth"
	Prometheus       Source = "prometheus"
)

// OwnSources are the sources whose metrics the project names itself.
var OwnSources = []Source{Operator, Networks, Agent, LatencyEmulation, Corda, Malachite, JPaxos}

// Collect reads everything; root is the repository's.
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
		return nil, fmt.Errorf("read what tells metrics: %w", err)
	}
	return content, nil
}
