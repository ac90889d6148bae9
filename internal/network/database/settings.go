package database

import (
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Setting is a line of postgresql.conf and the rule or field from which it comes.
type Setting struct {
	Name   string
	Value  string
	Source string
}

const (
	// reservedConnections are connections beside the members': 3 that PostgreSQL reserves for the superuser
	// (superuser_reserved_connections), 1 for the exporter, 4 for the setup's clones, and 2 for people.
	reservedConnections = 10

	// bytesPerConnection is the private memory of a server process that has used all of Corda's tables: 4.6 MB
	// measured on PostgreSQL 15. Pools open all their connections at start and use them in turn.
	bytesPerConnection = 5_000_000

	mebibyte = 1 << 20
	gibibyte = 1 << 30
)

// serverSettings returns the derived settings of an instance with that many connections of members, sorted by
// name.
func serverSettings(needed, memory int64) ([]Setting, error) {
	if err := checkMemory(memory, needed+reservedConnections); err != nil {
		return nil, err
	}
	return []Setting{
		{"effective_cache_size", formatMegabytes(memory / 2), "half of the memory (PostgreSQL wiki, Tuning Your PostgreSQL Server)"},
		{"max_connections", strconv.FormatInt(needed+reservedConnections, 10),
			fmt.Sprintf("%d of the members' pools + %d for superuser, exporter, setup and administrators", needed, reservedConnections)},
		{"shared_buffers", formatMegabytes(memory / 4), "25 % of the memory (PostgreSQL manual, 20.4.1)"},
	}, nil
}

// checkMemory returns an error if the connections do not fit into memory in addition to shared_buffers: the server
// would be killed under load.
func checkMemory(memory, connections int64) error {
	least := connections * bytesPerConnection * 4 / 3
	if memory >= least {
		return nil
	}
	return fmt.Errorf("memory %s is too small for %d connections of about 5 MB each in addition to shared_buffers: at least %dMi",
		resource.NewQuantity(memory, resource.BinarySI), connections, (least+mebibyte-1)/mebibyte)
}

// totalConnections returns how many connections the members of the instance may open at once.
func (in Input) totalConnections(g memberGroup) int64 {
	return int64(len(g.members)) * int64(in.Requirements.Connections)
}

func formatMegabytes(bytes int64) string { return fmt.Sprintf("%dMB", max(bytes/mebibyte, 1)) }
