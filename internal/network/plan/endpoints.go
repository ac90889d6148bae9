package plan

import (
	"fmt"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/network/database"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// exporterIntervalSeconds is the interval between two samples of a database's exporter. Each sample sends
// several queries to the server that is measured.
const exporterIntervalSeconds = 5

// activeSessionsMetric counts the active sessions of the members. It excludes the exporter's own session, which
// is in another database.
const activeSessionsMetric = `pg_stat_activity_count{state="active",datname="` + database.DefaultName + `"`

// databaseSeries are the series that are recorded from the exporter.
var databaseSeries = []protocol.ObservedSeries{
	{Name: measurement.SeriesConnections, Unit: "connections", Metric: `pg_stat_activity_count{backend_type="client backend"}`, Kind: protocol.SeriesGauge},
	{Name: measurement.SeriesMaxConnections, Unit: "connections", Metric: "pg_settings_max_connections", Kind: protocol.SeriesGauge},
	{Name: measurement.SeriesActive, Unit: "sessions", Metric: activeSessionsMetric + "}", Kind: protocol.SeriesGauge},
	{Name: measurement.SeriesLockWaits, Unit: "sessions", Metric: activeSessionsMetric + `,wait_event_type="Lock"}`, Kind: protocol.SeriesGauge},
	{Name: measurement.SeriesLatchWaits, Unit: "sessions", Metric: activeSessionsMetric + `,wait_event_type="LWLock"}`, Kind: protocol.SeriesGauge},
	{Name: measurement.SeriesIOWaits, Unit: "sessions", Metric: activeSessionsMetric + `,wait_event_type="IO"}`, Kind: protocol.SeriesGauge},
	{Name: measurement.SeriesCommits, Unit: "transactions/s", Metric: "pg_stat_database_xact_commit", Kind: protocol.SeriesCounter},
	{Name: measurement.SeriesDeadlocks, Unit: "deadlocks/s", Metric: "pg_stat_database_deadlocks", Kind: protocol.SeriesCounter},
}

// DatabaseEndpoints returns the endpoints of a network's databases. The map holds the reason for each database,
// by name, that cannot be observed.
func DatabaseEndpoints(p platform.Platform, network *v1alpha1.BenchmarkNetwork) ([]protocol.ObservedEndpoint, map[string]string) {
	spec := network.Spec.DatabaseOrDefault()
	if _, uses := p.(platform.DatabaseConsumer); !uses || spec.Engine == v1alpha1.EngineH2 {
		return nil, nil
	}
	var observed []protocol.ObservedEndpoint
	unobserved := map[string]string{}
	for _, d := range network.Status.Databases {
		switch {
		case network.Spec.Observation == v1alpha1.ObservationNone:
			unobserved[d.Name] = "spec.observation of the network is None"
		case spec.Provider == v1alpha1.ProviderExternal:
			unobserved[d.Name] = "it is an external server"
		case spec.Chart != nil:
			unobserved[d.Name] = "its chart is supplied by the user"
		default:
			observed = append(observed, instanceEndpoints(d)...)
		}
	}
	return observed, unobserved
}

// instanceEndpoints returns the agent and the exporter in an instance's pod.
func instanceEndpoints(d v1alpha1.DatabaseStatus) []protocol.ObservedEndpoint {
	role := fmt.Sprintf("serves %d members", d.Members)
	return []protocol.ObservedEndpoint{
		{Member: d.Name, Kind: measurement.KindDatabase, Role: role, URL: database.AgentURL(d.Name),
			CommandsURL: database.CommandsURL(d.Name)},
		{Member: d.Name, Kind: measurement.KindDatabase, Role: role, URL: database.ExporterURL(d.Name),
			EverySeconds: exporterIntervalSeconds, Series: databaseSeries},
	}
}
