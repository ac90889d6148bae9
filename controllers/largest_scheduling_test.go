package controllers_test

import (
	"fmt"
	"strings"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// largestScheduling returns members with as many constraints, and pods with as many labels and annotations, as are
// accepted.
func largestScheduling() string {
	var labels, annotations []string
	for i := range 16 {
		labels = append(labels, fmt.Sprintf("%q: %s", longKey(i), strings.Repeat("v", 63)))
		annotations = append(annotations, fmt.Sprintf("%q: %s", longKey(i), strings.Repeat("v", 1<<10)))
	}
	return fmt.Sprintf(`members: {scheduling: %s}
podTemplate: {metadata: {labels: {%s}, annotations: {%s}}}`, longScheduling(), strings.Join(labels, ", "), strings.Join(annotations, ", "))
}

// largestOverrides returns as many overrides as a network may have, each with the largest scheduling.
func largestOverrides(kind v1alpha1.PlatformType) string {
	var overrides []string
	for i := range map[bool]int{false: 16, true: 9}[kind == v1alpha1.PlatformJPaxos] {
		overrides = append(overrides, fmt.Sprintf("{members: [member-%d], cores: %dm, storage: {size: 1Ti, className: %s}, scheduling: %s}",
			i, 4000+i, strings.Repeat("c", 253), longScheduling()))
	}
	return "members: {overrides: [" + strings.Join(overrides, ", ") + "]}"
}

func longKey(i int) string {
	return fmt.Sprintf("%s.example/%s%02d", strings.Repeat("k", 245), strings.Repeat("k", 61), i)
}

// longScheduling returns the largest lists of a role's scheduling.
func longScheduling() string {
	var selector, tolerations, constraints []string
	for i := range 16 {
		selector = append(selector, fmt.Sprintf("%q: %s", longKey(i), strings.Repeat("v", 63)))
		tolerations = append(tolerations, fmt.Sprintf("{key: %q, value: %s}", longKey(i), strings.Repeat("v", 63)))
		constraints = append(constraints, fmt.Sprintf("{maxSkew: 1, topologyKey: %q, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {a: %s}}}",
			longKey(i), strings.Repeat("v", 63)))
	}
	return fmt.Sprintf("{nodeSelector: {%s}, tolerations: [%s], topologySpreadConstraints: [%s]}",
		strings.Join(selector, ", "), strings.Join(tolerations, ", "), strings.Join(constraints, ", "))
}

// longSettings returns as many settings of PostgreSQL as an instance may have, each with the longest value.
func longSettings() string {
	var settings []string
	for name := range strings.FieldsSeq(`autovacuum autovacuum_max_workers autovacuum_naptime autovacuum_vacuum_cost_delay backend_flush_after
		bgwriter_delay bgwriter_flush_after bgwriter_lru_maxpages checkpoint_completion_target checkpoint_flush_after checkpoint_timeout commit_delay
		commit_siblings deadlock_timeout default_statistics_target effective_cache_size effective_io_concurrency fsync full_page_writes huge_pages jit
		maintenance_work_mem max_locks_per_transaction max_parallel_workers max_wal_size max_worker_processes min_wal_size plan_cache_mode
		random_page_cost seq_page_cost shared_buffers synchronous_commit`) {
		settings = append(settings, name+": "+strings.Repeat("v", 64))
	}
	return "{" + strings.Join(settings, ", ") + "}"
}
