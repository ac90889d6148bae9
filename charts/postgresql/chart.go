// Package postgresql carries the project's PostgreSQL Helm chart inside the
// operator's binary, so that rendering it needs no file system and no registry.
package postgresql

import "embed"

// ChartFiles is the chart as it lies in this folder; paths are relative to the chart's root.
//
//go:embed Chart.yaml values.yaml values.schema.json all:templates
var ChartFiles embed.FS
