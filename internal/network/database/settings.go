package database

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
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

// serverSettings returns the instance's settings, sorted by name. The user's settings replace derived ones.
func (in Input) serverSettings(g memberGroup) ([]Setting, error) {
	needed := totalConnections(g)
	derived := map[string]Setting{}
	set := func(name, value, source string) { derived[name] = Setting{Name: name, Value: value, Source: source} }

	set("max_connections", strconv.FormatInt(needed+reservedConnections, 10),
		fmt.Sprintf("%d of the members' pools + %d for superuser, exporter, setup and administrators", needed, reservedConnections))
	if memory := serverMemory(in.Server.Resources); memory > 0 {
		if err := checkMemory(memory, needed+reservedConnections); err != nil {
			return nil, err
		}
		set("shared_buffers", formatMegabytes(memory/4), "25 % of the memory (PostgreSQL manual, 20.4.1)")
		set("effective_cache_size", formatMegabytes(memory/2), "half of the memory (PostgreSQL wiki, Tuning Your PostgreSQL Server)")
	}
	for name, value := range in.Server.Settings {
		set(name, value, "the database's settings")
	}
	if err := checkConnections(derived["max_connections"].Value, needed); err != nil {
		return nil, err
	}
	out := make([]Setting, 0, len(derived))
	for _, name := range slices.Sorted(maps.Keys(derived)) {
		out = append(out, derived[name])
	}
	return out, nil
}

// checkConnections returns an error if the members' pools and the superuser's reserve exceed max_connections.
func checkConnections(maxConnections string, needed int64) error {
	n, err := strconv.ParseInt(maxConnections, 10, 32)
	if err != nil {
		return fmt.Errorf("max_connections must be a whole number, not %q", maxConnections)
	}
	if least := needed + 3; n < least {
		return fmt.Errorf("max_connections %d is too small: the members' pools need %d and PostgreSQL reserves 3 for the superuser: at least %d", n, needed, least)
	}
	return nil
}

// checkMemory returns an error if the connections do not fit into memory beside shared_buffers: the server
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
func totalConnections(g memberGroup) int64 {
	var n int64
	for _, m := range g.members {
		n += int64(m.Connections)
	}
	return n
}

// serverMemory returns the memory limit in bytes, or the request, or 0.
func serverMemory(r corev1.ResourceRequirements) int64 {
	if limit, ok := r.Limits[corev1.ResourceMemory]; ok {
		return limit.Value()
	}
	return r.Requests.Memory().Value()
}

func formatMegabytes(bytes int64) string { return fmt.Sprintf("%dMB", max(bytes/mebibyte, 1)) }
