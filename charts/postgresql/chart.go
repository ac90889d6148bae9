// Package postgresql embeds the project's PostgreSQL Helm chart in the operator's binary, so that rendering it
// needs no file system and no registry.
package postgresql

import "embed"

// ChartFiles holds the files of the chart. Paths are relative to the chart's root.
//
//go:embed Chart.yaml values.yaml values.schema.json all:templates
var ChartFiles embed.FS
