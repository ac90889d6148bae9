// Package promql tests the queries of the Grafana dashboards against the grammar of Prometheus and the existing
// metrics. It is a separate module with only tests, so that Prometheus, which provides the parser, is not a
// dependency of shipped code.
package promql
