package database

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
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

// allowedSettings are the settings that a network may set: those of performance and durability. Others would break the
// connections of members, the setup or the exporter, or would let the server run commands or load libraries.
var allowedSettings = []string{
	"autovacuum", "autovacuum_analyze_scale_factor", "autovacuum_max_workers", "autovacuum_naptime", "autovacuum_vacuum_cost_delay",
	"autovacuum_vacuum_cost_limit", "autovacuum_vacuum_scale_factor", "backend_flush_after", "bgwriter_delay", "bgwriter_flush_after",
	"bgwriter_lru_maxpages", "checkpoint_completion_target", "checkpoint_flush_after", "checkpoint_timeout", "commit_delay",
	"commit_siblings", "deadlock_timeout", "default_statistics_target", "effective_cache_size", "effective_io_concurrency", "fsync",
	"full_page_writes", "huge_pages", "jit", "maintenance_work_mem", "max_locks_per_transaction", "max_parallel_workers",
	"max_parallel_workers_per_gather", "max_pred_locks_per_transaction", "max_wal_size", "max_worker_processes", "min_wal_size",
	"plan_cache_mode", "random_page_cost", "seq_page_cost", "shared_buffers", "synchronous_commit", "temp_buffers", "track_io_timing",
	"wal_buffers", "wal_compression", "wal_init_zero", "wal_level", "wal_recycle", "wal_sync_method", "wal_writer_delay",
	"wal_writer_flush_after", "work_mem",
}

// ValidateSettings returns an error for each setting that a network may not set.
func ValidateSettings(given map[string]v1alpha1.DatabaseSetting, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(allowedSettings, name) {
			errs = append(errs, field.NotSupported(path, name, allowedSettings))
		}
	}
	return errs
}

// serverSettings returns the settings of an instance with that many connections of members, sorted by name: derived ones, and
// the given ones, which replace them and come from the field source.
func serverSettings(needed, memory int64, given map[string]v1alpha1.DatabaseSetting, source string) ([]Setting, error) {
	if err := checkMemory(memory, needed+reservedConnections); err != nil {
		return nil, err
	}
	settings := []Setting{
		{"effective_cache_size", formatMegabytes(memory / 2), "half of the memory (PostgreSQL wiki, Tuning Your PostgreSQL Server)"},
		{"max_connections", strconv.FormatInt(needed+reservedConnections, 10),
			fmt.Sprintf("%d of the members' pools + %d for superuser, exporter, setup and administrators", needed, reservedConnections)},
		{"shared_buffers", formatMegabytes(memory / 4), "25 % of the memory (PostgreSQL manual, 20.4.1)"},
	}
	settings = slices.DeleteFunc(settings, func(s Setting) bool { _, replaced := given[s.Name]; return replaced })
	for _, name := range slices.Sorted(maps.Keys(given)) {
		settings = append(settings, Setting{name, string(given[name]), source})
	}
	slices.SortFunc(settings, func(a, b Setting) int { return strings.Compare(a.Name, b.Name) })
	return settings, nil
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
	var total int64
	for _, m := range g.members {
		total += int64(in.Requirements.Connections[m.Name])
	}
	return total
}

func formatMegabytes(bytes int64) string { return fmt.Sprintf("%dMB", max(bytes/mebibyte, 1)) }
