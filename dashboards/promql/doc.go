// Package promql tests the queries of the Grafana dashboards against the grammar of Prometheus and the existing
// metrics.
package promql
