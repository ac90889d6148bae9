// Package promql holds what the Grafana dashboards ask to the grammar of Prometheus and to the metrics that there are. It is a module
// of its own, so that Prometheus, whose parser judges, is no dependency of anything that is shipped. There are only tests.
package promql
